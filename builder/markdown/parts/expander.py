"""Expand a page before it is parsed: parts, own components, code from files and variables in their places.

What comes out is text of the language, with the place that each piece of it comes from. Nothing in it is
expanded again: a value is a text, whatever stands in it. Each piece that is put in counts in one budget, so
that the work is bounded whatever includes what.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Mapping

from msgspec.structs import replace

from builder.markdown.context import DEEPEST_PART, VARIABLE
from builder.markdown.mdx.chunk.chunks import line_starts
from builder.markdown.mdx.scan.pairs import Span
from builder.markdown.mdx.scan.tags import Given, Tag
from builder.markdown.parts import component_file
from builder.markdown.parts.constructs import Construct, in_row, is_alone
from builder.markdown.parts.included_code import NOT_QUOTE, CodeExpander
from builder.markdown.parts.passages import Passage, begun, inner_passage, is_text, needs_gap
from builder.markdown.parts.source_map import ExpandedText, Origin
from builder.store.names import COMPONENTS
from builder.store.part_files import PartFile, way

_ROW_HINT = "write it on one line, or a list in place of the table"
_SRC_HINT = 'add `src="./_part.mdx"`'


class Expander(CodeExpander):
    """Expands one page with `parts`, as far as `extras` switch it on; `found` has what is wrong."""

    def page(self, text: str, file: str, line: int, variables: Mapping[str, str] | None) -> ExpandedText:
        """The text of the page's body, which begins on a line of its file."""
        whole = Origin(text, file, line, self._path, None, line_starts(text))
        self._variables = variables or {}
        self._emit(Passage(whole, self._found(text), 0, len(text), variables, None, (), set()))
        return self._writer.finish(whole)

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
        file = way(where.file, src[1])
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

    def _own(self, passage: Passage, one: Construct, tag: Tag, file: str, found: PartFile) -> int:
        where = passage.origin
        end = one.close[1] if one.close and one.close[1] <= passage.end else one.end
        if tag.kind == "open" and end == one.end:
            message, hint = f"`<{tag.name}>` has no closing tag", f"add `</{tag.name}>`"
            self._say(where, tag.start, "component-unclosed", message, hint)
        if file in passage.files or len(passage.files) >= DEEPEST_PART:
            why = (
                "it includes itself" if file in passage.files else f"it stands more than {DEEPEST_PART} deep"
            )
            self._say(where, tag.start, "include-cycle", f"`{tag.name}` is left out: {why}")
            return self._kept(passage, one, end)
        made = component_file.read(found.text)

        def report(at: int, code: str, message: str, hint: str) -> None:
            self._say(where, at if at >= 0 else tag.start, code, message, hint)

        given = self._given(passage, tag)
        values = component_file.values(
            tag.name, made, given, component_file.ComponentUse(where.base, report, self._near)
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
                named[name.value] = inner_passage(passage, one.end, one.close[0])
                left_out.add(one.start)
                is_shown = is_shown or bool(text[pos : one.start].strip())
            else:
                is_shown = True
            pos = one.close[1]
        if is_shown or text[pos:end].strip():
            named[""] = replace(inner_passage(passage, start, end), left_out=frozenset(left_out))
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
        if self._tears_row(passage, span, whole):
            return
        self._block(passage, span, whole)
        for name, content in (slots or {}).items():
            if name not in filled and not self._is_over:
                shown = f"slot `{name}`" if name else "`<Slot/>` for what stands in its tags"
                message = f"the component has no {shown}; it is shown below"
                self._say(passage.origin, span[0], "slot-unknown", message, f"add a slot to `{inner.file}`")
                self._block(passage, span, content, gap=True)

    def _tears_row(self, passage: Passage, span: Span, content: Passage) -> bool:
        """Return whether a row of a table would get what has several lines, and say so."""
        text, where = content.origin.text[content.start : content.end], passage.origin
        if "\n" not in text or not (self._in_row or in_row(where.text, span[0])):
            return False
        message = "what has several lines cannot stand in a row of a table, and is left out"
        self._say(where, span[0], "include-refused", message, _ROW_HINT)
        return True

    def _block(self, passage: Passage, span: Span, content: Passage, *, gap: bool = False) -> None:
        """Write a passage in the place of a span: on lines of its own where the span has its own."""
        where = passage.origin
        text, outer, was_row = where.text, self._writer.prefix, self._in_row
        is_row = was_row or in_row(text, span[0])
        gap = gap and not is_row
        is_block = is_alone(text, *span)
        marks, begin = begun(passage, span[0]), text.rfind("\n", 0, span[0]) + 1
        quote = NOT_QUOTE.sub(" ", marks)
        size = content.origin.lines(content.start, content.end) * len(outer + quote)
        if not self._affords(where, span[0], size + content.end - content.start):
            return
        self._writer.prefix = outer + quote
        if gap or (is_block and needs_gap(text, begin, passage.start) and not NOT_QUOTE.search(marks)):
            self._writer.put("\n\n" if gap else "\n", where, span[0])
        self._level, self._in_row = self._level + 1, is_row
        self._emit(content)
        self._level -= 1
        self._writer.prefix, self._in_row = outer, was_row
        if is_block and is_text(text, span[1], passage.end) and not NOT_QUOTE.search(marks):
            self._writer.put(f"\n{quote.rstrip()}", where, span[0])


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
