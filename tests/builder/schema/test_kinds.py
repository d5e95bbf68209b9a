"""Values that people write, how messages name them, and what is advised for those of another kind."""

from __future__ import annotations

import pytest

from builder.schema.kinds import FLAG, NAME_HINT, NUMBER, TEXT, TEXTS, Kind, advice, describe, misfit

NAMES: list[tuple[object, str]] = [
    (None, "nothing"),
    (True, "`true`"),
    (3, "the number 3"),
    (2.5, "the number 2.5"),
    ("yes", 'the text "yes"'),
    ([1], "a list"),
    ({"a": 1}, "a mapping"),
]
FITTING: list[tuple[Kind, object]] = [
    (TEXT, ""),
    (NUMBER, 2.5),
    (FLAG, False),
    (TEXTS, {"a": "b"}),
    (TEXTS, {}),
]
ENTRIES: list[tuple[object, str, str]] = [
    ({"a": 1}, "expected text for `a`, found the number 1", "put each value into quotes"),
    ({"a b": "c"}, "`a b` cannot be the name of a variable", NAME_HINT),
    ({1: "c"}, "`1` cannot be the name of a variable", NAME_HINT),
]
ADVICE: list[tuple[Kind, object, str]] = [
    (TEXT, 404, "put it into quotes if it is meant as text"),
    (TEXT, None, ""),
    (TEXTS, ["a"], ""),
    (FLAG, " Yes ", "write `true`"),
    (FLAG, "off", "write `false`"),
    (FLAG, 1, ""),
    (NUMBER, "1,5", "write `1.5`, without quotes"),
    (NUMBER, "one", ""),
    (NUMBER, True, ""),
]


@pytest.mark.parametrize(("value", "name"), NAMES)
def test_a_value_has_a_name_for_messages(value: object, name: str) -> None:
    assert describe(value) == name


@pytest.mark.parametrize(("kind", "value"), FITTING)
def test_a_value_that_fits_has_no_fault(kind: Kind, value: object) -> None:
    assert misfit(kind, value) == ""


@pytest.mark.parametrize(("kind", "value", "hint"), ADVICE)
def test_a_value_of_another_kind_is_told_with_what_to_write(kind: Kind, value: object, hint: str) -> None:
    assert misfit(kind, value) == f"expected {kind.name}, found {describe(value)}"
    assert advice(kind, value) == hint


@pytest.mark.parametrize(("value", "fault", "hint"), ENTRIES)
def test_an_entry_that_is_no_text_or_has_no_name_is_told(value: object, fault: str, hint: str) -> None:
    assert (misfit(TEXTS, value), advice(TEXTS, value)) == (fault, hint)
