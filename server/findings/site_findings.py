"""The findings of a look at a whole site, kept in a file, and those of them that hold for the site of now."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from builder.diagnostics import Diagnostic, Level
from builder.redaction import without_secrets
from builder.site import Site, SitePage

FOLDER = "findings"
"""The folder in the data folder: a file for each site, by its id. All of it can be found out anew."""
MOST_TOLD = 2_000
"""Findings that are kept one by one, errors first; of others the numbers are, by file."""
DRAFT_SECONDS = 600.0
"""Seconds after which a file that was being written is one of a process that was killed."""
_RANK = {Level.ERROR: 0, Level.WARNING: 1, Level.INFO: 2}


class LevelNumbers(Struct, frozen=True, array_like=True):
    """The numbers of findings of each level."""

    error: int = 0
    warning: int = 0
    info: int = 0

    @property
    def all(self) -> int:
        """Return the number of all of them."""
        return self.error + self.warning + self.info

    @property
    def remarks(self) -> int:
        """Return the number of those that are no errors."""
        return self.warning + self.info

    def plus(self, other: LevelNumbers) -> LevelNumbers:
        """Return the sums."""
        return LevelNumbers(self.error + other.error, self.warning + other.warning, self.info + other.info)


class FileFindings(Struct, frozen=True, array_like=True):
    """The numbers of findings in a file; `digest` is that of the page as it was, empty for other files."""

    digest: bytes
    numbers: LevelNumbers


class SiteFindings(Struct, frozen=True):
    """The outcome of a look at a site, which ended `at` seconds since 1970.

    `state` is the digest of the site that was looked at, `mark` one of its history before the look. `told`
    are the first MOST_TOLD findings, `files` has the numbers for each file that has any. `failed` says why
    the site could not be looked at, if so.
    """

    state: bytes = b""
    mark: bytes = b""
    at: int = 0
    told: tuple[Diagnostic, ...] = ()
    files: Mapping[str, FileFindings] = {}
    failed: str = ""


class PresentFindings(Struct, frozen=True):
    """Everything that is known to be wrong with a site as it is now.

    `is_current` says that nothing has changed since the look. Otherwise the findings of changed and deleted
    files are left out, but for what reading the site tells. `at` is 0 where there was no look yet.
    """

    told: Sequence[Diagnostic]
    files: Mapping[str, LevelNumbers]
    at: int = 0
    is_current: bool = False
    failed: str = ""

    @property
    def numbers(self) -> LevelNumbers:
        """Return the numbers of all findings."""
        total = LevelNumbers()
        for numbers in self.files.values():
            total = total.plus(numbers)
        return total


def findings_of(site: Site, diagnostics: Sequence[Diagnostic], state: bytes, at: int) -> SiteFindings:
    """Return all findings of a look, as they are kept."""
    digests, numbers = page_digests(site), numbers_of(diagnostics)
    files = {file: FileFindings(digests.get(file, b""), each) for file, each in numbers.items()}
    return SiteFindings(state, b"", at, tuple(_foremost(diagnostics)[:MOST_TOLD]), files)


def present_findings(kept: SiteFindings | None, site: Site, state: bytes) -> PresentFindings:
    """Return what is known of the site as it is now, whose digest is `state`."""
    if kept is None or kept.failed:
        failed = kept.failed if kept and kept.state == state else ""
        return PresentFindings(_foremost(site.diagnostics), numbers_of(site.diagnostics), 0, False, failed)
    if kept.state == state:
        numbers = {file: each.numbers for file, each in kept.files.items()}
        return PresentFindings(_foremost(kept.told), numbers, kept.at, is_current=True)
    digests = page_digests(site)
    same = {file for file, each in kept.files.items() if each.digest and digests.get(file) == each.digest}
    # Reading the site has told what is wrong with all other files as they are now.
    read = [one for one in site.diagnostics if one.file not in same]
    told = [one for one in kept.told if one.file in same]
    numbers = {file: kept.files[file].numbers for file in same} | dict(numbers_of(read))
    return PresentFindings(_foremost([*told, *read]), numbers, kept.at)


def numbers_of(diagnostics: Iterable[Diagnostic]) -> Mapping[str, LevelNumbers]:
    """Return the numbers of findings by file."""
    found: dict[str, Counter[str]] = {}
    for one in diagnostics:
        found.setdefault(one.file, Counter())[one.level.value] += 1
    return {file: LevelNumbers(**counted) for file, counted in found.items()}


def page_digests(site: Site) -> Mapping[str, bytes]:
    """Return the digests of all pages, drafts too, by each of their files."""
    return dict(_page_digests((*site.pages, *site.drafts)))


def _page_digests(pages: Iterable[SitePage]) -> Iterator[tuple[str, bytes]]:
    for page in pages:
        yield page.file, page.digest
        if page.twin_file:
            yield page.twin_file, page.digest


def _foremost(diagnostics: Iterable[Diagnostic]) -> Sequence[Diagnostic]:
    """Return errors first, then warnings, each by place, without the secrets that pages may quote."""
    return sorted(map(_masked, diagnostics), key=lambda one: (_RANK[one.level], one))


def _masked(one: Diagnostic) -> Diagnostic:
    message, hint = without_secrets(one.message), without_secrets(one.hint)
    if (message, hint) == (one.message, one.hint):
        return one
    return replace(one, message=message, hint=hint)


_FileTimes = tuple[int, int]
"""The inode of a file, and when it was written."""


class FindingsFiles:
    """The findings of sites, in files of the folder. Safe to use from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[_FileTimes, SiteFindings]] = {}
        self._marks: dict[str, tuple[_FileTimes, bytes]] = {}

    def get(self, site: str) -> SiteFindings | None:
        """Return the findings of the site with this id; None where there was no look yet."""
        try:
            times, known = self._times(site), self._known.get(site)
            if known is None or known[0] != times:
                data = (self._folder / site).read_bytes()
                known = times, msgspec.msgpack.decode(data, type=SiteFindings)
                self._remember(site, known)
        except (FileNotFoundError, msgspec.DecodeError):
            return None
        return known[1]

    def mark(self, site: str) -> bytes:
        """Return the mark of the last look alone, which is asked for often; empty where there was none."""
        try:
            times, known = self._times(site), self._marks.get(site)
        except FileNotFoundError:
            return b""
        if known is None or known[0] != times:
            found = self.get(site)
            known = self._marks[site] = times, found.mark if found else b""
        return known[1]

    def put(self, site: str, found: SiteFindings) -> None:
        """Keep the findings of a site. Raises OSError."""
        beside = self._folder / f".{site}.{os.getpid()}"
        try:
            beside.write_bytes(msgspec.msgpack.encode(found))
            beside.rename(self._folder / site)
        except OSError:  # on a full disk its room is wanted
            with suppress(OSError):
                beside.unlink()
            raise

    def forget(self, known: Iterable[str]) -> None:
        """Delete those of all sites but the known ones, and old drafts. Raises OSError."""
        there = frozenset(known)
        for path in self._folder.iterdir():
            if _is_draft(path.name):
                _delete_old(path)
            elif not path.name.startswith(".") and path.name not in there:
                path.unlink(missing_ok=True)
        self._marks = {site: known for site, known in self._marks.items() if site in there}

    def _times(self, site: str) -> _FileTimes:
        about = (self._folder / site).stat()
        return about.st_ino, about.st_mtime_ns

    def _remember(self, site: str, known: tuple[_FileTimes, SiteFindings]) -> None:
        self._known.pop(site, None)
        self._known[site] = known
        for old in list(self._known)[:-_REMEMBERED]:
            self._known.pop(old, None)


def _is_draft(name: str) -> bool:
    """Return whether a file is named as `put` names what it writes."""
    hidden, _, process = name.rpartition(".")
    return hidden.startswith(".") and process.isdigit()


def _delete_old(draft: Path) -> None:
    with suppress(FileNotFoundError):
        if draft.lstat().st_mtime < time.time() - DRAFT_SECONDS:
            draft.unlink()


_REMEMBERED = 32
"""Sites whose findings are held in memory, too."""
