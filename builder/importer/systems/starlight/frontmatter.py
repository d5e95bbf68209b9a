"""The frontmatter of pages of Starlight: fields that stay, banner and hero as text, and what is told.

https://starlight.astro.build/reference/frontmatter/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from builder.importer.old_site import Loss
from builder.importer.source_page import SourcePage

KEPT = {"title": "title", "description": "description", "draft": "draft"}
"""Fields that pages keep, each with its name here."""
_KNOWN = frozenset({*KEPT, "slug", "sidebar", "tableOfContents", "template", "hero", "banner"})


def sidebar_fields(fields: Mapping[str, object]) -> Mapping[str, object]:
    """Return the fields of a page that say how it stands in the sidebar, and without a list of headings."""
    sidebar = fields.get("sidebar")
    found: dict[str, object] = {}
    if isinstance(sidebar, dict):
        names = {"label": "sidebar_label", "order": "sidebar_position"}
        found |= {new: sidebar[old] for old, new in names.items() if old in sidebar}
    if fields.get("tableOfContents") is False:
        found["hide_toc"] = True
    return found


def untold(source: SourcePage) -> Iterator[Loss]:
    """Yield what a page's frontmatter says that the new one cannot."""
    for key, value in source.fields.items():
        if key not in _KNOWN:
            yield Loss(f"frontmatter `{key}`", source.file, 1, f"{key}: {value}"[:300])
    hero = source.fields.get("hero")
    if isinstance(hero, dict) and hero.get("image"):
        yield Loss("image of the hero", source.file, 1, str(hero["image"])[:300])
    sidebar = source.fields.get("sidebar")
    for key, value in sidebar.items() if isinstance(sidebar, dict) else ():
        if key not in {"label", "order", "hidden"}:
            yield Loss(f"frontmatter `sidebar.{key}`", source.file, 1, f"{key}: {value}"[:300])


def with_banner(source: SourcePage) -> str:
    """Return the body of a page below its banner, which becomes an admonition without HTML."""
    banner = source.fields.get("banner")
    content = banner.get("content") if isinstance(banner, dict) else None
    body = _with_hero(source)
    if not isinstance(content, str) or not content.strip():
        return body
    return f":::note\n{' '.join(content.split())}\n:::\n\n{body}"


def _with_hero(source: SourcePage) -> str:
    """Return the body of a page, with the words and links of its hero above it."""
    hero = source.fields.get("hero")
    if not isinstance(hero, dict):
        return source.body
    lines = [str(hero["tagline"])] if isinstance(hero.get("tagline"), str) else []
    actions = hero.get("actions")
    links = [
        f"[{each['text']}]({each['link']})"
        for each in (actions if isinstance(actions, list) else [])
        if isinstance(each, dict) and "text" in each and "link" in each
    ]
    lines += ["", " ".join(links)] if links else []
    return "\n".join((*lines, "", source.body)) if lines else source.body
