"""Write `llms-full.txt`; of a large site, those of its parts that have pages which changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from builder.cache.site_rows import PartKeys
from builder.digests import digest
from builder.output.written_files import content_digest
from builder.plan.llms_full import FullFile
from builder.produce.author_pages import AuthorPages
from builder.produce.results import PageResults


class FullTexts(Struct, frozen=True):
    """The files under `key`, the key of the whole site; `around` is that of all but the texts of pages."""

    pages: AuthorPages
    results: PageResults
    key: bytes
    around: bytes

    def write(self, files: Iterable[FullFile]) -> None:
        """Write the files, but for parts that are as an earlier build has left them."""
        before, now = self.pages.cache.part_keys(), PartKeys()
        for file in files:
            own = self._own_key(file.pages) if self.key and file.pages else b""
            known = before.get(file.path, (b"", b""))
            # Another build may have kept the keys, and written into another folder.
            is_same = own and known == (own, self.results.content_before(file.path))
            if is_same and self.results.stay([file.path], self.key):
                now[file.path] = known
                continue
            data = file.make()
            self.results.write(file.path, data, self.key)
            if own:
                now[file.path] = own, content_digest(data)
        if now != before:
            self.pages.cache.keep_part_keys(now)

    def _own_key(self, paths: Sequence[str]) -> bytes:
        """The key of a part; empty where that of a page is not known."""
        keys = [self.pages.content_key(path) for path in paths]
        return digest(self.around, keys) if all(keys) else b""
