"""The words of a test that has waited in vain."""

from __future__ import annotations

import threading

import pytest

from tests.waiting import until


def test_what_was_waited_for_is_given() -> None:
    found: list[int] = []
    assert until(lambda: found.append(1) or (len(found) > 2 and found)) == [1, 1, 1]


def test_a_vain_wait_says_for_what_and_what_was_there_last() -> None:
    seen = ["a", "b"]
    with pytest.raises(AssertionError) as failure:
        until(lambda: "c" in seen, patience=0.01)
    said = str(failure.value)
    assert 'until(lambda: "c" in seen, patience=0.01)' in said
    assert "at the end: {'result': False, 'seen': ['a', 'b']}" in said


def test_a_vain_wait_for_a_method_says_whose_it_is() -> None:
    event = threading.Event()
    with pytest.raises(AssertionError, match=r"not within 0 s: is_set\nat the end: .*threading\.Event"):
        until(event.is_set, patience=0.01)


def test_a_vain_wait_may_show_something_else() -> None:
    with pytest.raises(AssertionError, match="at the end: 'the terminal'"):
        until(lambda: 0, patience=0.01, last=lambda: "the terminal")
