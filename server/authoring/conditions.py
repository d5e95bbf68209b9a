"""On what a request depends: the revisions in `If-Match` and `If-None-Match` (RFC 9110, 13.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from server.http.failure import Failure

ANY = "*"
_TAG = re.compile(r'[ \t,]*(?P<weak>W/)?"(?P<value>[\x21\x23-\x7e\x80-\uffff]*)"[ \t]*(?=,|\Z)')
_BARE = re.compile(r"[ \t,]*(?P<value>[0-9a-f]{32})[ \t]*(?=,|\Z)")
"""A revision as an answer's `revision` has it, without the quotes."""
_END = re.compile(r"[ \t,]*\Z")


class Tags(Struct, frozen=True):
    """The tags that a condition lists: `any` is `*`, `strong` and `weak` revisions, `malformed` the rest."""

    any: bool = False
    strong: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    malformed: bool = False

    @property
    def all(self) -> frozenset[str]:
        """Every revision."""
        return self.strong | self.weak


def tags(lines: Iterable[str]) -> Tags:
    """Return the tags that the lines of one header list."""
    text = ",".join(lines)
    if text.strip(" \t") == ANY:
        return Tags(any=True)
    place, strong, weak = 0, set[str](), set[str]()
    while found := _TAG.match(text, place) or _BARE.match(text, place):
        (weak if found.groupdict().get("weak") else strong).add(found["value"])
        place = found.end()
    malformed = not (strong or weak) or _END.match(text, place) is None
    return Tags(strong=frozenset(strong), weak=frozenset(weak), malformed=malformed)


class Conditions(Struct, frozen=True):
    """The conditions of a change; None stands for whatever is there."""

    if_match: Tags | None = None
    if_none_match: Tags | None = None

    @property
    def none(self) -> bool:
        """True if the client does not mind what is there."""
        return self.if_match is None and self.if_none_match is None

    def check(self, path: str, now: str | None) -> None:
        """Raise Failure unless the page at `path`, whose revision is `now`, is as the client wants it."""
        if self.if_match is not None:
            _check_match(path, now, self.if_match)
        if self.if_none_match is not None and now is not None:
            if self.if_none_match.any:
                raise _mismatch(path, "the page exists already")
            if now in self.if_none_match.all:
                raise _mismatch(path, "the page still is as it was read, and `If-None-Match` wants another")


def _check_match(path: str, now: str | None, wanted: Tags) -> None:
    if now is None:
        raise _mismatch(path, "there is no page yet (leave out `If-Match` to create it)")
    if wanted.any or now in wanted.strong:
        return
    if wanted.malformed:
        raise _mismatch(path, f'`If-Match` has no revision in quotes (such as `"{now}"`, the one it has now)')
    if now in wanted.weak:
        raise _mismatch(path, "`If-Match` has the revision as a weak one; send it without the `W/` before it")
    raise _mismatch(path, "the page is not as it was read (read it again)")


def _mismatch(path: str, message: str) -> Failure:
    return Failure("REVISION_MISMATCH", f"{path}: {message}")
