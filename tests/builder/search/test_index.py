"""An index that is changed page by page is the one that is made of all pages."""

from __future__ import annotations

import sys
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
    index_of,
    listed,
    packing,
    postings,
    shards,
)
from builder.search import index as indexes
from builder.search.packing import FULL

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
    """An index as it comes out of the cache, its files, and the parts of its pages."""

    index: Index
    files: dict[str, bytes]
    parts: dict[str, Part]

    def changed(self, parts: Mapping[str, Part]) -> IndexUpdate | None:
        """The index of these pages; all parts of now and before are known."""
        both = {path: (self.parts[path], part) for path, part in parts.items() if path in self.parts}
        return changed(self.index, keys_of(parts), both, self.files.get, parts.__getitem__)

    def keep(self, found: IndexUpdate, parts: Mapping[str, Part]) -> None:
        self.index = DECODER.decode(msgspec.msgpack.encode(found.index))
        self.files |= dict(found.files)
        self.parts = dict(parts)


def of(parts: Mapping[str, Part]) -> Cached:
    docs, begun = begin(list(parts.values()))
    files, arranged = finished(begun, "")
    index = index_of(keys_of(parts), begun, arranged)
    assert dict([*docs, *files]) == dict(shards(list(parts.values())))
    kept = DECODER.decode(msgspec.msgpack.encode(index))
    return Cached(kept, dict([*docs, *files]), dict(parts))


EDITS = st.lists(st.tuples(st.integers(0, 5), TEXTS), max_size=6)


@given(
    PAGES, EDITS, st.sampled_from([30, 90, FULL]), st.sampled_from([1, 2, 400]), st.sampled_from([2, 3000])
)
def test_changed_or_made_of_all_pages_it_is_the_same(
    texts: list[str], edits: list[tuple[int, str]], full: int, longest: int, before_groups: int
) -> None:
    """Files and rows may be full soon, and pages may share a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "FULL", full)
        patch.setattr(postings, "LONGEST_LIST", longest)
        patch.setattr(postings, "LONGEST_IDLE", longest)
        patch.setitem(vars(sys.modules["builder.search.shards"]), "PAGES_BEFORE_GROUPS", before_groups)
        compare(parts_of(texts), edits)


def compare(parts: dict[str, Part], edits: list[tuple[int, str]]) -> None:
    """Change pages one by one, and look at all files each time."""
    index = of(parts)
    for number, text in edits:
        path = f"p{number % len(parts)}"
        parts[path] = part(path, text)
        found = index.changed(parts)
        assert found
        wanted = dict(shards(list(parts.values())))
        assert {*dict(found.files), *found.staying} == set(wanted)
        assert {name: wanted[name] for name, _ in found.files} == dict(found.files)
        index.keep(found, parts)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8), st.sampled_from([1, 2, 400]))
def test_several_pages_may_change_at_once(texts: list[tuple[str, str]], longest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "LONGEST_LIST", longest)
        patch.setattr(postings, "LONGEST_IDLE", longest)
        index = of(parts_of([before for before, _ in texts]))
        parts = parts_of([now for _, now in texts])
        found = index.changed(parts)
        assert found
        assert {**index.files, **dict(found.files)}.items() >= dict(shards(list(parts.values()))).items()


def test_a_cut_row_may_lose_all_its_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "LONGEST_LIST", 2)
    index, parts = of(parts_of(["apple"] * 4)), parts_of(["lime"] * 4)
    found = index.changed(parts)
    assert found
    wanted = dict(shards(list(parts.values())))
    assert {*dict(found.files), *found.staying} == set(wanted)
    assert {**index.files, **dict(found.files)}.items() >= wanted.items()


def test_files_of_terms_that_stay_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "FULL", 30)
    parts = parts_of(["apple", "banana", "cherry", "damson", "elder"])
    index = of(parts)
    parts["p2"] = part("p2", "citron")
    found = index.changed(parts)
    assert found
    of_terms = [name for name in (*dict(found.files), *found.staying) if name.startswith("search/t")]
    anew = [name for name in of_terms if name in dict(found.files)]
    assert (len(anew), len(of_terms)) == (2, 13)


@pytest.mark.parametrize("changes", [{}, {"p1": "another text"}])
def test_only_what_has_changed_is_made(changes: dict[str, str]) -> None:
    parts = parts_of(["one", "two", "three"])
    index = of(parts)
    parts |= {path: part(path, text) for path, text in changes.items()}
    found = index.changed(parts)
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
    assert of(BEFORE).changed(ANEW[name]) is None


def test_a_changed_page_must_be_known() -> None:
    index, after = of(BEFORE), BEFORE | {"p0": NEW}
    assert changed(index.index, keys_of(after), {}, index.files.get, after.__getitem__) is None


def test_more_sections_may_fit_into_the_room_of_a_page() -> None:
    after = BEFORE | {"p0": part("p0", "other", 8)}
    found = of(BEFORE).changed(after)
    assert found
    assert {*dict(found.files), *found.staying} == set(dict(shards(list(after.values()))))


def test_files_of_another_index_are_not_taken() -> None:
    after, index = BEFORE | {"p0": NEW}, of(BEFORE)
    for name in index.index.names_of_terms:
        for other in (None, b"", index.files[name] + b"x"):
            damaged = Cached(index.index, index.files.copy(), index.parts)
            if other is None:
                del damaged.files[name]
            else:
                damaged.files[name] = other
            found = damaged.changed(after)
            assert found is None or name in found.staying


def test_a_row_that_was_cut_is_made_of_all_pages_where_it_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a term that ten pages have three are kept; when one of those loses it, another one comes in."""
    monkeypatch.setattr(postings, "LONGEST_LIST", 3)
    parts = parts_of([f"apple {'mango ' * (number % 4 + 1)}" for number in range(10)])
    index, asked = of(parts), []
    parts["p3"] = part("p3", "lime")

    def part_of(path: str) -> Part:
        asked.append(path)
        return parts[path]

    both = {path: (index.parts[path], each) for path, each in parts.items()}
    found = changed(index.index, keys_of(parts), both, index.files.get, part_of)
    assert found
    assert set(asked) == set(parts)
    assert {**index.files, **dict(found.files)}.items() >= dict(shards(list(parts.values()))).items()
