"""The mistake that a person most likely made where YAML could not be read, and how to mend it.

The parser names the place where it gave up and what it had expected there. That is a rule of the grammar, not
what went wrong: so the lines around the place are looked at for the mistakes that people make. JSON, which
category files may be written in, has few mistakes to make: the parser's words tell them apart.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import yaml

from builder.lazy_regex import lazy

FALLBACK = "put text with `:`, `#`, quotes or brackets into quotes, and indent with spaces"

_FIELD = lazy(
    r"""(?P<lead>[ \t]*(?:-[ \t]+)*)
        (?:(?P<key>[^\s#'"\[{&*!|>%@`,-](?:[^:#\r\n]*[^:#\s])?|'[^'\r\n]*'|"[^"\r\n]*")
        [ \t]*+(?P<colon>:)[ \t]+)?
        (?P<value>(?:[^\r\n]*\S)?)""",
    re.VERBOSE,
)
_NO_SPACE = lazy(r"[ \t]*(?:-[ \t]+)*(?P<name>[A-Za-z_/][\w./-]*)(?P<colon>:)(?!//)[^\s:=]")
_EQUALS = lazy(r"[ \t]*(?P<name>[A-Za-z_][\w-]*)[ \t]*(?P<sign>=)")
_ANCHOR, _ALIAS = lazy(r"&([^\s,\[\]{}]+)"), lazy(r"\*([^\s,\[\]{}]+)")
_QUOTED = lazy(r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"")
_INDENT = lazy(r"[ \t]*")
_NEVER = "@`%,]}"
"""With these no plain text begins; with the next ones something else begins, which failed here."""
_SOMETIMES = lazy(r"[*&!|>\[{]|[?-](?:\s|$)")
_CLOSING = {"[": "]", "{": "}"}
_LONGEST = 60
_LOOK_BACK = 3

JSON_FALLBACK = "look for a comma, a quote or a bracket that is missing here or in the line before"

_JSON_HINTS = {
    "Expecting property name": "put names into double quotes",
    "Expecting ',' delimiter": "put a comma between two fields, and `}` at the end",
    "Expecting ':' delimiter": "put a colon between a name and its value",
    "Expecting value": "put texts into double quotes; there are no comments in JSON",
    "Unterminated string": 'close it with another `"`',
    "Invalid control character": r"write `\n` for a line break within a text",
    "Invalid \\escape": r"write `\\` for a backslash",
    "Extra data": "leave out what comes after the closing `}`",
}
_TRAILING_COMMA = re.compile(r",\s*\Z")
_NO_NUMBER = re.compile(r"(?<=[:,\[])\s*(-?(?:NaN|Infinity))\b")


class Mistake(NamedTuple):
    """`at` counts characters from the text's beginning."""

    message: str
    at: int
    hint: str


def explain(text: str, error: yaml.MarkedYAMLError) -> Mistake | None:
    """The most likely mistake, or None when the text looks like no known one."""
    if error.problem_mark is None:
        return None
    at = error.problem_mark.index
    context = error.context_mark.index if error.context_mark else at
    line = _line_start(text, at)
    if "\t" in _indent(text, line):
        return Mistake("this line is indented with a tab", line, "indent with spaces only")
    return (
        _escape(text, at, error.problem or "")
        or _quote(text, context)
        or _bracket(text, context, at)
        or _around(text, line, at)
        or _no_field(context, error.context or "")
    )


def needs_quotes(text: str, index: int) -> str:
    """The hint for a value that begins at `index` and is meant as text, with the line as it should be."""
    field = _FIELD.match(text, _line_start(text, index))
    value = field["value"] if field else ""
    if not field or not value or len(value) > _LONGEST:
        return "put the value into quotes"
    key = f"{field['key']}: " if field["key"] else field["lead"].lstrip()
    return f"put the value into quotes: `{key}{quoted(value)}`"


def unused_anchors(text: str) -> dict[int, str]:
    """The names after `&` that nothing mentions with `*`, by the index of the `&`."""
    used = {found[1] for found in _ALIAS.finditer(text)}
    return {found.start(): found[1] for found in _ANCHOR.finditer(text) if found[1] not in used}


def quoted(value: str) -> str:
    """Text as a quoted scalar on one line."""
    if '"' not in value and "\\" not in value:
        return f'"{value}"'
    inner = value.replace("'", "''")
    return f"'{inner}'"


def space_missing(text: str, line: int = 0) -> Mistake | None:
    """A field whose colon has no space after it, or that has another sign in its place, in the line there."""
    found = _NO_SPACE.match(text, line)
    if found:
        at, name = found.end("colon"), found["name"]
        return Mistake(f"there is no space after `{name}:`", at, f"write `{name}: `, with a space")
    other = _EQUALS.match(text, line)
    if other:
        return Mistake("there is `=` in place of a colon", other.start("sign"), f"write `{other['name']}: `")
    return None


def _escape(text: str, at: int, problem: str) -> Mistake | None:
    if "escape character" not in problem:
        return None
    shown = text[at : at + 2]
    message = f"`{shown}` means nothing within double quotes" if shown[:1] == "\\" else problem
    return Mistake(message, at, "write `\\\\` for a backslash, or put the value into single quotes")


def _quote(text: str, start: int) -> Mistake | None:
    """A quote that is never closed."""
    mark = text[start : start + 1]
    if not mark or mark not in "'\"" or _QUOTED.match(text, start):
        return None
    return Mistake(f"the quote `{mark}` is not closed", start, f"close it with another `{mark}`")


def _bracket(text: str, start: int, at: int) -> Mistake | None:
    """A list or mapping in brackets that is never closed, or has something in it that is no item."""
    mark = text[start : start + 1]
    closing = _CLOSING.get(mark)
    if closing is None:
        return None
    end = _line_end(text, start)
    if closing not in text[start:end]:
        hint = f"close it with `{closing}`; if it is meant as text, {needs_quotes(text, start)}"
        return Mistake(f"the bracket `{mark}` is not closed", start, hint)
    hint = f"divide items with commas; if it is meant as text, {needs_quotes(text, start)}"
    return Mistake(f"the text between `{mark}` and `{closing}` cannot be read", at, hint)


def _around(text: str, line: int, at: int) -> Mistake | None:
    """A mistake in the line where the parser gave up, or in one of those before it."""
    found = _indented(text, line, at) or _value(text, line, at)
    for _ in range(_LOOK_BACK):
        if found or line == 0:
            break
        line = _line_start(text, line - 1)
        found = space_missing(text, line) or _value(text, line, -1)
    return found or space_missing(text, _line_start(text, at)) or _ragged(text, at)


def _value(text: str, line: int, at: int) -> Mistake | None:
    """A value that must be quoted; one that may begin in this way only when the parser gave up in it."""
    field = _FIELD.match(text, line)
    if field is None or not field["value"]:
        return None
    value, start = field["value"], field.start("value")
    if value[0] in "'\"":
        return _quote(text[: _line_end(text, start)], start) or _after_quote(value, start)
    inside = start <= at <= start + len(value) + 1
    if value[0] in _NEVER or (inside and _SOMETIMES.match(value)):
        sign = "a backtick" if value[0] == "`" else f"`{value[0]}`"
        return Mistake(f"a value cannot begin with {sign}", start, needs_quotes(text, start))
    if field["key"] and (": " in value or value.endswith(":")):
        colon = start + (value.find(": ") if ": " in value else len(value) - 1)
        return Mistake("the value has a colon", colon, needs_quotes(text, start))
    return None


def _after_quote(value: str, start: int) -> Mistake | None:
    closed = _QUOTED.match(value)
    rest = value[closed.end() :] if closed else ""
    if not closed or not rest.strip() or rest.lstrip().startswith("#"):
        return None
    twice = "''" if value[0] == "'" else '\\"'
    hint = f"write `{twice}` for a `{value[0]}` within the quotes, or put quotes around the whole value"
    return Mistake("there is text after the closing quote", start + closed.end(), hint)


def _indented(text: str, line: int, at: int) -> Mistake | None:
    """A field that is indented more than the one before it, so that it is read as more of that one's text."""
    field, above = _FIELD.match(text, line), _FIELD.match(text, _line_start(text, max(line - 1, 0)))
    if line == 0 or not field or not above or not field["key"] or field.start("colon") != at:
        return None
    if not above["key"] or not above["value"] or len(_indent(text, line)) <= len(above["lead"]):
        return None
    name = above["key"]
    hint = f"indent it like `{name}`, or put the text of `{name}` into quotes if this line belongs to it"
    return Mistake(f"this line is indented more than `{name}` above it", line, hint)


def _ragged(text: str, at: int) -> Mistake | None:
    line = _line_start(text, at)
    indent = _indent(text, line)
    if not indent or line + len(indent) != at:
        return None
    return Mistake("this line is indented like none above it", at, "indent all lines of a group alike")


def _no_field(start: int, context: str) -> Mistake | None:
    """A line of a mapping that has no colon."""
    if "simple key" not in context:
        return None
    hint = "write `name: value`, or put a text of several lines into quotes"
    return Mistake("this line is no field: it has no colon with a space after it", start, hint)


def _indent(text: str, line: int) -> str:
    found = _INDENT.match(text, line)
    return found[0] if found else ""


def _line_start(text: str, index: int) -> int:
    return max(text.rfind("\n", 0, index), text.rfind("\r", 0, index)) + 1


def _line_end(text: str, index: int) -> int:
    ends = (found for found in (text.find("\n", index), text.find("\r", index)) if found >= 0)
    return min(ends, default=len(text))


def json_hint(error: json.JSONDecodeError) -> str:
    """The way out of a fault, by the parser's words and the text before it."""
    before = error.doc[: error.pos + 1].rstrip()
    if before[-1:] in {"}", "]", ","} and _TRAILING_COMMA.search(before.rstrip("}]")):
        return "delete the comma after the last field"
    return next((way for words, way in _JSON_HINTS.items() if error.msg.startswith(words)), JSON_FALLBACK)


def json_no_number(text: str) -> int:
    """Return the offset of the first `NaN` or `Infinity`."""
    found = _NO_NUMBER.search(text)
    return found.start(1) if found else 0
