"""The files of the search: of what has changed, of all pages, or of all pages by a process of its own.

At the end of a build from nothing one process packs the terms of all pages, which takes long, while others
have nothing to do and there are lists to be written and pages to be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

import msgspec

from builder import search
from builder.build.child import Child, child
from builder.build.extras import search_file
from builder.build.kept import Kept
from builder.build.pages import Pages
from builder.build.processors import processes
from builder.digests import digest
from builder.output import Left
from builder.render import NOT_FOUND
from builder.search import Begun, Part
from builder.site import SitePage

WORTH = 300
"""Pages for which another process is worth its start, and an index takes long."""
MOST = 5_000
"""Pages for which it does not take too much memory: it has its own copy of what it touches."""

Files = list[tuple[str, bytes]]
"""Files by output path."""
Keeping = tuple[bytes, dict[str, bytes]]
"""The index to be kept, as bytes, and its leaves by name; both are empty when there is none."""
Anew = Callable[[], Files]
"""Makes all files."""

_SENT = msgspec.msgpack.Decoder(list[tuple[str, Left | None]])
"""The files as they are left."""


@contextmanager
def search_written(
    pages: Pages, kept: Kept, left: Sequence[SitePage], key: bytes, jobs: int | None
) -> Iterator[None]:
    """Write the files of the search under this key; those of a site of some size while the block runs.

    `left` are the pages that were there.
    """
    keys = dict(_keys(pages, kept))
    is_worth = WORTH <= len(keys) <= MOST and processes(len(keys), jobs) > 1
    parts = _known(kept.search)
    begun = kept.begun(len(parts), key) if is_worth and not left else None
    if begun is None:
        kept.later(lambda: _files(pages, kept, left, key, keys), key)
        yield
        return
    anew = partial(_whole, parts, begun)
    beside = child(partial(_send, kept, anew))
    try:
        yield
    except BaseException:
        if beside:
            beside.end()
        raise
    _take(kept, key, anew, beside)


def _take(kept: Kept, key: bytes, anew: Anew, beside: Child | None) -> None:
    """Take what the other process has done; where it could not, do it here."""
    try:
        lefts = _SENT.decode(beside.received() if beside else b"")
    except msgspec.DecodeError:  # there was no other, or it was ended before it had sent it all
        for path, data in anew():
            kept.write(path, data, key)
    else:
        for path, left in lefts:
            kept.wrote(path, left, key)


def _send(kept: Kept, anew: Anew, pipe: BinaryIO) -> None:
    """Write all files, and send how they are left."""
    pipe.write(msgspec.msgpack.encode([(path, kept.put(path, data)) for path, data in anew()]))


def _files(
    pages: Pages, kept: Kept, left: Sequence[SitePage], key: bytes, keys: Mapping[str, bytes]
) -> Files:
    """The files, but for those that stay as they are."""
    before = pages.cache.index() if all(keys.values()) else None
    made = search.changed(before, _known(kept.search), keys, pages.cache.leaf) if before else None
    if made and kept.stay([search_file(name) for name in made.staying], key):
        pages.cache.keep_index(msgspec.msgpack.encode(made.index), made.leaves, whole=False)
        return _placed(made.files)
    kept.search |= pages.searches(left)
    parts = _known(kept.search)
    begun = kept.begun(len(parts), key)
    # Of many builds from nothing nobody wants but the files, and a large index takes longer than these: it is
    # kept by the first build that finds pages as they were.
    if not left and len(keys) >= WORTH:
        return _whole(parts, begun)
    files, index = _anew(parts, keys, begun)
    pages.cache.keep_index(*index, whole=True)
    return files


def _anew(parts: Mapping[str, Part], keys: Mapping[str, bytes], begun: Begun | None) -> tuple[Files, Keeping]:
    """The files of all pages, and the index when it can be kept."""
    made = search.made(parts, keys, begun) if all(keys.values()) else None
    if made is None:
        return _whole(parts, begun), (b"", {})
    return _placed(made.files), (msgspec.msgpack.encode(made.index), made.leaves)


def _whole(parts: Mapping[str, Part], begun: Begun | None) -> Files:
    """The files of all pages."""
    return _placed(search.shards(list(parts.values()), begun))


def _keys(pages: Pages, kept: Kept) -> Iterator[tuple[str, bytes]]:
    """What tells the part of each page in the search from any other; empty where nothing does."""
    left = frozenset(kept.left)
    for path, part in kept.search.items():
        if path == NOT_FOUND or (part is None and path not in left):
            continue
        key = pages.key(path)
        yield path, _key(part) if key is None else key


def _key(part: Part | None) -> bytes:
    """The key of a page that no author wrote. Its headings are in its title, and sets have no order."""
    return digest(part.url, part.title, part.sections, part.terms) if part else b""


def _known(parts: Mapping[str, Part | None]) -> dict[str, Part]:
    return {path: part for path, part in parts.items() if part is not None}


def _placed(files: Iterable[search.File]) -> Files:
    return [(search_file(name), data) for name, data in files]
