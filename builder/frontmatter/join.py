"""Put frontmatter and body together to the text that is stored, with as little change as can be.

A block may hold more than can be given: values that cannot be read, or no YAML at all. Whoever replaces such
a block without having seen what is in it must not lose it unawares; `rescue` and `left_out` say what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec import Struct

from builder.frontmatter.split import BOM, MAX_TEXT, find, newline, split
from builder.yaml.check import check_all
from builder.yaml.safe import YamlFault, load
from builder.yaml.write import dump, edit, same

FENCE = "---"
_TOO_LONG = f"frontmatter: is longer than {MAX_TEXT // 1024} KiB, or has too many values"

_FIELD = re.compile(r"""(?:^|(?<=\r))(?=["']?\w[\w .-]*["']?[ \t]*:(?:[ \t\r\n]|\Z))""", re.MULTILINE)
_MOST_FIELDS = 200
_SHOWN = 60


def join(frontmatter: Mapping[str, object], body: str, previous: str = "") -> str:
    """The source text of a page; `split` gives the same frontmatter and body back.

    `previous` is the page's text until now: its block stays byte for byte when it has the same values, and
    else only the lines of changed keys are written anew, and what could not be read goes; its byte order mark
    and line ends are kept. Raises ValueError, naming the place, for a value that cannot be written (see
    `yaml/check.py`).
    """
    values, current = dict(frontmatter), split(previous, "").frontmatter
    # What was read from a page can be written there too; comparing is quick: it ends at the first difference.
    changed = {name: value for name, value in values.items() if not _is_in(current, name, value)}
    check_all(changed, "frontmatter")
    if len(dump(changed)) > MAX_TEXT:
        raise ValueError(_TOO_LONG)
    mark = BOM if previous.startswith(BOM) else ""
    old = previous.removeprefix(BOM)
    eol = newline(old or body)
    for head in _heads(values, current, old, eol):
        text = _with_head(mark + head, body, values, eol)
        if text is not None:
            return text
    raise ValueError(_TOO_LONG)


def _is_in(current: Mapping[str, object], name: str, value: object) -> bool:
    return name in current and current[name] == value


def _with_head(head: str, body: str, values: dict[str, object], eol: str) -> str | None:
    """The text, if it reads as these values and this body; a head may need an empty line behind it."""
    whole = head.endswith(("\n", "\r")) and find(head.removeprefix(BOM)) is not None
    for text in (head + body, head + eol + body):
        now = split(text, "")
        right = same(now.frontmatter, values)
        if right and now.body == body:
            return text
        if whole and not right:
            return None  # a whole block says the same whatever comes after it
    return None


def _heads(values: dict[str, object], current: dict[str, object], old: str, eol: str) -> Iterator[str]:
    """Yield the blocks that may stand before the body: the old one, with changed lines, none, a new one."""
    block = find(old)
    if block is not None and same(current, values):
        yield old[: block.body]
    if block is not None and values:
        edited = _edited(old[block.yaml : block.close], values, eol)
        if edited:
            yield old[: block.yaml] + edited + old[block.close : block.body]
    if not values:
        yield ""
    yield _new_block(values, eol)


def _edited(yaml: str, values: dict[str, object], eol: str) -> str:
    """The old YAML with changed lines, or an empty string when it has no lines that could be kept."""
    try:
        loaded = load(yaml)
        current = loaded.value if isinstance(loaded.value, dict) else {}
        edited = edit(yaml, current, values, eol, loaded.faults)
    except YamlFault:
        return ""
    return edited if edited[-1:] in {"\r", "\n"} else edited + eol


def _new_block(values: dict[str, object], eol: str) -> str:
    """A whole new block, with an empty line behind it."""
    lines = dump(values).split("\n") if values else []
    return eol.join([FENCE, *lines, FENCE, "", ""])


class Rescued(Struct, frozen=True):
    """Of a block that is no YAML: the `values` that can be read field by field, and the lines of the rest.

    `fault` says what is wrong, an empty text that nothing is.
    """

    values: dict[str, object]
    lost: tuple[str, ...]
    fault: str


NOTHING = Rescued({}, (), "")


def rescue(text: str) -> Rescued:
    """Save the readable fields of a page's block that is no YAML."""
    yaml = _yaml_of(text)
    try:
        load(yaml)
    except YamlFault as fault:
        values, lost = _by_field(yaml)
        return Rescued(values, lost, fault.message)
    return NOTHING


def left_out(text: str) -> tuple[tuple[str, str], ...]:
    """List the fields of a page's block of YAML that are not in its values, each with its fault."""
    try:
        loaded = load(_yaml_of(text))
    except YamlFault:
        return ()
    return tuple((fault.where, fault.message) for fault in (*loaded.faults, *loaded.repeated))


def _by_field(yaml: str) -> tuple[dict[str, object], tuple[str, ...]]:
    starts = [found.start() for found in _FIELD.finditer(yaml)]
    if len(yaml) > MAX_TEXT or len(starts) > _MOST_FIELDS:
        return {}, (_shown(yaml),)
    bounds = [*starts, len(yaml)]
    values: dict[str, object] = {}
    lost = [_shown(yaml[: bounds[0]])]
    for start, end in pairwise(bounds):
        try:
            read = load(yaml[start:end])
        except YamlFault:
            read = None
        if read is None or not isinstance(read.value, dict) or read.faults:
            lost.append(_shown(yaml[start:end]))
        else:
            values |= read.value
    return values, tuple(line for line in lost if line)


def _yaml_of(text: str) -> str:
    text = text.removeprefix(BOM)
    block = find(text)
    return text[block.yaml : block.close] if block else ""


def _shown(yaml: str) -> str:
    """The beginning of some lines on one, without comments."""
    lines = (line.strip() for line in yaml.splitlines())
    words = " ".join(line for line in lines if line and not line.startswith("#"))
    return words if len(words) <= _SHOWN else words[:_SHOWN] + "\u2026"
