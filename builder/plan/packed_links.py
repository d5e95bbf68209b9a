"""The links and anchors of all pages, packed: a site of many pages has them in a third of the memory."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from builder.plan.anchor_check import PageLinks


class PackedLinks:
    """Links of pages in the order in which they came. Each time they are gone through they are unpacked."""

    def __init__(self) -> None:
        self._rows: list[bytes | PageLinks] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[PageLinks]:
        for row in self._rows:
            yield row if isinstance(row, PageLinks) else _DECODER.decode(row)

    def append(self, links: PageLinks) -> None:
        """Add the links of one more page."""
        try:
            self._rows.append(msgspec.msgpack.encode(links))
        except UnicodeEncodeError:  # half of a surrogate pair, of which no bytes can be made
            self._rows.append(links)


_DECODER = msgspec.msgpack.Decoder(PageLinks)
