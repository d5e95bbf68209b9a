from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder import paths
from builder.errors import InvalidPath

CASES = json.loads((Path(__file__).parent / "paths.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "path", "url", "output", "twin"), CASES["pages"])
def test_a_content_path_has_its_places_on_the_web(
    text: str, path: str, url: str, output: str, twin: str
) -> None:
    assert paths.parse(text) == path
    assert (paths.url(path), paths.output(path), paths.twin_url(path)) == (url, output, twin)


@pytest.mark.parametrize(("text", "rule"), CASES["refused"])
def test_a_refused_path_is_told_which_rule_it_breaks(text: str, rule: str) -> None:
    with pytest.raises(InvalidPath) as refusal:
        paths.parse(text)
    assert rule in refusal.value.message
    assert str(refusal.value).isprintable() or "\ufe0f" in text


@pytest.mark.parametrize("text", CASES["folders"])
def test_a_category_has_a_path_below_docs(text: str) -> None:
    assert paths.parse_folder(text) == text


@pytest.mark.parametrize("text", CASES["refused_folders"])
def test_what_is_no_folder_below_docs_is_no_category(text: str) -> None:
    with pytest.raises(InvalidPath):
        paths.parse_folder(text)


@pytest.mark.parametrize(("one", "other"), CASES["same"])
def test_paths_that_differ_only_in_case_are_one(one: str, other: str) -> None:
    assert paths.parse(one) != paths.parse(other)
    assert paths.fold(one) == paths.fold(other)


def test_a_segment_has_at_most_100_bytes_not_characters() -> None:
    assert paths.parse("docs/" + "a" * 100)
    assert paths.parse("docs/" + "é" * 50)
    for name in ("a" * 101, "é" * 51, "a" * 1_000_000):
        with pytest.raises(InvalidPath, match="longer than 100 bytes") as refusal:
            paths.parse(f"docs/{name}")
        assert len(str(refusal.value)) < 400


@given(st.text())
def test_whatever_parses_stays_below_its_root_and_parses_to_itself(text: str) -> None:
    for candidate in (text, f"docs/{text}", f"pages/{text}"):
        try:
            path = paths.parse(candidate)
        except InvalidPath:
            continue
        assert paths.parse(path) == path == unicodedata.normalize("NFC", path)
        segments = path.split("/")
        assert segments[0] in {"docs", "pages"}
        assert all(segment[0].isalnum() and segment.isprintable() for segment in segments)
        assert not {"..", "."} & set(segments)
        assert not set(path) & set('\\:*?"<>|%#~$ ')


@given(st.text(alphabet=st.characters(categories=["L", "Nd", "M", "P", "S", "Z", "C"]), max_size=30))
def test_two_different_paths_never_share_an_output(text: str) -> None:
    try:
        path = paths.parse(f"docs/{text}")
    except InvalidPath:
        return
    assert paths.output(path).removesuffix(".html") == path


@pytest.mark.parametrize(
    "name", ["logo.png", "My photo (1).jpg", "@2x.png", "a%b.svg", "日本.pdf", "x~1.zip"]
)
def test_files_beside_pages_may_have_nearly_any_name(name: str) -> None:
    assert paths.file_fault(name) == ""


@pytest.mark.parametrize(
    "name", ["a\\b.png", "a\nb.png", "a\u202eb.png", "a\udcff.png", "a\0", "a\u200b.png"]
)
def test_files_whose_names_cannot_be_addressed_are_not_published(name: str) -> None:
    assert paths.file_fault(name)
