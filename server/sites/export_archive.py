"""Export a site's folder as a zip, file by file, while others may write to it."""

from __future__ import annotations

import os
import stat
import struct
import time
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from builder.site import SIDEBAR_FILE
from builder.store import walk
from builder.store.scan import MAX_FOLDERS, SOURCES
from builder.theme.site_theme import NAME as THEME
from server.sites.archive_entry import CHUNK
from server.sites.archive_rules import SETTINGS, is_unseen, no_part
from server.sites.entry_paths import Parts
from server.sites.omissions import Omission, Omissions

_UNIX = 3
_MODE = (stat.S_IFREG | 0o644) << 16
_FIRST, _LAST = 315_532_800, 4_354_819_198
"""The times that a zip can tell: from 1980 on, to the end of 2107."""
_DENSE = frozenset(
    {
        "avif",
        "gif",
        "gz",
        "jpeg",
        "jpg",
        "mp3",
        "mp4",
        "ogg",
        "png",
        "webm",
        "webp",
        "woff",
        "woff2",
        "xz",
        "zip",
    }
)
"""Suffixes of files that are compressed already: to compress them again takes long, and saves nothing."""
_TIMES, _MODIFIED = 0x5455, 1
_LARGE = 1 << 30
"""Bytes from which on the zip is told that a file may need more than 32 bits for its size."""


def export_archive(folder: Path, out: BinaryIO) -> tuple[Omission, ...]:
    """Write the site's files as a zip, in the order of their names, and say what was left out.

    `out` need not be one in which places can be sought. Each file is as it was when its turn came. Raises
    OSError when the folder cannot be read, or `out` not be written.
    """
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        return add_site(archive, folder)


def add_site(archive: zipfile.ZipFile, folder: Path, inside: str = "") -> tuple[Omission, ...]:
    """Add the site's files to a zip, their names behind `inside`; else as `export_archive`."""
    left_out = Omissions()
    with ExitStack() as opened:
        root = os.open(folder, walk.FLAGS & ~os.O_NOFOLLOW | os.O_DIRECTORY)
        opened.callback(os.close, root)
        for parent, parts in _files(root, (), left_out):
            try:
                _add(archive, parent, parts, inside)
            except FileNotFoundError:
                continue  # gone since it was listed
            except walk.Blocked as blocked:
                left_out.add("/".join(parts), f"{blocked.kind}, which is not followed")
    return left_out.listed()


def _files(folder: int, place: Parts, left_out: Omissions) -> Iterator[tuple[int, Parts]]:
    """The files of the site, each with its folder, open; `place` are the names to `folder`."""
    for name in sorted(os.listdir(folder)):
        parts = (*place, name)
        about = walk.look(folder, name)
        if about is None or not _is_part(parts, about.st_mode):
            continue
        why = _fault(parts, about.st_mode)
        if why:
            left_out.add("/".join(parts), why)
        elif stat.S_ISDIR(about.st_mode):
            yield from _inner(folder, parts, left_out)
        else:
            yield folder, parts


def _inner(parent: int, parts: Parts, left_out: Omissions) -> Iterator[tuple[int, Parts]]:
    try:
        folder = walk.open_folder(parent, parts[-1])
    except (FileNotFoundError, walk.Blocked):
        return  # it was a folder when it was listed
    try:
        yield from _files(folder, parts, left_out)
    finally:
        os.close(folder)


def _is_part(parts: Parts, mode: int) -> bool:
    """Return whether a file, or a folder, is the site's; links in the place of one are, too."""
    if is_unseen(parts):
        return False
    if len(parts) == 1 and stat.S_ISREG(mode):
        return no_part(parts) is None
    return parts[0] in {*SETTINGS, SIDEBAR_FILE, *SOURCES, THEME}


def _fault(parts: Parts, mode: int) -> str:
    """Return the reason why a part of the site is not exported, or an empty string."""
    if any(0xD800 <= ord(char) <= 0xDFFF for char in parts[-1]):
        return "its name is not valid UTF-8"
    if stat.S_ISDIR(mode):
        return f"it is more than {MAX_FOLDERS} folders deep" if len(parts) >= MAX_FOLDERS else ""
    return "" if stat.S_ISREG(mode) else f"{walk.kind_of(mode)}, which is not followed"


def _add(archive: zipfile.ZipFile, parent: int, parts: Parts, inside: str) -> None:
    """Add a file as it is: one that grows meanwhile is read as far as it was when it was opened."""
    descriptor, about = walk.open_file(parent, parts[-1])
    with (
        os.fdopen(descriptor, "rb") as source,
        archive.open(_info(parts, about, inside), "w", force_zip64=about.st_size >= _LARGE) as target,
    ):
        left = about.st_size
        while left and (data := source.read(min(left, CHUNK))):
            target.write(data)
            left -= len(data)


def _info(parts: Parts, about: os.stat_result, inside: str) -> zipfile.ZipInfo:
    """A file's entry, with its time twice: the one that all programs read has no seconds that are odd."""
    modified = int(about.st_mtime)
    when = time.gmtime(min(max(modified, _FIRST), _LAST))[:6]
    info = zipfile.ZipInfo(inside + "/".join(parts), when)
    is_dense = parts[-1].rpartition(".")[2].lower() in _DENSE
    info.compress_type = zipfile.ZIP_STORED if is_dense else zipfile.ZIP_DEFLATED
    info.create_system, info.external_attr = _UNIX, _MODE
    if 0 <= modified < 1 << 31:
        info.extra = struct.pack("<HHBi", _TIMES, 5, _MODIFIED, modified)
    return info
