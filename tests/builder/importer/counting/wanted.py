"""Say of each construct of an old page by what the built page has it: a text, a destination, a number."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import unquote, urljoin

from msgspec import Struct

from tests.builder.importer.counting.source_counter import Fence, SourceCounter
from tests.builder.importer.counting.tag_reader import Tag

EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_INLINE = frozenset({"abbr", "kbd", "mark", "sub", "sup"})
_FIELDS = frozenset({"title", "description"})
_UNSEEN = frozenset({
    # what no reader of the page saw, or what this system's own tools asked for
    "id", "slug", "sidebar_position", "position", "weight", "order", "layout", "draft", "sidebar.order",
    "iconType",
})  # fmt: skip
_TITLES = ("title", "label", "value", "name")
_PARAMETERS = ("path", "query", "body", "header", "name")
_NOTES = ("Note", "Tip", "Info", "Warning", "Check", "Danger", "Aside", "Callout", "Admonition")
_KINDS: Mapping[str, tuple[str, Sequence[str]]] = {
    **dict.fromkeys(_NOTES, ("admonition", ())),
    **dict.fromkeys(("TabItem", "Tab"), ("tab", _TITLES)),
    **dict.fromkeys(("Card", "LinkCard", "Tile"), ("card", _TITLES)),
    **dict.fromkeys(("Accordion", "Expandable"), ("details", _TITLES)),
    **dict.fromkeys(("img", "Image"), ("image", ("src",))),
    **dict.fromkeys(("iframe", "video"), ("frame", ("src",))),
    **dict.fromkeys(
        ("ParamField", "ResponseField"), ("parameter", ("path", "query", "body", "header", "name"))
    ),
    "Step": ("step", _TITLES),
    "details": ("details", ()),
    "Steps": ("steps", ()),
    "FileTree": ("filetree", ()),
    "Frame": ("framed image", ()),
    "Badge": ("badge", ("text",)),
    "LiteYouTubeEmbed": ("frame", ("id",)),
}
"""What tags stand for, and which attributes say which one."""
_NAMED = frozenset({"img", "Image", "iframe", "video"})
"""Tags that are nothing without that attribute."""
_GROUPS = frozenset({
    "Tabs", "CardGroup", "CardGrid", "AccordionGroup", "CodeGroup", "Columns", "Fragment", "Link",
    "LinkButton",
})  # fmt: skip
"""Tags that hold others, or are links, which are counted."""


class Wanted(Struct, frozen=True):
    """A construct with the text by which the built page has it, and where it stands."""

    kind: str
    key: str
    line: int
    end: int
    told_by: str = ""


class OldPlace(Struct, frozen=True):
    """An old page: its file, its address, and the addresses of all pages and files by their file."""

    file: str
    address: str
    addresses: Mapping[str, str]
    roots: Sequence[str] = ()
    read: Callable[[str], str | None] = lambda _: None


def key_of(address: str) -> str:
    """Return an address without what hosts do not tell apart."""
    path, sign, anchor = address.partition("#")
    path = re.sub(r"\?.*$", "", unquote(path))
    path = re.sub(r"(?:/index)?(?:\.html)?/*$", "", f"/{path.lstrip('/')}")
    return f"{path or '/'}{sign}{unquote(anchor).casefold()}"


def target_of(place: OldPlace, href: str) -> str | None:
    """Return the old address to which a link led; None for one that led nowhere."""
    if EXTERNAL.match(href):
        return href
    path, sign, anchor = href.partition("#")
    path = unquote(path.partition("?")[0])
    if not path:
        return f"#{unquote(anchor).casefold()}"
    names = [posixpath.normpath(posixpath.join(posixpath.dirname(place.file), path))]
    names += [posixpath.normpath(posixpath.join(root, path)) for root in place.roots]
    if path.startswith("/"):
        names = [posixpath.normpath(posixpath.join(root, path.lstrip("/"))) for root in (*place.roots, "")]
    for name in names:
        for each in (name, f"{name}.md", f"{name}.mdx", f"{name}/index.md", f"{name}/README.md"):
            if each in place.addresses:
                return key_of(f"{place.addresses[each]}{sign}{anchor}")
    whole = key_of(urljoin(place.address, path))
    known = {key_of(each) for each in place.addresses.values()}
    return f"{whole}{sign}{unquote(anchor).casefold()}" if whole in known else None


def wanted_of(source: SourceCounter, place: OldPlace) -> Iterator[Wanted]:
    """Yield the constructs of a page, in the words of the comparison."""
    for each in source.found:
        if each.kind == "link":
            yield from _link(each.key, each.line, place)
        elif each.kind == "include":
            yield from _include(each.key, each.line, place)
        elif each.kind == "frontmatter field":
            yield from _field(each.key, source.fields[each.key], each.end)
        else:
            yield Wanted(each.kind, each.key, each.line, each.end)
    for fence in source.fences:
        yield from _fence(fence, place)
    for tag in source.tags:
        part = source.imports.get(tag.name) or (tag.attributes.get("file") if tag.name == "Snippet" else None)
        if part:
            yield from _include(part, tag.line, place)
        else:
            yield from _tag(tag, place)


def _include(path: str, line: int, place: OldPlace) -> Iterator[Wanted]:
    """Yield the longest line of an included file, but for its marks."""
    folders = (posixpath.dirname(place.file), *place.roots, "", "_snippets", "snippets")
    texts = (place.read(posixpath.normpath(posixpath.join(each, path))) for each in folders)
    text = next((each for each in texts if each is not None), None)
    if text is not None and not text.strip():
        return
    shown = re.sub(r"\{/\*.*?\*/\}|<!--.*?-->", "", text or "", flags=re.DOTALL)
    lines = [re.sub(r"<[^>]*>|\]\([^)]*\)|\]\[[^\]]*\]", " ", each) for each in shown.split("\n")]
    lines = [each for each in lines if not re.match(r"[ \t]*(?:import|export|---|<)", each)]
    yield Wanted("include", max(lines, key=len, default=path) if text else path, line, line)


def _link(href: str, line: int, place: OldPlace) -> Iterator[Wanted]:
    if not href:
        return
    target = target_of(place, href)
    if target is None:
        yield Wanted("link that led nowhere", href, line, line)
    else:
        yield Wanted("link", target, line, line, href)


def _field(name: str, value: object, end: int) -> Iterator[Wanted]:
    if name in _FIELDS:
        yield Wanted(f"frontmatter {name}", str(value or ""), 1, end)
    elif name in {"openapi", "api"}:
        yield Wanted("endpoint", str(value), 1, end)
    elif name not in _UNSEEN and value not in (None, "", False):
        yield Wanted("frontmatter other", name, 1, 1)


_TITLE = re.compile(r"(?:title|filename|name)=(?:\"([^\"]*)\"|'([^']*)'|\{?\"([^\"]*)\"\}?)")
_MAGIC = re.compile(
    r"(?:^[ \t]*)?(?://|#|/\*|<!--|\{/\*)[ \t]*(?:highlight-[a-z-]+|\[!code[^\]]*\])[ \t]*(?:\*/\}?|-->)?",
    re.MULTILINE,
)
_LINES = re.compile(r"(?:^|[ \w])\{[\d,\s-]+\}|hl_lines=")


def _fence(fence: Fence, place: OldPlace) -> Iterator[Wanted]:
    found = re.search(
        r"^[ \t]*\{\{[ \t]*#\w*include[ \t]+([^}\s:]+)|--8<--[ \t]+[\"']([^\"':\n]+)",
        fence.code,
        re.MULTILINE,
    )
    if found:
        yield from _include(found[1] or found[2], fence.line, place)
        return
    yield Wanted("fence", _MAGIC.sub("", fence.code), fence.line, fence.end)
    title = _TITLE.search(fence.info)
    if title:
        yield Wanted(
            "fence title", next(each for each in title.groups() if each is not None), fence.line, fence.end
        )
    if _LINES.search(fence.info) or re.search(r"(?:highlight-(?:next-line|start)|\[!code )", fence.code):
        yield Wanted("fence with marked lines", "", fence.line, fence.end)


def _tag(tag: Tag, place: OldPlace) -> Iterator[Wanted]:
    """Yield what a tag stands for, and the link that it is."""
    name, given = tag.name, tag.attributes
    kind, names = _KINDS.get(name, ("", ()))
    key = next((given[each] for each in names if given.get(each)), "")
    if name in _INLINE:
        yield Wanted(f"tag {name}", "", tag.line, tag.end)
    elif kind and (key or name not in _NAMED):
        yield Wanted(kind, key, tag.line, tag.end)
    elif not kind and name[:1].isupper() and name not in _GROUPS:
        yield Wanted("component", name, tag.line, tag.end, f"component {name}")
    href = given.get("href") or (given.get("to") if name == "Link" else None)
    if href and not href.startswith("{"):
        yield from _link(href, tag.line, place)
