"""What a page's frontmatter has beyond what can be given: values that cannot be read, or no YAML at all.

Whoever replaces such a block without having seen what is in it must not lose it unawares.
"""

from __future__ import annotations

import re
from itertools import pairwise

from msgspec import Struct

from builder.frontmatter.block import BOM, MAX_TEXT, find
from builder.yaml.safe import YamlFault, load

_FIELD = re.compile(r"""(?:^|(?<=\r))(?=["']?\w[\w .-]*["']?[ \t]*:(?:[ \t\r\n]|\Z))""", re.MULTILINE)
_MOST_FIELDS = 200
_SHOWN = 60


class Rescued(Struct, frozen=True):
    """Of a block that is no YAML: the `values` that can be read field by field, and the lines of the rest.

    `fault` says what is wrong, an empty text that nothing is.
    """

    values: dict[str, object]
    lost: tuple[str, ...]
    fault: str


NOTHING = Rescued({}, (), "")


def rescue(text: str) -> Rescued:
    """What can be kept of a page's block if that is no YAML."""
    yaml = _block(text)
    try:
        load(yaml)
    except YamlFault as fault:
        values, lost = _by_field(yaml)
        return Rescued(values, lost, fault.message)
    return NOTHING


def left_out(text: str) -> tuple[tuple[str, str], ...]:
    """What of a page's block, which is YAML, is not in its values: each time the field and what is wrong."""
    try:
        loaded = load(_block(text))
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


def _block(text: str) -> str:
    text = text.removeprefix(BOM)
    block = find(text)
    return text[block.yaml : block.close] if block else ""


def _shown(yaml: str) -> str:
    """The beginning of some lines on one, without comments."""
    lines = (line.strip() for line in yaml.splitlines())
    words = " ".join(line for line in lines if line and not line.startswith("#"))
    return words if len(words) <= _SHOWN else words[:_SHOWN] + "\u2026"
