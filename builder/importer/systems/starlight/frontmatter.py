"""The frontmatter of pages of Starlight: fields that stay, banner and hero as text, and what is told.

https://starlight.astro.build/reference/frontmatter/.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from builder.importer.old_site import Loss
from builder.importer.source_page import SourcePage, lost_field

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
    hero = fields.get("hero")
    if isinstance(hero, dict) and isinstance(hero.get("title"), str):
        found["hide_title"] = True
    return found


def frontmatter_losses(source: SourcePage, has: Callable[[str], bool]) -> Iterator[Loss]:
    """Yield what a page's frontmatter says that the new one cannot; `has` says of a file that it is there."""
    hero = source.fields.get("hero")
    image = hero_image(source.fields)
    if isinstance(hero, dict) and hero.get("image") and not (image and has(place_of(source.file, image[0]))):
        yield Loss("image of the hero", source.file, 1, str(hero["image"])[:300])
    yield from source.lost_fields(_KNOWN)
    contents = source.fields.get("tableOfContents")
    if isinstance(contents, dict):
        yield lost_field(source.file, "tableOfContents", contents)
    sidebar = source.fields.get("sidebar")
    for key, value in sidebar.items() if isinstance(sidebar, dict) else ():
        if key not in {"label", "order", "hidden"}:
            yield lost_field(source.file, key, value, "sidebar.")


def with_banner(source: SourcePage, has: Callable[[str], bool]) -> str:
    """Return the body of a page below its banner, which becomes an admonition without HTML.

    `has` says of a file that it is there.
    """
    banner = source.fields.get("banner")
    content = banner.get("content") if isinstance(banner, dict) else None
    body = _with_hero(source, has)
    if not isinstance(content, str) or not content.strip():
        return body
    return f":::note\n{' '.join(content.split())}\n:::\n\n{body}"


def _with_hero(source: SourcePage, has: Callable[[str], bool]) -> str:
    """Return the body of a page, with the words and links of its hero above it."""
    hero = source.fields.get("hero")
    if not isinstance(hero, dict):
        return source.body
    lines = [f"# {hero['title']}", ""] if isinstance(hero.get("title"), str) else []
    image = hero_image(source.fields)
    lines += [f"![{image[1]}](<{image[0]}>)", ""] if image and has(place_of(source.file, image[0])) else []
    lines += [str(hero["tagline"])] if isinstance(hero.get("tagline"), str) else []
    actions = hero.get("actions")
    links = [
        f"[{each['text']}]({each['link']})"
        for each in (actions if isinstance(actions, list) else [])
        if isinstance(each, dict) and "text" in each and "link" in each
    ]
    lines += ["", " ".join(links)] if links else []
    return "\n".join((*lines, "", source.body)) if lines else source.body


def hero_image(fields: Mapping[str, object]) -> tuple[str, str] | None:
    """Return the image of a hero, the one for light pages, with its text; None where there is none."""
    hero = fields.get("hero")
    image = hero.get("image") if isinstance(hero, dict) else None
    about = image if isinstance(image, dict) else {}
    place, alt = about.get("light") or about.get("file"), str(about.get("alt") or "").replace("]", "")
    return (place, alt) if isinstance(place, str) and place else None


def place_of(page: str, image: str) -> str:
    """Return the file of an image that a page names."""
    if image.startswith(("~/", "@/")):
        return f"src/{image[2:]}"
    if image.startswith("/"):
        return f"public{image}"
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), image))


_MARKDOC = re.compile(
    r"\{%-?[ \t]*(?P<close>/)?(?P<name>[a-z][\w-]*)(?P<rest>[^%\n]*?)(?P<void>/)?[ \t]*-?%\}"
)
_NAMES = {
    "aside": "Aside", "card": "Card", "cardgrid": "CardGrid", "code": "Code", "filetree": "FileTree",
    "icon": "Icon", "linkbutton": "LinkButton", "linkcard": "LinkCard", "steps": "Steps", "tabs": "Tabs",
    "tabitem": "TabItem", "badge": "Badge",
}  # fmt: skip


def without_markdoc(body: str) -> str:
    """Return the body of a page of Markdoc with its tags written as MDX has them, but for those in code."""
    lines, fence = body.split("\n"), ""
    for number, line in enumerate(lines):
        mark = re.match(r"[ \t]*(`{3,}|~{3,})", line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and "{%" in line:
            lines[number] = _MARKDOC.sub(_tag, line)
    return "\n".join(lines)


def _tag(found: re.Match[str]) -> str:
    """Return a tag as MDX has it; the name of one that is unknown begins with a capital, too."""
    name = _NAMES.get(
        found["name"].replace("-", ""), found["name"].replace("-", " ").title().replace(" ", "")
    )
    if found["close"]:
        return f"</{name}>"
    given = re.sub(r"=(true|false|\d[\d.]*)(?=\s|$)", r"={\1}", found["rest"].rstrip())
    return f"<{name}{given}{' /' if found['void'] else ''}>"
