"""Frontmatter that GET cannot give: what becomes of it when a page is replaced."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.changes.composed_page import Composed
from builder.frontmatter import split
from server.authoring.compose import compose, page_of
from server.authoring.structs import PutPage
from server.http.failure import Failure
from tests.server.authoring.test_compose import PIECES, put, source

COLON = "title: Install: the guide\ndescription: D\nsidebar_position: 3\ndraft: true\n"
TITLE = {"title": "Install"}

REPLACED: list[tuple[str, str, dict[str, Any], str, list[str], str]] = [
    (
        "what can be read is kept",
        COLON,
        TITLE,
        "title: Install\ndescription: D\nsidebar_position: 3\ndraft: true\n",
        ["frontmatter-replaced", "draft-kept"],
        "kept from it: `description`, `sidebar_position`, `draft`; lost: `title: Install: the guide`",
    ),
    (
        "the request wins",
        COLON,
        {"title": "Install", "draft": False, "sidebar_position": None},
        "description: D\nsidebar_position: null\ndraft: false\ntitle: Install\n",
        ["frontmatter-replaced"],
        "kept from it: `description`; lost",
    ),
    (
        "a draft line that cannot be read keeps the page out",
        "x: [\ndraft: [\n",
        TITLE,
        "title: Install\ndraft: true\n",
        ["frontmatter-replaced", "draft-kept"],
        "lost: `x: [`, `draft: [`",
    ),
    (
        "two answers about the draft",
        "draft: true\nx: 1\ndraft: false\n",
        {"x": 2, "draft": False},
        "x: 2\ndraft: true\n",
        ["draft-kept"],
        "it is a draft still",
    ),
    (
        "values that cannot be read are told",
        "title: A\nx: !foo bar\n1: a\nnav: [a, .nan]\n",
        {"title": "B", "nav": ["a"]},
        "title: B\nnav:\n- a\n",
        ["frontmatter-dropped"],
        "x: `bar` has the tag `!foo`, which is not read; the key `1` is not text; nav[1]: ",
    ),
    ("what was sent is not told", "x: !foo bar\n", {"x": 1}, "x: 1\n", [], ""),
    (
        "one of two answers about the draft, left out",
        "title: A\ndraft: true\ndraft: false\n",
        {"title": "B"},
        "title: B\ndraft: true\n",
        ["draft-kept"],
        "it is a draft still",
    ),
    (
        "one of two answers about the draft, null",
        "draft: true\nx: 1\ndraft: false\n",
        {"x": 2, "draft": None},
        "x: 2\ndraft: true\n",
        ["draft-kept"],
        "it is a draft still",
    ),
    (
        "a draft whose value cannot be read",
        "title: A\ndraft: !yes true\n",
        {"title": "B"},
        "title: B\ndraft: true\n",
        ["draft-kept"],
        "it is a draft still",
    ),
    (
        "what GET does not give can be contradicted",
        "title: A\ndraft: .nan\n",
        {"title": "B", "draft": False},
        "title: B\ndraft: false\n",
        [],
        "",
    ),
    (
        "a draft is published by leaving the field out",
        "title: A\ndraft: true\n",
        {"title": "A"},
        "title: A\n",
        ["draft-published"],
        "the request has no `draft`",
    ),
    (
        "a draft in other case too",
        "Draft: true\ntitle: A\n",
        {"title": "A"},
        "title: A\n",
        ["draft-published"],
        "the request has no `draft`",
    ),
    (
        "null is no answer",
        "draft: true\n",
        {"draft": None},
        "draft: null\n",
        ["draft-published"],
        "the request has no `draft`",
    ),
    ("a draft is published by saying so", "draft: true\n", {"draft": False}, "draft: false\n", [], ""),
]


@pytest.mark.parametrize(
    ("name", "block", "values", "made", "codes", "said"), REPLACED, ids=[case[0] for case in REPLACED]
)
def test_what_could_not_be_seen_is_kept_or_told(
    name: str, block: str, values: dict[str, Any], made: str, codes: list[str], said: str
) -> None:
    composed = compose(put(body="New\n", frontmatter=values), source(f"---\n{block}---\n\nText\n"))
    block, _, body = composed.text.removeprefix("---\n").partition("---\n")
    assert sorted(block.splitlines()) == sorted(made.splitlines()), name
    assert body == "\nNew\n"
    assert [change.code for change in composed.changes] == codes
    assert said in " ".join(change.message for change in composed.changes)


def test_a_page_whose_draft_is_in_its_text_stays_a_draft() -> None:
    text = "---\ndraft:true\n---\nText\n"
    assert split(text, "").meta.draft
    body = page_of(source(text)).body
    composed = compose(put(body=body, frontmatter=TITLE), source(text))
    assert split(composed.text, "").frontmatter == {"title": "Install", "draft": True}
    published = compose(put(body=body, frontmatter=TITLE), source(composed.text))
    assert split(published.text, "").frontmatter == TITLE


def test_a_draft_that_was_kept_is_not_published_without_a_word() -> None:
    """The same request twice: a program that tries again must be told before and after."""
    old = "---\ntitle: Install: the guide\ndraft: true\n---\nx"
    first = compose(put(body="x\n", frontmatter={"title": "New"}), source(old))
    assert split(first.text, "").meta.draft
    assert [one.code for one in first.changes] == ["frontmatter-replaced", "draft-kept"]
    assert "a PUT without `draft` publishes it" in first.changes[1].hint
    second = compose(put(body="x\n", frontmatter={"title": "New"}), source(first.text))
    assert not split(second.text, "").meta.draft
    assert [one.code for one in second.changes] == ["draft-published"]
    assert '`"draft": true`' in second.changes[0].hint


def test_lines_that_are_no_fields_are_told() -> None:
    composed = compose(put(frontmatter=TITLE), source("---\n- a\n[\n---\n"))
    assert composed.text == "---\ntitle: Install\n---\n\n"
    assert "lost: `- a [`" in composed.changes[0].message


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_fields_are_kept_whatever_ends_the_lines(end: str) -> None:
    text = f"---\n{COLON}---\n\nText\n".replace("\n", end)
    made = compose(put(frontmatter=TITLE, body="New\n"), source(text)).text
    assert split(made, "").frontmatter == {
        "title": "Install",
        "description": "D",
        "sidebar_position": 3,
        "draft": True,
    }


VALUES = st.dictionaries(st.sampled_from(["title", "x", "tags", "1", "big"]), st.sampled_from(["A", "x"]))


@given(st.lists(PIECES, max_size=12), VALUES, st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_no_change_of_something_else_publishes_a_page_that_was_kept_out(
    pieces: list[str], values: dict[str, str], same_body: bool, end: str
) -> None:
    text = ("---\n" + "".join(pieces) + "---\n\nText\n").replace("\n", end)
    before = split(text, "")
    body = page_of(source(text)).body if same_body else "Text\n"
    made = compose(put(body=body, frontmatter={**before.frontmatter, **values}), source(text))
    assert split(made.text, "").meta.draft is before.meta.draft
    assert unchanged_again(made)


def unchanged_again(made: Composed) -> bool:
    """Return whether what is read from it, sent back, changes nothing."""
    page = page_of(source(made.text))
    again = PutPage(page.path, page.format, page.frontmatter, page.body)
    return compose(again, source(made.text)).text == made.text


def nested(depth: int, value: object = 1, *, keys: bool = False) -> object:
    """A value in so many lists, or mappings."""
    for _ in range(depth):
        value = {"k": value} if keys else [value]
    return value


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("lists", {"k": [nested(20)] * 40_000}, "frontmatter.k: has more than 10,000 values"),
    ("numbers", {"k": [1] * 900_000}, "frontmatter.k: has more than 10,000 values"),
    ("mappings", {"k": [{}] * 650_000}, "frontmatter.k: has more than 10,000 values"),
    ("keys", {f"k{n}": 1 for n in range(50_000)}, "frontmatter: has more than 10,000 values"),
    ("text", {"k": "x" * 2_000_000}, "frontmatter.k: is longer than 64 KiB"),
    ("texts", {f"k{n}": "x" * 9_000 for n in range(200)}, "frontmatter: is longer than 64 KiB"),
    ("a key", {"k" * 2_000_000: 1}, "frontmatter: is longer than 64 KiB"),
    ("depth", {"k": nested(40)}, "is nested deeper than 32 levels"),
    ("white space", {"k": nested(28, [[1, 2]] * 3_000, keys=True)}, "frontmatter: is longer than 64 KiB"),
]


@pytest.mark.parametrize(("name", "values", "said"), HOSTILE, ids=[case[0] for case in HOSTILE])
def test_frontmatter_that_is_too_much_is_refused_at_once_and_by_name(
    name: str, values: dict[str, Any], said: str
) -> None:
    started = time.thread_time()
    with pytest.raises(Failure) as refused:
        compose(put(frontmatter=values), source("---\ntitle: A\n---\n"))
    assert time.thread_time() - started < 0.5, name  # of which a tenth is usual
    assert refused.value.code == "INVALID_BODY"
    assert said in refused.value.message
    assert len(refused.value.message) < 1_000


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.just("x" * 40_000),
    lambda inner: (
        st.lists(inner, max_size=5).map(lambda items: items * 300)
        | st.dictionaries(st.text(max_size=4), inner, max_size=5)
    ),
    max_leaves=20,
)


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=4), TREES, max_size=4))
def test_no_frontmatter_takes_long(values: dict[str, Any]) -> None:
    started = time.thread_time()
    with suppress(Failure):
        compose(put(frontmatter=values), None)
    assert time.thread_time() - started < 2
