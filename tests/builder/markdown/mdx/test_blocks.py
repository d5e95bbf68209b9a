"""The parsing of `mdx`: fixtures of source and outline (see `outline`)."""

from __future__ import annotations

import pytest

from tests.builder.cases import Case, cases
from tests.builder.outline import outline

FREE = [*cases("markup_components", 2), *cases("markup_inline", 2), *cases("markup_stripped", 2)]
ADMONITIONS = cases("markup_admonitions", 2)
PREMIUM = cases("markup_premium", 2)


def title(case: Case) -> str:
    return case.title


def test_the_fixtures_are_read_whole() -> None:
    assert len(FREE) > 100
    assert len({case.title for case in FREE}) > 90


@pytest.mark.parametrize("case", [*FREE, *ADMONITIONS], ids=title)
def test_a_body_is_parsed_as_its_outline_says(case: Case) -> None:
    source, expected = case.parts
    assert outline(source.replace("\r\n", "\n")) == expected


@pytest.mark.parametrize("case", PREMIUM, ids=title)
def test_a_premium_component_is_a_notice_without_the_plan(case: Case) -> None:
    source, expected = case.parts
    found = outline(source, premium=False)
    assert found == expected
    assert "secret" not in found


@pytest.mark.parametrize("case", FREE, ids=title)
def test_md_knows_no_components(case: Case) -> None:
    found = outline(case.parts[0].replace("\r\n", "\n"), "md")
    assert "component" not in found
    assert "esm" not in found
    assert "expression" not in found
