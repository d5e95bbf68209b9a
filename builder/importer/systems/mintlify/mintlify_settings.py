"""The settings of a site of Mintlify as `site.yml` has them: those of `docs.json`, and of `mint.json` of old.

https://mintlify.com/docs/organize/settings. What readers saw and have no more is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from builder.importer.old_site import Loss
from builder.importer.page_work import Choices
from builder.importer.systems.social_places import social_places

_READ = frozenset({
    "$schema", "name", "description", "logo", "favicon", "colors", "navbar", "footer", "banner", "navigation",
    "redirects", "theme", "tabs", "anchors", "versions", "topbarLinks", "topbarCtaButton", "footerSocials",
    "primaryTab", "openapi", "contextual", "search", "appearance", "modeToggle", "background", "layout",
    "rounded", "sidebar", "topbar", "backgroundImage", "styling", "icons", "codeBlock", "codeblocks",
    "interaction", "isWhiteLabeled", "eyebrows", "thumbnails", "topAnchor", "$id", "variables",
})  # fmt: skip
"""Keys whose values stand in the new site, or are looks that the theme has."""
_LINK = re.compile(r"!?\[(?P<text>[^\[\]]{0,300})\]\((?P<href>[^()\s]{1,500})\)")
_MARKS = re.compile(r"<[^<>]{0,300}>|\*\*|__|`")

Config = Mapping[str, object]


def settings_of(config: Config, file: str, choices: Choices, losses: list[Loss]) -> Mapping[str, object]:
    """Return the settings; what has no place there is told."""
    settings: dict[str, object] = {
        "title": _text(config.get("name")),
        "description": _text(config.get("description")),
        "url": choices.url,
        "docs_at": "/",
        "logo": _light(config.get("logo")),
        "favicon": _light(config.get("favicon")),
        "accent": _text(_mapping(config.get("colors")).get("primary")),
        "announcement": _announcement(config, file, losses),
        "nav": [*_nav(config)],
        "footer": _footer(config, file, losses),
    }
    for name, value in config.items():
        if name not in _READ:
            losses.append(Loss(f"`{name}` of the configuration", file, 0, json.dumps(value)[:300]))
    return {name: value for name, value in settings.items() if value}


def _announcement(config: Config, file: str, losses: list[Loss]) -> Mapping[str, object]:
    """Return the banner as a line above all pages; its first link is that of the line."""
    content = _text(_mapping(config.get("banner")).get("content"))
    if not content:
        return {}
    linked = _LINK.search(content)
    text = " ".join(_MARKS.sub("", _LINK.sub(r"\g<text>", content)).split())
    if len(_LINK.findall(content)) > 1 or _MARKS.search(content):
        losses.append(Loss("banner", file, 0, content, "one line with one link", "changed"))
    is_dismissible = _mapping(config.get("banner")).get("dismissible") is True
    href = {"href": linked["href"]} if linked else {}
    return {"text": text, **href, "dismissible": is_dismissible}


def _nav(config: Config) -> Iterator[Config]:
    """Yield the entries of the header: links, links of all pages, and the button."""
    bar = _mapping(config.get("navbar"))
    shared = _mapping(_mapping(config.get("navigation")).get("global"))
    for each in (*_listed(bar.get("links")), *_listed(config.get("topbarLinks"))):
        yield from _link(each)
    for kind in ("anchors", "dropdowns", "tabs", "products"):
        for each in _listed(shared.get(kind)):
            yield from _link({"label": _mapping(each).get(kind.removesuffix("s")), **_mapping(each)})
    for each in _listed(config.get("anchors")):  # of old: links beside all navigation
        if re.match(r"https?:", _text(_mapping(each).get("url"))):
            yield from _link(each)
    for primary in (bar.get("primary"), config.get("topbarCtaButton")):
        yield from ({**each, "primary": True} for each in _link(primary))


def _link(given: object) -> Iterator[Config]:
    """Yield a link; one with an icon alone has the name of its place."""
    found = _mapping(given)
    href = _text(found.get("href")) or _text(found.get("url"))
    names = ("label", "name", "type", "icon")
    label = next((text for name in names if (text := _text(found.get(name)))), href)
    if href:
        yield {"label": label[:1].upper() + label[1:], "href": href}


def _footer(config: Config, file: str, losses: list[Loss]) -> Mapping[str, object]:
    footer = _mapping(config.get("footer"))
    socials = footer.get("socials") or config.get("footerSocials")
    pairs = [(str(name), value) for name, value in _mapping(socials).items() if isinstance(value, str)]
    pairs += [
        (_text(_mapping(each).get("type")), _text(_mapping(each).get("url"))) for each in _listed(socials)
    ]
    found = social_places([pair for pair in pairs if pair[1]], file, losses)
    columns = [
        {
            "label": _text(_mapping(column).get("header")) or "More",
            "items": [link for each in _listed(_mapping(column).get("items")) for link in _link(each)],
        }
        for column in _listed(footer.get("links"))
    ]
    parts: dict[str, object] = {"columns": [each for each in columns if each["items"]], "social": dict(found)}
    return {name: value for name, value in parts.items() if value}


def old_tabs(config: Config) -> Sequence[tuple[str, str]]:
    """Return the label and the folder of each tab of `mint.json`: pages below it are the tab's."""
    found = [
        (_text(_mapping(each).get("name")), _text(_mapping(each).get("url")).strip("/"))
        for kind in ("tabs", "anchors")
        for each in _listed(config.get(kind))
        if not re.match(r"https?:", _text(_mapping(each).get("url")))
    ]
    return [(label, folder) for label, folder in found if label and folder]


def _light(given: object) -> str:
    return _text(given) or _text(_mapping(given).get("light")) or _text(_mapping(given).get("dark"))


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _mapping(value: object) -> Config:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []
