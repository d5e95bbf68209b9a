"""The cache that machines share: pages that another build has made are taken from it, and new ones sent.

A build that knows the secret is trusted: it takes only what is signed with that, and signs what it sends.
What a build without the secret sends, such as that of a pull request, goes below `untrusted/` and a name of
its own, where no trusted build looks. The store enforces who may write where; the signature holds where it
does not (CVE-2025-36852 is about caches of builds that trusted all who could write).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Protocol

from builder.cache.database import NAME
from builder.cache.entries import is_whole
from builder.cache.errands import AT_ONCE, NEXT, StoreRefused, answers
from builder.cache.fingerprint import fingerprint
from builder.cache.pack_names import TRUSTED, pack_names, untrusted
from builder.cache.packs import Seals, SharedPage, Unpacked
from builder.diagnostics import Diagnostic
from builder.errors import StorageError

Keys = Mapping[str, bytes]
"""The key of each page, by content path."""
BothKeys = Mapping[str, tuple[bytes, bytes]]
"""The key and the files key of each page, by content path."""
Pages = Callable[[BothKeys], Iterable[tuple[str, SharedPage]]]
"""Gives those of the pages that are kept under these keys."""

_NOTHING, _NO_PACK = Unpacked({}), Unpacked({}, 1)


class PackStore(Protocol):
    """A place for packs, by names of letters, digits, `.`, `-`, `_` and `/`. Any thread may use it.

    Both methods raise StoreRefused where the credential does not suffice, else StorageError.
    """

    @property
    def name(self) -> str:
        """The place, as people write it."""

    def get(self, name: str) -> bytes | None:
        """Return a pack, None where there is none."""

    def put(self, name: str, data: bytes) -> None:
        """Put a pack in its place, whole or not at all."""


class SharedCache:
    """Packs of pages: those in `source` are taken, and those in `target` are for others; each may be None.

    `taken` are the content paths of pages that came from it. `used` is the number of those that hold still:
    what they got from the rest of the site has not changed; `kept` is that of pages that were kept before.
    `diagnostics` tell what went wrong, as a build goes on without it.
    """

    def __init__(
        self, source: PackStore | None, target: PackStore | None, *, secret: bytes = b"", scope: str = ""
    ) -> None:
        self.taken: set[str] = set()
        self.used = self.kept = 0
        self.diagnostics: list[Diagnostic] = []
        self._source, self._target = source, target
        self._seals = Seals(secret)
        self._own = own_prefix(secret, scope)
        self._seen: dict[str, BothKeys] = {}
        self._refused = 0
        self._away: set[str] = set()

    @property
    def reads(self) -> bool:
        """True if pages are taken from it."""
        return self._source is not None

    @property
    def is_trusted(self) -> bool:
        """True for a build that knows the secret."""
        return bool(self._seals.secret)

    @property
    def file(self) -> str:
        """The name of the file in which the machine keeps pages; that of trusted builds nobody else knows.

        What another build has left on the machine, or somebody has put into the repository, is no page that
        a trusted build would take and sign.
        """
        if not self.is_trusted:
            return NAME
        own = hmac.digest(self._seals.secret, b"the pages of trusted builds", "sha256")[:8]
        return f"pages-{own.hex()}.db"

    def pages(self, paths: Iterable[str], wanted: Keys) -> Iterator[tuple[str, SharedPage]]:
        """Yield the pages that are `wanted` and that are there with these very keys.

        `paths` are those of all pages of the site.
        """
        if self._source is None or not wanted:
            return
        names, left = pack_names(paths), dict(wanted)
        for prefix in dict.fromkeys((self._own, TRUSTED)):
            for found in self._taken(self._source, prefix, {names[path] for path in left}):
                for path, page in found.pages.items():
                    if left.get(path) == page.key and self._is_whole(page):
                        del left[path]
                        self.taken.add(path)
                        yield path, page
        self._tell_refused(self._source)

    def note_used(self, paths: Iterable[str]) -> None:
        """Note the pages of which nothing has changed, wherever they are kept."""
        right = set(paths)
        self.used = len(self.taken & right)
        self.kept = len(right) - self.used

    def distrust(self, paths: Iterable[str]) -> None:
        """Have packs be sent anew that had these pages: they were wrong."""
        wrong = set(paths)
        for place, keys in self._seen.items():
            self._seen[place] = {path: both for path, both in keys.items() if path not in wrong}

    def send(self, paths: Iterable[str], keys: BothKeys, pages: Pages) -> None:
        """Send the packs of pages, but for those that are there as they would be.

        `paths` are those of all pages of the site, `keys` are of those that can be kept.
        """
        if self._target is None or self._target.name in self._away:
            return
        if self._source is None or self._source.name != self._target.name:
            self._seen = {}
        every = _packs(paths, keys)
        packs = {pack: each for pack, each in every.items() if not self._is_trusted(pack, each)}
        self._look(self._target, {pack for pack in packs if _place(self._own, pack) not in self._seen})
        changed = [pack for pack in packs if not self._has(self._own, pack, packs[pack])]
        if self._target.name not in self._away:
            self._put(self._target, {pack: packs[pack] for pack in sorted(changed)}, pages)

    def _is_trusted(self, pack: str, keys: BothKeys) -> bool:
        """Return whether a build without the secret has no need to send a pack: trusted ones have sent it."""
        return self._own != TRUSTED and self._has(TRUSTED, pack, keys)

    def _has(self, prefix: str, pack: str, keys: BothKeys) -> bool:
        """Return whether a pack was seen as it would be sent; one with HTML is as good as one without."""
        seen = self._seen.get(_place(prefix, pack), {})
        return seen.keys() == keys.keys() and all(
            seen[path][0] == key and files_key in {seen[path][1], b""}
            for path, (key, files_key) in keys.items()
        )

    def tell(self, message: str, hint: str = "") -> None:
        """Say why the cache is not used."""
        self.diagnostics.append(Diagnostic("", 0, 0, "cache-away", message, hint))

    def _taken(self, store: PackStore, prefix: str, packs: Collection[str]) -> Iterator[Unpacked]:
        """Yield each of the packs that is there, as far as it holds; none of a store that is away."""
        if store.name in self._away:
            return
        try:
            for found in self._opened(store, prefix, packs):
                self._refused += found.refused
                yield found
        except StorageError as error:
            self._tell_away(store, error)

    def _look(self, store: PackStore, packs: Collection[str]) -> None:
        """Note what is in packs; who may not look sends all of them."""
        try:
            for _ in self._opened(store, self._own, packs):
                pass
        except StoreRefused:
            return
        except StorageError as error:
            self._tell_away(store, error)

    def _opened(self, store: PackStore, prefix: str, packs: Collection[str]) -> Iterator[Unpacked]:
        """Yield each of the packs, and note the keys of the pages in it that hold. Raises StorageError."""
        # Where it is fetched it is unpacked, too: most of that work lets other threads do theirs.
        ask = partial(_unpacked, store, self._seals)
        for place, found in answers(ask, [_place(prefix, pack) for pack in sorted(packs)]):
            self._seen[place] = {path: page.keys for path, page in found.pages.items()}
            yield found

    def _put(self, store: PackStore, packs: Mapping[str, BothKeys], pages: Pages) -> None:
        """Send packs, some at a time: few of them are in memory."""
        every = list(packs.items())
        try:
            for at in range(0, len(every), AT_ONCE):
                data = {
                    _place(self._own, pack): self._seals.pack(pages(keys))
                    for pack, keys in every[at:][:AT_ONCE]
                }
                for _ in answers(_putting(store, data), list(data), first=NEXT):
                    pass
        except StorageError as error:
            self._tell_away(store, error)

    def _is_whole(self, page: SharedPage) -> bool:
        """Return whether the values of a page can be read; those that are signed can."""
        if self._seals.secret or is_whole(page.content):
            return True
        self._refused += 1
        return False

    def _tell_away(self, store: PackStore, error: StorageError) -> None:
        if not isinstance(error, StoreRefused):
            self._away.add(store.name)
        self.tell(f"{store.name}: {error.message}; the build goes on without", error.hint)

    def _tell_refused(self, store: PackStore) -> None:
        if self._refused:
            why = "damaged, or not signed with this secret" if self._seals.secret else "damaged"
            message = f"{store.name}: {self._refused:,} of its pages and packs were not used: {why}"
            self.diagnostics.append(Diagnostic("", 0, 0, "cache-refused", message))


def own_prefix(secret: bytes, scope: str) -> str:
    """Return what the names begin with of all that a build writes, whose `scope` tells it from others."""
    return TRUSTED if secret else untrusted(scope)


def _unpacked(store: PackStore, seals: Seals, place: str) -> Unpacked:
    data = store.get(place)
    return _NOTHING if data is None else seals.unpack(data) or _NO_PACK


def _packs(paths: Iterable[str], keys: BothKeys) -> dict[str, dict[str, tuple[bytes, bytes]]]:
    """The pages of each pack with their keys; `paths` are those of all pages of the site."""
    packs: dict[str, dict[str, tuple[bytes, bytes]]] = {}
    for path, pack in pack_names(paths).items():
        if path in keys:
            packs.setdefault(pack, {})[path] = keys[path]
    return packs


def _place(prefix: str, pack: str) -> str:
    return f"{prefix}/{fingerprint().hex()}/{pack}.pack"


def _putting(store: PackStore, data: Mapping[str, bytes]) -> Callable[[str], None]:
    return lambda place: store.put(place, data[place])
