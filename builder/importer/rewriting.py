"""Rewrite a page where it must change, and nothing else: edits of its text, and what they cost.

Edits are collected and made at once, so that each sees the text as it was. One within a part that another
replaces is dropped with it; at one place, what was asked for first stands first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from builder.importer.old_site import Loss, State
from builder.importer.pieces import SourcePiece, SourceText

_MOST_KEPT = 4_000
"""Characters of an old text that are kept."""


class TextEdit(Struct, frozen=True):
    """New text for what stands from `start` to `end`."""

    start: int
    end: int
    text: str


class Rewriting(Struct):
    """A page's body with the edits so far. `first_line` is the line of its file at which it begins.

    `lines` has the file's line of each, where they do not follow one another.
    """

    file: str
    source: SourceText
    first_line: int = 1
    lines: Sequence[int] = ()
    edits: list[TextEdit] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    extras: set[str] = field(default_factory=set)

    @property
    def text(self) -> str:
        """The text as it was."""
        return self.source.text

    def replace(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of another."""
        if self.text[start:end] != text:
            self.edits.append(TextEdit(start, end, text))

    def insert(self, at: int, text: str) -> None:
        """Put a text before a character."""
        self.edits.append(TextEdit(at, at, text))

    def remove_lines(self, start: int, end: int) -> None:
        """Remove a part, with the blanks and the line end behind it where its lines hold nothing else."""
        before = self.text.rfind("\n", 0, start) + 1
        after = self.text.find("\n", end)
        after = len(self.text) if after < 0 else after + 1
        is_alone = not self.text[before:start].strip() and not self.text[end:after].strip()
        self.replace(before if is_alone else start, after if is_alone else end, "")

    def tell(self, what: str, at: int, old: str = "", now: str = "", state: State = "lost") -> None:
        """Keep for the report what is not as it was."""
        number = self.source.line(at)
        line = self.lines[min(number, len(self.lines)) - 1] if self.lines else self.first_line + number - 1
        shown = old if len(old) <= _MOST_KEPT else f"{old[:_MOST_KEPT]}…"
        self.losses.append(Loss(what, self.file, line, shown, now, state))

    def indent(self, at: int) -> str:
        """Return the blanks at the beginning of the line of a place."""
        begin = self.text.rfind("\n", 0, at) + 1
        found = re.compile(r"[ \t]*").match(self.text, begin)
        return found[0] if found else ""

    def is_alone(self, piece: SourcePiece) -> bool:
        """Return whether a tag is the only thing on its lines."""
        begin = self.text.rfind("\n", 0, piece.start) + 1
        end = self.text.find("\n", piece.end)
        end = len(self.text) if end < 0 else end
        return not self.text[begin : piece.start].strip() and not self.text[piece.end : end].strip()

    def inner(self, piece: SourcePiece) -> str:
        """Return what stands between a tag and its closing one, as it was."""
        return self.text[piece.end : piece.close[0]] if piece.close else ""

    def result(self) -> str:
        """Return the new text."""
        parts: list[str] = []
        pos = 0
        for edit in sorted(self.edits, key=lambda one: (one.start, one.end > one.start, -one.end)):
            if edit.start < pos:
                continue
            parts += [self.text[pos : edit.start], edit.text]
            pos = edit.end
        return "".join((*parts, self.text[pos:]))

    def each(self, pattern: re.Pattern[str], act: Callable[[re.Match[str]], None]) -> None:
        """Do something with each place where a pattern stands in the text outside of code and tags."""
        for start, end in self.source.texts():
            for found in pattern.finditer(self.text, start, end):
                act(found)
