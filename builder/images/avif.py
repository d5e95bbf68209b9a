"""The size of an AVIF image: a file of boxes within boxes, as HEIF (ISO/IEC 23008-12) has them.

The box `meta` names one item as the one to be shown (`pitm`). Its properties (`ipma` points into `ipco`) say
how large it is (`ispe`) and whether it is turned (`irot`). Other items are its transparency, or pieces of it.
"""

from __future__ import annotations

from collections.abc import Iterator

MOST = 1_000
"""Boxes and items that are looked at in one place."""

Box = tuple[bytes, bytes]
"""A box's kind, and what is in it."""


def size(data: bytes) -> tuple[int, int] | None:
    """Width and height of the image that begins with `data`. Total."""
    meta = _first(b"meta", data)[4:]
    properties = list(_boxes(_first(b"ipco", _first(b"iprp", meta))))
    shown = [properties[n - 1] for n in _numbers(meta) if 0 < n <= len(properties)]
    sizes = [content for kind, content in shown if kind == b"ispe"]
    if not sizes:
        return None
    width, height = _big(sizes[0][4:8]), _big(sizes[0][8:12])
    turns = sum(content[0] & 3 for kind, content in shown if kind == b"irot" and content)
    return (height, width) if turns % 2 else (width, height)


def _numbers(meta: bytes) -> list[int]:
    """The numbers of the properties that the shown item has."""
    main, table = _first(b"pitm", meta), _first(b"ipma", _first(b"iprp", meta))
    item = _big(main[4:6] if main[:1] == b"\0" else main[4:8])
    return next((numbers for owner, numbers in _owners(table) if owner == item), [])


def _owners(table: bytes) -> Iterator[tuple[int, list[int]]]:
    """Each item's number with those of its properties."""
    name = 2 if table[:1] == b"\0" else 4
    each = 1 + (_big(table[3:4]) & 1)
    place = 8
    for _ in range(min(_big(table[4:8]), MOST)):
        first = place + name + 1
        end = first + each * _big(table[first - 1 : first])
        # The highest bit says whether the property must be understood.
        numbers = [_big(table[at : at + each]) & (1 << 8 * each - 1) - 1 for at in range(first, end, each)]
        yield _big(table[place : place + name]), numbers
        place = end


def _first(kind: bytes, data: bytes) -> bytes:
    """What is in the first box of this kind; nothing when there is none."""
    return next((content for found, content in _boxes(data) if found == kind), b"")


def _boxes(data: bytes) -> Iterator[Box]:
    """The boxes that follow one another in `data`, which may break off."""
    place = 0
    for _ in range(MOST):
        if place + 8 > len(data):
            return
        length, head = _big(data[place : place + 4]), 8
        if length == 1:
            length, head = _big(data[place + 8 : place + 16]), 16
        end = place + length if length else len(data)
        if length and length < head:
            return
        yield data[place + 4 : place + 8], data[place + head : end]
        place = end


def _big(part: bytes) -> int:
    return int.from_bytes(part, "big")
