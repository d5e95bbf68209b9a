"""A branch to which a site is published: a commit a release, and nobody's work is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.errors import OutputError
from server.static_targets.git_branch import (
    BranchTarget,
    Overtaken,
    fetched_branch,
    release_message,
)
from server.static_targets.static_output import StaticOutput
from server.static_targets.target_repository import GitFailed, Remote, remote_of
from tests.server.static_targets.git_remote import bare, commits, files_of, git, repository

SITE = {"index.html": "home", "docs/a b.html": "a", 'docs/ü"\\.html': "u", "_tp/urls.txt": "/\n/docs/a\t#x\n"}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    return tmp_path / "state/twinpress/publish"


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare(tmp_path / "remote.git")


def target(remote: Path, branch: str = "pages") -> BranchTarget:
    return BranchTarget(Remote(f"file://{remote}"), branch)


def put(place: BranchTarget, files: dict[str, str], url: str = "", source: str = "") -> str:
    """Publish files; "" when nothing has changed."""
    with fetched_branch(place) as branch:
        output = StaticOutput(branch.work)
        for path, text in files.items():
            output.write(path, text.encode())
        message = release_message(branch.next_number, source, "Some pages.")
        return branch.push() if branch.commit(output, url, message) else ""


@pytest.mark.parametrize("filters", [True, False])
def test_the_branch_begins_without_history_and_gets_a_commit_a_release(
    tmp_path: Path, state: Path, filters: bool
) -> None:
    remote = bare(tmp_path / "other.git", filters=filters)
    place = target(remote)
    first = put(place, SITE)
    second = put(place, SITE | {"index.html": "new"}, source="abc")
    assert files_of(remote, "pages") == SITE | {"index.html": "new"}
    assert git(remote, "rev-list", "pages").split() == [second, first]
    assert git(remote, "log", "-1", "--format=%B", "pages").strip() == (
        "Publish release 2\n\nSome pages.\n\nTwinpress-Release: 2\nTwinpress-Source: abc"
    )
    git(remote, "fsck", "--strict")
    assert list(state.iterdir()) == []


def test_the_same_files_make_no_commit(remote: Path) -> None:
    assert put(target(remote), SITE)
    assert put(target(remote), SITE) == ""
    assert commits(remote, "pages") == 1


def test_readers_addresses_are_those_of_the_branch(remote: Path) -> None:
    with fetched_branch(target(remote)) as branch:
        assert branch.former("") is None
    put(target(remote), SITE, source="abc")
    with fetched_branch(target(remote)) as branch:
        former = branch.former("")
    assert former is not None
    assert (dict(former.addresses.places), former.source) == ({"/": (), "/docs/a": ("x",)}, "abc")


def test_of_a_site_that_something_else_built_the_names_of_pages_count(remote: Path) -> None:
    put(
        target(remote),
        {"index.html": "x", "guide/index.html": "x", "a.html": "x", "404.html": "x", "a.css": "x"},
    )
    with fetched_branch(target(remote)) as branch:
        former = branch.former("")
    assert former is not None
    assert sorted(former.addresses.places) == ["/", "/a", "/guide/"]


def test_a_push_that_was_overtaken_is_told_and_works_when_it_is_tried_again(remote: Path) -> None:
    for branch_is_new in (True, False):
        with fetched_branch(target(remote)) as branch:
            output = StaticOutput(branch.work)
            output.write("index.html", f"slow {branch_is_new}".encode())
            branch.commit(output, "", "slow")
            theirs = put(target(remote), SITE | {"index.html": f"quick {branch_is_new}"})
            with pytest.raises(Overtaken, match="somebody else has published meanwhile"):
                branch.push()
        assert git(remote, "rev-parse", "pages").strip() == theirs
    assert put(target(remote), {"index.html": "slow"})
    assert files_of(remote, "pages") == {"index.html": "slow"}
    assert commits(remote, "pages") == 3


def test_a_branch_with_something_else_is_refused(remote: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/site.yml").write_text("title: X\n")
    work = repository(tmp_path / "work", remote)
    git(work, "push", "-q", "origin", "main")
    with fetched_branch(target(remote, "main")) as branch, pytest.raises(OutputError, match="something else"):
        branch.former("")


@pytest.mark.parametrize(
    ("url", "own", "there"),
    [
        ("https://docs.example.com", None, "docs.example.com\n"),
        ("", None, "docs.example.com\n"),
        ("https://ann.github.io/docs", None, None),
        ("https://docs.example.com", "new.example.com\n", "new.example.com\n"),
    ],
)
def test_the_host_s_domain_stays(remote: Path, url: str, own: str | None, there: str | None) -> None:
    put(target(remote), {"CNAME": "docs.example.com\n", ".nojekyll": ""})
    with fetched_branch(target(remote)) as branch:
        assert branch.former(url) is None  # nobody has published there yet
    put(target(remote), SITE | ({"CNAME": own} if own else {}), url)
    assert files_of(remote, "pages").get("CNAME") == there


def test_releases_are_listed_and_one_can_return_to_a_former_one(remote: Path) -> None:
    for text in "123":
        put(target(remote), SITE | {"index.html": text})
    with fetched_branch(target(remote), depth=100) as branch:
        assert [each.number for each in branch.releases()] == [3, 2, 1]
        assert branch.return_to(None).number == 2
        branch.push()
    assert files_of(remote, "pages")["index.html"] == "2"
    with fetched_branch(target(remote), depth=100) as branch:
        assert branch.return_to(1).number == 1
        branch.push()
    assert files_of(remote, "pages")["index.html"] == "1"
    assert commits(remote, "pages") == 5
    with fetched_branch(target(remote), depth=100) as branch:
        assert [each.number for each in branch.releases()] == [5, 4, 3, 2, 1]
        with pytest.raises(OutputError, match="no release 9"):
            branch.return_to(9)


def test_pages_that_readers_have_open_find_their_assets_for_one_release(remote: Path) -> None:
    def named(text: str) -> dict[str, str]:
        return SITE | {"index.html": text, f"_tp/theme.{text * 10}.js": text}

    found = []
    for text in "abbc":
        put(target(remote), named(text))
        found.append([name[10] for name in files_of(remote, "pages") if name.startswith("_tp/theme.")])
    assert found == [["a"], ["a", "b"], ["a", "b"], ["b", "c"]]
    assert commits(remote, "pages") == 3  # the second b is the same site
    with fetched_branch(target(remote), depth=100) as branch:
        assert branch.releases()[0].carried == ("_tp/theme.bbbbbbbbbb.js",)
        branch.return_to(2)
        branch.push()
    assert put(target(remote), named("b")) == ""


def test_numbers_go_on_behind_commits_of_others(remote: Path, tmp_path: Path) -> None:
    put(target(remote), SITE)
    put(target(remote), SITE | {"index.html": "2"})
    git(tmp_path, "clone", "-q", "-b", "pages", str(remote), "clone")
    (tmp_path / "clone/CNAME").write_text("docs.example.com\n")
    git(tmp_path / "clone", "add", "-A")
    git(tmp_path / "clone", "commit", "-qm", "Create CNAME")
    git(tmp_path / "clone", "push", "-q")
    put(target(remote), SITE | {"index.html": "3"})
    with fetched_branch(target(remote), depth=100) as branch:
        assert [each.number for each in branch.releases()] == [3, 0, 2, 1]
    assert "CNAME" in files_of(remote, "pages")


def test_hooks_and_filters_of_people_are_not_run(remote: Path, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-push", "post-checkout", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\nexit 1\n")
        (hooks / name).chmod(0o755)
    (tmp_path / "gitconfig").write_text(
        f'[core]\nhooksPath = {hooks}\n[filter "x"]\nclean = touch {tmp_path}/was-run\n'
    )
    put(target(remote), SITE | {".gitattributes": "*.html filter=x\n", ".gitignore": "docs/\n"})
    assert files_of(remote, "pages").keys() == {*SITE, ".gitattributes", ".gitignore"}
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize(
    ("address", "branch", "words"),
    [
        ("file:///no/such/repository.git", "pages", "does not appear to be a git repository"),
        ("ext::sh -c 'touch was-run'", "pages", "'ext' not allowed"),
        ("--upload-pack=touch", "pages", "--upload-pack=touch"),
    ],
)
def test_what_git_says_is_told(address: str, branch: str, words: str) -> None:
    with pytest.raises(GitFailed, match=words), fetched_branch(BranchTarget(Remote(address), branch)):
        pass


@pytest.mark.parametrize("branch", ["a b", "x..y", "x.lock", ""])
def test_a_name_that_no_branch_can_have_is_refused(remote: Path, branch: str) -> None:
    with pytest.raises(OutputError, match="is no name of a branch"), fetched_branch(target(remote, branch)):
        pass


def test_a_remote_has_a_name_a_path_or_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work/docs").mkdir(parents=True)
    (tmp_path / "work/docs/site.yml").write_text("title: X\n")
    work = repository(tmp_path / "work", "../remote.git")
    git(work, "config", "http.http://127.0.0.1/.extraHeader", "Authorization: x")
    git(work, "config", "alias.x", "!touch was-run")
    monkeypatch.chdir(tmp_path)
    settings = [("http.http://127.0.0.1/.extraheader", "Authorization: x")]
    named = remote_of("origin", work / "docs", is_trusted=True)
    assert (Path(named.address).resolve(), list(named.settings)) == (tmp_path / "remote.git", settings)
    for text in ("https://git.example/x.git", "git@git.example:x.git", "ssh://git@git.example/x"):
        assert remote_of(text, work, is_trusted=False) == Remote(text)
    assert remote_of("work/.git", work, is_trusted=False) == Remote(str(tmp_path / "work/.git"))
    for name, is_trusted in (("origin", False), ("upstream", True)):
        with pytest.raises(OutputError, match=f"there is no remote `{name}`"):
            remote_of(name, work / "docs", is_trusted=is_trusted)


def test_what_a_killed_process_has_left_is_removed_and_what_a_running_one_has_is_not(
    remote: Path, state: Path
) -> None:
    (state / "killed/repository").mkdir(parents=True)
    with fetched_branch(target(remote)):
        here = list(state.iterdir())
        assert put(target(remote), SITE)
        assert list(state.iterdir()) == here
        assert len(here) == 1
    assert list(state.iterdir()) == []
