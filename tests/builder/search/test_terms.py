"""Words become terms; the script that readers' queries go through says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import themes
from builder.search.terms import STOP, parted, stem, terms, whole, within_names, words
from tests.chromium import launched

CASES = json.loads(Path(__file__).with_name("terms.json").read_text("utf-8"))
SCRIPT = (themes.default() / "search" / "terms.js").read_text("utf-8")
WHOLE = (
    "Base path",
    "GET /ai/page",
    "`CardGrid` & <Tabs>",
    "C++ (and C#)",
    "Déploiement à la carte",
    "検索 する",
    "Straße İstanbul ½",
    "🚀 Launch",
    "a=b",
    "--dry_run",
    "नमस्ते",
    "שָׁלוֹם",
    "...",
    "x" * 300,
)
ASKED = "([query]) => wanted(query, new Set()).map(({ term }) => term)"


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_text_has_these_terms(text: str, expected: dict[str, int]) -> None:
    assert dict(terms(text)) == expected


def test_words_are_kept_with_their_endings() -> None:
    assert words("Testing --dry-run of Tests") == {"testing", "dry", "run", "tests"}


def test_a_path_is_also_found_by_its_end() -> None:
    assert {"/pages/ai/page", "/ai/page"} <= terms("`PUT /pages/ai/page`").keys()


def test_a_variable_is_also_found_within_a_path() -> None:
    assert {"$home/bin:$path", "$home", "$path"} <= terms('PATH="$HOME/bin:$PATH"').keys()
    assert terms("$HOME") == {"$home": 1, "hom": 1}


def test_parts_of_names_are_told_from_words() -> None:
    assert within_names("edit_url of the link-draft, a link, If-Match and a.b/c") == {
        "edit", "url", "draft", "if", "match"
    }  # fmt: skip


def test_a_title_has_the_parts_of_its_names() -> None:
    assert parted("CardGrid and Card") == "CardGrid and Card Card Grid and Card"


def test_words_that_say_nothing_are_known_as_terms() -> None:
    assert stem("have") in STOP


def test_a_title_is_one_term() -> None:
    assert [whole(text) for text in WHOLE[:4]] == ["!base!path", "!get!ai!page", "!cardgrid!tabs", "!c!and!c"]


@pytest.mark.browser
def test_a_query_has_the_terms_that_the_index_has() -> None:
    with launched() as browser:
        page = browser.new_page()
        page.add_script_tag(content=SCRIPT)
        written = {text: page.evaluate("(text) => whole(text.slice(0, LONGEST))", text) for text in WHOLE}
        found = {name: set(page.evaluate(ASKED, [text])) for name, text, _ in CASES}
    assert written == {text: whole(text) for text in WHOLE}
    # Humps are for the index alone; what is too long is in no index, so it is not found.
    expected = {
        name: set(known) - {"creat", "slic"} if "camel" in name else set(known) for name, _, known in CASES
    }
    found["camel case is also its humps"] -= {"creat", "slic"}
    different = {name: found[name] ^ expected[name] for name in found if found[name] != expected[name]}
    assert different == {"what is too long is left out": found["what is too long is left out"]}
