"""A page that stays as an earlier build has left it: the little that the rest of the site needs of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from builder.diagnostics import Diagnostic
from builder.markdown.page import OutgoingLink

PackedAnchors = bytes
"""The ids of a page and its links to places on pages, as bytes."""


class KnownPage(Struct, frozen=True, gc=False, array_like=True):
    """`site` is the digest of all answers that there were for pages; empty where this one asked for more.

    `answers` is a digest of those that it got, `twin_size` the bytes of its twin without the white space
    around it. `brought` are the output paths of files that it brings. `anchors` are its own, `twin_anchors`
    those of its hand-written twin, with the file that this is in.
    """

    site: bytes
    answers: bytes
    twin_size: int
    brought: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    anchors: PackedAnchors
    twin_anchors: tuple[str, PackedAnchors] | None


KNOWN = msgspec.msgpack.Decoder(KnownPage)
_ANCHORS = msgspec.msgpack.Decoder(tuple[frozenset[str], tuple[OutgoingLink, ...]])


def packed_anchors(ids: frozenset[str], links: Sequence[OutgoingLink]) -> PackedAnchors:
    """Pack ids and links. Raises UnicodeEncodeError for half of a surrogate pair."""
    return msgspec.msgpack.encode((sorted(ids), links))  # a set has another order in each process


def unpacked_anchors(packed: PackedAnchors) -> tuple[frozenset[str], tuple[OutgoingLink, ...]]:
    """Return the ids and the links. Raises msgspec.MsgspecError."""
    return _ANCHORS.decode(packed)
