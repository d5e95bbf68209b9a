"""Faults of `variables` in the three places that may declare some."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sites import build_site

PLACES = {
    "site.yml": "title: T\nvariables: {}\n",
    "docs/_category_.yml": "variables: {}\n",
    "docs/a.mdx": "---\ntitle: A\nvariables: {}\n---\n",
}
NAMED = "`a b` cannot be the name of a variable"


@pytest.mark.parametrize("file", PLACES)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("{a b: c, good: Well}", NAMED),
        ("{good: Well, '': c}", "`` cannot be the name of a variable"),
        ("{good: Well, a: 3}", "found the number 3"),
        ("[a]", "found a list"),
    ],
)
def test_a_variable_that_cannot_be_is_told_and_the_others_stay(
    tmp_path: Path, file: str, given: str, words: str
) -> None:
    files = {"site.yml": "title: T\n", "docs/a.mdx": "---\ntitle: A\n---\n"}
    files[file] = PLACES[file].replace("{}", given)
    built = build_site(tmp_path, {**files, "docs/a.mdx": files["docs/a.mdx"] + "%{good}\n"})
    (found,) = (
        one for one in built.diagnostics if one.code not in {"variable-unknown", "expression-stripped"}
    )
    assert (found.file, words in found.message) == (file, True)
    assert ("Well" in built.text("docs/a.html")) is ("good" in given)
