"""Edits of a text by exact words or by lines: each is done at the one place that is meant, or refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from builder.changes.steps import LineReplacement, TextReplacement
from builder.errors import PageTooLarge, TwinpressError
from builder.frontmatter.split import newline
from builder.store import PAGE_LIMIT

_SHOWN = 10
"""Lines that are named where a text stands more often than once."""
_MOST_WORDS, _LONGEST_OLD, _LONGEST = 50, 2_000, 100_000
"""Words and characters of a text that is looked for with other spaces, and those of the text around it."""


class RefusedEdit(TwinpressError):
    """An edit is at no single place; `path` is its place among the edits."""


class EditedText(Struct, frozen=True):
    """The text, and in how many places it is another."""

    text: str
    replaced: int


def edited(text: str, edits: Sequence[tuple[int, TextReplacement | LineReplacement]]) -> EditedText:
    """Return the text after all edits, each given with its number. Raises RefusedEdit.

    Those of lines come first: their numbers are those of the lines before any edit.
    """
    eol = newline(text)
    by_lines = [(number, edit) for number, edit in edits if isinstance(edit, LineReplacement)]
    text, replaced = _with_lines(text, by_lines, eol), len(by_lines)
    for number, edit in edits:
        if isinstance(edit, TextReplacement):
            text, count = _with_text(text, edit, f"edits[{number}]", eol)
            replaced += count
    return EditedText(text, replaced)


def _with_text(text: str, edit: TextReplacement, place: str, eol: str) -> tuple[str, int]:
    if not edit.old:
        raise RefusedEdit("is empty, so it stands everywhere", path=f"{place}.old", hint="give some text")
    old, new = edit.old, _with_ends(edit.new, eol)
    if old not in text and eol == "\r\n":
        old = _with_ends(old, eol)
    found, count = list(islice(_places(text, old), _SHOWN + 1)), text.count(old)
    if not found:
        raise RefusedEdit("this text is not there", path=f"{place}.old", hint=_near(text, old))
    if len(found) > 1 and not edit.everywhere:
        lines = [text.count("\n", 0, at) + 1 for at in found]
        said = ", ".join(map(str, lines[:_SHOWN])) + (" and more" if len(lines) > _SHOWN else "")
        message = f"this text stands {max(count, len(found))} times, at lines {said}"
        raise RefusedEdit(message, path=f"{place}.old", hint="make it longer, or set `replace_all`")
    if len(text) + count * (len(new) - len(old)) > PAGE_LIMIT:
        message = f"`{place}` makes the text longer than {PAGE_LIMIT:,} characters"
        raise PageTooLarge(message, hint="split the page")
    return text.replace(old, new), count


def _places(text: str, old: str) -> Iterator[int]:
    """Yield the places at which a text stands, those that overlap too."""
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + 1)


def _near(text: str, old: str) -> str:
    """Say where a text stands that differs in spaces or case alone."""
    words = old.split()
    if words and len(words) <= _MOST_WORDS and len(old) <= _LONGEST_OLD and len(text) <= _LONGEST:
        alike = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
        if alike is not None:
            line = text.count("\n", 0, alike.start()) + 1
            return f"at line {line} it stands with other spaces or in other case"
    return "read the page again, and copy the text from there"


def _with_lines(text: str, edits: Sequence[tuple[int, LineReplacement]], eol: str) -> str:
    lines = _lines(text)
    for edit in _from_the_last(edits, len(lines)):
        begin, after = lines[: edit.first - 1], lines[max(edit.last, edit.first - 1) :]
        new = _with_ends(edit.text, eol)
        if new and not new.endswith("\n") and (after or edit.last < edit.first):
            new += eol
        if new and begin and not begin[-1].endswith(("\n", "\r")):
            begin[-1] += eol
        lines = [*begin, *([new] if new else []), *after]
    return "".join(lines)


def _from_the_last(edits: Sequence[tuple[int, LineReplacement]], count: int) -> Iterator[LineReplacement]:
    """Yield the edits from the last one in the text. Raises RefusedEdit for one that fits no lines."""
    before = count + 2
    for number, edit in sorted(edits, key=lambda each: (each[1].first, each[1].last, each[0]), reverse=True):
        place = f"edits[{number}]"
        if edit.first < 1 or edit.first > count + 1 or edit.last > count:
            wrong = "to_line" if 1 <= edit.first <= count + 1 else "from_line"
            raise RefusedEdit(f"the text has {count} lines", path=f"{place}.{wrong}", hint="read it again")
        if edit.last < edit.first - 1:
            hint = f"write {edit.first - 1} to insert before line {edit.first}"
            raise RefusedEdit("comes before `from_line`", path=f"{place}.to_line", hint=hint)
        if edit.last >= before:
            raise RefusedEdit("these lines are in another edit, too", path=f"{place}.to_line")
        before = edit.first
        yield edit


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends."""
    found = re.split(r"(?<=\n)", text)
    return found if found[-1] else found[:-1]


def _with_ends(text: str, eol: str) -> str:
    """A text with the line ends of the one that it comes into."""
    return text if eol == "\n" else text.replace("\r\n", "\n").replace("\n", eol)
