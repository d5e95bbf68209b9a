"""A regular expression that is compiled when it is first used is like any other."""

from __future__ import annotations

import re

import pytest

from builder.lazy_regex import lazy


def test_it_does_what_a_compiled_one_does() -> None:
    words = lazy(r"(?P<first>[a-z])[a-z]*", re.IGNORECASE)
    assert words.findall("One two") == ["O", "t"]
    found = words.search("1 Two")
    assert found is not None
    assert (found["first"], found.span()) == ("T", (2, 5))
    assert words.sub(lambda word: word[0][::-1], "one two") == "eno owt"
    assert lazy(rb"\s").split(b"a b") == [b"a", b"b"]
    assert words.pattern == r"(?P<first>[a-z])[a-z]*"


def test_it_is_compiled_once_and_only_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, compile_ = [], re.compile

    def counted(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return compile_(pattern, flags)

    monkeypatch.setattr(re, "compile", counted)
    spaces = lazy(r" +")
    assert compiled == []
    assert [spaces.match(text) is not None for text in (" a", "a")] == [True, False]
    assert spaces.split("a  b") == ["a", "b"]
    assert compiled == [r" +"]


def test_a_mistake_in_it_is_told_where_it_is_used() -> None:
    broken = lazy("(")
    with pytest.raises(re.error):
        broken.match("")
