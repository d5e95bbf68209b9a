"""An index that is changed page by page is the one that is made of all pages."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from builder.digests import digest
from builder.search import (
    Index,
    IndexUpdate,
    Part,
    begin,
    changed,
    finished,
    listed,
    packing,
    place_index,
    shards,
    unplaced_index,
)
from builder.search import index as indexes
from builder.search.packing import FULL
from builder.search.shards import PAGES_BEFORE_GROUPS

WORDS = [
    "apple",
    "apply",
    "ape",
    "\U00010400\U00010401",
    "\uffee",
    "Äpfel",
    "b_c",
    "--flag",
    "you",
    "config",
    "configuration",
    "検索",
    "x" * 30,
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
PAGES = st.lists(TEXTS, min_size=1, max_size=6)
DECODER = msgspec.msgpack.Decoder(Index)


def part(path: str, text: str, sections: int = 1) -> Part:
    one = listed(f"/{path}", text.partition(" ")[0], [text])
    return Part(one.url, one.title, one.sections * sections, one.headings, one.terms * sections)


def parts_of(texts: list[str]) -> dict[str, Part]:
    return {f"p{number}": part(f"p{number}", text) for number, text in enumerate(texts)}


def keys_of(parts: Mapping[str, Part]) -> dict[str, bytes]:
    return {path: digest(each.url, each.title, each.sections, each.terms) for path, each in parts.items()}


class Cached(Struct):
    """An index as it comes out of the cache, and what lies beside it."""

    index: Index
    leaves: dict[str, bytes]

    def changed(self, parts: Mapping[str, Part], keys: Mapping[str, bytes]) -> IndexUpdate | None:
        return changed(self.index, parts, keys, self.leaves.get)

    def keep(self, found: IndexUpdate) -> None:
        self.index = DECODER.decode(msgspec.msgpack.encode(found.index))
        self.leaves |= found.leaves


def made(parts: Mapping[str, Part], keys: Mapping[str, bytes]) -> IndexUpdate | None:
    """The index of all pages, as builds put it together."""
    docs, begun = begin(list(parts.values()))
    own = unplaced_index(parts, keys, begun)
    files, arranged = finished(begun, "")
    return IndexUpdate(place_index(own, arranged), (*docs, *files), own.leaves) if own else None


def of(parts: Mapping[str, Part]) -> Cached:
    found = made(parts, keys_of(parts))
    assert found
    assert dict(found.files) == dict(shards(list(parts.values())))
    return Cached(DECODER.decode(msgspec.msgpack.encode(found.index)), found.leaves)


@given(PAGES, st.lists(st.tuples(st.integers(0, 5), TEXTS), max_size=6), st.sampled_from([30, 90, FULL]))
def test_changed_or_made_of_all_pages_it_is_the_same(
    texts: list[str], edits: list[tuple[int, str]], full: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "FULL", full)
        compare(parts_of(texts), edits)


def compare(parts: dict[str, Part], edits: list[tuple[int, str]]) -> None:
    """Change pages one by one, and look at all files each time."""
    index = of(parts)
    for number, text in edits:
        path = f"p{number % len(parts)}"
        parts[path] = part(path, text)
        found = index.changed({path: parts[path]}, keys_of(parts))
        assert found
        wanted = dict(shards(list(parts.values())))
        assert {*dict(found.files), *found.staying} == set(wanted)
        assert {name: wanted[name] for name, _ in found.files} == dict(found.files)
        index.keep(found)


def test_files_of_terms_that_stay_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "FULL", 30)
    parts = parts_of(["apple", "banana", "cherry", "damson", "elder"])
    index = of(parts)
    parts["p2"] = part("p2", "citron")
    found = index.changed(parts, keys_of(parts))
    assert found
    of_terms = [name for name in (*dict(found.files), *found.staying) if name.startswith("search/t")]
    anew = [name for name in of_terms if name in dict(found.files)]
    assert (len(anew), len(of_terms)) == (2, 13)


@pytest.mark.parametrize("changes", [{}, {"p1": "another text"}])
def test_only_what_has_changed_is_made(changes: dict[str, str]) -> None:
    parts = parts_of(["one", "two", "three"])
    index = of(parts)
    parts |= {path: part(path, text) for path, text in changes.items()}
    found = index.changed(parts, keys_of(parts))
    assert found
    docs = sorted(name[: len("search/d0")] for name, _ in found.files if name.startswith("search/d"))
    assert docs == [f"search/d{path[1:]}" for path in changes]


BEFORE = parts_of([f"text {number}" for number in range(30)])
NEW = part("p0", "other")
ANEW = {
    "a page more": BEFORE | {"new": NEW},
    "a page less": {path: each for path, each in BEFORE.items() if path != "p3"},
    "another order": {"p1": BEFORE["p1"]} | BEFORE,
    "more sections than there is room for": BEFORE | {"p0": part("p0", "other", 9)},
    "very many": {path: part(path, "all other") for path in BEFORE},
}


@pytest.mark.parametrize("name", ANEW)
def test_it_is_made_of_all_pages_when_there_is(name: str) -> None:
    assert len(BEFORE) > indexes.MOST_CHANGED
    assert of(BEFORE).changed(ANEW[name], keys_of(ANEW[name])) is None


def test_a_changed_page_must_be_there() -> None:
    assert of(BEFORE).changed({}, keys_of(BEFORE | {"p0": NEW})) is None


def test_more_sections_may_fit_into_the_room_of_a_page() -> None:
    after = BEFORE | {"p0": part("p0", "other", 8)}
    found = of(BEFORE).changed({"p0": after["p0"]}, keys_of(after))
    assert found
    assert {*dict(found.files), *found.staying} == set(dict(shards(list(after.values()))))


def test_leaves_of_another_index_are_not_taken() -> None:
    after = BEFORE | {"p0": NEW}
    cached = of(BEFORE)
    for name, data in cached.leaves.items():
        for other in (None, b"", data + b"x"):
            leaves = {**cached.leaves, name: other}
            found = changed(cached.index, {"p0": NEW}, keys_of(after), leaves.get)
            assert found is None or name not in found.leaves
    assert cached.changed({"p0": NEW}, keys_of(after))


def test_an_edit_reads_and_keeps_few_leaves() -> None:
    cached = of(BEFORE)
    found = cached.changed({"p0": NEW}, keys_of(BEFORE | {"p0": NEW}))
    assert found
    assert set(found.leaves) == {"page p0", "terms tex", "terms oth", "terms !te", "terms !ot"}


def test_a_very_large_index_is_not_kept() -> None:
    parts = {str(number): NEW for number in range(PAGES_BEFORE_GROUPS)}
    assert made(parts, dict.fromkeys(parts, b"k")) is None
