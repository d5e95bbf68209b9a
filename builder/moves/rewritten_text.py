"""A text whose links lead to where pages and files have moved, with every other character as it was.

After each change the text is parsed again: a change stays only if every link leads to where it is to lead,
and the others are as they were. A link that cannot be changed so stays, and is told.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder.moves.link_places import LinkedText, LinkFinder, LinkPlace
from builder.moves.moved_links import Moves, Place
from builder.store.part_files import way

_ROUNDS = 5
"""How often a text is gone through: one address that stands twice in a line may have one place at first."""

Want = tuple[str, Place | str | None]
"""The address that a link had, and where it is to lead: a page or file, or a file by its name on disk."""


class LeftLink(Struct, frozen=True, order=True):
    """A link that stays as it is written although it leads elsewhere, or nowhere, now."""

    file: str
    line: int
    address: str


class RewrittenText(Struct, frozen=True):
    """The text, how many links are others, and those that are left."""

    text: str
    changed: int
    left: tuple[LeftLink, ...]


class _Edit(Struct, frozen=True, order=True):
    start: int
    end: int
    new: str


def rewritten(text: LinkedText, new: LinkedText, moves: Moves, finder: LinkFinder) -> RewrittenText:
    """Return the links of `text` changed, which is to be `new` (the same text in another place)."""
    found = finder.links(text)
    wants = [_want(link, text, moves) for link in found]
    work = _Rewriting(moves, finder, wants, [link.base for link in found])
    now, links = new, finder.links(new)
    for _ in range(_ROUNDS):
        changed, after = work.applied(now, links)
        if changed.text == now.text:
            break
        now, links = changed, after
    pairs = list(zip(links, wants, strict=True))
    number = sum(1 for link, want in pairs if link.address != want[0])
    left = {LeftLink(new.file, one.line, one.address) for one, want in pairs if work.is_wrong(one, want, new)}
    return RewrittenText(now.text, number, tuple(sorted(left)))


def _want(link: LinkPlace, text: LinkedText, moves: Moves) -> Want:
    if link.names:
        named = way(text.file, link.address)
        return link.address, moves.files.get(named, named)
    return link.address, moves.wanted(link.address, link.base, link.kind)


class _Rewriting(Struct, frozen=True):
    """The links of one text: where each is to lead, and what it was seen from."""

    moves: Moves
    finder: LinkFinder
    wants: Sequence[Want]
    bases: Sequence[str]

    def is_wrong(self, link: LinkPlace, want: Want, text: LinkedText) -> bool:
        """Return whether a link leads elsewhere than it is to; one that led nowhere before is none."""
        if want[1] is None:
            return False
        if link.names:
            return way(text.file, link.address) != want[1]
        return self.moves.leads(link.address, link.base, link.kind) != want[1]

    def applied(self, text: LinkedText, links: Sequence[LinkPlace]) -> tuple[LinkedText, Sequence[LinkPlace]]:
        """Make all edits at once, or else each that can be made; return the text with its links."""
        edits = sorted(set(self._edits(text, links)))
        whole = self._tried(text, links, edits)
        if whole is not None or len(edits) < 2:
            return whole or (text, links)
        for edit in reversed(edits):
            text, links = self._tried(text, links, [edit]) or (text, links)
        return text, links

    def _edits(self, text: LinkedText, links: Sequence[LinkPlace]) -> Iterator[_Edit]:
        for link, base, want in zip(links, self.bases, self.wants, strict=True):
            if link.start < 0 or want[1] is None or not self.is_wrong(link, want, text):
                continue
            new = (
                _named(link, want[1], text)
                if isinstance(want[1], str)
                else self.moves.written(link.written, link.address, (base, link.base), link.kind, want[1])
            )
            if new is not None and new != link.written:
                yield _Edit(link.start, link.end, new)

    def _tried(
        self, text: LinkedText, before: Sequence[LinkPlace], edits: Sequence[_Edit]
    ) -> tuple[LinkedText, Sequence[LinkPlace]] | None:
        """The text with these edits if each link is as it was, or leads to where it is to; else None."""
        changed = replace(text, text=_with(text.text, edits))
        after = self.finder.links(changed) if edits else before
        if len(before) != len(after):
            return None
        is_proven = all(
            (one.address, one.kind) == (other.address, other.kind)
            or (one.kind == other.kind and not self.is_wrong(other, want, changed))
            for one, other, want in zip(before, after, self.wants, strict=True)
        )
        return (changed, after) if is_proven else None


def _named(link: LinkPlace, file: str, text: LinkedText) -> str:
    """The name of a file in the form that it has: from the site's root, or from where the text is."""
    if link.written.startswith("/"):
        return f"/{file}"
    named = posixpath.relpath(file, posixpath.dirname(text.file) or ".")
    return f"./{named}" if link.written.startswith(".") and not named.startswith(".") else named


def _with(text: str, edits: Sequence[_Edit]) -> str:
    end = len(text)
    for edit in sorted(edits, reverse=True):
        if edit.end <= end:
            text = text[: edit.start] + edit.new + text[edit.end :]
            end = edit.start
    return text
