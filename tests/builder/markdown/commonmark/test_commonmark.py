"""CommonMark 0.31.2, with the parser of the product.

The first test shows that the parser is CommonMark when the extensions and the gates are off. The others leave
on what pages have, and list the examples that therefore come out otherwise.
"""

from __future__ import annotations

from typing import Any

import pytest

from builder.markdown.commonmark.parser import base
from tests.builder.conformance import EXCEPTIONS, different, listed, parser
from tests.corpora import examples

CORPUS = "commonmark-0.31.2"


def has_html(example: dict[str, Any]) -> bool:
    """Return whether the example has raw HTML anywhere."""
    tokens = base("md").parse(example["markdown"])
    kinds = {token.type for token in tokens} | {
        child.type for token in tokens for child in token.children or ()
    }
    return bool(kinds & {"html_block", "html_inline"})


def test_without_extensions_and_gates_it_is_commonmark_to_the_letter() -> None:
    found = examples(CORPUS)
    assert len(found) == 652
    assert different(found, parser("md", gates=False, extensions=False)) == set()


def test_with_gfm_only_the_listed_examples_differ() -> None:
    assert different(examples(CORPUS), parser("md", gates=False, extensions=True)) == listed("commonmark-md")


def test_mdx_without_extensions_is_commonmark_where_there_is_no_html() -> None:
    found = [example for example in examples(CORPUS) if not has_html(example)]
    assert len(found) == 580
    assert different(found, parser("mdx", gates=False, extensions=False)) == set()


def test_mdx_as_it_is_differs_only_in_the_listed_examples() -> None:
    found = [example for example in examples(CORPUS) if not has_html(example)]
    assert different(found, parser("mdx", gates=True, extensions=True)) == listed("commonmark-mdx")


@pytest.mark.parametrize("corpus", EXCEPTIONS)
def test_every_exception_has_a_reason_and_is_listed_once(corpus: str) -> None:
    assert all(reason for _, reason in EXCEPTIONS[corpus])
    assert len(listed(corpus)) == len(EXCEPTIONS[corpus])
