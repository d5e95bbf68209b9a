"""A check says what a build says, also when it renders only what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from builder.build import build
from builder.diagnostics import Diagnostic
from builder.output import NullOutput
from builder.plan.options import Options
from builder.produce.check_site import check_site
from tests.corpora import copied
from tests.sites import Files, write_site

KEPT = Options(cache="keep")
SITE: Files = {
    "site.yml": "title: T\nnav:\n  - {label: A, href: /docs/a#no}\n",
    "pages/index.md": "# Home\n\n[there](docs/a#first) [broken](/#nothing)\n",
    "docs/a.md": "# A\n\n## First\n\n[b](b.mdx) [gone](gone.md) [place](b.mdx#nowhere)\n",
    "docs/b.mdx": "# B\n\n<Unknown>text</Unknown>\n\n{stripped}\n",
    "docs/more/c.md": "---\nposition: x\n---\n[up](../a.md#first)\n",
    "docs/more/c.llms.md": "[bad](../gone.md) [bad](../b.mdx#nowhere)\n",
    "docs/more/_category_.yml": "label: [\n",
}


def _built(root: Path) -> tuple[Diagnostic, ...]:
    return build(root, NullOutput()).diagnostics


def _codes(found: Sequence[Diagnostic], file: str) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in found if one.file == file]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "site", SITE)


def test_a_check_says_what_a_build_says(site: Path) -> None:
    found = _built(site)
    assert {"broken-link", "broken-anchor", "expression-stripped", "component-unknown"} <= {
        one.code for one in found
    }
    assert check_site(site, Options()).diagnostics == found


def test_it_says_the_same_of_pages_that_it_knows_from_before(site: Path) -> None:
    first = check_site(site, KEPT).diagnostics
    assert check_site(site, KEPT).diagnostics == first == _built(site)


@pytest.mark.parametrize(
    "file",
    [name for name in SITE if name != "site.yml"],
)
def test_a_file_that_is_gone_is_missed_by_all_that_lead_to_it(site: Path, file: str) -> None:
    check_site(site, KEPT)
    (site / file).unlink()
    assert check_site(site, KEPT).diagnostics == _built(site)


def test_a_page_that_comes_mends_the_links_to_it(site: Path) -> None:
    assert (5, "broken-link") in _codes(check_site(site, KEPT).diagnostics, "docs/a.md")
    (site / "docs/gone.md").write_text("# Here\n")
    assert (5, "broken-link") not in _codes(check_site(site, KEPT).diagnostics, "docs/a.md")


def test_a_heading_that_goes_breaks_the_links_to_it(site: Path) -> None:
    assert (4, "broken-anchor") not in _codes(check_site(site, KEPT).diagnostics, "docs/more/c.md")
    (site / "docs/a.md").write_text("# A\n")
    found = check_site(site, KEPT).diagnostics
    assert (4, "broken-anchor") in _codes(found, "docs/more/c.md")
    assert found == _built(site)


DRAFT = "---\ndraft: true\nposition: x\n---\n# D\n\n[to a draft](e.md#here) [gone](gone.md)\n{stripped}\n"


def test_drafts_are_checked_as_if_they_were_published(site: Path) -> None:
    write_site(site, {"docs/d.mdx": DRAFT, "docs/e.md": "---\ndraft: true\n---\n# E\n\n[a](a.md#no)\n"})
    found = check_site(site, KEPT).diagnostics
    assert [code for _, code in _codes(found, "docs/d.mdx")].count("broken-link") == 1
    assert (7, "broken-anchor") in _codes(found, "docs/d.mdx")
    assert (6, "broken-anchor") in _codes(found, "docs/e.md")
    drafts = {"docs/d.mdx", "docs/e.md"}
    assert tuple(one for one in found if one.file not in drafts) == _built(site)


def test_what_is_told_of_a_draft_is_told_once(site: Path) -> None:
    write_site(site, {"docs/d.mdx": DRAFT})
    found = check_site(site, KEPT).diagnostics
    assert len(found) == len(set(found))
    assert "link-draft" not in {one.code for one in found}


def test_nothing_but_the_cache_is_written(site: Path) -> None:
    before = {path for path in site.rglob("*") if path.is_file()}
    check_site(site, KEPT)
    after = {path for path in site.rglob("*") if path.is_file() and ".twinpress" not in path.parts}
    assert after == before


@pytest.mark.parametrize("tree", ["redux", "jest"])
def test_trees_that_others_wrote_are_told_the_same_of(tree: str, tmp_path: Path) -> None:
    root = copied(tree, tmp_path / tree)
    found = _built(root)
    assert check_site(root, KEPT).diagnostics == check_site(root, KEPT).diagnostics == found
