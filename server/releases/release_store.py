"""The releases of one site in a store of objects.

    objects/ab/abcdef...      the files of all releases, each once
    releases/7/files          which file of release 7 has which bytes
    releases/7/sources        which file of the site had which bytes when release 7 was made
    releases/7/about          what else is known of release 7; a release is there when this is
    pointer                   which release readers have

Whoever writes holds the site's lock; who reads needs none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from server.releases import live_pointer, release, split_object
from server.releases.live_pointer import Pointer
from server.releases.object_store import ObjectStore, ReplacedMeanwhile
from server.releases.packed_object import HEAD_BYTES, NoObject
from server.releases.release import DamagedRelease, Digest, Files, ReleaseNotFound, ReleaseRecord
from server.releases.split_object import PIECES, SPLIT, Piece, SplitObject, gathers, split_key
from server.releases.stored_object import OBJECTS, find_object, object_key, read_part

POINTER = "pointer"
_TRIES = 20
RELEASES = "releases"
PARTS = ("about", "files", "sources")
_NUMBER = re.compile(rf"{RELEASES}/([1-9][0-9]{{0,8}})/({'|'.join(PARTS)})")
_OBJECT = re.compile(rf"(?:{OBJECTS}|{SPLIT}|{PIECES})/[0-9a-f]{{2}}/([0-9a-f]{{64}})")

Step = Callable[[str], None]
"""Told the name of each step when it is done, for whoever tests a crash behind it."""


def _silent(_step: str) -> None:
    """The step of somebody who does not look."""


class ReleaseStore:
    """The releases of the site whose objects are in `objects`. Every method raises StorageError."""

    def __init__(self, objects: ObjectStore, step: Step = _silent) -> None:
        self.objects = objects
        self._step = step

    def pointer(self) -> Pointer:
        """Return what readers have. Raises DamagedRelease."""
        return self._pointed()[0]

    def numbers(self) -> Sequence[int]:
        """List the numbers of all releases that are whole, the newest first."""
        found = (_NUMBER.fullmatch(key) for key in self.objects.keys(RELEASES))
        return sorted({int(each[1]) for each in found if each and each[2] == "about"}, reverse=True)

    def get(self, number: int) -> ReleaseRecord:
        """Return the record of a release. Raises ReleaseNotFound and DamagedRelease."""
        try:
            return msgspec.json.decode(self._read(number, "about"), type=ReleaseRecord)
        except msgspec.DecodeError as error:
            raise DamagedRelease(f"the record of release {number} cannot be read: {error}") from None

    def files(self, number: int) -> dict[str, release.ReleasedFile]:
        """Return the files of a release by output path. Raises ReleaseNotFound and DamagedRelease."""
        return release.decode_files(self._read(number, "files"))

    def sources(self, number: int) -> dict[str, release.ReleasedFile]:
        """Return the sources that a release was made of. Raises ReleaseNotFound and DamagedRelease."""
        return release.decode_files(self._read(number, "sources"))

    def data(self, digest: Digest, most: int) -> bytes | None:
        """Return the bytes with this digest; None where they are not there, or more than `most`."""
        try:
            stored, _ = find_object(self.objects, digest, HEAD_BYTES)
            start, length = stored.parts.identity
            return read_part(self.objects, stored, start, length) if length <= most else None
        except (FileNotFoundError, NoObject):
            return None

    def has(self, digest: Digest) -> bool:
        """Return whether the bytes with this digest are there."""
        return self.objects.has(object_key(digest)) or self.objects.has(split_key(digest))

    def digests(self) -> set[Digest]:
        """Return the digests of all bytes that are there: one walk costs less than some hundred questions."""
        return {
            bytes.fromhex(found[1])
            for folder in (OBJECTS, SPLIT)
            for key in self.objects.keys(folder)
            if (found := _OBJECT.fullmatch(key))
        }

    def keep(self, digest: Digest, packed: bytes) -> None:
        """Keep the packed object of bytes with this digest."""
        self.objects.put(object_key(digest), packed)

    def take(self, digest: Digest, file: Path) -> None:
        """Take over a file that holds the packed object of bytes with this digest."""
        self.objects.take(object_key(digest), file)

    def keep_split(self, texts: Mapping[Digest, SplitObject]) -> None:
        """Keep texts in pieces, by their digests, when all of their pieces are lasting."""
        if texts:
            self.objects.sync()
            self._step("pieces")
        for digest, found in texts.items():
            self.objects.put(split_key(digest), split_object.encode(found))

    def latest_pieces(self) -> dict[Digest, Piece]:
        """Return the pieces of texts of the newest release that are there, by the digests of their bytes."""
        found = list[SplitObject]()
        with suppress(ReleaseNotFound):
            for path, file in self.files(self.latest()).items():
                if gathers(path, file.size):
                    found += self._split(split_key(file.digest))
        known = split_object.known_pieces(found)
        there = self.objects.present({each.key for each in known.values()}) if known else ()
        return {text: piece for text, piece in known.items() if piece.key in there}

    def _split(self, key: str) -> list[SplitObject]:
        """Return the text in pieces under a key; nothing where there is none, or none that can be read."""
        found = self.objects.read(key)
        with suppress(NoObject):
            return [split_object.decode(found.data)] if found else []
        return []

    def add(self, record: ReleaseRecord, files: Files, sources: Files) -> Pointer:
        """Add a release of which all objects are there; readers have it, unless another one is pinned.

        `sources` are the site's files of which it was made; one that is no object is known by its digest.
        A process that is killed leaves the pointer as it was, or as it is to be.
        """
        self.objects.sync()
        self._step("objects")
        self.objects.put(_key(record.number, "files"), release.encode_files(files))
        self.objects.put(_key(record.number, "sources"), release.encode_files(sources))
        self.objects.sync()
        self._step("files")
        self.objects.put(_key(record.number, "about"), msgspec.json.encode(record))
        self.objects.sync()
        self._step("about")
        pointer = self._point(lambda before: live_pointer.added(before, record.number, record.created_at))
        self._step("pointer")
        return pointer

    def complete(self, record: ReleaseRecord) -> Pointer:
        """Do for a release that is there what `add` would have done next, where its process was killed."""

        def change(before: Pointer) -> Pointer:
            is_known = before.latest >= record.number
            return before if is_known else live_pointer.added(before, record.number, record.created_at)

        return self._point(change)

    def roll_back(self, number: int, now: int) -> Pointer:
        """Give readers a former release, and keep it there when newer ones come. Raises ReleaseNotFound."""
        self.get(number)
        return self._point(lambda before: live_pointer.pointed(before, number, now, pinned=True))

    def return_to_latest(self, now: int) -> Pointer:
        """Give readers the newest release, and each that comes. Raises ReleaseNotFound without any."""
        latest = self.latest()
        return self._point(lambda before: live_pointer.pointed(before, latest, now, pinned=False))

    def unpublish(self, now: int) -> Pointer:
        """Give readers nothing any more; releases stay."""
        return self._point(lambda before: live_pointer.taken_offline(before, now))

    def latest(self) -> int:
        """Return the number of the newest release. Raises ReleaseNotFound where there is none."""
        numbers = self.numbers()
        if not numbers:
            raise ReleaseNotFound("the site has no release", hint="publish it first")
        return numbers[0]

    def next_number(self) -> int:
        """Return the number for the next release; none is given twice, whatever was begun or deleted."""
        found = (_NUMBER.fullmatch(key) for key in self.objects.keys(RELEASES))
        return max([self.pointer().latest, *(int(each[1]) for each in found if each)]) + 1

    def sweep(self, keep: int) -> int:
        """Delete all but the newest `keep` releases and what readers have, and objects that none names.

        Of others that were live today, hashed styles and scripts stay: readers may have their pages open.

        What killed processes have left is deleted, too: nobody may be writing to the store meanwhile.
        Returns the number of objects that were deleted. Raises DamagedRelease where there are releases and no
        pointer: what readers have is not known then.
        """
        self.objects.forget_unfinished(0)
        pointer, listed = self.pointer(), self.numbers()
        if listed and not pointer.latest:
            raise DamagedRelease("the pointer of a site is gone, though it has releases")
        # A list may be late; what is known to be there stays all the same.
        numbers = sorted({*listed, pointer.latest, pointer.live} - {0}, reverse=True)
        # A reader may just be getting a page of the release before.
        kept = {*numbers[:keep], pointer.live, *(each.number for each in pointer.former[:1])}
        stay = [number for number in numbers if number in kept]
        former = {each.number for each in pointer.former} - kept
        # The record first: a release is none any more before anything of it is missing.
        gone = [number for number in numbers if number not in kept]
        for part in PARTS:
            self.objects.delete(
                *(_key(number, part) for number in gone if part != "files" or number not in former)
            )
        self._delete_unfinished({*numbers}, former)
        return self._delete_unnamed(self._named(stay) | self._still_asked_for(former))

    def _delete_unfinished(self, whole: Collection[int], former: Collection[int]) -> None:
        """Delete what is left of releases that were never whole; of `former` ones, the files stay listed."""
        found = [_NUMBER.fullmatch(key) for key in self.objects.settled_keys(RELEASES)]
        left = (each for each in found if each and int(each[1]) not in whole)
        self.objects.delete(*(each[0] for each in left if each[2] != "files" or int(each[1]) not in former))

    def _still_asked_for(self, former: Collection[int]) -> set[Digest]:
        """Return the digests of styles and scripts for which pages that readers have open may ask."""
        named = set[Digest]()
        for number in former:
            with suppress(ReleaseNotFound):
                named.update(
                    file.digest
                    for path, file in self.files(number).items()
                    if live_pointer.HASHED.fullmatch(path)
                )
        return named

    def _named(self, numbers: Sequence[int]) -> set[Digest]:
        """Return the digests of all files and sources of these releases."""
        named = set[Digest]()
        for number in numbers:
            for files in (self.files(number), self.sources(number)):
                named.update(file.digest for file in files.values())
        return named

    def _delete_unnamed(self, named: set[Digest]) -> int:
        """Delete objects that no release names, then pieces that no text has: what is there stays whole."""
        count = sum(self._delete_others(folder, named) for folder in (OBJECTS, SPLIT))
        texts = [each for key in self.objects.keys(SPLIT) for each in self._split(key)]
        return count + self._delete_others(PIECES, {piece.name for each in texts for piece in each.pieces})

    def _delete_others(self, folder: str, named: Collection[Digest]) -> int:
        found = (_OBJECT.fullmatch(key) for key in self.objects.settled_keys(folder))
        unnamed = [each[0] for each in found if each and bytes.fromhex(each[1]) not in named]
        self.objects.delete(*unnamed)
        return len(unnamed)

    def _read(self, number: int, part: str) -> bytes:
        found = self.objects.read(_key(number, part))
        if found is None:
            raise ReleaseNotFound(f"there is no release {number}", hint="look at the list of releases")
        return found.data

    def _pointed(self) -> tuple[Pointer, str]:
        """Return the pointer, and the version of its object."""
        found = self.objects.read(POINTER)
        return (live_pointer.decode(found.data), found.version) if found else (Pointer(), "")

    def _point(self, change: Callable[[Pointer], Pointer]) -> Pointer:
        """Change the pointer; what somebody else has changed meanwhile is what is changed then."""
        for _ in range(_TRIES):
            before, version = self._pointed()
            after = change(before)
            if after == before:
                return after
            with suppress(ReplacedMeanwhile):
                self.objects.replace(POINTER, live_pointer.encode(after), version)
                return after
        raise ReplacedMeanwhile("others change what readers have all the time", hint="try again")


def _key(number: int, part: str) -> str:
    return f"{RELEASES}/{number}/{part}"
