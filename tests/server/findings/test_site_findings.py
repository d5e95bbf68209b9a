"""Findings of an earlier look say nothing of what has changed since."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from builder.diagnostics import Diagnostic
from builder.plan.options import Options
from builder.produce.check_site import check_site
from builder.site import Site, sources_digest
from server.findings.site_findings import (
    MOST_TOLD,
    FindingsFiles,
    LevelNumbers,
    PresentFindings,
    SiteFindings,
    findings_of,
    present_findings,
)
from tests.sites import Files, write_site

SITE: Files = {
    "docs/a.md": "# A\n\n[b](b.mdx) [gone](gone.md)\n",
    "docs/b.mdx": "# B\n\n{stripped}\n",
    "docs/c.md": "# C\n",
    "docs/c.llms.md": "[gone](gone.md)\n",
}


def looked(root: Path) -> tuple[SiteFindings, Site]:
    """A look at the site in a folder, and the site."""
    found = check_site(root, Options())
    return findings_of(found.site, found.diagnostics, sources_digest(found.site), 1000), found.site


def now(root: Path, kept: SiteFindings | None) -> PresentFindings:
    """The findings of the look, seen from the site as it is now."""
    _, site = looked(root)
    return present_findings(kept, site, sources_digest(site))


def test_all_that_was_found_holds_while_nothing_has_changed(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    kept, _ = looked(root)
    found = now(root, kept)
    assert (found.is_current, found.at) == (True, 1000)
    assert [one.file for one in found.told] == ["docs/a.md", "docs/c.llms.md", "docs/b.mdx"]
    assert found.files["docs/b.mdx"] == LevelNumbers(0, 1, 0)
    assert (found.numbers.error, found.numbers.remarks, found.numbers.all) == (2, 1, 3)


def test_nothing_is_told_of_a_page_that_has_changed(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    kept, _ = looked(root)
    (root / "docs/a.md").write_text("# A\n")
    found = now(root, kept)
    assert (found.is_current, found.at) == (False, 1000)
    assert set(found.files) == {"docs/b.mdx", "docs/c.llms.md"}
    (root / "docs/c.md").write_text("# Other\n")
    assert set(now(root, kept).files) == {"docs/b.mdx"}


def test_what_reading_the_site_tells_is_known_at_once(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    kept, _ = looked(root)
    (root / "docs/b.mdx").write_text("---\nposition: x\n---\n# B\n")
    (root / "site.yml").write_text("titel: T\n")
    found = now(root, kept)
    assert found.files["docs/b.mdx"].all == 1
    assert "site.yml" in found.files
    assert "site.yml" in now(root, None).files


def test_nothing_is_told_of_a_page_that_is_gone(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    kept, _ = looked(root)
    (root / "docs/a.md").unlink()
    assert "docs/a.md" not in now(root, kept).files


def test_before_the_first_look_there_is_what_reading_tells(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    found = now(root, None)
    assert (found.is_current, found.at, found.numbers.all) == (False, 0, 0)


def test_a_look_that_failed_says_why_until_something_changes(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    _, site = looked(root)
    failed = SiteFindings(sources_digest(site), at=5, failed="it took too long")
    assert now(root, failed).failed == "it took too long"
    (root / "docs/c.md").unlink()
    found = now(root, failed)
    assert (found.failed, found.is_current) == ("", False)


def test_of_very_many_the_errors_come_first_and_the_numbers_are_of_all(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    _, site = looked(root)
    many = [Diagnostic("docs/b.mdx", line, 0, "expression-stripped", "x") for line in range(MOST_TOLD)]
    many.append(Diagnostic("docs/z.md", 1, 0, "broken-link", "x"))
    kept = findings_of(site, many, b"", 1)
    assert kept.told[0].code == "broken-link"
    assert len(kept.told) == MOST_TOLD
    assert kept.files["docs/b.mdx"].numbers.warning == MOST_TOLD


def test_findings_are_read_as_they_were_written_and_forgotten_with_their_site(tmp_path: Path) -> None:
    files, others = FindingsFiles(tmp_path), FindingsFiles(tmp_path)
    kept = SiteFindings(b"s", b"m", 7, (Diagnostic("a", 1, 2, "broken-link", "m", "h"),))
    assert files.get("one") is None
    files.put("one", kept)
    files.put("two", kept)
    assert files.get("one") == others.get("one") == kept
    assert (files.mark("one"), files.mark("three")) == (b"m", b"")
    others.put("one", SiteFindings(b"t"))
    assert files.get("one") == SiteFindings(b"t")
    assert files.mark("one") == b""
    files.forget(["two"])
    assert (files.get("one"), files.get("two")) == (None, kept)


def test_a_file_that_is_damaged_is_as_none(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"\xc1")
    assert FindingsFiles(tmp_path).get("one") is None


def test_no_secret_that_somebody_wrote_in_a_page_is_told(tmp_path: Path) -> None:
    key, link = "svc_docs_" + "a1" * 23, "postgresql://quay:hidden@db.example.com/quay"
    root = write_site(tmp_path / "site", {"docs/a.md": f"# A\n\n[no]({key}.md)\n\n[no](<{link}/>)\n"})
    kept, _ = looked(root)
    shown = "".join(f"{one.message} {one.hint}" for found in (kept, now(root, kept)) for one in found.told)
    assert "svc_docs_..." in shown
    assert "a1a1" not in shown
    assert "hidden" not in shown


@pytest.mark.parametrize("before", range(0, 80, 7))
def test_nothing_of_a_secret_is_left_where_a_long_name_is_cut(tmp_path: Path, before: int) -> None:
    key, word = "svc_docs_" + "a1" * 23, "hidden" * 20
    names = (f"{'x' * before}{key}{'x/' * 60}", f"postgresql://quay{'x' * before}:{word}@db.example.com/quay")
    root = write_site(tmp_path / "site", {"docs/a.md": f"[no]({names[0]}.md)\n\n[no](<{names[1]}/>)\n"})
    kept, _ = looked(root)
    shown = "".join(f"{one.message} {one.hint}" for one in kept.told)
    assert "…" in shown
    assert "a1a1" not in shown
    assert "hidden" not in shown


def test_a_draft_of_a_killed_process_is_deleted_when_it_is_old(tmp_path: Path) -> None:
    old, new, lock = tmp_path / ".one.12", tmp_path / ".two.13", tmp_path / ".lock"
    for path in (old, new, lock):
        path.touch()
    for path in (old, lock):
        os.utime(path, (1000, 1000))
    FindingsFiles(tmp_path).forget([])
    assert sorted(tmp_path.iterdir()) == [lock, new]
