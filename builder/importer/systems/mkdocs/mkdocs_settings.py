"""The settings of a site of MkDocs as `site.yml` has them."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping

from builder.importer.old_site import Loss
from builder.importer.page_work import Choices
from builder.importer.systems.mkdocs.configuration import Configuration
from builder.importer.systems.social_places import social_places

_COLORS = {
    "red": "#ef5552", "pink": "#e92063", "purple": "#ab47bd", "deep purple": "#7e56c2", "indigo": "#4051b5",
    "blue": "#2094f3", "light blue": "#02a6f2", "cyan": "#00bdd6", "teal": "#009485", "green": "#4cae4f",
    "light green": "#8bc34b", "lime": "#cbdc38", "yellow": "#ffec3d", "amber": "#ffc105", "orange": "#ffa724",
    "deep orange": "#ff6e42", "brown": "#795649", "grey": "#757575", "blue grey": "#546d78",
}  # fmt: skip
"""The names of Material's colours."""
_TOLD = ("extra_javascript", "hooks")
_TAGS = re.compile(r"<[^<>]{0,500}>")


def settings_of(
    config: Configuration, docs: str, choices: Choices, losses: list[Loss]
) -> Mapping[str, object]:
    """Return the settings; what has no place there is told."""
    repository = config.text("repo_url").rstrip("/")
    label = config.text("repo_name") or "Repository"
    settings: dict[str, object] = {
        "title": config.text("site_name"),
        "description": " ".join(config.text("site_description").split()),
        "url": (choices.url or config.text("site_url")).rstrip("/"),
        "docs_at": "/",
        "language": config.text("theme", "language"),
        "logo": _rooted(config.text("theme", "logo")),
        "favicon": _rooted(config.text("theme", "favicon")),
        "accent": _accent(config),
        "css": _styles(config, losses),
        "edit_url": _edit_url(config, repository, docs),
        "nav": [{"label": label, "href": repository}] if repository else None,
        "footer": _footer(config, losses),
        "analytics": _analytics(config, losses),
    }
    _tell(config, losses)
    return {name: value for name, value in settings.items() if value}


def _accent(config: Configuration) -> str:
    """Return the colour of the first palette that names one that is known."""
    palette = config.value("theme", "palette")
    for each in palette if isinstance(palette, list) else [palette]:
        primary = each.get("primary") if isinstance(each, dict) else None
        if str(primary) in _COLORS:
            return _COLORS[str(primary)]
    return ""


def _styles(config: Configuration, losses: list[Loss]) -> list[str]:
    """Return the style sheets of the site's own, and tell that they name what the old theme had."""
    listed = config.value("extra_css")
    losses += [
        Loss("style sheet", config.file, 0, str(each), "its rules are for the old theme")
        for each in (listed if isinstance(listed, list) else [])
    ]
    return []


def _footer(config: Configuration, losses: list[Loss]) -> Mapping[str, object]:
    copyright_ = " ".join(html.unescape(_TAGS.sub(" ", config.text("copyright"))).split())
    listed = config.value("extra", "social")
    pairs = [
        (str(each.get("icon") or each.get("name") or ""), str(each["link"]))
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and isinstance(each.get("link"), str)
    ]
    social = social_places(pairs, config.file, losses)
    footer: dict[str, object] = {"text": copyright_, "social": dict(social)}
    return {name: value for name, value in footer.items() if value}


def _analytics(config: Configuration, losses: list[Loss]) -> Mapping[str, object]:
    if config.value("extra", "analytics", "property"):
        told = str(config.value("extra", "analytics", "property"))
        losses.append(Loss("analytics", config.file, 0, told, "see `analytics` in site.yml"))
    return {}


def _tell(config: Configuration, losses: list[Loss]) -> None:
    for name in _TOLD:
        listed = config.value(name)
        losses += [
            Loss(f"`{name}` of the configuration", config.file, 0, str(each)[:200])
            for each in (listed if isinstance(listed, list) else [])
        ]
    if config.value("extra", "version", "provider") == "mike" or config.plugin("mike") is not None:
        losses.append(Loss("versions by mike", config.file, 0, "extra.version", "this version alone"))
    listed = config.value("extra", "alternate")
    losses += [
        Loss("other language of the site", config.file, 0, f"{each.get('name')}: {each.get('link')}")
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict)
    ]


def _edit_url(config: Configuration, repository: str, docs: str) -> str:
    """Return the address for editing; the new site's pages lie in `docs`."""
    uri = config.text("edit_uri")
    if uri and not re.match(r"https?://", uri):
        uri = f"{repository}/{uri}" if repository else ""
    uri = uri.rstrip("/")
    if not uri or "?" in uri or "#" in uri:
        return ""
    base = posixpath.basename(docs)
    return f"{uri.removesuffix(f'/{base}')}/{{path}}" if uri.startswith("https://") else ""


def _rooted(path: str) -> str:
    return path if not path or re.match(r"[a-z]+:|/", path) else f"/{path}"
