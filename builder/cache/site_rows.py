"""The rows of a site as a whole: the index of its search with its files, keys of files that are made of
many pages, and the end of the last build."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from builder.cache.cache_file import AT_ONCE, CacheFile
from builder.cache.database import ANCHORS, BUILT, INDEX, PARTS
from builder.cache.entries import BUILD, FAULTS, KEPT_INDEX, PART_KEYS, SEARCH, KeptBuild
from builder.cache.fingerprint import fingerprint
from builder.compression import compressed, decompressed
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.search import Index, Part

MOST_LEAF = 1 << 28
"""Bytes of a file of the index."""


PartKeys = dict[str, tuple[bytes, bytes]]
"""By output path the key of a file that is made of many pages, and a digest of its bytes."""


class SiteRows(CacheFile):
    """The rows of a cache that are of no single page. `written` is a digest of the record of the output that
    was kept last."""

    written = b""

    def index(self) -> Index | None:
        """The index of the search that an earlier build has kept."""
        data = self._ask(lambda database: database.output(INDEX), None)
        kept = self._ask(lambda _: KEPT_INDEX.decode(data), None) if data else None
        return kept[1] if kept and kept[0] == fingerprint() else None

    def leaf(self, name: str) -> bytes | None:
        """Return the file of this name of the index, or None; it may be another build's."""
        if self._changes.leaves:
            self._save()
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

    def own_part(self, path: str) -> Part | None:
        """The part in the search that a page had which no author wrote."""
        data = self.leaf(f"page {path}")
        return self._ask(lambda _: SEARCH.decode(data), None) if data else None

    def keep_own_part(self, path: str, part: Part | None) -> None:
        """Keep the part in the search of a page that no author wrote."""
        self.keep_leaf(f"page {path}", msgspec.msgpack.encode(part))

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

    def part_keys(self) -> PartKeys:
        """The keys of the parts of `llms-full.txt`, as an earlier build has kept them."""
        data = self._ask(lambda database: database.output(PARTS), None)
        return self._ask(lambda _: PART_KEYS.decode(data), {}) if data else {}

    def keep_part_keys(self, keys: PartKeys) -> None:
        """Keep the keys of the parts of `llms-full.txt`."""
        if self.keeps:
            self._changes.outputs[PARTS] = msgspec.msgpack.encode(keys)

    def anchor_faults(self, key: bytes) -> tuple[Diagnostic, ...] | None:
        """Return what was wrong with links to places on pages when these had this key, or None."""
        data = self._ask(lambda database: database.output(ANCHORS), None) if key else None
        kept = self._ask(lambda _: FAULTS.decode(data), None) if data else None
        return kept[2] if kept and kept[:2] == (fingerprint(), key) else None

    def keep_anchor_faults(self, key: bytes, found: tuple[Diagnostic, ...]) -> None:
        """Keep what is wrong with links to places on pages."""
        if self.keeps and key:
            self._changes.outputs[ANCHORS] = msgspec.msgpack.encode((fingerprint(), key, found))

    def last_build(self, folder: Path) -> KeptBuild | None:
        """The end of the last build into an output folder, if this engine has made it."""
        data = self._ask(lambda database: database.output(f"{BUILT} {folder}"), None)
        kept = self._ask(lambda _: BUILD.decode(data), None) if data else None
        written = self._ask(lambda database: database.output(str(folder)), None)
        is_right = kept and written and (kept.engine, kept.written) == (fingerprint(), digest(written))
        return kept if is_right else None

    def keep_last_build(self, folder: Path, kept: KeptBuild) -> None:
        """Keep the end of a build into an output folder."""
        if self.keeps:
            kept = replace(kept, written=self.written)
            self._changes.outputs[f"{BUILT} {folder}"] = msgspec.msgpack.encode(kept)
            self._save()
