"""Rewrite lists of attributes of MkDocs: of headings, images, links and what else has one."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator

from builder.importer.old_site import State
from builder.importer.page_work import PageWork
from builder.importer.rewriting import Rewriting

_HEADING_LINE = re.compile(r"^[ >]{0,40}#{1,6}[ \t][^\n]*\}[ \t]*$", re.MULTILINE)
_LAST_LIST = re.compile(r"[ \t]{0,20}\{:?(?P<list>[ \t]*(?:[#.][\w-]|[\w-]+=)[^{}\n]*)\}[ \t]*$")
_LIST = re.compile(r"\{:?[ \t]*(?:[#.][\w-]|[\w-]+=)[^{}\n]*\}")
_LOOK = re.compile(r"\.|#|(?:class|loading|target|rel|role|style|width|height|data-[\w-]+|markdown)(?:=|$)")
_QUOTED = re.compile(r"=(?:\"[^\"]*\"|'[^']*')")
_ID = re.compile(r"(?:^|\s)(?:#|id=(?P<quote>[\"']?))(?P<id>[^\s=#{}\"']+)(?P=quote)?")
_IMAGE = re.compile(
    r"!\[(?P<alt>[^\[\]\n]{0,500})\]\((?P<src>[^()\s]{1,1000})(?:[ ]+\"(?P<title>[^\"\n]*)\")?\)"
    r"(?P<list>\{[^{}\n]*\})?"
)
_SIZE = re.compile(r"\b(width|height)=[\"']?(\d+)(?:px)?(?![\d%])")
_ONLY = re.compile(r"#(?:only|gh)-(light|dark)(?:-mode-only)?$|#gh-(light|dark)-mode-only$")


def rewrite_attributes(work: PageWork) -> None:
    """Rewrite all lists of attributes of a page."""
    rewriting = work.rewriting
    _images(work)
    for found in _headings(rewriting):
        _heading(work, found)
    rewriting.each(_LIST, lambda found: _list(work, found))


def _images(work: PageWork) -> None:
    """Write sizes as an image has them here, and of two images for light and dark a pair."""
    found: list[re.Match[str]] = []
    work.rewriting.each(_IMAGE, found.append)
    for number, image in enumerate(found):
        mode = _ONLY.search(image["src"])
        if mode is not None:
            _paired(work, found, number, (mode[1] or mode[2]) == "dark")
        elif image["list"]:
            _sized(work, image)


def _paired(work: PageWork, found: list[re.Match[str]], number: int, is_dark: bool) -> None:
    """Keep the light image of two that follow one another; the dark one is an attribute of its frame."""
    text, image = work.rewriting.text, found[number]
    near = [
        one
        for one in found[max(0, number - 1) : number + 2]
        if one is not image and _ONLY.search(one["src"]) and _is_next(text, image, one)
    ]
    if is_dark and near:
        work.rewriting.remove_lines(image.start(), image.end())
    elif near:
        dark = work.href(_ONLY.sub("", near[0]["src"]), image.start())
        work.rewriting.extras.add("frame")
        work.needs_mdx = True
        shown = html.escape(dark, quote=True)
        light = work.href(_ONLY.sub("", image["src"]), image.start())
        work.rewriting.replace(
            image.start(), image.end(), f'<Frame dark="{shown}">\n![{image["alt"]}]({light})\n</Frame>'
        )
    else:
        href = work.href(_ONLY.sub("", image["src"]), image.start())
        what = "image for pages of one colour"
        work.rewriting.tell(what, image.start(), image[0], "it is on all pages", "changed")
        work.rewriting.replace(image.start(), image.end(), f"![{image['alt']}]({href})")


def _is_next(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    first, second = (one, other) if one.start() < other.start() else (other, one)
    return not text[first.end() : second.start()].strip()


def _sized(work: PageWork, image: re.Match[str]) -> None:
    """Write an image with a width or height as a tag."""
    sizes = dict(_SIZE.findall(image["list"]))
    if not sizes:
        return
    work.needs_mdx = True
    alt = html.escape(image["alt"], quote=True)
    src = html.escape(work.href(image["src"], image.start()), quote=True)
    given = "".join(f' {name}="{value}"' for name, value in sorted(sizes.items(), reverse=True))
    title = f' title="{html.escape(image["title"], quote=True)}"' if image["title"] else ""
    if "align=" in image["list"]:
        work.rewriting.tell("place of an image beside the text", image.start(), image["list"])
    work.rewriting.replace(image.start(), image.end(), f'<img src="{src}" alt="{alt}"{title}{given} />')


def _headings(rewriting: Rewriting) -> Iterator[re.Match[str]]:
    """Yield the headings that end with a list, outside of code; what else they hold does not matter."""
    fences = [piece for piece in rewriting.source.pieces if piece.sort == "fence"]
    starts = [piece.start for piece in fences]
    for line in _HEADING_LINE.finditer(rewriting.text):
        before = bisect_right(starts, line.start()) - 1
        is_code = before >= 0 and line.start() < fences[before].end
        if not is_code and (found := _LAST_LIST.search(rewriting.text, *line.span())):
            yield found


def _heading(work: PageWork, found: re.Match[str]) -> None:
    id_ = _ID.search(found["list"])
    work.rewriting.replace(found.start(), found.end(), f" {{#{id_['id']}}}" if id_ else "")
    rest = _ID.sub("", found["list"], count=1).strip()
    if rest:
        _tell(work, found.start(), rest)


def _list(work: PageWork, found: re.Match[str]) -> None:
    """Remove a list of attributes; an id of its own becomes an anchor."""
    rewriting, text = work.rewriting, work.rewriting.text
    id_ = _ID.search(found[0][1:-1].lstrip(":"))
    line = text.rfind("\n", 0, found.start()) + 1
    if (
        text[line : found.start()].lstrip(" ").startswith("#")
        and not text[found.end() :].split("\n", 1)[0].strip()
    ):
        return
    anchor = f'<a id="{id_["id"]}"></a>' if id_ else ""
    if text[max(0, found.start() - 4) : found.start()] == "[]()":
        rewriting.replace(found.start() - 4, found.end(), anchor)
        return
    if anchor:
        rewriting.replace(found.start(), found.end(), anchor)
        return
    if found[0].strip("{}: ") == "annotate" or ".annotate" in found[0]:
        now = "a number; its text is below"
        rewriting.tell("remark in the text", found.start(), found[0], now, "changed")
    else:
        _tell(work, found.start(), found[0])
    rewriting.remove_lines(found.start(), found.end())


def _tell(work: PageWork, at: int, old: str) -> None:
    """Tell of a list that goes; one of looks alone changes nothing that readers read."""
    is_look = all(map(_LOOK.match, _QUOTED.sub("=", old).strip("{}: ").split()))
    state: State = "changed" if is_look else "lost"
    work.rewriting.tell("list of attributes", at, old, "the text without it" if is_look else "", state)
