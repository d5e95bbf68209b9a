"""The links and anchors of all pages, packed: a site of many pages has them in a third of the memory."""

from __future__ import annotations

from collections.abc import Iterator

from builder.digests import digest
from builder.plan.anchor_check import PageLinks
from builder.render import PackedAnchors, packed_anchors, unpacked_anchors


class PackedLinks:
    """Links of pages in the order in which they came. Each time they are gone through they are unpacked."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, PackedAnchors] | PageLinks] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[PageLinks]:
        for row in self._rows:
            yield row if isinstance(row, PageLinks) else PageLinks(*row[:2], *unpacked_anchors(row[2]))

    @property
    def digest(self) -> bytes:
        """The same for the same links and anchors in the same order; empty when there can be none."""
        try:
            return digest(self._rows)
        except UnicodeEncodeError:
            return b""

    def append(self, links: PageLinks) -> None:
        """Add the links of one more page."""
        try:
            self.append_packed(links.file, links.path, packed_anchors(links.ids, links.links))
        except UnicodeEncodeError:  # half of a surrogate pair, of which no bytes can be made
            self._rows.append(links)

    def append_packed(self, file: str, path: str, anchors: PackedAnchors) -> None:
        """Add the links of one more page, which are packed."""
        self._rows.append((file, path, anchors))

    def of(self, path: str) -> PageLinks:
        """Return the links of the page at a content path. Raises StopIteration where there is none."""
        own = next(row for row in self._rows if (row.path if isinstance(row, PageLinks) else row[1]) == path)
        return own if isinstance(own, PageLinks) else PageLinks(*own[:2], *unpacked_anchors(own[2]))
