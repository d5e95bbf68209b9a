"""Pages tell when they were last changed, where the history of their repository knows it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from builder.build import Options
from tests.sites import Built, build_site, write_site

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")

OWN = Options(trusted=True)
SITE = {
    "site.yml": "title: T\n",
    "docs/index.md": "# Start\n",
    "docs/guide/ü b.md": "x",
    "docs/guide/install.mdx": "# I\n",
}


def git(folder: Path, *arguments: str, day: str = "2026-03-09") -> None:
    """Run git with an identity of its own, at noon of a day in UTC."""
    names = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {f"GIT_{who}_DATE": f"{day}T12:00:00+00:00" for who in ("AUTHOR", "COMMITTER")}
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
    """What each page tells."""
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


def test_the_day_stands_in_the_words_of_the_site(tmp_path: Path) -> None:
    built = build_site(repository(tmp_path), {"site.yml": "language: de\n"}, OWN)
    assert 'Zuletzt geändert: <time datetime="2026-04-10">' in built.text("docs/guide/install.html")


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


def test_git_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = repository(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    built = build_site(site, {}, OWN)
    assert days(built) == {}
    assert "history-shallow" not in built.codes
