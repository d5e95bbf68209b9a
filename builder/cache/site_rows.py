"""What is kept of a site as a whole: the index of its search with its files, keys of files that are made of
many pages, and the end of the last build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from builder.cache.cache_file import AT_ONCE, CacheFile
from builder.cache.database import BUILT, INDEX, PARTS
from builder.cache.entries import BUILD, KEPT_INDEX, PART_KEYS, KeptBuild
from builder.cache.fingerprint import fingerprint
from builder.compression import compressed, decompressed
from builder.search import Index

MOST_LEAF = 1 << 28
"""Bytes of a file of the index."""


class SiteRows(CacheFile):
    """The rows of a cache that are of no single page."""

    def index(self) -> Index | None:
        """The index of the search that an earlier build has kept."""
        data = self._ask(lambda database: database.output(INDEX), None)
        kept = self._ask(lambda _: KEPT_INDEX.decode(data), None) if data else None
        return kept[1] if kept and kept[0] == fingerprint() else None

    def leaf(self, name: str) -> bytes | None:
        """Return the file of this name of the index, or None; it may be another build's."""
        data = self._ask(lambda database: database.leaf(name), None)
        try:
            return decompressed(data, MOST_LEAF) if data else None
        except ValueError:
            return None

    def keep_leaf(self, name: str, data: bytes) -> None:
        """Keep a file of the index."""
        if self.keeps:
            self._changes.leaves[name] = compressed(data)
            if len(self._changes.leaves) >= AT_ONCE:
                self._save()

    def forget_leaves(self, names: Iterable[str] | None = None) -> None:
        """Forget these files of the index, or all of them."""
        if not self.keeps:
            return
        if names is None:
            self._changes.all_leaves = True
        else:
            self._changes.gone_leaves.update(names)

    def keep_index(self, index: Index) -> None:
        """Keep the index of the search for the next build, when its files are kept."""
        if self.keeps:
            self._changes.outputs[INDEX] = msgspec.msgpack.encode((fingerprint(), index))

    def part_keys(self) -> dict[str, bytes]:
        """The keys of the parts of `llms-full.txt`, by output path, as an earlier build has kept them."""
        data = self._ask(lambda database: database.output(PARTS), None)
        return self._ask(lambda _: PART_KEYS.decode(data), {}) if data else {}

    def keep_part_keys(self, keys: Mapping[str, bytes]) -> None:
        """Keep the keys of the parts of `llms-full.txt`."""
        if self.keeps:
            self._changes.outputs[PARTS] = msgspec.msgpack.encode(keys)

    def last_build(self, folder: Path) -> KeptBuild | None:
        """The end of the last build into an output folder, if this engine has made it."""
        data = self._ask(lambda database: database.output(f"{BUILT} {folder}"), None)
        kept = self._ask(lambda _: BUILD.decode(data), None) if data else None
        return kept if kept and kept.engine == fingerprint() else None

    def keep_last_build(self, folder: Path, kept: KeptBuild) -> None:
        """Keep the end of a build into an output folder."""
        if self.keeps:
            self._changes.outputs[f"{BUILT} {folder}"] = msgspec.msgpack.encode(kept)
            self._save()
