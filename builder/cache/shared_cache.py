"""The cache that machines share: pages that another build has made are taken from it, and new ones sent.

A build that knows the secret is trusted: it takes only what is signed with that, and signs what it sends.
What a build without the secret sends, such as that of a pull request, goes below `untrusted/` and a name of
its own, where no trusted build looks. The store enforces who may write where; the signature holds where it
does not (CVE-2025-36852 is about caches of builds that trusted all who could write).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Protocol

from builder.cache.entries import is_whole
from builder.cache.errands import AT_ONCE, NEXT, answers
from builder.cache.fingerprint import fingerprint
from builder.cache.pack_names import pack_names
from builder.cache.packs import Seals, Unpacked
from builder.diagnostics import Diagnostic
from builder.errors import StorageError
from builder.render import CachedPage

Page = tuple[str, bytes, CachedPage]
"""A content path, the key of the page, and its values."""
Keys = Mapping[str, bytes]
"""The key of each page, by content path."""
Rows = Callable[[Keys], Mapping[str, CachedPage]]
"""Gives the values of pages that have these keys, as far as they are kept."""

_TRUSTED = "trusted"
_UNTRUSTED = "untrusted"
_UNNAMED = re.compile(r"[^A-Za-z0-9_-]+")


class PackStore(Protocol):
    """A place for packs, by names of letters, digits, `.`, `-`, `_` and `/`. Any thread may use it."""

    @property
    def name(self) -> str:
        """The place, as people write it."""

    def get(self, name: str) -> bytes | None:
        """Return a pack, None where there is none. Raises StorageError."""

    def put(self, name: str, data: bytes) -> None:
        """Put a pack in its place, whole or not at all. Raises StorageError."""


class SharedCache:
    """Packs of pages: those in `source` are taken, and those in `target` are for others; each may be None.

    `taken` are the content paths of pages that came from it. `used` is the number of those that hold still:
    what they got from the rest of the site has not changed. `diagnostics` tell what went wrong, as a build
    goes on without it.
    """

    def __init__(
        self, source: PackStore | None, target: PackStore | None, *, secret: bytes = b"", scope: str = ""
    ) -> None:
        self.taken: set[str] = set()
        self.used = 0
        self.diagnostics: list[Diagnostic] = []
        self._source, self._target = source, target
        self._seals = Seals(secret)
        self._own = own_prefix(secret, scope)
        self._seen: dict[str, Keys] = {}
        self._refused = 0

    @property
    def reads(self) -> bool:
        """True if pages are taken from it."""
        return self._source is not None

    def pages(self, paths: Iterable[str], wanted: Keys) -> Iterator[Page]:
        """Yield the pages that are `wanted` and that are there with these very keys.

        `paths` are those of all pages of the site.
        """
        if self._source is None or not wanted:
            return
        names, left = pack_names(paths), dict(wanted)
        for prefix in dict.fromkeys((self._own, _TRUSTED)):
            for found in self._unpacked(self._source, prefix, {names[path] for path in left}):
                for path, (key, page) in found.pages.items():
                    if left.get(path) == key and self._is_whole(page):
                        del left[path]
                        self.taken.add(path)
                        yield path, key, page
        self._tell_refused(self._source)

    def note_used(self, paths: Iterable[str]) -> None:
        """Note the pages of which nothing has changed, wherever they are kept."""
        self.used = len(self.taken.intersection(paths))

    def send(self, paths: Iterable[str], keys: Keys, rows: Rows) -> None:
        """Send the packs of pages, but for those that are there as they would be.

        `paths` are those of all pages of the site, `keys` are of those that can be kept.
        """
        if self._target is None or self._is_away:
            return
        if self._source is None or self._source.name != self._target.name:
            self._seen = {}
        packs: dict[str, dict[str, bytes]] = {}
        for path, pack in pack_names(paths).items():
            if path in keys:
                packs.setdefault(pack, {})[path] = keys[path]
        unseen = {pack for pack in packs if _place(self._own, pack) not in self._seen}
        for _ in self._unpacked(self._target, self._own, unseen):
            pass
        changed = [pack for pack in packs if self._seen.get(_place(self._own, pack)) != packs[pack]]
        if not self._is_away:
            self._put(self._target, {pack: packs[pack] for pack in sorted(changed)}, rows)

    def _unpacked(self, store: PackStore, prefix: str, packs: Collection[str]) -> Iterator[Unpacked]:
        """Yield each of the packs that is there, and note the keys of the pages in it that hold."""
        try:
            for place, data in answers(store.get, [_place(prefix, pack) for pack in sorted(packs)]):
                found = self._seals.unpack(data) if data is not None else Unpacked({})
                self._seen[place] = {path: key for path, (key, _) in found.pages.items()} if found else {}
                self._refused += found.refused if found else 1
                yield found or Unpacked({})
        except StorageError as error:
            self._tell_away(store, error)

    def _put(self, store: PackStore, packs: Mapping[str, Keys], rows: Rows) -> None:
        """Send packs, some at a time: few of them are in memory."""
        every = list(packs.items())
        try:
            for at in range(0, len(every), AT_ONCE):
                data = {
                    _place(self._own, pack): self._pack(keys, rows) for pack, keys in every[at:][:AT_ONCE]
                }
                for _ in answers(_putting(store, data), list(data), first=NEXT):
                    pass
        except StorageError as error:
            self._tell_away(store, error)

    def _pack(self, keys: Keys, rows: Rows) -> bytes:
        return self._seals.pack((path, keys[path], page) for path, page in rows(keys).items())

    def _is_whole(self, page: CachedPage) -> bool:
        """Return whether the values of a page can be read; those that are signed can."""
        if self._seals.secret or is_whole(page):
            return True
        self._refused += 1
        return False

    @property
    def _is_away(self) -> bool:
        return any(each.code == "cache-away" for each in self.diagnostics)

    def _tell_away(self, store: PackStore, error: StorageError) -> None:
        message = f"{store.name}: {error.message}; the build goes on without"
        self.diagnostics.append(Diagnostic("", 0, 0, "cache-away", message, error.hint))

    def _tell_refused(self, store: PackStore) -> None:
        if self._refused:
            why = "damaged, or not signed with this secret" if self._seals.secret else "damaged"
            message = f"{store.name}: {self._refused:,} of its pages and packs were not used: {why}"
            self.diagnostics.append(Diagnostic("", 0, 0, "cache-refused", message))


def own_prefix(secret: bytes, scope: str) -> str:
    """Return what the names begin with of all that a build writes, whose `scope` tells it from others."""
    return _TRUSTED if secret else f"{_UNTRUSTED}/{_UNNAMED.sub('-', scope).strip('-') or 'all'}"


def _place(prefix: str, pack: str) -> str:
    return f"{prefix}/{fingerprint().hex()}/{pack}.pack"


def _putting(store: PackStore, data: Mapping[str, bytes]) -> Callable[[str], None]:
    return lambda place: store.put(place, data[place])
