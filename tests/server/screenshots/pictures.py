"""Pages in memory that a camera takes pictures of, and what a PNG says of itself."""

from __future__ import annotations

import asyncio
import os
import struct
import subprocess
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from server.screenshots.browser_process import Browser, installed_browser
from server.screenshots.camera import Camera
from server.screenshots.shot import Load, LoadedFile, Picture, Shot
from tests.chromium import chromium

_BEGIN = "<!doctype html><meta name=viewport content='width=device-width'>"
PAGE = Shot("/page", 390, "light")


def browser() -> Browser | None:
    """The browser as it is found; the test is skipped without one, and where it can have no sandbox."""
    chromium()
    found = installed_browser()
    if not _has_namespaces(found.user if found else None):
        pytest.skip("this machine lets no user create namespaces, without which Chromium has no sandbox")
    return found


@cache
def _has_namespaces(user: int | None) -> bool:
    tried = subprocess.run(["unshare", "--user", "--map-root-user", "true"], user=user, check=False)
    return tried.returncode == 0


def camera(seconds: float = 20.0) -> Camera:
    """A camera with the browser of this machine."""
    return Camera(browser, seconds=seconds)


def files(of: Mapping[str, str | bytes]) -> Load:
    """Give these files: HTML as text, and pictures as bytes."""

    async def load(target: str) -> LoadedFile | None:
        found = of.get(target)
        if found is None:
            return None
        if isinstance(found, bytes):
            return LoadedFile(found, "image/svg+xml")
        return LoadedFile(f"{_BEGIN}<body>{found}".encode(), "text/html; charset=utf-8")

    return load


def taken(html: str, shot: Shot = PAGE, seconds: float = 20.0, **more: str | bytes) -> Picture:
    """Take a picture of a page with this HTML."""
    given = {"/page": html, **{f"/{name}": data for name, data in more.items()}}
    return asyncio.run(camera(seconds).picture(files(given), shot))


def size(png: bytes) -> tuple[int, int]:
    """Return the width and the height that a PNG says it has."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def rows(png: bytes) -> list[bytes]:
    """Return the pixels of a PNG of 8 bits without interlace, row by row, 3 or 4 bytes each."""
    width, height = size(png)
    wide = {2: 3, 6: 4}[png[25]]
    data, place = b"", 8
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        data += png[place + 8 : place + 8 + length] if kind == b"IDAT" else b""
        place += length + 12
    raw, stride = zlib.decompress(data), width * wide
    found: list[bytes] = []
    for number in range(height):
        begin = number * (stride + 1)
        above = found[-1] if found else bytes(stride)
        found.append(_unfiltered(raw[begin], raw[begin + 1 : begin + 1 + stride], above, wide))
    return found


def _unfiltered(kind: int, line: bytes, above: bytes, wide: int) -> bytes:
    if kind == 0:
        return line
    out = bytearray(line)
    for at in range(len(out)):
        left = out[at - wide] if at >= wide else 0
        up, corner = above[at], above[at - wide] if at >= wide else 0
        guess = (left, up, (left + up) // 2, _paeth(left, up, corner))[kind - 1]
        out[at] = (out[at] + guess) & 255
    return bytes(out)


def _paeth(left: int, up: int, corner: int) -> int:
    near = left + up - corner
    return min((abs(near - left), 0, left), (abs(near - up), 1, up), (abs(near - corner), 2, corner))[2]


def browsers(of: int | None = None) -> list[str]:
    """Return the processes of browsers that a process has started for pictures; None is this one."""
    found, name = [], f"twinpress-look-{of or os.getpid()}-".encode()
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            said = each.read_bytes()
        except OSError:
            continue
        if name in said:
            found.append(each.parent.name)
    return found
