"""The settings of a Starlight site as `site.yml` has them; what nothing stands for is told.

https://starlight.astro.build/reference/configuration/.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from builder.importer.host_redirects import host_redirects
from builder.importer.literals import Call, Literal, as_json, as_text, first_data
from builder.importer.old_site import Loss
from builder.importer.read_literals import read_module
from builder.importer.source_tree import SourceTree

CONFIGS = tuple(f"astro.config.{ending}" for ending in ("mjs", "ts", "js", "mts", "cjs"))

_NOT_IN_SLUG = re.compile(r"[^\w\s-]")


class StarlightConfig:
    """The configuration of a site; what is no data is added to the losses."""

    def __init__(self, origin: SourceTree, file: str, losses: list[Loss]) -> None:
        self._origin = origin
        self._file = file
        self._losses = losses
        self._module = read_module(origin.text(file) or "")
        config = self._module.exports.get("default")
        self.astro: Mapping[str, Literal] = config if isinstance(config, dict) else {}

    def starlight(self) -> Mapping[str, Literal]:
        """Return what Starlight is told, wherever its call stands; nothing, and a loss, for no data."""
        listed = self.astro.get("integrations")
        found: Literal = None
        for each in (*(listed if isinstance(listed, list) else ()), *self._module.names.values()):
            if isinstance(each, Call) and each.name.lower().endswith("starlight") and each.arguments:
                found = self._followed(each.arguments[0])
                break
            if isinstance(each, dict) and "title" in each and found is None:
                found = each
        if isinstance(found, dict):
            return {name: self._followed(value) for name, value in found.items()}
        self._losses.append(Loss("configuration that is no data", self._file, 0, getattr(found, "text", "")))
        return {}

    def _followed(self, value: Literal) -> Literal:
        """Return what a name stands for that is imported from another file."""
        source, name = self._module.imports.get(getattr(value, "text", ""), ("", ""))
        if not source.startswith("."):
            return value
        place = posixpath.normpath(source)
        for end in ("", ".ts", ".js", ".mjs", "/index.ts", "/index.js"):
            text = self._origin.text(f"{place}{end}") if self._origin.has(f"{place}{end}") else None
            if text is not None:
                return read_module(text).exports.get(name, value)
        return value

    def redirects(self) -> Iterator[tuple[str, str]]:
        """Yield the redirects of Astro, and those of the host."""
        listed = self.astro.get("redirects")
        for old, new in listed.items() if isinstance(listed, dict) else ():
            target = new if isinstance(new, str) else as_text(first_data(new, "destination"))
            if not target:
                self._losses.append(Loss("redirect that is no data", self._file, 0, old))
            else:
                yield _pattern(old), _pattern(target)
        yield from host_redirects(self._origin, ("", "public"), self._losses)


def _pattern(path: str) -> str:
    """Return a path of Astro as redirects have it here: `*` for `[...all]`, `:name` for `[name]`."""
    return re.sub(r"\[(\w+)\]", r":\1", re.sub(r"\[\.\.\.\w+\]", "*", path))


def slugged(part: str) -> str:
    """Return a name as Astro makes an address of it."""
    return re.sub(r"\s", "-", _NOT_IN_SLUG.sub("", part.lower()).strip())


_SOCIAL = {"github", "gitlab", "mastodon", "bluesky", "linkedin", "youtube", "discord", "slack", "x"}
_SAME = {"twitter": "x", "x.com": "x", "blueSky": "bluesky", "email": "email", "rss": "rss"}
_TOLD = ("head", "customCss", "components", "plugins", "expressiveCode", "routeMiddleware")


def starlight_settings(
    astro: Mapping[str, Literal], config: Mapping[str, Literal], url: str, file: str, losses: list[Loss]
) -> Mapping[str, object]:
    """Return the fields of `site.yml` that say something."""
    base, site = as_text(astro.get("base")).strip("/"), (url or as_text(astro.get("site"))).rstrip("/")
    logo = config.get("logo")
    language = as_text(first_data(config, "locales", "root", "lang")) or as_text(config.get("defaultLocale"))
    edit = as_text(first_data(config, "editLink", "baseUrl"))
    found: dict[str, object] = {
        "title": label_of(config.get("title")),
        "description": " ".join(as_text(config.get("description")).split()),
        "url": f"{site}/{base}".rstrip("/") if site else "",
        "docs_at": "/",
        "language": language if language != "root" else "",
        "logo": asset(as_text(first_data(logo, "light") or first_data(logo, "src"))),
        "favicon": as_text(config.get("favicon")),
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
            yield as_text(each.get("icon")), as_text(each.get("label")), as_text(each.get("href"))
    for name, href in listed.items() if isinstance(listed, dict) else ():
        yield name, name, as_text(href)


def asset(path: str) -> str:
    """Return the address of a file of `src`."""
    return re.sub(r"^(?:\.?/)?src/", "/", path)
