"""Thousands of packs that are wrong: what is taken from them is right, whatever was done to them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from builder.cache.packs import FORMAT, MOST_PAGES, MOST_UNPACKED, PackedPage, Seals, SharedPage, _sum
from builder.cache.shared_cache import SharedCache
from builder.compression import compressed, decompressed
from builder.render import CachedPage

SECRET, OTHER = b"s" * 32, b"o" * 32
PATHS = tuple(f"docs/p{number}" for number in range(12))

Pages = Mapping[str, SharedPage]
Chance = random.Random


def version(number: int) -> Pages:
    """The pages of a site at one time: half of them are as before, with the same key and the same values."""
    found = {}
    for at, path in enumerate(PATHS):
        word = f"{path} of {number if at % 2 else 0}".encode()
        content = CachedPage(b"facts " + word, b"body " + word, b"twin", b"search")
        found[path] = SharedPage(word.ljust(32, b"."), content, b"files of " + word, b"html " + word)
    return found


OLD, NOW = version(1), version(2)
KEYS = {path: page.key for path, page in NOW.items()}


def pack(pages: Pages, secret: bytes = SECRET) -> bytes:
    return Seals(secret).pack(pages.items())


EVIL = (
    {"content": CachedPage(b"evil", b"evil", b"evil", b"evil")},
    {"html": b"evil"},
    {"files_key": b"of another time"},
)
GOOD, BEFORE = pack(NOW), pack(OLD)


def rows(data: bytes) -> list[PackedPage]:
    found = msgspec.msgpack.decode(decompressed(data, MOST_UNPACKED), type=tuple[int, list[PackedPage]])
    return found[1]


def said(row: PackedPage) -> list[Any]:
    """The format, the path, the key, the values, the files key and the HTML of a page."""
    found: list[Any] = msgspec.msgpack.decode(row.said)
    return found


VALUES = 3


def repacked(found: list[PackedPage]) -> bytes:
    return compressed(msgspec.msgpack.encode((FORMAT, found)))


def flipped(chance: Chance, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def damaged(chance: Chance) -> bytes:
    """Bits on the way."""
    return flipped(chance, GOOD)


def damaged_within(chance: Chance) -> bytes:
    """Bits before it was compressed: no checksum of that finds out."""
    return compressed(flipped(chance, decompressed(GOOD, MOST_UNPACKED)))


def cut(chance: Chance) -> bytes:
    return GOOD[: chance.randrange(len(GOOD))]


def swapped(chance: Chance) -> bytes:
    """Values, keys, paths or seals of one page at another."""
    found = rows(GOOD)
    one, other = chance.sample(range(len(found)), 2)
    mine, others, seals = said(found[one]), said(found[other]), chance.choice([found[one], found[other]])
    for at in chance.sample(range(1, len(mine)), chance.randint(1, 4)):
        mine[at] = others[at]
    found[one] = seals._replace(said=msgspec.msgpack.encode(mine))
    return repacked(found)


def mixed_values(chance: Chance) -> bytes:
    """One of the values of a page by those of another, or in another order."""
    found = rows(GOOD)
    one, other = chance.sample(range(len(found)), 2)
    mine = said(found[one])
    mine[VALUES][chance.randrange(4)] = said(found[other])[VALUES][chance.randrange(4)]
    chance.shuffle(mine[VALUES])
    found[one] = found[one]._replace(said=msgspec.msgpack.encode(mine))
    return repacked(found)


def foreign(chance: Chance) -> bytes:
    """Pages with the right keys and other values, by somebody who does not know the secret."""
    chosen = chance.choice(PATHS)
    wrong = {**NOW, chosen: replace(NOW[chosen], **chance.choice(EVIL))}
    return pack(wrong, chance.choice([OTHER, b"", chance.randbytes(32)]))


def replayed(chance: Chance) -> bytes:
    """Pages of before among those of now: rightly signed once."""
    return repacked([chance.choice(each) for each in zip(rows(GOOD), rows(BEFORE), strict=True)])


def forged_sum(chance: Chance) -> bytes:
    """Another page of the same sums, with the signature of the right one."""
    found, one = rows(GOOD), chance.randrange(len(PATHS))
    evil = {PATHS[one]: replace(NOW[PATHS[one]], **chance.choice(EVIL))}
    (forged,) = rows(pack(evil, OTHER))
    found[one] = forged._replace(signature=found[one].signature)
    return repacked(found)


KINDS: tuple[Callable[[Chance], bytes], ...] = (
    damaged, damaged_within, cut, swapped, mixed_values, foreign, replayed, forged_sum,
)  # fmt: skip


class OnePack:
    """A store that has the same pack under each name."""

    name = "a store"

    def __init__(self, data: bytes) -> None:
        self.data = data

    def get(self, name: str) -> bytes | None:
        return self.data

    def put(self, name: str, data: bytes) -> None:
        raise AssertionError(name)


@pytest.mark.parametrize("cases", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_nothing_wrong_is_taken(cases: int) -> None:
    chance, taken = random.Random(cases), 0
    for number in range(cases):
        kind = KINDS[number % len(KINDS)]
        cache = SharedCache(OnePack(kind(chance)), None, secret=SECRET)
        for path, page in cache.pages(PATHS, KEYS):
            assert page == NOW[path], kind.__name__
            taken += 1
    assert taken > cases  # what was left whole is used


def test_the_pack_that_is_right_is_taken() -> None:
    cache = SharedCache(OnePack(GOOD), None, secret=SECRET)
    assert dict(cache.pages(PATHS, KEYS)) == NOW


DEEP = b"\x91" * 50_000 + b"\xc0"
"""Arrays in arrays."""
BOMBS = {
    "many bytes": compressed(bytes(MOST_UNPACKED + 1)),
    "deep": compressed(bytes([0x92, FORMAT, 0x91]) + DEEP),
    "deep in a row": compressed(bytes([0x92, FORMAT, 0x91, 0x94, 0xC4, 0, 0xC4, 0, 0xC4, 0]) + DEEP),
    "many pages": repacked(rows(GOOD) * MOST_PAGES),
    "another format": compressed(msgspec.msgpack.encode((FORMAT + 1, rows(GOOD)))),
    "two frames": GOOD + GOOD,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_pack_that_would_become_too_much_is_none(bomb: str) -> None:
    assert len(BOMBS[bomb]) < 100_000
    assert Seals(SECRET).unpack(BOMBS[bomb]) is None


@pytest.mark.parametrize("wrong", [b"", b"\xc1", DEEP, bytes([0x96, FORMAT]) + DEEP, bytes([0x97]) + DEEP])
def test_a_row_that_says_nothing_of_a_page_is_refused_whatever_its_seals_are(wrong: bytes) -> None:
    row = PackedPage(wrong, _sum(wrong), Seals(SECRET)._signature(wrong))
    for seals in (Seals(SECRET), Seals()):
        found = seals.unpack(repacked([row]))
        assert found
        assert (found.pages, found.refused) == ({}, 1)


def test_a_page_that_is_too_much_for_a_pack_is_left_out() -> None:
    large = SharedPage(b"key", CachedPage(b"", b"", b"", bytes(MOST_UNPACKED)))
    found = Seals(SECRET).unpack(Seals(SECRET).pack([("docs/large", large), *NOW.items()]))
    assert found
    assert found.pages == NOW


def test_values_that_do_not_fit_together_are_not_taken_without_a_secret() -> None:
    evil = {
        path: SharedPage(key, CachedPage(b"\xc0", b"\xc0", b"\xff", b"\xc0")) for path, key in KEYS.items()
    }
    cache = SharedCache(OnePack(pack(evil, b"")), None)
    assert list(cache.pages(PATHS, KEYS)) == []
    assert [one.code for one in cache.diagnostics] == ["cache-refused"]
