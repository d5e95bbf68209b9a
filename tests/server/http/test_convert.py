"""Bodies that do not fit into a struct are told by their field, in plain words."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest

from server.authoring.structs import PutCategory, PutPage
from server.http.convert import convert
from server.http.failure import Failure


class Limited(msgspec.Struct):
    """Fields with bounds."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=20)] = 8
    part: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    revision: Annotated[str, msgspec.Meta(min_length=1, pattern="^[0-9a-f]{4}$")] = "0000"


SAID = [
    (PutPage, {}, "path: is missing"),
    (PutPage, [], "the body must be an object"),
    (PutPage, None, "the body must be an object"),
    (PutPage, {"path": None}, "path: expected a text, found null"),
    (PutPage, {"path": "docs/a", "body": ["x"]}, "body: expected a text, found an array"),
    (PutPage, {"path": "docs/a", "frontmatter": "x"}, "frontmatter: expected an object, found a text"),
    (PutPage, {"path": "docs/a", "llmBody": 3}, "llmBody: expected a text or null, found a whole number"),
    (PutPage, {"path": "docs/a", "lmBody": ""}, "lmBody: there is no such field (did you mean `llmBody`?)"),
    (
        PutPage,
        {"path": "docs/a", "zzzzzz": 1},
        "zzzzzz: there is no such field (it may have `path`, `format`",
    ),
    (PutPage, {"path": "docs/a", "format": "html"}, "format: expected `mdx` or `md`, found `html`"),
    (PutPage, {"path": "docs/a", "format": "MDX"}, "format: expected `mdx` or `md`, found `MDX`"),
    (PutPage, {"path": "docs/a", "format": ""}, "format: expected `mdx` or `md`, found ``"),
    (PutPage, {"path": "docs/a", "format": None}, "format: expected a text, found null"),
    (PutCategory, {"path": "docs/a", "position": "3"}, "position: expected a number or null, found a text"),
    (
        PutCategory,
        {"path": "docs/a", "position": True},
        "position: expected a number or null, found true or false",
    ),
    (
        PutCategory,
        {"path": "docs/a", "collapsed": 1},
        "collapsed: expected true or false or null, found a whole",
    ),
    (PutCategory, {"label": "x"}, "path: is missing"),
    (Limited, {"limit": 0}, "limit: expected a whole number of at least 1"),
    (Limited, {"limit": 21}, "limit: expected a whole number of at most 20"),
    (Limited, {"part": -0.5}, "part: expected a number of at least 0"),
    (Limited, {"revision": "x y"}, "revision: expected a text of the form `^[0-9a-f]{4}$`"),
    (Limited, {"revision": ""}, "revision: expected at least 1 character"),
]


@pytest.mark.parametrize(("kind", "value", "said"), SAID)
def test_what_does_not_fit_is_named_by_its_field_in_plain_words(
    kind: type[msgspec.Struct], value: object, said: str
) -> None:
    with pytest.raises(Failure) as refused:
        convert(value, kind)
    assert refused.value.code == "INVALID_BODY"
    assert said in refused.value.message
