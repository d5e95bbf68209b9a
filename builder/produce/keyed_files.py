"""Write files that are made of many pages, but of no others; where these are the same, the file stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from builder.cache.site_rows import PartKeys
from builder.digests import digest
from builder.output.written_files import content_digest
from builder.plan.llms_full import FullFile
from builder.produce.author_pages import AuthorPages
from builder.produce.results import PageResults


class KeyedFile(NamedTuple):
    """A file at an output path, what makes it, and the key of all that it is made of; empty without one."""

    path: str
    make: Callable[[], bytes]
    key: bytes


class KeyedFiles(Struct, frozen=True):
    """The files under `key`, the key of the whole site."""

    pages: AuthorPages
    results: PageResults
    key: bytes

    def write(self, files: Iterable[KeyedFile]) -> None:
        """Write the files, but for those that are as an earlier build has left them."""
        before, now = self.pages.cache.part_keys(), PartKeys()
        for path, make, own in files:
            known = before.get(path, (b"", b""))
            # Another build may have kept the keys, and written into another folder.
            is_same = own and known == (own, self.results.content_before(path))
            if is_same and self.results.stay([path], self.key):
                now[path] = known
                continue
            data = make()
            self.results.write(path, data, self.key)
            if own:
                now[path] = own, content_digest(data)
        if now != before:
            self.pages.cache.keep_part_keys(now)


def full_texts(files: Iterable[FullFile], pages: AuthorPages, around: bytes) -> Iterator[KeyedFile]:
    """`llms-full.txt` and its parts, each with its key; `around` is the key of all but the texts of pages."""
    for file in files:
        yield KeyedFile(file.path, file.make, _own_key(file.pages or (), pages, around) if around else b"")


def _own_key(paths: Sequence[str], pages: AuthorPages, around: bytes) -> bytes:
    """The key of a part; empty where that of a page is not known."""
    keys = [pages.content_key(path) for path in paths]
    return digest(around, keys) if keys and all(keys) else b""
