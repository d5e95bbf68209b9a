"""Pages tell when they were last changed, where the history of their repository knows it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from builder.build import build
from builder.output import FolderOutput
from builder.plan.options import Options
from builder.store import FRESH
from tests.builder.cache.test_cache import mark
from tests.builder.cache.test_edits import files
from tests.sites import Built, build_site, write_site

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")

OWN = Options(trusted=True)
SITE = {
    "site.yml": "title: T\n",
    "docs/index.md": "# Start\n",
    "docs/guide/ü b.md": "x",
    "docs/guide/install.mdx": "# I\n",
}
PARTIAL = {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "origin",
    "remote.origin.url": "file:///",
    "remote.origin.promisor": "true",
    "remote.origin.uploadpack": "{bad}",
    "protocol.file.allow": "always",
}
"""Settings that have git fetch missing parts of the history, and by which program."""


def git(folder: Path, *arguments: str, day: str = "2026-03-09", moment: str = "") -> None:
    """Run git with an identity of its own, at noon of a day in UTC or at a moment of git's."""
    names = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    date = moment or f"{day}T12:00:00+00:00"
    dates = {f"GIT_{who}_DATE": date for who in ("AUTHOR", "COMMITTER")}
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    subprocess.run(
        command, cwd=folder, env={**os.environ, **names, **dates, **plain}, check=True, capture_output=True
    )


def repository(folder: Path) -> Path:
    """A repository with a site in a folder, two of whose pages were changed on other days."""
    site = write_site(folder / "site", SITE)
    git(folder, "init", "-q", ".")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    write_site(site, {"docs/guide/install.mdx": "# Install\n"})
    git(folder, "commit", "-qam", "second", day="2026-04-10")
    return site


def days(built: Built) -> dict[str, str]:
    """Read the day that each page tells."""
    found = {}
    for path in sorted(built.output.paths):
        if path.endswith(".html") and "<time" in (text := built.text(path)):
            found[path] = text.split('<time datetime="')[1].split('"')[0]
    return found


def test_a_page_tells_the_day_of_its_last_commit(tmp_path: Path) -> None:
    built = build_site(repository(tmp_path), {}, OWN)
    assert days(built) == {
        "docs/guide/install.html": "2026-04-10",
        "docs/index.html": "2026-03-09",
        "index.html": "2026-03-09",
    }
    assert "history-shallow" not in built.codes


NAMED = "---\nlast_updated: 2020-02-29\n---\n\nText.\n"


@pytest.mark.parametrize(
    ("settings", "day"), [("title: T\n", ["2020-02-29"]), ("title: T\nlast_updated: false\n", [])]
)
def test_a_page_can_name_its_day(tmp_path: Path, settings: str, day: list[str]) -> None:
    site = repository(tmp_path)
    built = build_site(site, {"site.yml": settings, "docs/index.md": NAMED}, OWN)
    found = days(built)
    assert [found[path] for path in found if path == "docs/index.html"] == day


def test_the_day_stands_in_the_words_of_the_site(tmp_path: Path) -> None:
    built = build_site(repository(tmp_path), {"site.yml": "language: de\n"}, OWN)
    assert 'Zuletzt geändert: <time datetime="2026-04-10">10. April 2026</time>' in built.text(
        "docs/guide/install.html"
    )


def test_the_day_stands_on_paper_too(tmp_path: Path) -> None:
    built = build_site(repository(tmp_path), {"site.yml": "title: T\nurl: https://t.example\n"}, OWN)
    source = "T: <bdi>https://t.example/docs/guide/install</bdi> · Last updated April 10, 2026"
    assert f'<p class="tp-print-source">{source}</p>' in built.text("docs/guide/install.html")
    plain = build_site(tmp_path / "site", {"site.yml": "title: T\n"}, OWN)
    assert '<p class="tp-print-source">T · Last updated April 10, 2026</p>' in plain.text(
        "docs/guide/install.html"
    )


@pytest.mark.parametrize("seconds", [253402300800, 999999999999, 99999999999999, 10**18])
def test_a_commit_beyond_the_years_that_can_be_written_tells_no_day(tmp_path: Path, seconds: int) -> None:
    site = repository(tmp_path)
    write_site(site, {"docs/guide/install.mdx": "# Far\n"})
    git(tmp_path, "commit", "-qam", "odd", moment=f"@{seconds} +0000")
    assert days(build_site(site, {}, OWN)) == {"docs/index.html": "2026-03-09", "index.html": "2026-03-09"}


def test_files_of_the_first_commit_have_a_day_whatever_the_repository_shows(tmp_path: Path) -> None:
    site = repository(tmp_path)
    git(tmp_path, "config", "log.showRoot", "false")
    assert days(build_site(site, {}, OWN))["docs/index.html"] == "2026-03-09"


def test_builds_of_one_state_are_the_same(tmp_path: Path) -> None:
    site = repository(tmp_path)
    first, second = build_site(site, {}, OWN), build_site(site, {}, OWN)
    assert {path: first.output.get(path) for path in first.output.paths} == {
        path: second.output.get(path) for path in second.output.paths
    }


def test_a_shallow_clone_says_once_that_it_does_not_know(tmp_path: Path) -> None:
    (tmp_path / "origin").mkdir()
    repository(tmp_path / "origin")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{tmp_path}/origin", "clone")
    built = build_site(tmp_path / "clone" / "site", {}, OWN)
    assert days(built) == {}
    assert built.codes.count("history-shallow") == 1
    quiet = {"site.yml": "title: T\nlast_updated: false\n"}
    assert "history-shallow" not in build_site(tmp_path / "clone" / "site", quiet, OWN).codes


def test_without_a_history_there_is_no_date(tmp_path: Path) -> None:
    assert days(build_site(tmp_path / "loose", SITE, OWN)) == {}
    repo = tmp_path / "empty"
    repo.mkdir()
    git(repo, "init", "-q", ".")
    built = build_site(repo, SITE, OWN)
    assert days(built) == {}
    assert "history-shallow" not in built.codes


def test_git_is_never_run_in_a_folder_that_is_not_trusted(tmp_path: Path) -> None:
    assert days(build_site(repository(tmp_path), {})) == {}


def test_what_a_repository_configures_is_not_run(tmp_path: Path) -> None:
    site = repository(tmp_path)
    bad = tmp_path / "bad.sh"
    bad.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    bad.chmod(0o755)
    for name in ("gpg.program", "core.fsmonitor", "core.pager", "diff.external"):
        git(tmp_path, "config", name, str(bad))
    git(tmp_path, "config", "log.showSignature", "true")
    assert days(build_site(site, {}, OWN))
    assert not (tmp_path / "was-run").exists()


def test_a_missing_part_of_the_history_is_not_fetched_by_what_the_repository_names(tmp_path: Path) -> None:
    site = repository(tmp_path)
    bad = tmp_path / "bad.sh"
    bad.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    bad.chmod(0o755)
    for name, value in PARTIAL.items():
        git(tmp_path, "config", name, value.format(bad=bad))
    tree = subprocess.run(
        ["git", "rev-parse", "HEAD~1:site"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.strip()
    (tmp_path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    built = build_site(site, {}, OWN)
    assert days(built) == {}
    assert built.codes.count("history-unread") == 1
    assert not (tmp_path / "was-run").exists()


def test_a_repository_that_git_does_not_read_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = repository(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    built = build_site(site, {}, OWN)
    assert days(built) == {}
    assert [found.message for found in built.diagnostics if found.code == "history-unread"] == [
        "git does not show when pages were last updated: it is not installed"
    ]
    (site / "site.yml").write_text("last_updated: false\n")
    assert "history-unread" not in build_site(site, {}, OWN).codes


def test_a_repository_of_another_user_is_told_with_the_words_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = repository(tmp_path)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (found,) = (found for found in build_site(site, {}, OWN).diagnostics if found.code == "history-unread")
    assert "detected dubious ownership in repository" in found.message


def test_a_build_in_a_hook_of_git_reads_the_history_of_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = repository(tmp_path)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index.lock")
    monkeypatch.setenv("GIT_ICASE_PATHSPECS", "no")
    assert days(build_site(site, {}, OWN))["docs/guide/install.html"] == "2026-04-10"


def test_names_are_those_of_the_pages_whatever_wrote_them(tmp_path: Path) -> None:
    write_site(tmp_path, {"site.yml": "title: T\n", "docs/u\u0308ber.md": "x", "docs/new.md": "x"})
    git(tmp_path, "init", "-q", ".")
    git(tmp_path, "config", "core.precomposeUnicode", "false")
    git(tmp_path, "config", "color.ui", "always")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "mv", "docs/new.md", "docs/moved.md")
    assert days(build_site(tmp_path, {}, OWN)) == {"docs/\u00fcber.html": "2026-03-09"}


def test_a_commit_makes_only_the_pages_anew_that_are_in_it(tmp_path: Path) -> None:
    site, out, kept = repository(tmp_path / "r"), tmp_path / "out", Options(trusted=True, cache="keep")
    (site / "docs/linked.md").write_text("# Linked\n\n[a](https://a.example)\n")
    for day, name in (
        ("2026-05-01", "linked.md"),
        ("2026-05-02", "index.md"),
        ("2026-05-03", "guide/ü b.md"),
    ):
        with (site / "docs" / name).open("a") as page:
            page.write("\nMore.\n")
        build(site, FolderOutput(out), kept)
        git(site, "add", ".")
        git(site, "commit", "-qm", "more", day=day)
        if name != "linked.md":
            mark(site)  # which is seen where the linked page is put into its frame again
        time.sleep(2 * FRESH / 1e9)  # what is younger is not taken for what was written
        build(site, FolderOutput(out), kept)
        build(site, FolderOutput(tmp_path / day), OWN)
        assert files(out) == files(tmp_path / day)
