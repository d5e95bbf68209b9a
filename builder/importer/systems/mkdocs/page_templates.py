"""Fill in templates of pages as the plugins for macros do, as far as they need nothing but data.

    {{ name.of.value }}   {{ name | upper }}   {% for x in list %} … {% endfor %}
    {% if x.y %} … {% elif z %} … {% else %} … {% endif %}   {% set x = y.z %}

Names are looked up in mappings and lists; nothing is called and nothing is run. What needs more stays as it
is where it is a value, and is told and left out where it is a loop or a condition.
"""

from __future__ import annotations

import posixpath
import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from builder.importer.old_site import Loss
from builder.importer.source_tree import SourceTree
from builder.importer.systems.mkdocs.mkdocs_config import Configuration, without_tags
from builder.yaml.safe import YamlFault

_SIGN = re.compile(r"\{%[-+]?[ \t]*(?P<word>[a-z]+)(?P<rest>[^\n%]{0,300})%\}")
_VALUE = re.compile(r"\{\{-?(?P<inner>[^\n{}]{1,300})\}\}")
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.\w+|\[(?:\d+|'[^'\]]*'|\"[^\"\]]*\")\])*")
_STEP = re.compile(r"\w+|'[^']*'|\"[^\"]*\"")
_LOOP = re.compile(r"(?P<names>\w+(?:[ ]*,[ ]*\w+)?)[ ]+in[ ]+(?P<path>\S+)")
_COMPARED = re.compile(r"(?P<path>[^\s=!]+)[ ]*(?P<sign>==|!=)[ ]*(?P<value>\"[^\"]*\"|'[^']*'|\d+|\w+)")
_HELD = re.compile(r"(?P<value>\S+)[ ]+(?P<not>not[ ]+)?in[ ]+(?P<path>\S+)")
_SET = re.compile(r"(?P<name>[A-Za-z_]\w*)[ ]*=[ ]*(?P<value>.+)")
_ENDS = {"for": "endfor", "if": "endif"}
_MOST_LINES = 50_000
_LINE = 200
"""Characters of a value that count as a line."""
_MARK = "\0"
_DEEPEST = 10
_MISSING = object()
_FILTERS: Mapping[str, Callable[[object], object]] = {
    "upper": lambda value: str(value).upper(),
    "lower": lambda value: str(value).lower(),
    "title": lambda value: str(value).title(),
    "capitalize": lambda value: str(value).capitalize(),
    "trim": lambda value: str(value).strip(),
    "string": str,
    "safe": lambda value: value,
    "length": lambda value: len(value) if isinstance(value, list | dict | str) else 0,
}

FILLING = ("macros", "markdownextradata")
"""Plugins that fill in templates."""
NumberedLine = tuple[int, str]
_Values = ChainMap[str, object]


def template_data(config: Configuration, origin: SourceTree, docs: str) -> dict[str, object]:
    """Return the data that plugins read for templates, each file by its name."""
    found: dict[str, object] = {}
    for plugin in FILLING:
        for name, file in _data_files(config.plugin(plugin) or {}, origin, docs):
            with suppress(YamlFault):
                found[name] = without_tags(origin.text(posixpath.normpath(file)) or "")
    return found


def _data_files(options: Mapping[str, object], origin: SourceTree, docs: str) -> Iterator[tuple[str, str]]:
    folder, listed = str(options.get("data") or ""), options.get("include_yaml")
    files = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
    for base in (folder, posixpath.join(docs, folder)) if folder else ():
        found = origin.files(posixpath.normpath(base))
        files += [file for file in found if file.endswith((".yml", ".yaml", ".json"))]
    yield from ((posixpath.basename(file).partition(".")[0], file) for file in files)
    for each in listed if isinstance(listed, list) else ():
        yield from ((str(name), str(file)) for name, file in each.items()) if isinstance(each, dict) else ()


class FilledTemplate(Struct, frozen=True):
    """The lines of a page, each with its number in the file, and what was left out."""

    lines: Sequence[NumberedLine]
    losses: Sequence[Loss]


def fill_templates(lines: Sequence[NumberedLine], values: Mapping[str, object], file: str) -> FilledTemplate:
    """Fill in what the lines of a page hold. Total."""
    filling = _Filling(file, [], _MOST_LINES + _DEEPEST * len(lines))
    given = dict(values)
    found = list(filling.run(list(_parted(lines)), ChainMap(given)))
    return FilledTemplate(found, filling.losses)


def _parted(lines: Sequence[NumberedLine]) -> Iterator[NumberedLine]:
    """Yield the lines; a sign that shares one with text gets a line of its own.

    A line with several is marked, so that it is filled in by itself.
    """
    is_raw = False
    for number, line in lines:
        signs = list(_SIGN.finditer(line)) if "{%" in line else []
        words = {found["word"] for found in signs}
        is_raw = "endraw" not in words and (is_raw or "raw" in words)
        if is_raw or not words & {*_ENDS, *_ENDS.values()} or _is_alone(line, signs[0]):
            yield number, line
        elif len(signs) > 1:
            yield number, f"{_MARK}{line}"
        else:
            yield from ((number, part) for part in _pieces(line, signs) if part.strip())


def _pieces(line: str, signs: Sequence[re.Match[str]]) -> Iterator[str]:
    """Yield the signs of a line and what is between them."""
    at = 0
    for sign in signs:
        yield line[at : sign.start()]
        yield sign[0]
        at = sign.end()
    yield line[at:]


class _Filling(Struct):
    """A page that is filled in; `left` lines more may come of it."""

    file: str
    losses: list[Loss]
    left: int

    def run(self, lines: Sequence[NumberedLine], values: _Values, depth: int = 0) -> Iterator[NumberedLine]:
        """Yield the lines that come of some."""
        at, is_raw = 0, False
        while at < len(lines):
            number, line = lines[at]
            at, self.left = at + 1, self.left - 1
            if self.left <= 0:
                self._tell("template that is too long", lines[at - 1 :])
                return
            sign = _sign(line)
            word = sign["word"] if sign is not None else ""
            is_raw = word != "endraw" and (is_raw or word == "raw")
            if is_raw or word == "endraw":
                yield number, line
            elif sign is not None and word in _ENDS and depth < _DEEPEST:
                end = _end(lines, at, word)
                self.left -= end - at
                yield from self._block(sign, lines[at - 1 : end], values, depth)
                at = min(end + 1, len(lines))
            elif sign is not None and word == "set" and _is_alone(line, sign):
                self._set(sign, number, values)
            else:
                yield number, self._line(line, values)

    def _block(
        self, sign: re.Match[str], lines: Sequence[NumberedLine], values: _Values, depth: int
    ) -> Iterator[NumberedLine]:
        """Yield what comes of a block; `lines` begin with its sign and are without its end."""
        number, inner = lines[0][0], lines[1:]
        if sign["word"] == "for":
            given = self._loop(sign["rest"], values)
            if given is None:
                self._tell("template loop", lines)
            for each in given or ():
                self.left -= 1
                yield from self.run(inner, values.new_child(each), depth + 1)
            return
        for condition, part in _branches(sign["rest"], inner):
            holds = _holds(condition, values) if condition else True
            if holds is None:
                self._tell("template condition", [(number, lines[0][1])])
            elif holds:
                yield from self.run(part, values, depth + 1)
                return

    def _loop(self, rest: str, values: _Values) -> list[dict[str, object]] | None:
        """Return the names of each round of a loop; None where its list is not known."""
        found = _LOOP.fullmatch(rest.strip("- \t"))
        listed = _value(found["path"], values) if found is not None else _MISSING
        if found is None or not isinstance(listed, list | dict):
            return None
        names = [name.strip() for name in found["names"].split(",")]
        rounds: list[dict[str, object]] = []
        for index, each in enumerate(listed.items() if isinstance(listed, dict) else listed):
            parts = each if len(names) > 1 and isinstance(each, list | tuple) else [each]
            parts = [each[0]] if len(names) == 1 and isinstance(each, tuple) else parts
            loop = {
                "index": index + 1,
                "index0": index,
                "first": index == 0,
                "last": index + 1 == len(listed),
            }
            rounds.append({**dict(zip(names, parts, strict=False)), "loop": loop})
        return rounds

    def _set(self, sign: re.Match[str], number: int, values: _Values) -> None:
        found = _SET.fullmatch(sign["rest"].strip("- \t"))
        value = _value(found["value"].strip(), values) if found is not None else _MISSING
        if found is None or value is _MISSING:
            self._tell("template expression", [(number, sign[0])])
        else:
            values.maps[-1][found["name"]] = value

    def _line(self, line: str, values: _Values) -> str:
        def act(found: re.Match[str]) -> str:
            value = _value(found["inner"].strip("- \t"), values)
            text = str(value) if isinstance(value, str | int | float) else found[0]
            self.left -= len(text) // _LINE
            return text if self.left > 0 else found[0]

        if line.startswith(_MARK):
            pieces = _pieces(line[1:], list(_SIGN.finditer(line[1:])))
            return "".join(text for _, text in self.run([(0, each) for each in pieces], values))
        return _VALUE.sub(act, line) if "{{" in line else line

    def _tell(self, what: str, lines: Sequence[NumberedLine]) -> None:
        old = "\n".join(line for _, line in lines[:20])
        loss = Loss(what, self.file, lines[0][0], old[:300])
        if self.left > 0 or what not in {each.what for each in self.losses}:
            self.losses.append(loss)


def _sign(line: str) -> re.Match[str] | None:
    return _SIGN.search(line) if "{%" in line and not line.startswith(_MARK) else None


def _end(lines: Sequence[NumberedLine], at: int, word: str) -> int:
    """Return the line with the end of a block that begins before `at`; the last one where it has none."""
    depth = 1
    for number in range(at, len(lines)):
        found = _sign(lines[number][1])
        if found is not None:
            depth += (found["word"] == word) - (found["word"] == _ENDS[word])
        if depth == 0:
            return number
    return len(lines)


def _branches(condition: str, lines: Sequence[NumberedLine]) -> Iterator[tuple[str, Sequence[NumberedLine]]]:
    """Yield the conditions of a block with their lines; that of `else` is ""."""
    depth, begin = 0, 0
    for at, (_, line) in enumerate(lines):
        found = _sign(line)
        word = found["word"] if found is not None else ""
        depth += (word == "if") - (word == "endif")
        if found is not None and depth == 0 and word in {"else", "elif"}:
            yield condition, lines[begin:at]
            condition, begin = found["rest"] if word == "elif" else "", at + 1
    yield condition, lines[begin:]


def _holds(condition: str, values: _Values) -> bool | None:
    """Return whether a condition is true; None where that cannot be said."""
    text = condition.strip("- \t")
    compared = _COMPARED.fullmatch(text)
    if compared is not None:
        is_same = str(_value(compared["path"], values)) == compared["value"].strip("\"'")
        return is_same if compared["sign"] == "==" else not is_same
    held = _HELD.fullmatch(text)
    if held is not None:
        listed = _value(held["path"], values)
        is_known = isinstance(listed, list | dict | str)
        return (_value(held["value"], values) in _texts(listed)) != bool(held["not"]) if is_known else None
    is_negated = text.startswith("not ")
    path = text.removeprefix("not ").strip()
    if not _PATH.fullmatch(path):
        return None
    value = _value(path, values)
    return (value is not _MISSING and bool(value)) != is_negated


def _texts(listed: object) -> Sequence[object]:
    return listed if isinstance(listed, list) else list(listed) if isinstance(listed, dict) else [listed]


def _value(text: str, values: _Values) -> object:
    """Return the value of a name with its filters, or of a literal; `_MISSING` for what is not known."""
    path, *filters = (part.strip() for part in text.split("|"))
    value = _literal(path, values)
    for each in filters:
        if each not in _FILTERS or value is _MISSING:
            return _MISSING
        value = _FILTERS[each](value)
    return value


def _literal(text: str, values: _Values) -> object:
    if text[:1] in {"'", '"'} and text[-1:] == text[:1] and len(text) > 1 and text[0] not in text[1:-1]:
        return text[1:-1]
    if text.isdecimal() and len(text) < 10:
        return int(text)
    if not _PATH.fullmatch(text):
        return _MISSING
    value: object = values
    for step in _STEP.findall(text):
        value = _inner(value, step.strip("\"'"))
    return value


def _inner(value: object, step: str) -> object:
    if isinstance(value, Mapping):
        return value.get(step, _MISSING)
    if isinstance(value, list) and step.isdecimal() and len(step) < 7:
        return value[int(step)] if int(step) < len(value) else _MISSING
    return _MISSING


def _is_alone(line: str, sign: re.Match[str]) -> bool:
    return line.strip() == sign[0]
