r"""Lines of a file for a code block: all of them, some by their numbers, or a region that the file marks.

    ```py file="../examples/app.py" region="main" lines="3-9" vars

With `vars`, its lines have the values of variables, and `\%{name}` is `%{name}`. Where variables are
declared, quoted values of the opening have them in any case.

A region is marked as editors do it, or as other documentation tools do, in a comment of any form:

    # region main           //#region main          ANCHOR: main            --8<-- [start:main]
    # endregion             //#endregion            ANCHOR_END: main        --8<-- [end:main]

Lines that mark regions are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder.markdown.context import VARIABLE
from builder.markdown.mdx.dedent_children import width
from builder.markdown.mdx.scan.pairs import Span
from builder.markdown.parts.constructs import Construct
from builder.markdown.parts.expansion import EACH, Expansion
from builder.markdown.parts.passages import Passage, begun, blanks
from builder.markdown.parts.source_map import Origin
from builder.store.part_files import way

_OPENING = re.compile(r"(`{3,}|~{3,})([^\n]*)\n?")
_META = re.compile(r"(?<=\s)(file|region|lines)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"']+)")
_GIVEN = re.compile(r"""=\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
_SIGNS = re.compile(r"""[&"'\\]""")
_VARS = re.compile(r"(?<=\S)\s+vars(?!\S)")
_MARKS = re.compile(
    r"""^[^\w\n]*(?:pragma\s+)?(?:
        (?P<open>region)\b[ \t:]*["']?(?P<name>[\w.-]*) | (?P<close>end[ ]?region)\b
      | ANCHOR:[ \t]*(?P<from>[\w.-]+) | ANCHOR_END:[ \t]*(?P<to>[\w.-]+)
      | (?:8<-*[ \t]*)\[[ \t]*(?P<side>start|end):[ \t]*(?P<part>[\w.-]+)[ \t]*\]
    )""",
    re.IGNORECASE | re.VERBOSE,
)


NOT_QUOTE = re.compile(r"[^>\s]")
"""What of the beginning of a line stands there once: the marks of lists."""
_MAY_MARK = re.compile(r"region|ANCHOR|8<", re.IGNORECASE)


class AskedFence(Struct, frozen=True):
    """The opening of a code block: its `marks`, and `info` without what it asks for.

    Lines of its own reach from `start` to `end`; with `vars` they have variables.
    """

    marks: str
    info: str
    asks: dict[str, str]
    vars: bool
    start: int
    end: int


def asked(text: str, start: int, end: int, *, fills: bool) -> AskedFence | None:
    """The code block from `start` to `end`; None for one that asks for nothing.

    One asks, too, that has names of variables in its opening where these are filled in.
    """
    found = _OPENING.match(text, start, end)
    if found is None:
        return None
    info = found[2]
    asks = {name: value.strip("\"'") for name, value in _META.findall(info)}
    plain = _META.sub("", info)
    shown = _VARS.sub("", plain)
    if "file" not in asks and shown == plain and not (fills and "%{" in info):
        return None
    last = text.rfind("\n", found.start(), end) + 1
    closes = last >= found.end() and text[last:end].strip(" \t>").strip(found[1][0]) == ""
    closes = closes and found[1] in text[last:end]
    stop = max(found.end(), last if closes else end)
    return AskedFence(found[1], shown.rstrip(), asks, shown != plain, found.end(), stop)


class NoLines(Exception):
    """The file has not the lines that are asked for; says why."""


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
    return [(min(end, start + blanks(text, start, end, common)), end) for start, end in spans]


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


def fence_marks(marks: str, code: str) -> str:
    """Marks that no line of the code can close."""
    runs = re.findall(rf"{re.escape(marks[0])}{{3,}}", code)
    return marks[0] * max([len(marks), *(len(run) + 1 for run in runs)])


class CodeExpander(Expansion):
    """Expands code blocks; `_lines` are those of files that were looked for already."""

    def _fence(self, passage: Passage, one: Construct) -> None:
        """Write a code block, with the lines and the variables that it asks for."""
        where = passage.origin
        fills = passage.variables is not None
        fence = asked(where.text, one.start, one.end, fills=fills) if not self._is_over else None
        if fence is None or ("file" in fence.asks and "includes" not in self._extras):
            self._copy(passage, one.start, one.end)
            return
        if fills:
            fence = self._with_values(passage, one.start, fence)
        if "file" not in fence.asks:
            self._own_lines(passage, one, fence)
            return
        file = way(where.file, fence.asks["file"])
        found = self._file(passage, file, one.start, is_part=False)
        try:
            spans = self._chosen(passage, one.start, file, found.text, fence) if found else []
        except NoLines as wrong:
            self._say(where, one.start, "include-missing", f"`{file}`: {wrong}", "look into the file")
            found = None
        if found is None or not self._affords(where, one.start, sum(end - start for start, end in spans)):
            self._copy(passage, one.start, one.end)
            return
        if where.text[fence.start : fence.end].strip(" \t\n>"):
            message = "the code block has the lines of a file, so its own are left out"
            self._say(where, one.start, "attribute-invalid", message, "remove them, or `file`")
        code = self._origin(found.text, file, 1, (where, one.start))
        self._code(passage, one, fence, code, spans)

    def _with_values(self, passage: Passage, at: int, fence: AskedFence) -> AskedFence:
        """The opening with the values of variables in quotes: as they are for us, escaped for the parser."""

        def plain(found: re.Match[str]) -> str:
            value = self._value(passage, found[1], at)
            return found[0] if value is None or not self._affords(passage.origin, at, len(value)) else value

        def escaped(found: re.Match[str]) -> str:
            if found.string[: found.start()].endswith("\\"):
                return found[0]
            value = " ".join(plain(found).split())
            return _SIGNS.sub(r"\\\g<0>", value).replace("`", "&#96;")

        asks = {name: VARIABLE.sub(plain, value) for name, value in fence.asks.items()}
        info = _GIVEN.sub(lambda given: VARIABLE.sub(escaped, given[0]), fence.info)
        return replace(fence, asks=asks, info=info)

    def _chosen(self, passage: Passage, at: int, file: str, text: str, fence: AskedFence) -> list[Span]:
        """The lines of a file that are asked for; none when looking for them is too much."""
        asks = fence.asks
        key = file, asks.get("region", ""), asks.get("lines", ""), fence.vars
        if key not in self._lines:
            if not self._affords(passage.origin, at, len(text) + EACH * text.count("\n") // 8):
                return []
            spans = chosen(text, key[1], key[2])
            self._lines[key] = spans if fence.vars else list(joined(spans))
        return self._lines[key]

    def _code(
        self,
        passage: Passage,
        one: Construct,
        fence: AskedFence,
        code: Origin,
        spans: list[Span],
    ) -> None:
        where, outer = passage.origin, self._writer.prefix
        marks = fence_marks(fence.marks, code.text)
        self._writer.prefix = outer + NOT_QUOTE.sub(" ", begun(passage, one.start))
        if not self._affords(where, one.start, code.text.count("\n") * len(self._writer.prefix)):
            spans = []
        self._writer.put(f"{marks}{fence.info}\n", where, one.start)
        for start, end in spans:
            self._code_line(passage, fence, code, start, end)
        self._writer.put(marks, where, max(one.start, one.end - 1))
        self._writer.prefix = outer

    def _code_line(self, passage: Passage, fence: AskedFence, code: Origin, start: int, end: int) -> None:
        """Write a line of a file, with variables when the block has `vars`."""
        pos, text, known = start, code.text, passage.variables if fence.vars else None
        for found in () if known is None else VARIABLE.finditer(text, start, end):
            value = known.get(found[1]) if known else None
            if found.start() > pos and text[found.start() - 1] == "\\":
                self._writer.copy(code, pos, found.start() - 1)
                pos = found.start()
            elif value is not None and self._affords(code, found.start(), len(value)):
                self._writer.copy(code, pos, found.start())
                self._writer.put(value, code, found.start())
                pos = found.end()
        self._writer.copy(code, pos, end)
        self._writer.put("\n", code, end)

    def _own_lines(self, passage: Passage, one: Construct, fence: AskedFence) -> None:
        """Write a code block with variables in its own lines; an unknown one stays."""
        where, pos, text = passage.origin, one.start, passage.origin.text
        if passage.variables is not None:
            head = text[one.start : fence.start]
            self._writer.put(f"{fence.marks}{fence.info}", where, one.start)
            pos = one.start + len(head.rstrip("\n"))
            for found in VARIABLE.finditer(text, fence.start, fence.end) if fence.vars else ():
                if text[found.start() - 1] == "\\":
                    self._copy(passage, pos, found.start() - 1)
                    pos = found.start()
                    continue
                value = self._value(passage, found[1], found.start())
                if value is not None and self._affords(where, found.start(), len(value)):
                    self._copy(passage, pos, found.start())
                    self._writer.put(value, where, found.start())
                    pos = found.end()
        self._copy(passage, pos, one.end)
