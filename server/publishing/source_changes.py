"""The difference between the sources of a release and those of now, as readers will notice it.

Files belong together: a page with its twin is one change, and so is what has only moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from builder import paths
from builder.site import SETTINGS
from builder.store.restore import stem_of
from builder.unicode import normal
from server.releases.release import Digest

Kind = Literal["added", "changed", "moved", "removed"]
What = Literal["settings", "page", "category", "file"]
ORDER: Sequence[What] = ("settings", "page", "category", "file")
_CATEGORY = "_category_."
_PAGES = (f"{paths.DOCS}/", f"{paths.PAGES}/")

Digests = Mapping[str, Digest]
"""Files by their path in the site."""


class ChangedFile(Struct, frozen=True):
    """A file before and now, each "" where there was or is none, with the digests of both."""

    former: str
    file: str
    before: Digest | None
    after: Digest | None


class SourceChange(Struct, frozen=True):
    """A page, category or other file that readers will find changed.

    `path` is a page's content path, a category's folder, or the file; `former` is what it was, of what has
    moved. A page that is a draft now is removed, and one that was a draft is added.
    """

    kind: Kind
    what: What
    path: str
    former: str
    files: tuple[ChangedFile, ...]


class ShownPages(Struct, frozen=True):
    """The questions whether readers have the page at a path in the release, and would have it now."""

    before: Callable[[str], bool]
    now: Callable[[str], bool]


def source_changes(
    before: Digests, now: Digests, shown: ShownPages, moves: Mapping[str, str]
) -> Sequence[SourceChange]:
    """List all changes, pages before other files.

    `moves` say where pages are that are known to have moved, by their former paths.
    """
    found = list(_changes(_grouped(before), _grouped(now), shown))
    gone = [each for each in found if each.kind == "removed"]
    come = [each for each in found if each.kind == "added"]
    pairs = list(_pairs(gone, come, moves))
    paired = {id(each) for pair in pairs for each in pair}
    rest = [each for each in found if id(each) not in paired]
    moved = [_moved(one, other) for one, other in pairs]
    return sorted((*rest, *moved), key=lambda each: (ORDER.index(each.what), each.path))


_Subject = tuple[What, str]


def _grouped(files: Digests) -> Mapping[_Subject, Digests]:
    found: dict[_Subject, dict[str, Digest]] = {}
    for file, digest in files.items():
        found.setdefault(_subject(file), {})[file] = digest
    return found


def _subject(file: str) -> _Subject:
    if file in SETTINGS:
        return "settings", file
    if file.startswith(_PAGES):
        folder, _, name = file.rpartition("/")
        if name.startswith(_CATEGORY):
            return "category", normal("NFC", folder)
        stem = stem_of(file)
        if stem is not None:
            return "page", normal("NFC", stem)
    return "file", file


def _changes(
    before: Mapping[_Subject, Digests], now: Mapping[_Subject, Digests], shown: ShownPages
) -> Iterator[SourceChange]:
    for subject in {**before, **now}:
        old, new = before.get(subject, {}), now.get(subject, {})
        if old == new:
            continue
        what, path = subject
        was, will = bool(old), bool(new)
        if what == "page":
            was, will = _has_page(old) and shown.before(path), _has_page(new) and shown.now(path)
        if was or will:
            kind: Kind = "changed" if was and will else "added" if will else "removed"
            yield SourceChange(kind, what, path, "", tuple(_files(old if was else {}, new if will else {})))


def _has_page(files: Digests) -> bool:
    return any(not file.endswith(paths.TWIN_SUFFIX) for file in files)


def _files(old: Digests, new: Digests) -> Iterator[ChangedFile]:
    for file in sorted({**old, **new}):
        if old.get(file) != new.get(file):
            yield ChangedFile(
                file if file in old else "", file if file in new else "", old.get(file), new.get(file)
            )


def _pairs(
    gone: Sequence[SourceChange], come: Sequence[SourceChange], moves: Mapping[str, str]
) -> Iterator[tuple[SourceChange, SourceChange]]:
    """Yield what was removed and added with the same bytes, or as it is known from elsewhere."""
    free = {(each.what, each.path): each for each in come}
    left = []
    for each in gone:
        known = free.pop((each.what, moves.get(each.path, "")), None) if each.what == "page" else None
        if known is None:
            left.append(each)
        else:
            yield each, known
    same: dict[tuple[What, Digest | None], list[SourceChange]] = {}
    for each in free.values():
        same.setdefault((each.what, _content(each)), []).append(each)
    for each in left:
        others = same.get((each.what, _content(each)), [])
        if others and others[0].what != "settings":
            yield each, others.pop(_most_alike(each, others))


def _content(change: SourceChange) -> Digest | None:
    """Return the digest of the page, or of the only file, before or now."""
    first = next((each for each in change.files if not _is_twin(each)), change.files[0])
    return first.before or first.after


def _is_twin(file: ChangedFile) -> bool:
    return (file.file or file.former).endswith(paths.TWIN_SUFFIX)


def _most_alike(change: SourceChange, others: Sequence[SourceChange]) -> int:
    """Return the place of the one that has the same name, or else of the first."""
    name = change.path.rpartition("/")[2]
    return next((at for at, each in enumerate(others) if each.path.rpartition("/")[2] == name), 0)


def _moved(gone: SourceChange, come: SourceChange) -> SourceChange:
    """Join what was removed and what was added, file by file."""
    old = {_ending(each.former): each for each in gone.files}
    new = {_ending(each.file): each for each in come.files}
    joined = [_joined(old.get(ending), new.get(ending)) for ending in sorted({**old, **new})]
    # A page may lie there in two formats, of which one counts; the other is gone, or new, all the same.
    others = [each for each in gone.files if old[_ending(each.former)] is not each]
    others += [each for each in come.files if new[_ending(each.file)] is not each]
    return replace(come, kind="moved", former=gone.path, files=(*joined, *others))


def _joined(old: ChangedFile | None, new: ChangedFile | None) -> ChangedFile:
    former, before = (old.former, old.before) if old else ("", None)
    file, after = (new.file, new.after) if new else ("", None)
    return ChangedFile(former, file, before, after)


def _ending(file: str) -> str:
    """Return the part of a file's name that tells it from others of its page."""
    if file.endswith(paths.TWIN_SUFFIX):
        return paths.TWIN_SUFFIX
    return "" if stem_of(file) is not None else file.rpartition(".")[2]


def moves_of(steps: Iterable[Mapping[str, str]]) -> Mapping[str, str]:
    """Return where pages are that have moved, by their first paths; `steps` are moves from old to new."""
    origins: dict[str, str] = {}
    for step in steps:
        ends = {new: origins.pop(old, old) for old, new in step.items()}
        origins |= ends
    return {first: last for last, first in origins.items() if first != last}
