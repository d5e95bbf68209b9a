"""Between sources and the API's fields: nothing is lost on the way there and back."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from builder.store import Source
from server.authoring.compose import compose, page_of
from server.authoring.structs import PutPage
from server.http.convert import convert
from server.http.failure import Failure
from server.http.strict_json import loads

PIECES = st.sampled_from([
    "---\n", "---\r\n", "--- \n", "---", "\n", "\r\n", "\r", "title: A\n", "title: 'A'  # why\n",
    "tags: [x, y]\n", "title: B\n", "draft: yes\n", "draft: true\r\n", "sidebar_position: 1.50\n",
    "sidebar_position: x\n", "a: [\n", "date: 2024-02-30\n", "when: 2024-01-02\n",
    "big: 99999999999999999999\n", "x: .nan\n", "&a : *a\n", "- a\n", "# H\n", "text\n", "\u00e9\n",
    "\ufeff", "\t", " ", "title: |\n  two\n  lines\n", "{a: 1}\n", "~\n", "null: 1\n", "1: 2\n",
    "a:\n  b:\n    - c\n", "title:\n", "title: \"\\u0041\"\n", "...\n", "%YAML 1.2\n", "title: A\ttab\n",
])  # fmt: skip


def source(text: str, twin: str | None = None) -> Source:
    """A page with this source."""
    return Source("docs/a", "mdx", text, twin, "r", "docs/a.mdx")


def there_and_back(text: str) -> str:
    """Return what is stored when a client sends what it was given."""
    page = page_of(source(text))
    sent = loads(msgspec.json.encode(page))
    return compose(convert(sent, PutPage), source(text)).text


@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=80))
@example("---\ntitle: A\n---\n---\ntitle: B\n---\n")
@example("\ufeff---\r\ntitle: A\r\n---\r\n\r\nText")
@example("---\n\n---\n\n---\nx: 1\n---\n")
@example("---\ntitle:\n")
@example("\ufeff\ufeff")
def test_putting_what_get_gave_changes_no_character(text: str) -> None:
    assert there_and_back(text) == text


def put(**fields: Any) -> PutPage:
    """A request."""
    return PutPage(path="docs/a", **fields)


STORED = [
    ("new page without frontmatter", "", {"body": "Text"}, "Text"),
    ("new page", "", {"body": "Text\n", "frontmatter": {"title": "A"}}, "---\ntitle: A\n---\n\nText\n"),
    (
        "comments and quotes of values that stay",
        "---\n# c\ntitle: 'A' # d\nx: 1\n---\n\nOld\n",
        {"body": "New\n", "frontmatter": {"title": "A", "x": 2}},
        "---\n# c\ntitle: 'A' # d\nx: 2\n---\n\nNew\n",
    ),
    ("what is left out goes", "---\ntitle: A\n---\n\nOld\n", {"body": "New\n"}, "New\n"),
    (
        "the object wins per key",
        "",
        {"body": "---\ntitle: A\nx: 1\n---\n\nT\n", "frontmatter": {"title": "B"}},
        "---\ntitle: B\nx: 1\n---\n\nT\n",
    ),
    ("a block that is no mapping is text", "", {"body": "---\ntext\n---\n"}, "---\ntext\n---\n"),
    (
        "a wrong value that was there stays",
        "---\ndraft: maybe\n---\n",
        {"frontmatter": {"draft": "maybe"}},
        "---\ndraft: maybe\n---\n",
    ),
]


@pytest.mark.parametrize(("name", "text", "sent", "stored"), STORED, ids=[case[0] for case in STORED])
def test_what_is_stored(name: str, text: str, sent: dict[str, Any], stored: str) -> None:
    assert compose(put(**sent), source(text) if text else None).text == stored, name


REFUSED = [
    ({"frontmatter": {"title": 3}}, "frontmatter.title: expected text, found the number 3"),
    ({"frontmatter": {"sidebar_position": True}}, "frontmatter.sidebar_position: expected a number"),
    ({"frontmatter": {"draft": "yes"}}, "frontmatter.draft: expected `true` or `false`"),
    ({"body": "---\ntitle: [\n---\n"}, "body: line "),
    ({"body": "---\nsidebar_position: x\n---\n"}, "frontmatter.sidebar_position: expected a number"),
]


@pytest.mark.parametrize(("sent", "said"), REFUSED)
def test_frontmatter_that_no_page_may_have_is_refused_by_name(sent: dict[str, Any], said: str) -> None:
    with pytest.raises(Failure) as refused:
        compose(put(**sent), None)
    assert refused.value.code == "INVALID_BODY"
    assert said in refused.value.message
