"""The size of an image, read from its file's first bytes: PNG, JPEG, GIF, WebP, AVIF and SVG.

Nothing is decoded, and no more than READ bytes of a file are looked at, so a file costs the same whatever is
in it. The packages that do this read SVG with an XML parser, and none turns photographs that lie on a side.

AVIF is a file of boxes within boxes, as HEIF (ISO/IEC 23008-12) has them. The box `meta` names one item as
the one to be shown (`pitm`). Its properties (`ipma` points into `ipco`) say how large it is (`ispe`) and
whether it is turned (`irot`). Other items are its transparency, or pieces of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import BinaryIO
from urllib.parse import unquote

from builder.lazy_regex import lazy

READ = 256 * 1024
"""Photographs may have a profile and a small picture of themselves before their size."""

Size = tuple[int, int]
"""Width and height in pixels."""

SUFFIXES = frozenset({"png", "jpg", "jpeg", "jpe", "gif", "webp", "avif", "svg"})
LARGEST = 100_000
"""Pixels; more is nonsense."""

_SVG = lazy(rb"<svg(?=[\s>])((?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*)>")
_SVG_BEGIN = 8 * 1024
_SVG_ATTRIBUTE = lazy(rb"""(?<![\w:-])(width|height|viewBox)\s*=\s*["']([^"']{0,100})["']""")
_PIXELS = lazy(rb"\s*(\d{1,6}(?:\.\d{0,6})?)(?:px)?\s*")
_ORIENTATION = 0x0112
_ON_A_SIDE = frozenset({5, 6, 7, 8})

MOST_BOXES = 1_000
"""Boxes and items that are looked at in one place."""

Box = tuple[bytes, bytes]
"""A box's kind, and what is in it."""


def of_address(href: str, base: str, sizes: Mapping[str, Size]) -> Size | None:
    """The size of the site's own image at this address, from those by output path, below the base path."""
    path = href.partition("#")[0].partition("?")[0]
    return sizes.get(unquote(path).removeprefix(f"{base}/"))


def of_file(file: BinaryIO, name: str) -> Size | None:
    """The size of an open file, or None when its name or its bytes are those of no such image. Total."""
    if name.rpartition(".")[2].lower() not in SUFFIXES:
        return None
    try:
        return of_bytes(file.read(READ))
    except OSError:
        return None


def of_bytes(data: bytes) -> Size | None:
    """The size of the image that begins with `data`. Total."""
    found = _size(data)
    return found if found and all(0 < side <= LARGEST for side in found) else None


def _size(data: bytes) -> Size | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        return _big(data[16:20]), _big(data[20:24])
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _little(data[6:8]), _little(data[8:10])
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp(data)
    if data[4:8] == b"ftyp":
        return _avif_size(data)
    return _svg(data[:_SVG_BEGIN])


def _big(part: bytes) -> int:
    return int.from_bytes(part, "big")


def _little(part: bytes) -> int:
    return int.from_bytes(part, "little")


def _webp(data: bytes) -> Size | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return _little(data[24:27]) + 1, _little(data[27:30]) + 1
    if kind == b"VP8L" and data[20:21] == b"\x2f":
        bits = _little(data[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
    return None


def _jpeg(data: bytes) -> Size | None:
    """Segment by segment to the frame's; what the camera noted of its position stands before it."""
    place, turned = 2, False
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD7 or marker == 0x01:
            place += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = _big(data[place + 5 : place + 7]), _big(data[place + 7 : place + 9])
            return (height, width) if turned else (width, height)
        length = _big(data[place + 2 : place + 4])
        if marker == 0xE1 and data[place + 4 : place + 10] == b"Exif\0\0":
            turned = _orientation(data[place + 10 : place + 2 + length]) in _ON_A_SIDE
        place += 2 + max(length, 2)
    return None


def _orientation(exif: bytes) -> int:
    """Return how the camera was held, from 1 to 8; 0 when the image does not say."""
    number = _little if exif.startswith(b"II") else _big
    start = number(exif[4:8])
    for place in range(start + 2, start + 2 + 12 * min(number(exif[start : start + 2]), 200), 12):
        if number(exif[place : place + 2]) == _ORIENTATION:
            return number(exif[place + 8 : place + 10])
    return 0


def _svg(data: bytes) -> Size | None:
    root = _SVG.search(data)
    if root is None:
        return None
    given = dict(_SVG_ATTRIBUTE.findall(root[1]))
    sides = [_PIXELS.fullmatch(given.get(name, b"")) for name in (b"width", b"height")]
    if sides[0] and sides[1]:
        return math.ceil(float(sides[0][1])), math.ceil(float(sides[1][1]))
    box = [_PIXELS.fullmatch(part) for part in given.get(b"viewBox", b"").replace(b",", b" ").split()[2:]]
    if len(box) == 2 and box[0] and box[1]:
        return math.ceil(float(box[0][1])), math.ceil(float(box[1][1]))
    return None


def _avif_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of the image that begins with `data`. Total."""
    meta = _first_box(b"meta", data)[4:]
    properties = list(_boxes(_first_box(b"ipco", _first_box(b"iprp", meta))))
    shown = [properties[n - 1] for n in _numbers(meta) if 0 < n <= len(properties)]
    sizes = [content for kind, content in shown if kind == b"ispe"]
    if not sizes:
        return None
    width, height = _big(sizes[0][4:8]), _big(sizes[0][8:12])
    turns = sum(content[0] & 3 for kind, content in shown if kind == b"irot" and content)
    return (height, width) if turns % 2 else (width, height)


def _numbers(meta: bytes) -> list[int]:
    """The numbers of the properties that the shown item has."""
    main, table = _first_box(b"pitm", meta), _first_box(b"ipma", _first_box(b"iprp", meta))
    item = _big(main[4:6] if main[:1] == b"\0" else main[4:8])
    return next((numbers for owner, numbers in _owners(table) if owner == item), [])


def _owners(table: bytes) -> Iterator[tuple[int, list[int]]]:
    """Each item's number with those of its properties."""
    name = 2 if table[:1] == b"\0" else 4
    each = 1 + (_big(table[3:4]) & 1)
    place = 8
    for _ in range(min(_big(table[4:8]), MOST_BOXES)):
        first = place + name + 1
        end = first + each * _big(table[first - 1 : first])
        # The highest bit says whether the property must be understood.
        numbers = [_big(table[at : at + each]) & (1 << 8 * each - 1) - 1 for at in range(first, end, each)]
        yield _big(table[place : place + name]), numbers
        place = end


def _first_box(kind: bytes, data: bytes) -> bytes:
    """Return the content of the first box of this kind; nothing when there is none."""
    return next((content for found, content in _boxes(data) if found == kind), b"")


def _boxes(data: bytes) -> Iterator[Box]:
    """The boxes that follow one another in `data`, which may break off."""
    place = 0
    for _ in range(MOST_BOXES):
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
