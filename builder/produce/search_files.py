"""Write the files of the search: those that change by an edit, or all.

At the end of a build from nothing a process of its own packs the terms of all pages, which takes long, while
others have nothing to do and there are lists to be written and pages to be kept.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import BinaryIO

import msgspec
from msgspec import Struct

from builder import search
from builder.output import Left
from builder.paths import NOT_FOUND
from builder.plan.site_files import search_file
from builder.produce.author_pages import AuthorPages, PageKeys
from builder.produce.results import PageResults
from builder.search import Arranged, Begun, Change, File, Index, IndexUpdate, Part, is_of_terms
from builder.site import SitePage
from builder.workers.child import child
from builder.workers.processors import processes

WORTH = 300
"""Pages for which another process is worth its start."""
MOST = 5_000
"""Pages for which it does not take too much memory: it has its own copy of what it touches."""

_SENT = msgspec.msgpack.Decoder(tuple[list[tuple[str, Left | None]], Arranged, dict[str, bytes]])
"""The files as they are left, how terms lie in them, and the files of terms themselves."""


class SearchFiles(Struct, frozen=True):
    """The files of the search under `key`. `by_path` are the authors' pages; `script` is what cuts excerpts
    from twins."""

    pages: AuthorPages
    results: PageResults
    by_path: Mapping[str, SitePage]
    key: bytes
    script: str

    def write(self, jobs: int | None) -> SearchPacking | None:
        """Write the files; on a site that is worth another process, have that begun which does."""
        results, keys = self.results, dict(self._keys())
        is_worth = WORTH <= len(keys) <= MOST and processes(len(keys), jobs) > 1
        is_streamed = is_worth and not results.unchanged and not results.is_large
        begun = results.finish_stream(len(keys), self.key) if is_streamed else None
        if begun is not None:
            return SearchPacking(self, keys, begun)
        if not results.are_kept:
            results.files += 1  # they need not be made, and count as one
            return None
        changed = self._changed(keys)
        results.write_search(_placed(changed.files if changed else self._anew(keys)), self.key)
        return None

    def keep(self, keys: Mapping[str, bytes], begun: Begun, arranged: Arranged) -> None:
        """Keep the index of the pages with these keys, whose files of terms are kept."""
        if all(keys.values()):
            self._keep_index(search.index_of(keys, begun, arranged, self.script))

    def keep_terms(self, files: Iterable[File]) -> None:
        """Keep files of terms, and no others."""
        self.pages.cache.forget_leaves()
        for name, data in files:
            self.pages.cache.keep_leaf(name, data)

    def _changed(self, keys: Mapping[str, bytes]) -> IndexUpdate | None:
        """The files that an edit changes, when the others are there."""
        cache = self.pages.cache
        before = cache.index() if all(keys.values()) else None
        if before is None or before.script != self.script:
            return None
        found = search.changed(before, keys, dict(self._changes(before, keys)), cache.leaf, self._part)
        if found is None or not self.results.stay([search_file(name) for name in found.staying], self.key):
            return None
        cache.forget_leaves({*before.names_of_terms}.difference(found.index.names_of_terms))
        for name, data in _of_terms(found.files).items():
            cache.keep_leaf(name, data)
        self._keep_index(found.index)
        return found

    def _changes(self, before: Index, keys: Mapping[str, bytes]) -> Iterator[tuple[str, Change]]:
        """The part of each page that has changed, as the index has it and as it is now."""
        for page in before.pages:
            if keys.get(page.path, page.key) != page.key:
                earlier = self._earlier(page.path, page.key)
                if earlier is not None:
                    yield page.path, (earlier, self._part(page.path))

    def _earlier(self, path: str, key: bytes) -> Part | None:
        """The part that a page had under this key, if it is known."""
        if self.pages.content_key(path) is None:
            part = self.pages.cache.own_part(path)
            return part if part and part.key == key else None
        kept = self.pages.earlier.get(path)
        return kept.search if kept and PageKeys(kept.source, kept.answers).content == key else None

    def _keep_index(self, index: Index) -> None:
        cache, results = self.pages.cache, self.results
        cache.keep_index(index)
        for page in index.pages:
            if self.pages.content_key(page.path) is None:
                cache.keep_own_part(page.path, results.search[page.path])

    def _anew(self, keys: Mapping[str, bytes]) -> Iterator[File]:
        """All files, one made after the other."""
        begun = None
        if self.results.is_large:
            begun = self._streamed(keys)
        else:
            self.results.search |= self.pages.searches(
                [self.by_path[path] for path in self.results.unchanged]
            )
            parts = [part for part in self.results.search.values() if part is not None]
            begun = self.results.finish_stream(len(parts), self.key)
            if begun is None:
                docs, begun = search.begin(parts, self.script)
                yield from docs
        files = search.finish(begun, self.script)
        if not all(keys.values()):  # nothing could be told of the index the next time
            yield from files
            return
        self.pages.cache.forget_leaves()
        arranged = yield from self._kept(files)
        self.keep(keys, begun, arranged)

    def _kept(self, files: Generator[File, None, Arranged]) -> Generator[File, None, Arranged]:
        """The same files, of which those of terms are kept."""
        while True:
            try:
                name, data = next(files)
            except StopIteration as end:
                arranged: Arranged = end.value
                return arranged
            if is_of_terms(name):
                self.pages.cache.keep_leaf(name, data)
            yield name, data

    def _streamed(self, paths: Iterable[str]) -> Begun:
        """Begin the search of a large site: the parts of its pages are had one at a time."""
        results, count = self.results, len(list(paths))
        begun = results.finish_stream(count, self.key)
        if begun is None:
            results.stream_anew(map(self._part, paths))
            begun = results.finish_stream(count, self.key)
        assert begun is not None  # noqa: S101 - all have been taken
        return begun

    def _part(self, path: str) -> Part:
        """The part of a page that is in the search."""
        part = self.results.search[path] or self.pages.search(self.by_path[path])
        assert part is not None  # noqa: S101 - `_keys` leaves out those without
        return part

    def _keys(self) -> Iterator[tuple[str, bytes]]:
        """Yield a key that tells the part of each page in the search from any other; empty without one."""
        for path, part in self.results.search.items():
            page = self.by_path.get(path)
            if path == NOT_FOUND or (part is None and (page is None or not page.is_listed)):
                continue
            key = self.pages.content_key(path)
            yield path, key if key is not None else part.key if part else b""


class SearchPacking:
    """The files of the search that are not `begun`: made by a child process, where there can be one."""

    def __init__(self, files: SearchFiles, keys: Mapping[str, bytes], begun: Begun) -> None:
        self._files, self._keys, self._begun = files, keys, begun
        self._results = files.results
        self._child = child(self._send)

    def finish(self) -> None:
        """Take what the child has done; where it could not, do it here."""
        packing, self._child = self._child, None
        try:
            lefts, arranged, of_terms = _SENT.decode(packing.received() if packing else b"")
        except msgspec.DecodeError:  # there was no child, or it was ended before it had sent it all
            files, arranged = self._made()
            for path, data in _placed(files):
                self._results.write(path, data, self._files.key)
            of_terms = _of_terms(files)
        else:
            for path, left in lefts:
                self._results.note_written(path, self._files.key, left)
        self._files.keep_terms(of_terms.items())
        self._files.keep(self._keys, self._begun, arranged)

    def close(self) -> None:
        """End the child, unless what it has done was taken."""
        if self._child:
            self._child.end()
        self._child = None

    def _made(self) -> tuple[list[File], Arranged]:
        return search.finished(self._begun, self._files.script)

    def _send(self, pipe: BinaryIO) -> None:
        """Write all files, and send how they are left."""
        files, arranged = self._made()
        lefts = [(path, self._results.write_unnoted(path, data)) for path, data in _placed(files)]
        pipe.write(msgspec.msgpack.encode((lefts, arranged, _of_terms(files))))


def _of_terms(files: Iterable[File]) -> dict[str, bytes]:
    """The files of terms among all, by name."""
    return {name: data for name, data in files if is_of_terms(name)}


def _placed(files: Iterable[File]) -> Iterator[File]:
    """Files with their output paths."""
    return ((search_file(name), data) for name, data in files)
