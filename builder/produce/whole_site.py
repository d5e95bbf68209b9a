"""Write what is made of the whole site: pages that no author wrote, lists of pages, the search, the theme.

At the end of a build from nothing a process of its own packs the terms of all pages, which takes long, while
others have nothing to do and there are lists to be written and pages to be kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

import msgspec
from msgspec import Struct

from builder import search
from builder.cache import Cache
from builder.digests import digest
from builder.output import Left
from builder.paths import NOT_FOUND
from builder.plan.layout import Layout
from builder.plan.site_files import ADDRESSES, excerpts_script, feeds, full, lists, search_file
from builder.produce.author_pages import AuthorPages
from builder.produce.results import PageResults
from builder.produce.site_twins import site_twins
from builder.search import Arranged, Begun, File, Part, UnplacedIndex
from builder.site import SitePage
from builder.unicode import encoded
from builder.workers.child import child
from builder.workers.processors import processes


def write_whole_site(
    layout: Layout, pages: AuthorPages, results: PageResults, jobs: int | None
) -> SearchPacking | None:
    """Write the files, unless they are there.

    On a larger site another process still packs the search then: what this gives is to be finished, and
    closed in any case.
    """
    if layout.home:
        results.home_links(layout.home)
    key, by_path = pages.whole_key(layout), {page.path: page for page in layout.site.pages}
    around = key and pages.around_key(layout)
    are_there = results.stay_all(around)
    if are_there and results.stay_all(key):
        return None
    twins = site_twins(pages, by_path, results)
    # Loaded here, as most builds make nothing anew.
    from builder.plan import addresses, generated_pages  # noqa: PLC0415

    for make in generated_pages.generated_pages(layout, pages.shared).values():
        results.page(make(), key)
    script = excerpts_script(layout, pages.shared.theme_folders)
    packing = SearchFiles(pages, results, by_path, key, script).write(jobs)
    try:
        if layout.home:
            html = results.home_html or pages.html(layout.home)
            twin = encoded(pages.shared.pointer + twins.text(layout.home.path))
            results.home(html, twin, key)
        for path, data in () if are_there else lists(layout, pages.shared):
            results.write(path, data(), around)
        for path, data in feeds(layout, pages.shared, pages.updates):
            results.write(path, data(), key)
        results.write(ADDRESSES, addresses.address_list(layout, pages.shared, results.links), key)
        for path, data in full(layout, twins):
            results.write(path, data(), key)
    except BaseException:
        if packing:
            packing.close()
        raise
    return packing


WORTH = 300
"""Pages for which another process is worth its start."""
MOST = 5_000
"""Pages for which it does not take too much memory: it has its own copy of what it touches."""

Files = Iterator[tuple[str, bytes]]
"""Files by output path, each of which is made when it is asked for."""

_SENT = msgspec.msgpack.Decoder(tuple[list[tuple[str, Left | None]], Arranged])
"""The files as they are left, and how terms lie in them."""


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
            return SearchPacking(self, _known(results.search), keys, begun)
        if results.are_kept:
            results.write_search(self._files(keys), self.key)
        else:
            results.files += 1  # they need not be made, and count as one
        return None

    def _files(self, keys: Mapping[str, bytes]) -> Files:
        """The files, but for those that stay as they are."""
        results, cache = self.results, self.pages.cache
        if results.is_large:
            return _placed(search.finish(self._streamed(keys), self.script))
        before = cache.index() if all(keys.values()) else None
        parts = _known(results.search)
        made = search.changed(before, parts, keys, cache.leaf, self.script) if before else None
        if made and results.stay([search_file(name) for name in made.staying], self.key):
            cache.keep_leaves(made.leaves, whole=False)
            cache.keep_index(made.index)
            return _placed(made.files)
        results.search |= self.pages.searches([self.by_path[path] for path in results.unchanged])
        parts = _known(results.search)
        begun = results.finish_stream(len(parts), self.key)
        docs, begun = ([], begun) if begun else search.begin(list(parts.values()), self.script)
        index = _begin_index(cache, parts, keys, begun)
        files, arranged = search.finished(begun, self.script)
        _keep_index(cache, index, arranged, self.script)
        return _placed([*docs, *files])

    def _streamed(self, paths: Iterable[str]) -> Begun:
        """Begin the search of a large site: the parts of its pages are had one at a time."""
        results, count = self.results, len(list(paths))
        begun = results.finish_stream(count, self.key)
        if begun is None:
            results.stream_anew(filter(None, map(self._part, paths)))
            begun = results.finish_stream(count, self.key)
        assert begun is not None  # noqa: S101 - all have been taken
        return begun

    def _part(self, path: str) -> Part | None:
        return self.results.search[path] or self.pages.search(self.by_path[path])

    def _keys(self) -> Iterator[tuple[str, bytes]]:
        """Yield a key that tells the part of each page in the search from any other; empty without one."""
        for path, part in self.results.search.items():
            page = self.by_path.get(path)
            if path == NOT_FOUND or (part is None and (page is None or not page.is_listed)):
                continue
            key = self.pages.content_key(path)
            yield path, _key(part) if key is None else key


class SearchPacking:
    """The files of the search that are not `begun`: made by a child process, where there can be one.

    Meanwhile the larger part of the index that is kept is made here, as it needs no files. `parts` are those
    of all pages by path, `keys` tell them from any others.
    """

    def __init__(
        self, files: SearchFiles, parts: Mapping[str, Part], keys: Mapping[str, bytes], begun: Begun
    ) -> None:
        self._results, self._cache, self._key = files.results, files.pages.cache, files.key
        self._begun, self._script = begun, files.script
        self._child = child(self._send)
        try:
            self._index = _begin_index(self._cache, parts, keys, begun)
        except BaseException:
            self.close()
            raise

    def finish(self) -> None:
        """Take what the child has done; where it could not, do it here."""
        packing, self._child = self._child, None
        try:
            lefts, arranged = _SENT.decode(packing.received() if packing else b"")
        except msgspec.DecodeError:  # there was no child, or it was ended before it had sent it all
            files, arranged = search.finished(self._begun, self._script)
            for path, data in _placed(files):
                self._results.write(path, data, self._key)
        else:
            for path, left in lefts:
                self._results.note_written(path, self._key, left)
        _keep_index(self._cache, self._index, arranged, self._script)

    def close(self) -> None:
        """End the child, unless what it has done was taken."""
        if self._child:
            self._child.end()
        self._child = None

    def _send(self, pipe: BinaryIO) -> None:
        """Write all files, and send how they are left."""
        files, arranged = search.finished(self._begun, self._script)
        lefts = [(path, self._results.write_unnoted(path, data)) for path, data in _placed(files)]
        pipe.write(msgspec.msgpack.encode((lefts, arranged)))


def _begin_index(
    cache: Cache, parts: Mapping[str, Part], keys: Mapping[str, bytes], begun: Begun
) -> UnplacedIndex | None:
    """The part of the index that needs no files; what lies beside it is kept at once."""
    index = search.unplaced_index(parts, keys, begun) if all(keys.values()) else None
    if index:
        cache.keep_leaves(index.leaves, whole=True)
    return index


def _keep_index(cache: Cache, index: UnplacedIndex | None, arranged: Arranged, script: str) -> None:
    """Keep the index, now that its files are made."""
    if index:
        cache.keep_index(search.place_index(index, arranged, script))


def _key(part: Part | None) -> bytes:
    """The key of a page that no author wrote. Its headings are in its title, and sets have no order."""
    return digest(part.url, part.title, part.sections, part.terms, part.is_in_twin) if part else b""


def _known(parts: Mapping[str, Part | None]) -> dict[str, Part]:
    return {path: part for path, part in parts.items() if part is not None}


def _placed(files: Iterable[File]) -> Files:
    return ((search_file(name), data) for name, data in files)
