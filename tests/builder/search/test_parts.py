"""The part of the index that a page adds, and the files that are made of all parts."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from typing import Any

import pytest

from builder.markdown.commonmark.toc import TocEntry
from builder.search import ENTRY, listed, shards
from builder.search.packing import FULL
from builder.search.part import sections
from builder.search.postings import LONGEST_IDLE, LONGEST_LIST, MOST_NARROW, SLOT, Gathering
from builder.search.shards import DIGEST

TOC = (TocEntry(1, "own", "Own"), TocEntry(2, "one", "One"), TocEntry(3, "a-b", "A & B"))
BODIES = [
    ("no heading", "<p>All <em>of</em> it</p>", [("", "", "All of it")]),
    (
        "sections",
        '<h1 id="own">Own</h1>Lead<h2 id="one">One</h2><p>x</p><h3 id="a-b">A &amp; B</h3>1 &lt; 2',
        [("", "", "Own Lead"), ("one", "One", "x"), ("a-b", "A & B", "1 < 2")],
    ),
    (
        "code keeps its words",
        "<pre><code><span>do</span>(<span>it</span>)</code></pre>",
        [("", "", "do(it)")],
    ),
    ("blocks part words", "<ul><li>a</li><li>b</li></ul>", [("", "", "a b")]),
    ("pictures say nothing", "<p><svg><title>t</title></svg>x</p>", [("", "", "x")]),
    ("a bound in an attribute", '<p data-x="a > b">x</p>', [("", "", "x")]),
    (
        "a component with its place",
        '<p>x</p><div class="tp-endpoint" id="one" role="group"><code>GET</code> <code>/a</code></div>',
        [("", "", "x"), ("one", "One", "GET /a")],
    ),
    (
        "markup as text",
        "<p>&lt;img src=x onerror=alert(1)&gt;</p>",
        [("", "", "<img src=x onerror=alert(1)>")],
    ),
]


@pytest.mark.parametrize(
    ("body", "expected"), [case[1:] for case in BODIES], ids=[case[0] for case in BODIES]
)
def test_a_body_has_these_sections(body: str, expected: list[tuple[str, str, str]]) -> None:
    assert list(sections(body, TOC)) == expected


def test_a_part_can_be_kept() -> None:
    part = listed("/a/", "A title", ["One", "Two"])
    assert pickle.loads(pickle.dumps(part)) == part


def test_the_weightiest_term_there_can_be_fits_into_its_byte() -> None:
    part = listed("/a", "mango", ["mango " * 9999])
    assert [terms for terms, _ in part.terms] == ["mango !mango"]
    assert 200 < part.terms[0][1][0] < 256


def index(count: int) -> dict[str, object]:
    parts = [
        listed(f"/p{number}", f"Page {number}", ["common"] * (1 + number % 3)) for number in range(count)
    ]
    return {name: json.loads(data) for name, data in shards(parts)}


def digests(entry: dict[str, Any]) -> list[str]:
    """Those of the files of terms."""
    return [entry["terms"][at : at + DIGEST] for at in range(0, len(entry["terms"]), DIGEST)]


def test_every_file_but_the_entry_is_named_by_its_content_and_in_the_entry() -> None:
    files = index(30)
    entry = files.pop(ENTRY)
    named = {f"search/t{number}.{digest}.json" for number, digest in enumerate(digests(entry))}
    named |= {f"search/d{number}.{digest}.json" for number, digest in enumerate(entry["docs"])}
    assert named | {f"search/w.{entry['words']}.json"} == files.keys()


def test_terms_are_in_the_file_with_their_key() -> None:
    files = index(3000)
    entry = files[ENTRY]
    assert len(entry["keys"]) > 1
    for number, digest in enumerate(digests(entry)):
        following = entry["keys"][number + 1 :][:1] or ["\uffff"]
        for term in files[f"search/t{number}.{digest}.json"]:
            assert entry["keys"][number] <= term < following[0]


def test_terms_that_say_nothing_are_in_the_last_file_alone_and_few() -> None:
    titles = ["What is in it", *("How to do it with what you have" for _ in range(2 * LONGEST_IDLE))]
    files = dict(shards([listed(f"/p{number}", title, []) for number, title in enumerate(titles)]))
    entry = json.loads(files[ENTRY])
    assert len(digests(entry)) == len(entry["keys"]) + 1
    last = len(entry["keys"])
    idle = json.loads(files[f"search/t{last}.{digests(entry)[last]}.json"])
    assert idle.keys() == {"what", "is", "in", "it", "how", "to", "do", "with", "you", "hav"}
    assert (idle["it"][0], len(idle["it"])) == (len(titles), 1 + 2 * LONGEST_IDLE)


def test_a_part_of_a_name_weighs_less_and_a_word_as_it_stands_more() -> None:
    weights = {
        title: dict(zip(terms.split(), numbers, strict=True))
        for title in ("config-invalid", "Config files", "Config filing")
        for terms, numbers in listed("/a", title, []).terms
    }
    assert weights["config-invalid"]["config"] < weights["Config files"]["config"]
    assert weights["config-invalid"]["config-invalid"] > weights["config-invalid"]["config"]
    assert 0 < weights["Config files"]["files"] < weights["Config files"]["fil"]
    assert "files" not in weights["Config filing"]


def test_no_file_grows_past_a_bound_however_many_words_begin_alike() -> None:
    names = [f"common{letter}{number}x" for letter in "abcdef" for number in range(100)]
    files = dict(shards([listed(f"/p{number}", "P", names) for number in range(100)]))
    of_terms = [data for name, data in files.items() if name.startswith("search/t")]
    assert len(of_terms) > 10
    assert max(map(len, of_terms)) < 2 * FULL
    keys = json.loads(files[ENTRY])["keys"]
    assert keys == sorted(set(keys))


def test_a_long_list_keeps_the_weightiest_and_tells_how_long_it_was() -> None:
    files = index(LONGEST_LIST * 2)
    row = next(
        file["common"] for name, file in files.items() if name.startswith("search/t") and "common" in file
    )
    assert row[0] == LONGEST_LIST * 2
    assert len(row) == 1 + 2 * LONGEST_LIST
    assert min(row[2::2]) > 1


def test_a_section_more_changes_no_other_page() -> None:
    parts = [listed(f"/p{number}", f"Page {number}", ["x"]) for number in range(20)]
    grown = [*parts]
    grown[3] = type(parts[3])(
        "/p3", "Page 3", (*parts[3].sections, ("s", "S", "s")), frozenset(), parts[3].terms
    )
    before, after = dict(shards(parts)), dict(shards(grown))
    assert {name.partition(".")[0] for name in after.keys() - before.keys()} == {"search/d3"}


def test_a_site_without_pages_has_an_index() -> None:
    assert json.loads(dict(shards([]))[ENTRY])["n"] == 0


def test_text_that_is_no_unicode_is_written_all_the_same() -> None:
    assert dict(shards([listed("/a", "A \ud800 b", ["\udfff"])]))


PART = """
from builder.search.part import _part
found = (("", "", "text of the page"), ("a", "The red config-file of 1.0", "more of it"))
print(_part("/docs/red/green-blue", "Alpha beta gammas", "red green blue", "delta epsilon zeta", found).terms)
"""


def test_the_part_of_a_page_is_the_same_in_each_process() -> None:
    """Machines keep it for each other, and compare what is kept; sets have another order in each of them."""
    command = [sys.executable, "-c", PART]
    done = [
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert done == [done[0]] * 3


@pytest.mark.parametrize("base", [0, MOST_NARROW - 2 * SLOT, MOST_NARROW - SLOT, MOST_NARROW])
def test_sections_have_their_numbers_however_many_there_are(base: int) -> None:
    gathering = Gathering(base)
    for number in range(3):
        gathering.put((("one two", bytes([1, 255])), ("two", bytes([number]))))
        gathering._base += SLOT
    numbers = [base + number * SLOT for number in range(3)]
    assert list(gathering.found["one"]) == [at << 8 | 1 for at in numbers]
    assert list(gathering.found["two"]) == [
        each for number, at in enumerate(numbers) for each in (at << 8 | 255, (at + 1) << 8 | number)
    ]
