"""Expand a page before it is parsed: parts, own components, code from files and variables in their places.

What comes out is text of the language, with the place that each piece of it comes from. Nothing in it is
expanded again: a value is a text, whatever stands in it. Each piece that is put in counts in one budget, so
that the work is bounded whatever includes what.
"""

from __future__ import annotations

import html
import posixpath
import re
from bisect import bisect_left
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from builder import frontmatter
from builder.diagnostics import Diagnostic, did_you_mean
from builder.frontmatter import Document
from builder.links.suggestions import PAGE_WORK, Effort
from builder.markdown.context import Parts
from builder.markdown.mdx.chunk.chunks import line_starts
from builder.markdown.mdx.dedent_children import width
from builder.markdown.mdx.scan.pairs import Span
from builder.markdown.mdx.scan.tags import Given, Tag
from builder.markdown.parts import component_file, included_code
from builder.markdown.parts.constructs import VARIABLE, Construct, constructs, is_alone, lead
from builder.markdown.parts.source_map import ExpandedText, ExpandedWriter, Origin, place_of
from builder.store.names import COMPONENTS
from builder.store.part_files import PartFile

MOST = 1024 * 1024
"""Characters of an expanded page; what is put in counts some more."""
EACH = 64
"""Characters that each piece counts beside its own."""
DEEPEST = 8
"""Parts and components within each other."""
_LEVELS = 40
"""The same with the contents of slots."""
MOST_FINDINGS = 1_000
MOST_PARSED = 256 * 1024
"""Characters that are looked through for what only the parser takes for code; beyond, there is none."""
_NOT_QUOTE = re.compile(r"[^>\s]")
_EMPTY_LINES = re.compile(r"(?:[ \t]*+\n)*+")
_QUOTE = re.compile(r"[ \t]*>[ ]?")
_SUFFIXES = (".mdx", ".md")
_NO_PART = "it is no part"
_PART_HINT = "include a file whose name, or whose folder's, begins with `_`"
_SRC_HINT = 'add `src="./_part.mdx"`'


class Cut(Struct, frozen=True):
    """The beginning of each line that stays behind: so many marks of quotes, and so many columns."""

    quotes: int
    columns: int


class Passage(Struct, frozen=True, eq=False):
    """A text to be expanded, from `start` to `end`, as a whole origin or as the content of a slot.

    `variables` are None where braces are what they ever were. `slots` are what its own slots are filled with,
    None where it has none. `files` are those that it stands within. Constructs that begin at `left_out` go.
    """

    origin: Origin
    found: list[Construct]
    start: int
    end: int
    variables: Mapping[str, str] | None
    slots: Mapping[str, Passage] | None
    files: tuple[str, ...]
    filled: set[str]
    cut: Cut | None = None
    left_out: frozenset[int] = frozenset()


class Expander:
    """Expands one page with `parts`, as far as `extras` switch it on; `found` has what is wrong."""

    def __init__(self, parts: Parts, extras: frozenset[str], path: str) -> None:
        self._parts = parts
        self._extras = extras
        self._path = path
        self._writer = ExpandedWriter()
        self._files: dict[str, PartFile] = {}
        self._constructs: dict[str, list[Construct]] = {}
        self._documents: dict[str, Document] = {}
        self._starts: dict[str, list[int]] = {}
        self._trimmed: dict[str, Span] = {}
        self._lines: dict[tuple[str, str, str, bool], list[Span]] = {}
        self._spent = 0
        self._parsed = 0
        self._effort = Effort(PAGE_WORK)
        self._level = 0
        self._is_over = False
        self._variables: Mapping[str, str] = {}
        self.found: list[Diagnostic] = []

    def page(self, text: str, file: str, line: int, variables: Mapping[str, str] | None) -> ExpandedText:
        """The text of the page's body, which begins on a line of its file."""
        whole = Origin(text, file, line, self._path, None, line_starts(text))
        self._variables = variables or {}
        self._emit(Passage(whole, self._found(text), 0, len(text), variables, None, (), set()))
        return self._writer.finish(line)

    def _found(self, text: str) -> list[Construct]:
        if text not in self._constructs:
            self._spent += len(text) // 8 if self._constructs else 0
            self._parsed += len(text)
            self._constructs[text] = constructs(text, parses=self._parsed <= MOST_PARSED)
        return self._constructs[text]

    def _say(self, where: Origin, at: int, code: str, message: str, hint: str = "") -> None:
        if len(self.found) >= MOST_FINDINGS:
            return
        place, page = place_of(where, at), where
        while page.caller is not None:
            page = page.caller[0]
        message = f"{message} ({place.part})" if place.part else message
        self.found.append(Diagnostic(page.file, place.line, place.column, code, message, hint))

    def _affords(self, where: Origin, at: int, size: int) -> bool:
        self._spent += size + EACH
        if self._spent <= MOST and self._level < _LEVELS:
            return True
        if not self._is_over:
            self._is_over = True
            message = "what the page includes is too much; from here on it is left out"
            self._say(where, at, "budget-exceeded", message, "split the page, or include less")
        return False

    def _emit(self, passage: Passage) -> None:
        """Write a passage with all that it includes."""
        pos, found = passage.start, passage.found
        for number in range(bisect_left(found, passage.start, key=_start), len(found)):
            one = found[number]
            if one.end > passage.end:
                break
            if one.start < pos:
                continue
            self._copy(passage, pos, one.start)
            if one.start in passage.left_out and one.close:
                pos = one.close[1]
            else:
                pos = self._construct(passage, one)
        self._copy(passage, pos, passage.end)

    def _copy(self, passage: Passage, start: int, end: int) -> None:
        """Write a piece as it is, but for what is cut off its lines."""
        cut, text = passage.cut, passage.origin.text
        if cut is None:
            self._writer.copy(passage.origin, start, end)
            return
        while start < end:
            stop = text.find("\n", start, end) + 1 or end
            if start == 0 or text[start - 1] == "\n":
                start = min(stop, _after_cut(text, start, stop, cut))
            self._writer.copy(passage.origin, start, stop)
            start = stop

    def _construct(self, passage: Passage, one: Construct) -> int:
        """Write what a construct stands for; the offset to go on from."""
        if one.sort == "expanded" and one.tag is not None:
            return self._expanded(passage, one, one.tag)
        if one.sort == "fence":
            self._fence(passage, one)
        elif one.sort == "tag" and one.tag is not None:
            self._attributes(passage, one.tag)
        elif passage.variables is None:
            self._copy(passage, one.start, one.end)
        elif one.sort == "escaped":
            self._writer.put(f"%\\{{{one.name}}}", passage.origin, one.start)
        else:
            value = self._value(passage, one.name, one.start)
            shown = f"%\\{{{one.name}}}" if value is None else value
            if self._affords(passage.origin, one.start, len(shown)):
                self._writer.put(shown, passage.origin, one.start)
        return one.end

    def _value(self, passage: Passage, name: str, at: int) -> str | None:
        """The value of a variable; None, and a diagnostic, when nobody has declared it."""
        known = passage.variables or {}
        if name in known:
            return known[name]
        if len(self.found) >= MOST_FINDINGS:
            return None
        hint = self._near(name, known) or (
            "declare it in `variables`" if passage.origin.caller is None else "give it as an attribute"
        )
        self._say(passage.origin, at, "variable-unknown", f"no variable is called `{name}`", hint)
        return None

    def _near(self, word: str, names: Mapping[str, object]) -> str:
        """A hint with the nearest name, as long as there was not too much to look through."""
        return did_you_mean(word, names) if self._effort.affords(word, names) else ""

    def _attributes(self, passage: Passage, tag: Tag) -> None:
        """Write a tag of the language with variables in its quoted values."""
        text, pos = passage.origin.text, tag.start
        for given in tag.attributes if passage.variables is not None else ():
            start, end = given.value_start, given.value_end
            if text[start : start + 1] not in {'"', "'"}:
                continue
            alone = VARIABLE.fullmatch(text, start + 1, end - 1)
            if alone and not (passage.variables or {}).get(alone[1], alone[1]):
                self._copy(passage, pos, given.start)  # an optional attribute of a component, not given
                pos = end
                continue
            for found in VARIABLE.finditer(text, start + 1, end - 1):
                value = self._value(passage, found[1], found.start())
                if value is not None and self._affords(passage.origin, found.start(), len(value)):
                    self._copy(passage, pos, found.start())
                    self._writer.put(html.escape(value), passage.origin, found.start())
                    pos = found.end()
        self._copy(passage, pos, tag.end)

    def _expanded(self, passage: Passage, one: Construct, tag: Tag) -> int:
        """Write what stands for a tag that is none of the language."""
        if self._is_over:
            self._copy(passage, tag.start, tag.end)
            return one.end
        if tag.name == "Include" and "includes" in self._extras:
            return self._include(passage, one, tag)
        if tag.name == "Slot" and passage.slots is not None:
            return self._slot(passage, one, tag)
        if "components" in self._extras and component_file.NAME.fullmatch(tag.name):
            file = f"{COMPONENTS}/{tag.name}.mdx"
            found = self._read(file)
            if not found.problem:
                return self._own(passage, one, tag, file, found)
            if not found.is_missing:
                message = f"the component `{tag.name}` cannot be read: {found.problem}"
                self._say(passage.origin, tag.start, "include-refused", message)
        self._attributes(passage, tag)
        return one.end

    def _read(self, file: str) -> PartFile:
        if file not in self._files:
            self._files[file] = self._parts.read(file)
            self._spent += len(self._files[file].text) // 8
        return self._files[file]

    def _document(self, file: str, text: str) -> Document:
        if file not in self._documents:
            self._documents[file] = frontmatter.split(text, file)
        return self._documents[file]

    def _origin(self, text: str, file: str, line: int, caller: tuple[Origin, int]) -> Origin:
        """The text of a file; its lines are looked for once."""
        if text not in self._starts:
            self._starts[text] = line_starts(text)
        return Origin(text, file, line, _base(file), caller, self._starts[text])

    def _bounds(self, text: str) -> Span:
        """The offsets between which a text has no empty lines before and after it; looked for once."""
        if text not in self._trimmed:
            end = len(text.rstrip())
            first = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1 if end else 0
            self._trimmed[text] = first, end
        return self._trimmed[text]

    def _given(self, passage: Passage, tag: Tag) -> dict[str, tuple[Given, str | None]]:
        """The attributes of a tag that is expanded, by their names, with their values as text."""
        found: dict[str, tuple[Given, str | None]] = {}
        for given in tag.attributes:
            text = _text(given)
            if text is not None and "%{" in text and passage.variables is not None:
                text = self._filled(passage, text, given.value_start)
            found[given.name] = given, None if text is None else " ".join(text.split())
        return found

    def _filled(self, passage: Passage, text: str, at: int) -> str:
        """A text of an attribute with the values of its variables; unknown ones stay."""

        def value(found: re.Match[str]) -> str:
            known = self._value(passage, found[1], at)
            if known is None:
                return found[0]
            return known if self._affords(passage.origin, at, len(known)) else ""

        return VARIABLE.sub(value, text)

    def _include(self, passage: Passage, one: Construct, tag: Tag) -> int:
        where, given = passage.origin, self._given(passage, tag)
        end = one.close[1] if one.close and one.close[1] <= passage.end else one.end
        src = given.pop("src", None)
        if src is None or not src[1]:
            self._say(where, tag.start, "attribute-missing", "`Include` needs `src`", _SRC_HINT)
            return self._kept(passage, one, end)
        file = _way(where.file, src[1])
        found = self._file(passage, file, src[0].value_start, is_part=True)
        if found is None:
            return self._kept(passage, one, end)
        document = self._document(file, found.text)
        if document.meta.draft:
            self._say(where, tag.start, "include-refused", f"`{file}` is a draft", "remove `draft: true`")
            return self._kept(passage, one, end)
        values = {key: text for key, (_, text) in given.items() if text is not None}
        inner = self._origin(document.body, file, document.first_line, (where, tag.start))
        known = {**self._variables, **document.meta.variables, **values}
        self._put(passage, (tag.start, tag.end), inner, known, None)
        return self._kept(passage, one, end)

    def _kept(self, passage: Passage, one: Construct, end: int) -> int:
        """Write what stands within the tags of an `Include`, which has no place in the part."""
        if one.close and end > one.end:
            self._content(passage, one.end, one.close[0])
        return end

    def _content(self, passage: Passage, start: int, end: int) -> None:
        self._level += 1
        if self._affords(passage.origin, start, 0):
            self._emit(replace(passage, start=start, end=end))
        self._level -= 1

    def _file(self, passage: Passage, file: str, at: int, *, is_part: bool) -> PartFile | None:
        """A file that is asked for; None, and a diagnostic, when it may not be read."""
        problem = _refusal(file, is_part=is_part)
        if not problem and file in passage.files:
            way = ", which includes ".join((*passage.files[passage.files.index(file) :], file))
            self._say(passage.origin, at, "include-cycle", f"it includes itself: {way}", "remove one of them")
            return None
        if not problem and len(passage.files) >= DEEPEST and is_part:
            message = f"parts may stand {DEEPEST} deep within each other"
            self._say(passage.origin, at, "include-cycle", message, "include it further out")
            return None
        found = self._read(file) if not problem else PartFile("", problem)
        if found.is_missing:
            self._say(passage.origin, at, "include-missing", f"there is no file `{file}`", "correct its path")
            return None
        if found.problem:
            hint = _PART_HINT if problem == _NO_PART else ""
            self._say(passage.origin, at, "include-refused", f"`{file}` is not read: {found.problem}", hint)
            return None
        return found

    def _own(self, passage: Passage, one: Construct, tag: Tag, file: str, found: PartFile) -> int:
        where = passage.origin
        end = one.close[1] if one.close and one.close[1] <= passage.end else one.end
        if tag.kind == "open" and end == one.end:
            message, hint = f"`<{tag.name}>` has no closing tag", f"add `</{tag.name}>`"
            self._say(where, tag.start, "component-unclosed", message, hint)
        if file in passage.files or len(passage.files) >= DEEPEST:
            why = "it includes itself" if file in passage.files else f"it stands more than {DEEPEST} deep"
            self._say(where, tag.start, "include-cycle", f"`{tag.name}` is left out: {why}")
            return self._kept(passage, one, end)
        made = component_file.read(found.text)

        def report(at: int, code: str, message: str, hint: str) -> None:
            self._say(where, at if at >= 0 else tag.start, code, message, hint)

        given = self._given(passage, tag)
        values = component_file.values(
            tag.name, made, given, component_file.Caller(where.base, report, self._near)
        )
        inner = self._origin(made.body, file, made.line, (where, tag.start))
        known = {**self._variables, **values}
        slots = self._slots(passage, one.end, one.close[0]) if one.close and end > one.end else {}
        self._put(passage, (tag.start, end), inner, known, slots)
        return end

    def _slots(self, passage: Passage, start: int, end: int) -> dict[str, Passage]:
        """The content of a component's tags: of named slots, and all the rest."""
        named: dict[str, Passage] = {}
        left_out: set[int] = set()
        text, pos, is_shown = passage.origin.text, start, False
        found = passage.found
        for number in range(bisect_left(found, start, key=_start), len(found)):
            one = found[number]
            if one.start >= end:
                break
            if one.start < pos or one.tag is None or one.sort != "expanded" or one.close is None:
                continue
            name = one.tag.attribute("name")
            if one.name == "Slot" and name is not None and isinstance(name.value, str):
                named[name.value] = _passage(passage, one.end, one.close[0])
                left_out.add(one.start)
                is_shown = is_shown or bool(text[pos : one.start].strip())
            else:
                is_shown = True
            pos = one.close[1]
        if is_shown or text[pos:end].strip():
            named[""] = replace(_passage(passage, start, end), left_out=frozenset(left_out))
        return named

    def _slot(self, passage: Passage, one: Construct, tag: Tag) -> int:
        """Write what the component's user has put into a slot, or else what stands in it."""
        end = one.close[1] if one.close and one.close[1] <= passage.end else one.end
        name = tag.attribute("name")
        key = name.value if name is not None and isinstance(name.value, str) else ""
        content = (passage.slots or {}).get(key)
        passage.filled.add(key)
        if content is not None:
            self._block(passage, (tag.start, end), content)
        elif one.close and end > one.end:
            self._content(passage, one.end, one.close[0])
        return end

    def _put(
        self,
        passage: Passage,
        span: Span,
        inner: Origin,
        variables: Mapping[str, str],
        slots: Mapping[str, Passage] | None,
    ) -> None:
        """Write an origin in the place of a span."""
        if self._is_over:
            return
        self._spent += 8 * len(variables)
        (start, end), filled = self._bounds(inner.text), set[str]()
        files = (*passage.files, inner.file)
        whole = Passage(inner, self._found(inner.text), start, end, variables, slots, files, filled)
        self._block(passage, span, whole)
        for name, content in (slots or {}).items():
            if name not in filled and not self._is_over:
                shown = f"slot `{name}`" if name else "`<Slot/>` for what stands in its tags"
                message = f"the component has no {shown}; it is shown below"
                self._say(passage.origin, span[0], "slot-unknown", message, f"add a slot to `{inner.file}`")
                self._block(passage, span, content, gap=True)

    def _block(self, passage: Passage, span: Span, content: Passage, *, gap: bool = False) -> None:
        """Write a passage in the place of a span: on lines of its own where the span has its own."""
        where = passage.origin
        text, outer = where.text, self._writer.prefix
        is_block = is_alone(text, *span)
        begun, begin = _begun(passage, span[0]), text.rfind("\n", 0, span[0]) + 1
        quote = _NOT_QUOTE.sub(" ", begun)
        size = content.origin.lines(content.start, content.end) * len(outer + quote)
        if not self._affords(where, span[0], size + content.end - content.start):
            return
        self._writer.prefix = outer + quote
        if gap or (is_block and _needs_gap(text, begin, passage.start) and not _NOT_QUOTE.search(begun)):
            self._writer.put("\n\n" if gap else "\n", where, span[0])
        self._level += 1
        self._emit(content)
        self._level -= 1
        self._writer.prefix = outer
        if is_block and _is_text(text, span[1], passage.end) and not _NOT_QUOTE.search(begun):
            self._writer.put(f"\n{quote.rstrip()}", where, span[0])

    def _fence(self, passage: Passage, one: Construct) -> None:
        """Write a code block, with the lines and the variables that it asks for."""
        where = passage.origin
        fence = included_code.asked(where.text, one.start, one.end) if not self._is_over else None
        if fence is None or ("file" in fence.asks and "includes" not in self._extras):
            self._copy(passage, one.start, one.end)
            return
        if "file" not in fence.asks:
            self._own_lines(passage, one, fence)
            return
        file = _way(where.file, fence.asks["file"])
        found = self._file(passage, file, one.start, is_part=False)
        try:
            spans = self._chosen(passage, one.start, file, found.text, fence) if found else []
        except included_code.NoLines as wrong:
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

    def _chosen(
        self, passage: Passage, at: int, file: str, text: str, fence: included_code.AskedFence
    ) -> list[Span]:
        """The lines of a file that are asked for; none when looking for them is too much."""
        asks = fence.asks
        key = file, asks.get("region", ""), asks.get("lines", ""), fence.vars
        if key not in self._lines:
            if not self._affords(passage.origin, at, len(text) + EACH * text.count("\n") // 8):
                return []
            spans = included_code.chosen(text, key[1], key[2])
            self._lines[key] = spans if fence.vars else list(included_code.joined(spans))
        return self._lines[key]

    def _code(
        self,
        passage: Passage,
        one: Construct,
        fence: included_code.AskedFence,
        code: Origin,
        spans: list[Span],
    ) -> None:
        where, outer = passage.origin, self._writer.prefix
        marks = included_code.fence_marks(fence.marks, code.text)
        self._writer.prefix = outer + _NOT_QUOTE.sub(" ", _begun(passage, one.start))
        if not self._affords(where, one.start, code.text.count("\n") * len(self._writer.prefix)):
            spans = []
        self._writer.put(f"{marks}{fence.info}\n", where, one.start)
        for start, end in spans:
            self._code_line(passage, fence, code, start, end)
        self._writer.put(marks, where, max(one.start, one.end - 1))
        self._writer.prefix = outer

    def _code_line(
        self, passage: Passage, fence: included_code.AskedFence, code: Origin, start: int, end: int
    ) -> None:
        """Write a line of a file, with variables when the block has `vars`."""
        pos = start
        for found in VARIABLE.finditer(code.text, start, end) if fence.vars else ():
            value = (passage.variables or {}).get(found[1])
            if value is not None and self._affords(code, found.start(), len(value)):
                self._writer.copy(code, pos, found.start())
                self._writer.put(value, code, found.start())
                pos = found.end()
        self._writer.copy(code, pos, end)
        self._writer.put("\n", code, end)

    def _own_lines(self, passage: Passage, one: Construct, fence: included_code.AskedFence) -> None:
        """Write a code block with variables in its own lines; an unknown one stays."""
        where, pos = passage.origin, one.start
        if passage.variables is not None:
            head = where.text[one.start : fence.start]
            self._writer.put(f"{fence.marks}{fence.info}", where, one.start)
            pos = one.start + len(head.rstrip("\n"))
            for found in VARIABLE.finditer(where.text, fence.start, fence.end):
                value = self._value(passage, found[1], found.start())
                if value is not None and self._affords(where, found.start(), len(value)):
                    self._copy(passage, pos, found.start())
                    self._writer.put(value, where, found.start())
                    pos = found.end()
        self._copy(passage, pos, one.end)


def _start(one: Construct) -> int:
    return one.start


def _text(given: Given) -> str | None:
    """The value of an attribute as text; None for one that is no data."""
    value = given.value
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def _begun(passage: Passage, start: int) -> str:
    """The marks of quotes and lists before `start` in its line, without what is cut off."""
    text, cut = passage.origin.text, passage.cut
    begin = text.rfind("\n", 0, start) + 1
    begun = lead(text, begin, start)
    if cut is None:
        return begun
    return begun[min(len(begun), _after_cut(text, begin, start, cut) - begin) :]


def _passage(around: Passage, start: int, end: int) -> Passage:
    """A part of a passage without the indentation that its lines share."""
    text, filled = around.origin.text, around.filled
    blank = _EMPTY_LINES.match(text, start, end)
    start = blank.end() if blank else start
    end = start + len(text[start:end].rstrip())
    begin = text.rfind("\n", 0, start) + 1
    quotes = lead(text, begin, start).count(">")
    lines = text[start:end].split("\n")
    counted = lines if begin == start else lines[1:]
    columns = [width(_unquoted(line, quotes)) for line in counted if line.strip(" \t>")]
    cut = Cut(quotes, min(columns, default=0))
    return Passage(
        around.origin, around.found, start, end, around.variables, around.slots, around.files, filled, cut
    )


def _unquoted(line: str, quotes: int) -> str:
    for _ in range(quotes):
        line = _QUOTE.sub("", line, count=1)
    return line


def _after_cut(text: str, start: int, end: int, cut: Cut) -> int:
    """The offset after what is cut off a line."""
    for _ in range(cut.quotes):
        quote = _QUOTE.match(text, start, end)
        start = quote.end() if quote else start
    stop = start
    while stop < end and text[stop] in " \t" and width(text[start : stop + 1]) <= cut.columns:
        stop += 1
    return stop


def _needs_gap(text: str, begin: int, first: int) -> bool:
    """Return whether the line before has text that would run on into what follows."""
    before = text[text.rfind("\n", 0, max(0, begin - 1)) + 1 : max(0, begin - 1)]
    return begin > first and bool(before.strip(" \t>"))


def _is_text(text: str, end: int, last: int) -> bool:
    """Return whether the line after the one of `end` has text."""
    begin = text.find("\n", end, last) + 1
    stop = text.find("\n", begin, last)
    return begin > 0 and bool(text[begin : stop if stop >= 0 else last].strip(" \t>"))


def _way(file: str, src: str) -> str:
    """The way from the site's folder to what is asked for in `file`."""
    if src.startswith("/"):
        return posixpath.normpath(src.lstrip("/") or ".")
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), src))


def _base(file: str) -> str:
    """The content path that links of a part are seen from."""
    return file.removesuffix(".mdx").removesuffix(".md")


def _refusal(file: str, *, is_part: bool) -> str:
    """Return the reason why a file is none that may be asked for by its name, or ""."""
    if "\\" in file or "\0" in file:
        return "its name has a character that no way may have"
    names = file.split("/")
    if any(name.startswith(".") and name != ".." for name in names):
        return "a name in it begins with a dot"
    is_hidden = any(name.startswith("_") for name in names)
    if is_part:
        return "" if is_hidden and file.endswith(_SUFFIXES) else _NO_PART
    plain = file.lower()  # as systems that know no case would find it
    is_page = plain.startswith(("docs/", "pages/")) and plain.endswith(_SUFFIXES) and not is_hidden
    return "it is a page" if is_page else ""
