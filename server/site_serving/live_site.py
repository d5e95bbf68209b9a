"""The release of a site that readers have, as it is answered from."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

from msgspec import Struct, field

from builder.plan.patterns import Pattern, first, in_rules, is_pattern
from server.releases.live_pointer import HASHED, Pointer
from server.releases.packed_object import HEAD_BYTES
from server.releases.release import DamagedRelease, Files, ReleasedFile, ReleaseNotFound
from server.releases.release_store import ReleaseStore
from server.releases.stored_object import find_object
from server.site_files import routing
from server.site_files.routing import Route

_RULES = "_redirects"
_OWN = "_tp/"
_LARGEST_RULES = 4 * 1024 * 1024
_SAFE = "%/:?#[]@!$&'()*+,;=~"
"""Signs that mean something in an address; the build has percent-encoded others where it had to."""
_TRIES = 3
"""Tries to read what a pointer leads to: it may be moved on, and the release deleted, in between."""


class LiveSite(Struct):
    """One state of a site. `redirects` has the target for the output path of each page that only redirects.

    `fault` says why there are none where they cannot be read: the pages answer for themselves then.

    `former` has, by number, the hashed files of releases before, as far as they have been asked for. `heads`
    is for whoever answers: what belongs to this state alone. `patterns` are redirects for many addresses,
    `rules` those from single ones without a page, by the decoded path without a slash at its end.
    """

    store: ReleaseStore
    pointer: Pointer
    files: Files
    redirects: Mapping[str, str]
    fault: str = ""
    former: dict[int, Files] = field(default_factory=dict)
    heads: dict[Any, Any] = field(default_factory=dict)
    patterns: Sequence[Pattern] = ()
    rules: Mapping[str, str] = {}

    def led_on(self, path: str) -> str | None:
        """Return where rules lead a path at which there is nothing."""
        return self.rules.get(path.rstrip("/")) or first(self.patterns, path)

    def find_former(self, output: str) -> ReleasedFile | None:
        """Return a style or script of a former release whose time is not over. For a thread.

        Raises DamagedRelease and StorageError.
        """
        now = time.time()
        for each in self.pointer.former:
            if each.until > now:
                found = self._hashed(each.number).get(output)
                if found is not None:
                    return found
        return None

    def _hashed(self, number: int) -> Files:
        if number not in self.former:
            try:
                self.former[number] = hashed(self.store.files(number))
            except ReleaseNotFound:
                self.former[number] = {}
        return self.former[number]


def load(store: ReleaseStore, before: LiveSite | None) -> LiveSite:
    """Read what readers have now. Raises DamagedRelease, ReleaseNotFound and StorageError."""
    for tries in range(_TRIES):
        pointer = store.pointer()
        if not pointer.latest and before is not None and before.pointer.latest:
            raise DamagedRelease("its pointer is gone")  # no site that was taken offline has none
        if not pointer.live:
            return LiveSite(store, pointer, {}, {})
        try:
            files = store.files(pointer.live)
            text, fault = _rules(store, files)
            redirects, rules = _targets(text, files)
            return LiveSite(
                store,
                pointer,
                files,
                redirects,
                fault,
                _known(pointer, before),
                patterns=in_rules(text),
                rules=rules,
            )
        except ReleaseNotFound:
            if tries == _TRIES - 1:
                raise
    raise AssertionError("the last try returns or raises")


def hashed(files: Files) -> Files:
    """Return the styles and scripts among files that are named by their content."""
    own = ((path, file) for path, file in files.items() if path.startswith(_OWN))
    return {path: file for path, file in own if HASHED.fullmatch(path)}


def _known(pointer: Pointer, before: LiveSite | None) -> dict[int, Files]:
    """Return the files of former releases that need not be read again."""
    if before is None or not before.pointer.live:
        return {}
    known = {**before.former, before.pointer.live: hashed(before.files)}
    return {each.number: known[each.number] for each in pointer.former if each.number in known}


def _rules(store: ReleaseStore, files: Files) -> tuple[str, str]:
    """Return the rules of redirects as text; none, and why, where they are damaged."""
    rules = files.get(_RULES)
    if rules is None:
        return "", ""
    if rules.size > _LARGEST_RULES:
        return "", f"they are larger than {_LARGEST_RULES:,} bytes"
    try:
        return _text(store, rules), ""
    except DamagedRelease as error:
        return "", str(error)


def _targets(text: str, files: Files) -> tuple[dict[str, str], dict[str, str]]:
    """Return the targets of pages that only redirect by output path, and of addresses without a page.

    A build writes an old address, a new one, and the status on each line.
    """
    found: dict[str, str] = {}
    alone: dict[str, str] = {}
    for line in text.splitlines():
        old, _, rest = line.partition(" ")
        target = rest.rpartition(" ")[0]
        place = routing.answer(unquote(old), files, "") if target else None
        if isinstance(place, Route) and place.status == 200:
            found[place.output] = quote(target, safe=_SAFE)
        elif target and not is_pattern(old):
            alone[unquote(old).rstrip("/")] = quote(target, safe=_SAFE)
    return found, alone


def _text(store: ReleaseStore, file: ReleasedFile) -> str:
    try:
        stored, data = find_object(store.objects, file.digest, HEAD_BYTES + file.size)
        start, length = stored.parts.identity
        text = data[start : start + length]
        if hashlib.sha256(text).digest() != file.digest:
            raise DamagedRelease("their bytes have changed")
        return text.decode()
    except FileNotFoundError:
        raise DamagedRelease("their bytes are missing") from None
    except ValueError as error:
        raise DamagedRelease(str(error)) from None
