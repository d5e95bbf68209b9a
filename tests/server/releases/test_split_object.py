"""Texts in pieces: read as one object, in each form, and shared by releases that are much the same."""

from __future__ import annotations

import gzip
import hashlib
import io
import random
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.publishing.site_releases import release_zip
from server.releases import split_object
from server.releases.copy_releases import copy_site
from server.releases.folder_store import FolderStore
from server.releases.packed_object import HEAD_BYTES, NoObject, parts
from server.releases.release_store import ReleaseStore
from server.releases.split_object import (
    PIECES,
    SMALLEST,
    SPLIT,
    Piece,
    SplitObject,
    gathers,
    split,
    split_key,
)
from server.releases.stored_object import find_object, read_part
from server.site_serving.object_memory import LARGE, DamagedObject, PackedFile, read_object
from tests.server.site_serving.published import SITE, publish, release_store

WORDS = [f"{first}{last}" for first in "bcdfgkl" for last in ("arbour", "oat", "ide", "uay", "essel")]


def book(pages: Iterable[int], edited: int = -1) -> bytes:
    """A text that has some 4 KB of each page."""
    return "".join(_page(number, edited) for number in pages).encode()


def _page(number: int, edited: int) -> str:
    lines = _lines(number)
    if number == edited:
        lines = (*lines[:7], "The harbour is open.", *lines[8:])
    return "\n".join((f"# Page {number}", *lines, "", ""))


@cache
def _lines(number: int) -> tuple[str, ...]:
    chance = random.Random(number)
    return tuple(" ".join(chance.choices(WORDS, k=12)) for _ in range(60))


PAGES = range(200)
TEXT = book(PAGES)
EDITED = book(PAGES, 77)


def _split(data: bytes, known: dict[bytes, Piece] | None = None) -> tuple[SplitObject, dict[str, bytes]]:
    kept = dict[str, bytes]()
    digest, found = split(io.BytesIO(data + b"more"), len(data), known or {}, kept.__setitem__)
    assert digest == hashlib.sha256(data).digest()
    return found, kept


def _whole(found: SplitObject, kept: dict[str, bytes], start: int = 0, length: int = 1 << 40) -> bytes:
    def read(place: tuple[str, int, int] | bytes) -> bytes:
        if isinstance(place, bytes):
            return place
        key, begin, size = place
        return kept[key][begin : begin + size]

    return b"".join(map(read, found.places(start, length)))


LINES = st.lists(st.text(max_size=30) | st.text("ab", min_size=200).map(lambda text: text * 500), max_size=30)


@given(LINES.map(lambda lines: "\n".join(lines).encode()), st.data())
def test_a_text_in_pieces_is_read_as_one_object(text: bytes, data: st.DataObject) -> None:
    found, kept = _split(text)
    whole = _whole(found, kept)
    places = parts(whole[:HEAD_BYTES])
    assert places == found.parts
    assert len(whole) == sum(places.brotli)
    (start, length), (begin, size) = places.identity, places.gzip
    assert whole[start : start + length] == text
    assert gzip.decompress(whole[begin : begin + size]) == text
    first, last = (data.draw(st.integers(0, len(whole) + 5)) for _ in range(2))
    assert _whole(found, kept, first, last) == whole[first : first + last]


@pytest.mark.parametrize(
    "after",
    [EDITED, book([*PAGES[:50], *PAGES[51:]]), book([*PAGES[:50], 999, *PAGES[50:]]), TEXT + b"end", TEXT],
    ids=["changed", "less", "more", "appended", "same"],
)
def test_what_an_edit_did_not_touch_is_kept_once(after: bytes) -> None:
    before, _ = _split(TEXT)
    found, kept = _split(after, split_object.known_pieces([before]))
    assert len(found.pieces) > 8
    assert len(kept) <= (2 if after != TEXT else 0)
    assert all(each.length <= 128 * 1024 for each in found.pieces)


def test_a_text_without_lines_is_cut_all_the_same() -> None:
    found, kept = _split(b"x" * 1_000_000)
    assert len(found.pieces) == 8
    assert len(kept) == 2


@pytest.mark.parametrize(
    ("path", "size", "expected"),
    [
        ("llms-full.txt", SMALLEST, True),
        ("changelog.XML", SMALLEST, True),
        ("llms-full.txt", SMALLEST - 1, False),
        ("docs/long.html", 10 * SMALLEST, False),
        ("clip.mp4", 10 * SMALLEST, False),
        ("_redirects", 10 * SMALLEST, False),
    ],
)
def test_texts_of_many_pages_are_split(path: str, size: int, expected: bool) -> None:
    assert gathers(path, size) is expected


def _read(store: ReleaseStore, digest: bytes) -> tuple[bytes, PackedFile]:
    """The whole object, and what readers' memory has of it."""
    stored, _ = find_object(store.objects, digest, 0)
    return read_part(store.objects, stored, 0, 1 << 40), read_object(store, digest)


@pytest.mark.parametrize("text", [TEXT, TEXT[: SMALLEST + 1000]], ids=["large", "small"])
def test_a_release_with_it_is_read_copied_and_exported(tmp_path: Path, text: bytes) -> None:
    store, digest = release_store(tmp_path), hashlib.sha256(text).digest()
    publish(store, {"llms-full.txt": text})
    assert store.has(digest)
    assert digest in store.digests()
    assert store.data(digest, 1 << 30) == text
    assert store.data(digest, len(text) - 1) is None
    whole, found = _read(store, digest)
    assert found.is_whole == (len(whole) <= LARGE)
    assert found.data == whole[: len(found.data)]
    assert len(b"".join(release_zip(store, 1))) < len(text) / 2
    other = release_store(tmp_path, "site_other")
    count = len(list(store.objects.keys(PIECES))) + 1
    assert copy_site(store.objects, other.objects) == (count, [])
    assert copy_site(store.objects, other.objects) == (0, [])
    assert other.data(digest, 1 << 30) == text


def _cut_off(data: bytes) -> bytes:
    return data[:-1]


def _changed_end(data: bytes) -> bytes:
    return data[:-60] + bytes([data[-60] ^ 1]) + data[-59:]


def _changed_start(data: bytes) -> bytes:
    return b"?" + data[1:]


@pytest.mark.parametrize("text", [TEXT, TEXT[: SMALLEST + 1000]], ids=["large", "small"])
@pytest.mark.parametrize("folder", [PIECES, SPLIT])
@pytest.mark.parametrize("damage", [_cut_off, _changed_start, _changed_end, None])
def test_damage_is_seen_before_a_reader_has_it(
    tmp_path: Path, text: bytes, folder: str, damage: object
) -> None:
    store, digest = release_store(tmp_path), hashlib.sha256(text).digest()
    publish(store, {"llms-full.txt": text})
    file = min(each for each in (tmp_path / "releases" / SITE / folder).rglob("*") if each.is_file())
    data = file.read_bytes()
    file.unlink()
    if callable(damage):
        file.write_bytes(damage(data))
    with pytest.raises(DamagedObject):
        read_object(store, digest)
    other = release_store(tmp_path, "site_other")
    _, damaged = copy_site(store.objects, other.objects)
    assert damaged or damage is None
    assert folder != PIECES or not other.has(digest)
    file.write_bytes(data)
    assert read_object(store, digest).parts.identity[1] == len(text)


def test_what_is_no_list_of_pieces_is_said() -> None:
    for data in (b"", b"TPO1", split_object.encode(SplitObject(1, ()))[:-1], b"\x92\xff\x90"):
        with pytest.raises(NoObject):
            split_object.decode(data)


def _published(folder: Path, *texts: bytes) -> ReleaseStore:
    """A site's releases, each with one of these texts."""
    store = ReleaseStore(FolderStore(folder))
    for text in texts:
        known = store.latest_pieces()
        store.keep_split(dict([split(io.BytesIO(text), len(text), known, store.objects.put)]))
        publish(store, {"llms-full.txt": text}, 1000)
    return store


def _files(folder: Path) -> set[str]:
    found = (each for part in (PIECES, SPLIT, "objects") for each in (folder / part).rglob("*"))
    return {each.relative_to(folder).as_posix() for each in found if each.is_file()}


def test_a_sweep_deletes_pieces_that_no_text_has(tmp_path: Path) -> None:
    texts = [book(PAGES, number) for number in (10, 90, 150)]
    store = _published(tmp_path, TEXT, *texts)
    before = _files(tmp_path)
    assert store.sweep(10) == 0
    store.sweep(1)  # the one before stays, too: a reader may be getting it
    assert store.numbers() == [4, 3]
    assert _files(tmp_path) < before
    assert [store.data(hashlib.sha256(text).digest(), 1 << 30) for text in texts[1:]] == texts[1:]
    assert _files(tmp_path) == _files_of(tmp_path.with_name("other"), *texts[1:])


def _files_of(folder: Path, *texts: bytes) -> set[str]:
    """The files of a store that has never had anything else."""
    _published(folder, *texts)
    found = _files(folder)
    shutil.rmtree(folder)
    return found


def test_pieces_of_a_release_that_was_never_finished_are_swept(tmp_path: Path) -> None:
    store = _published(tmp_path, TEXT)
    before = _files(tmp_path)
    split(io.BytesIO(EDITED), len(EDITED), store.latest_pieces(), store.objects.put)
    assert _files(tmp_path) > before
    store.sweep(1)
    assert _files(tmp_path) == before


def test_a_piece_that_is_gone_is_made_again(tmp_path: Path) -> None:
    store = _published(tmp_path, TEXT)
    next(each for each in (tmp_path / PIECES).rglob("*") if each.is_file()).unlink()
    _published(tmp_path, EDITED)
    assert store.data(hashlib.sha256(EDITED).digest(), 1 << 30) == EDITED
    (tmp_path / split_key(hashlib.sha256(EDITED).digest())).write_bytes(b"?")
    assert store.latest_pieces() == {}
