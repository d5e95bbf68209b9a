"""The settings of a Starlight site as `site.yml` has them; what nothing stands for is told.

https://starlight.astro.build/reference/configuration/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from builder.importer.literals import Literal, as_json, first_data
from builder.importer.old_site import Loss

_SOCIAL = {"github", "gitlab", "mastodon", "bluesky", "linkedin", "youtube", "discord", "slack", "x"}
_SAME = {"twitter": "x", "x.com": "x", "blueSky": "bluesky", "email": "email", "rss": "rss"}
_TOLD = ("head", "customCss", "components", "plugins", "expressiveCode", "routeMiddleware")


def starlight_settings(
    astro: Mapping[str, Literal], config: Mapping[str, Literal], url: str, file: str, losses: list[Loss]
) -> Mapping[str, object]:
    """Return the fields of `site.yml` that say something."""
    base, site = _str(astro.get("base")).strip("/"), (url or _str(astro.get("site"))).rstrip("/")
    logo = config.get("logo")
    language = _str(first_data(config, "locales", "root", "lang")) or _str(config.get("defaultLocale"))
    edit = _str(first_data(config, "editLink", "baseUrl"))
    found: dict[str, object] = {
        "title": label_of(config.get("title")),
        "description": " ".join(_str(config.get("description")).split()),
        "url": f"{site}/{base}".rstrip("/") if site else "",
        "docs_at": "/",
        "language": language if language != "root" else "",
        "logo": asset(_str(first_data(logo, "light") or first_data(logo, "src"))),
        "favicon": _str(config.get("favicon")),
        "footer": _footer(config.get("social"), file, losses),
    }
    if re.match(r"https?://[^\s{}]+\Z", edit):
        found["edit_url"] = f"{edit.rstrip('/')}/{{path}}"
        now = f"{found['edit_url']}: look whether the new files will be there"
        losses.append(Loss("`editLink`", file, 0, edit, now, "changed"))
    told = [name for name in _TOLD if config.get(name)]
    losses.extend(Loss(f"`{name}`", file, 0, as_json(config[name])[:300]) for name in told)
    return {name: value for name, value in found.items() if value}


def label_of(value: object) -> str:
    """Return a label, of a text or of one in several languages."""
    if isinstance(value, dict):
        return next((each for each in value.values() if isinstance(each, str)), "")
    return value if isinstance(value, str) else ""


def _footer(listed: Literal, file: str, losses: list[Loss]) -> Mapping[str, object]:
    """Return the links to other places: those that are known with their icons, others as links."""
    social: dict[str, str] = {}
    links: list[Mapping[str, str]] = []
    for icon, label, href in _places(listed):
        name = _SAME.get(icon, icon.lower())
        if name in _SOCIAL and name not in social and href.startswith("http"):
            social[name] = href
        elif re.match(r"https?://|mailto:", href):
            links.append({"label": label or icon, "href": href})
        else:
            losses.append(Loss("link to another place", file, 0, f"{icon} {href}"))
    return {name: value for name, value in (("social", social), ("links", links)) if value}


def _places(listed: Literal) -> Iterator[tuple[str, str, str]]:
    """Yield icon, label and address, of a list as it is now and of an object as it was before."""
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict):
            yield _str(each.get("icon")), _str(each.get("label")), _str(each.get("href"))
    for name, href in listed.items() if isinstance(listed, dict) else ():
        yield name, name, _str(href)


def asset(path: str) -> str:
    """Return the address of a file of `src`."""
    return re.sub(r"^(?:\.?/)?src/", "/", path)


def _str(value: object) -> str:
    return value if isinstance(value, str) else ""
