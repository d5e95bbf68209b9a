"""Script injection into whole sites that use all extras, by all places of pages and of `site.yml` at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec import Struct

from tests.builder import injected
from tests.builder.markdown.test_body_security import FORMULAS
from tests.builder.whole_pages import faults, policy, scripts
from tests.corpora import payloads
from tests.security import dangers
from tests.sites import Built, build_site

AT_ONCE, PARTS = 12, 8
RUNS = re.compile(r"<(?:script|foreignObject|iframe|a)\b|\son\w+=|@import|javascript:|https?:(?!//www\.w3)")
CONTENT = "{http://www.w3.org/2005/Atom}content"


class Harmless(Struct, frozen=True):
    """The scripts of a site with plain words in all places, and the sources of scripts in its policy."""

    scripts: frozenset[tuple[str, str]]
    sources: frozenset[str]


def built(folder: Path, texts: Sequence[str]) -> Built:
    return build_site(folder, injected.site(texts))


def pages(site: Built, suffix: str = ".html") -> dict[str, str]:
    """Return the texts that were written with this suffix, by output path."""
    return {path: site.text(path) for path in site.output.written if path.endswith(suffix)}


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> Harmless:
    found = pages(built(tmp_path_factory.mktemp("harmless"), ["Plain words"]))
    assert [fault for html in found.values() for fault in faults(html, FORMULAS)] == []
    every = {script for html in found.values() for script in scripts(html)}
    sources = {source for html in found.values() for source in policy(html)["script-src"]}
    return Harmless(frozenset(every), frozenset(sources))


def holds(site: Built, harmless: Harmless) -> None:
    """Nothing in pages, drawings and feeds is what only the texts could have brought."""
    for path, html in pages(site).items():
        assert faults(html, FORMULAS) == [], path
        assert set(scripts(html)) <= harmless.scripts, path
        assert set(policy(html)["script-src"]) <= harmless.sources, path
    for path, svg in pages(site, ".svg").items():
        assert not RUNS.search(re.sub(r">[^<]*<", "><", re.sub(r"<style>.*?</style>", "", svg))), path
    for path, feed in pages(site, "docs/p0.xml").items():
        for content in ElementTree.fromstring(feed).iter(CONTENT):
            assert dangers(content.text or "", FORMULAS) == [], path


def test_nothing_comes_from_any_place_of_a_site_with_all_extras(tmp_path: Path, harmless: Harmless) -> None:
    site = built(tmp_path, payloads()[::40])
    assert pages(site, ".svg")
    assert pages(site, "docs/p0.xml")
    holds(site, harmless)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_payload_comes_from_any_place_of_a_site_with_all_extras(
    tmp_path: Path, harmless: Harmless, part: int
) -> None:
    given = payloads()[part::PARTS]
    for start in range(0, len(given), AT_ONCE):
        holds(built(tmp_path / str(start), given[start : start + AT_ONCE]), harmless)


@pytest.mark.slow
def test_no_payload_comes_from_entries_that_have_but_one_text(tmp_path: Path, harmless: Harmless) -> None:
    for number, text in enumerate(payloads()):
        files = {
            "site.yml": injected.dumped(injected.PLAIN | injected.entries([text])),
            "docs/p0.md": "Words.",
        }
        holds(build_site(tmp_path / str(number), files), harmless)
