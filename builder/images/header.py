"""How large an image is, as its file's first bytes say: PNG, JPEG, GIF, WebP, AVIF and SVG.

Nothing is decoded, and no more than READ bytes of a file are looked at, so a file costs the same whatever is
in it. The packages that do this read SVG with an XML parser, and none turns photographs that lie on a side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import BinaryIO
from urllib.parse import unquote

from builder.images import avif
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
        return avif.size(data)
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
    """How the camera was held, from 1 to 8; 0 when it does not say."""
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
