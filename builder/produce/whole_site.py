"""Write what is made of the whole site: pages that no author wrote, lists of pages, the search, the theme.

At the end of a build from nothing a process of its own packs the terms of all pages, which takes long, while
others have nothing to do and there are lists to be written and pages to be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import BinaryIO

import msgspec
from msgspec import Struct

from builder import search
from builder.digests import digest
from builder.output import Left
from builder.paths import NOT_FOUND
from builder.plan.layout import Layout
from builder.plan.site_files import FULL, full, lists, search_file
from builder.produce.author_pages import AuthorPages
from builder.produce.results import PageResults
from builder.search import Arranged, File, Part
from builder.site import SitePage
from builder.workers.child import ChildProcess, child
from builder.workers.processors import processes


def write_whole_site(
    layout: Layout,
    pages: AuthorPages,
    results: PageResults,
    jobs: int | None,
    meanwhile: Callable[[], None],
) -> None:
    """Write the files, unless they are there.

    `meanwhile` is done in any case; on a larger site while another process packs the search.
    """
    if layout.home:
        results.home_links(layout.home)
    key, by_path = pages.whole_key(layout), {page.path: page for page in layout.site.pages}
    around = key and pages.around_key(layout)
    are_there = results.has_all(around)
    if are_there and results.has_all(key):
        meanwhile()
        return
    unchanged = [by_path[path] for path in results.unchanged]
    results.know_twins(pages.twins([*unchanged, *(by_path[path] for path in results.untold)]))
    from builder.plan.generated_pages import generated_pages  # noqa: PLC0415 - most builds make nothing anew

    for make in generated_pages(layout, pages.shared).values():
        results.page(make(), key)

    def others() -> None:
        if layout.home:
            results.home(layout.home, pages.html, key)
        for path, data in () if are_there else lists(layout, pages.shared):
            results.write(path, data(), around)
        results.write(FULL, full(layout, pages.shared, lambda path: results.twins[path].decode()), key)
        meanwhile()

    _Search(pages, results, unchanged, key).write(jobs, others)


WORTH = 300
"""Pages for which another process is worth its start."""
MOST = 5_000
"""Pages for which it does not take too much memory: it has its own copy of what it touches."""

Files = list[tuple[str, bytes]]
"""Files by output path."""

Finish = Callable[[], tuple[list[File], Arranged]]
"""Makes all files that are not written yet, and tells how terms lie in them."""

_SENT = msgspec.msgpack.Decoder(tuple[list[tuple[str, Left | None]], Arranged])
"""The files as they are left, and how terms lie in them."""


class _Search(Struct, frozen=True):
    """The files of the search under `key`. `unchanged` are the pages that were there."""

    pages: AuthorPages
    results: PageResults
    unchanged: Sequence[SitePage]
    key: bytes

    def write(self, jobs: int | None, others: Callable[[], None]) -> None:
        """Write the files, and the `others` meanwhile, where the site is worth another process."""
        results, keys = self.results, dict(self._keys())
        is_worth = WORTH <= len(keys) <= MOST and processes(len(keys), jobs) > 1
        parts = _known(results.search)
        begun = results.begun(len(parts), self.key) if is_worth and not self.unchanged else None
        if begun is None:
            results.write_made(lambda: self._files(keys), self.key)
            others()
            return
        finish = partial(search.finish, list(parts.values()), begun)
        other = child(partial(_send, results, finish))
        try:
            # The larger part of the index that is kept needs no files: it is made here meanwhile.
            own = search.beside(parts, keys, begun) if all(keys.values()) else None
            if own:
                self.pages.cache.keep_leaves(own.leaves, whole=True)
            others()
        except BaseException:
            if other:
                other.end()
            raise
        arranged = self._take(finish, other)
        if own:
            self.pages.cache.keep_index(search.joined(own, arranged))

    def _take(self, finish: Finish, other: ChildProcess | None) -> Arranged:
        """Take what the other process has done; where it could not, do it here."""
        try:
            lefts, arranged = _SENT.decode(other.received() if other else b"")
        except msgspec.DecodeError:  # there was no other, or it was ended before it had sent it all
            files, arranged = finish()
            for path, data in _placed(files):
                self.results.write(path, data, self.key)
        else:
            for path, left in lefts:
                self.results.note_written(path, left, self.key)
        return arranged

    def _files(self, keys: Mapping[str, bytes]) -> Files:
        """The files, but for those that stay as they are."""
        results, cache = self.results, self.pages.cache
        before = cache.index() if all(keys.values()) else None
        made = search.changed(before, _known(results.search), keys, cache.leaf) if before else None
        if made and results.stay([search_file(name) for name in made.staying], self.key):
            cache.keep_leaves(made.leaves, whole=False)
            cache.keep_index(made.index)
            return _placed(made.files)
        results.search |= self.pages.searches(self.unchanged)
        parts = _known(results.search)
        begun = results.begun(len(parts), self.key)
        docs, begun = ([], begun) if begun else search.begin(list(parts.values()))
        own = search.beside(parts, keys, begun) if all(keys.values()) else None
        files, arranged = search.finish(list(parts.values()), begun)
        if own:
            cache.keep_leaves(own.leaves, whole=True)
            cache.keep_index(search.joined(own, arranged))
        return _placed([*docs, *files])

    def _keys(self) -> Iterator[tuple[str, bytes]]:
        """Yield a key that tells the part of each page in the search from any other; empty without one."""
        unchanged = frozenset(self.results.unchanged)
        for path, part in self.results.search.items():
            if path == NOT_FOUND or (part is None and path not in unchanged):
                continue
            key = self.pages.content_key(path)
            yield path, _key(part) if key is None else key


def _send(results: PageResults, finish: Finish, pipe: BinaryIO) -> None:
    """Write all files, and send how they are left."""
    files, arranged = finish()
    lefts = [(path, results.write_unnoted(path, data)) for path, data in _placed(files)]
    pipe.write(msgspec.msgpack.encode((lefts, arranged)))


def _key(part: Part | None) -> bytes:
    """The key of a page that no author wrote. Its headings are in its title, and sets have no order."""
    return digest(part.url, part.title, part.sections, part.terms) if part else b""


def _known(parts: Mapping[str, Part | None]) -> dict[str, Part]:
    return {path: part for path, part in parts.items() if part is not None}


def _placed(files: Iterable[File]) -> Files:
    return [(search_file(name), data) for name, data in files]
