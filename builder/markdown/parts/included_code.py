"""Lines of a file for a code block: all of them, some by their numbers, or a region that the file marks.

    ```py file="../examples/app.py" region="main" lines="3-9" vars

A region is marked as editors do it, or as other documentation tools do, in a comment of any form:

    # region main           //#region main          ANCHOR: main            --8<-- [start:main]
    # endregion             //#endregion            ANCHOR_END: main        --8<-- [end:main]

Lines that mark regions are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from builder.markdown.mdx.dedent_children import width

_OPENING = re.compile(r"(`{3,}|~{3,})([^\n]*)\n?")
_META = re.compile(r"(?<=\s)(file|region|lines)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"']+)")
_VARS = re.compile(r"(?<=\S)\s+vars(?!\S)")
_MARKS = re.compile(
    r"""^[^\w\n]*(?:pragma\s+)?(?:
        (?P<open>region)\b[ \t:]*["']?(?P<name>[\w.-]*) | (?P<close>end[ ]?region)\b
      | ANCHOR:[ \t]*(?P<from>[\w.-]+) | ANCHOR_END:[ \t]*(?P<to>[\w.-]+)
      | (?:8<-*[ \t]*)\[[ \t]*(?P<side>start|end):[ \t]*(?P<part>[\w.-]+)[ \t]*\]
    )""",
    re.IGNORECASE | re.VERBOSE,
)


_MAY_MARK = re.compile(r"region|ANCHOR|8<", re.IGNORECASE)


class AskedFence(Struct, frozen=True):
    """The opening of a code block: its `marks`, and `info` without what it asks for.

    Lines of its own reach from `start` to `end`.
    """

    marks: str
    info: str
    asks: dict[str, str]
    vars: bool
    start: int
    end: int


def asked(text: str, start: int, end: int) -> AskedFence | None:
    """The code block from `start` to `end`; None for one that asks for nothing."""
    found = _OPENING.match(text, start, end)
    if found is None:
        return None
    info = found[2]
    asks = {name: value.strip("\"'") for name, value in _META.findall(info)}
    plain = _META.sub("", info)
    shown = _VARS.sub("", plain)
    if "file" not in asks and shown == plain:
        return None
    last = text.rfind("\n", found.start(), end) + 1
    closes = last >= found.end() and text[last:end].strip(" \t>").strip(found[1][0]) == ""
    closes = closes and found[1] in text[last:end]
    stop = max(found.end(), last if closes else end)
    return AskedFence(found[1], shown.rstrip(), asks, shown != plain, found.end(), stop)


class NoLines(Exception):
    """What is asked for is not in the file; says why."""


def chosen(text: str, region: str, lines: str) -> list[tuple[int, int]]:
    """The lines that are asked for, each from offset to offset, at the margin. Raises NoLines."""
    every = list(_spans(text))
    found = _region(text, every, region) if region else every
    if lines:
        found = list(_numbered(found, lines))
    elif not region and _MAY_MARK.search(text):
        found = [span for span in every if not _MARKS.match(text[span[0] : span[1]])]
    return _at_margin(text, found)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    pos = 0
    for line in text.removesuffix("\n").split("\n"):
        yield pos, pos + len(line)
        pos += len(line) + 1


def _region(text: str, every: Sequence[tuple[int, int]], name: str) -> list[tuple[int, int]]:
    """The lines of the region called `name`."""
    found: list[tuple[int, int]] = []
    open_: list[str] = []
    anchors: set[str] = set()
    seen = False
    for start, end in every:
        mark = _MARKS.match(text[start:end])
        if mark is None:
            if name in open_ or name in anchors:
                found.append((start, end))
        elif mark["open"]:
            open_.append(mark["name"])
        elif mark["close"]:
            del open_[-1:]
        else:
            _anchor(mark, anchors)
        seen = seen or name in open_ or name in anchors
    if not seen:
        raise NoLines(f"it has no region `{name}`")
    return found


def _anchor(mark: re.Match[str], anchors: set[str]) -> None:
    name = mark["from"] or mark["to"] or mark["part"]
    if mark["from"] or (mark["side"] or "").lower() == "start":
        anchors.add(name)
    else:
        anchors.discard(name)


def _numbered(spans: Sequence[tuple[int, int]], lines: str) -> Iterator[tuple[int, int]]:
    """The lines with these numbers, from 1: `3-9,12`, `5-` to the end."""
    for part in lines.split(","):
        found = re.fullmatch(r"\s*(\d{1,6})\s*(?:(-)\s*(\d{1,6})?)?\s*", part)
        if found is None:
            raise NoLines(f"`{lines}` are no numbers of lines")
        first = int(found[1])
        last = int(found[3]) if found[3] else (len(spans) if found[2] else first)
        if not 1 <= first <= last or last > len(spans):
            raise NoLines(f"it has {len(spans)} lines, and no lines {part.strip()}")
        yield from spans[first - 1 : last]


def _at_margin(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The lines without the blanks that all of them begin with."""
    lines = [text[start:end] for start, end in spans]
    common = min((width(line) for line in lines if line.strip()), default=0)
    return [(min(end, start + _cut(text[start:end], common)), end) for start, end in spans]


def joined(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same lines, those that follow each other as one."""
    whole: tuple[int, int] | None = None
    for start, end in spans:
        if whole is not None and start == whole[1] + 1:
            whole = whole[0], end
            continue
        if whole is not None:
            yield whole
        whole = start, end
    if whole is not None:
        yield whole


def _cut(line: str, columns: int) -> int:
    """The number of blanks that take so many columns at most."""
    if not columns or line[:columns].count(" ") == columns:
        return columns
    count = 0
    while count < len(line) and line[count] in " \t" and width(line[: count + 1]) <= columns:
        count += 1
    return count


def fence_marks(marks: str, code: str) -> str:
    """Marks that no line of the code can close."""
    runs = re.findall(rf"{re.escape(marks[0])}{{3,}}", code)
    return marks[0] * max([len(marks), *(len(run) + 1 for run in runs)])
