"""`twinpress publish` and `twinpress check --against`, as they are typed."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server.cli.sites import BROKEN, GOOD
from tests.server.commands import twinpress
from tests.server.static_targets.git_remote import (
    PASSWORD,
    bare,
    commits,
    files_of,
    git,
    http_remote,
    repository,
)
from tests.sites import write_site

LONG = GOOD | {"docs/b.md": "# B\n\n## First\n\n## Second\n"}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    return write_site(tmp_path / "site", LONG)


def publish(site: Path, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """Publish the site from its own folder."""
    return twinpress("publish", *arguments, cwd=site, **extra)


def check(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Check it."""
    return twinpress("check", *arguments, cwd=site)


def move(site: Path) -> None:
    """Move a page, so that its address vanishes."""
    (site / "docs/b.md").rename(site / "docs/c.md")
    (site / "docs/index.md").write_text("# Start\n\nSee [c](c.md).\n")


def test_a_folder_gets_releases_and_readers_the_newest(site: Path) -> None:
    first = publish(site, "--to", "../out")
    assert first.returncode == 0
    assert "Published release 1 in " in first.stderr
    assert (site / "../out/current/docs/b.html").exists()
    again = publish(site, "--to", "../out")
    assert (again.returncode, "Nothing to publish: release 1 in " in again.stderr) == (0, True)
    write_site(site, {"docs/d.md": "# D\n"})
    second = publish(site, "--to", "../out").stderr
    assert re.search(r"Published release 2 in .*out: \d\d files, \d\d changed\.", second)
    assert not (site / "dist").exists()


def test_a_folder_has_a_build_or_releases_and_not_both(site: Path) -> None:
    assert twinpress("build", "-o", "../built", cwd=site).returncode == 0
    publish(site, "--to", "../out")
    for folder, command in (
        ("../built", ("publish", "--to", "../built")),
        ("../built", ("publish", "--to", "../built", "--dry-run")),
        ("../out", ("build", "-o", "../out")),
        ("../out", ("build", "-o", "../out/current")),
    ):
        before = sorted((site / folder).rglob("*"))
        refused = twinpress(*command, cwd=site)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert re.search(r"error: .*(built|out).*`twinpress (build|publish)`", refused.stderr), refused.stderr
        assert "another folder" in refused.stderr
        assert sorted((site / folder).rglob("*")) == before
    assert publish(site, "--to", "../out").returncode == 0
    assert twinpress("build", "-o", "../built", cwd=site).returncode == 0


def test_vanished_addresses_are_refused_with_the_line_that_mends_them(site: Path) -> None:
    publish(site, "--to", "../out")
    move(site)
    refused = publish(site, "--to", "../out")
    assert refused.returncode == 1
    assert (
        "site.yml: error: `/docs/b` would lead nowhere: release 1 has it [address-vanished]" in refused.stdout
    )
    assert "redirects:\n  /docs/b: /docs/c\n" in refused.stderr
    assert "--allow-vanished" in refused.stderr
    assert "Nothing was published" in refused.stderr
    assert str((site / "../out/current").readlink()) == "releases/1"
    assert sorted(path.name for path in (site / "../out/releases").iterdir()) == ["1", "1.json"]
    write_site(site, {"site.yml": GOOD["site.yml"] + "redirects:\n  /docs/b: /docs/c\n"})
    assert publish(site, "--to", "../out").returncode == 0


def test_addresses_may_vanish_when_it_is_allowed(site: Path) -> None:
    publish(site, "--to", "../out")
    move(site)
    done = publish(site, "--to", "../out", "--allow-vanished")
    assert done.returncode == 0
    assert "1 address will lead nowhere, as you allow." in done.stderr
    assert "address-vanished" not in done.stdout


def test_anchors_are_warnings(site: Path) -> None:
    publish(site, "--to", "../out")
    write_site(site, {"docs/b.md": "# B\n\n## Firsts\n\n## Second\n"})
    strict = publish(site, "--to", "../out", "--strict")
    assert strict.returncode == 1
    done = publish(site, "--to", "../out")
    assert done.returncode == 0
    assert (
        "docs/b.md: warning: `/docs/b#first` would be gone: release 1 has it [anchor-vanished]" in done.stdout
    )
    assert "did you rename it to `#firsts`?" in done.stdout


def test_errors_are_refused_unless_they_may_be(site: Path) -> None:
    write_site(site, BROKEN)
    refused = publish(site, "--to", "../out")
    assert (refused.returncode, "--despite-errors" in refused.stderr) == (1, True)
    assert not (site / "../out/current").exists()
    assert publish(site, "--to", "../out", "--despite-errors").returncode == 0


def test_a_dry_run_changes_nothing(site: Path) -> None:
    done = publish(site, "--to", "../out", "--dry-run")
    assert (done.returncode, "This would be published to " in done.stderr) == (0, True)
    assert not (site / "../out").exists()
    publish(site, "--to", "../out")
    before = sorted((site / "../out").rglob("*"))
    move(site)
    refused = publish(site, "--to", "../out", "-n")
    assert (refused.returncode, "address-vanished" in refused.stdout) == (1, True)
    assert sorted((site / "../out").rglob("*")) == before


def test_releases_are_listed_and_given_back(site: Path) -> None:
    for name in "xyz":
        write_site(site, {f"docs/{name}.md": "# New\n"})
        publish(site, "--to", "../out", "--keep", "2")
    listed = publish(site, "--to", "../out", "--list").stdout.splitlines()
    assert [line[:6].split() for line in listed] == [["*", "3"], ["2"]]
    done = publish(site, "--to", "../out", "--roll-back")
    assert (done.returncode, "Readers have release 2 of " in done.stderr) == (0, True)
    found = json.loads(publish(site, "--to", "../out", "--list", "--format", "json").stdout)
    assert [(each["number"], each["current"], each["pages"]) for each in found] == [
        (3, False, 5),
        (2, True, 4),
    ]
    assert publish(site, "--to", "../out", "--roll-back", "3").returncode == 0
    gone = publish(site, "--to", "../out", "--roll-back", "1")
    assert gone.returncode == 2
    assert "there is no release 1\n  there are: 3, 2\n" in gone.stderr
    assert publish(site, "--to", "../nowhere", "--list").stderr.startswith("Nothing is published to ")


def test_a_branch_gets_a_commit_and_the_writer_s_repository_stays(site: Path) -> None:
    remote = bare(site.parent / "remote.git")
    repository(site, "../remote.git")
    (site / "docs/b.md").write_text("# B\n\n## Changed, not committed\n")
    before = git(site, "status", "--porcelain"), git(site, "for-each-ref"), (site / ".git/index").read_bytes()
    done = publish(site, "--to", "git:origin#pages")
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"Published as commit \w{10} to pages of .*/remote.git: \d+ files, \d+ changed\.", done.stderr
    )
    assert before == (
        git(site, "status", "--porcelain", "--", ":!.twinpress"),
        git(site, "for-each-ref"),
        (site / ".git/index").read_bytes(),
    )
    assert "Changed" in files_of(remote, "pages")["docs/b.html"]
    assert {".nojekyll", "_tp/urls.txt"} <= files_of(remote, "pages").keys()
    again = publish(site, "--to", "git:origin#pages")
    assert (again.returncode, "Nothing to publish: pages of " in again.stderr) == (0, True)


def test_git_knows_where_a_page_went(site: Path) -> None:
    bare(site.parent / "remote.git")
    write_site(site, {f"docs/{name}.md": f"# {name}\n\n{name * 90}\n" for name in ("one", "two")})
    repository(site, "../remote.git")
    assert publish(site, "--to", "git:origin#pages").returncode == 0
    (site / "docs/guide").mkdir()
    for old, new in (("one", "guide/fees"), ("two", "guide/hours")):
        git(site, "mv", f"docs/{old}.md", f"docs/{new}.md")
    git(site, "commit", "-qm", "move")
    refused = publish(site, "--to", "git:origin#pages")
    assert refused.returncode == 1
    assert "redirects:\n  /docs/one: /docs/guide/fees\n  /docs/two: /docs/guide/hours\n" in refused.stderr


def test_a_branch_is_listed_and_given_back(site: Path) -> None:
    remote = bare(site.parent / "remote.git")
    place = f"git:{remote}#pages"
    publish(site, "--to", place)
    write_site(site, {"docs/x.md": "# X\n"})
    publish(site, "--to", place)
    assert (
        publish(site, "--to", place, "--roll-back").stderr
        == f"Readers have release 1 of pages of {remote}.\n"
    )
    assert "docs/x.html" not in files_of(remote, "pages")
    assert commits(remote, "pages") == 3
    listed = publish(site, "--to", place, "--list").stdout.splitlines()
    assert [line.split()[-3:] for line in listed] == [
        ["to", "release", "1"],
        ["Publish", "release", "2"],
        ["Publish", "release", "1"],
    ]


def test_passwords_come_from_where_git_has_them_and_are_never_shown(site: Path, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remotes/docs.git")
    ask = tmp_path / "ask"
    ask.write_text(f"#!/bin/sh\ncase $1 in User*) echo ann;; *) echo {PASSWORD};; esac\n")
    ask.chmod(0o755)
    token = base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
    with http_remote(remote.parent) as address:
        place = f"git:{address}/docs.git#pages"
        alone = publish(site, "--to", place)
        assert (alone.returncode, "could not read Username" in alone.stderr) == (2, True)
        assert publish(site, "--to", place, GIT_ASKPASS=str(ask)).returncode == 0
        # As a checkout of CI has it: in the repository's own configuration.
        repository(site, f"{address}/docs.git")
        git(site, "config", f"http.{address}/.extraheader", f"Authorization: Basic {token}")
        write_site(site, {"docs/x.md": "# X\n"})
        done = publish(site, "--to", "git:origin#pages")
        assert done.returncode == 0, done.stderr
        assert commits(remote, "pages") == 2
        # In the address itself, where it is told without.
        host = address.removeprefix("http://")
        shown = publish(site, "--to", f"git:http://ann:{PASSWORD}@{host}/docs.git#pages")
        wrong = publish(site, "--to", f"git:http://ann:wr0ng@{host}/no.git#pages")
    assert (shown.returncode, wrong.returncode) == (0, 2)
    assert PASSWORD not in shown.stdout + shown.stderr
    assert "wr0ng" not in wrong.stdout + wrong.stderr


def test_a_remote_is_reached_by_ssh_as_people_have_set_it_up(site: Path, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote.git")
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\neval "$1"\n')
    ssh.chmod(0o755)
    place = f"git:git@host.example:{remote}#pages"
    done = publish(site, "--to", place, GIT_SSH_COMMAND=str(ssh), GIT_SSH_VARIANT="simple")
    assert done.returncode == 0, done.stderr
    assert commits(remote, "pages") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing option '--to'"),
        (("--to", "git:origin"), "names no branch"),
        (("--to", "git:origin#pages"), "there is no remote `origin`"),
        (("--to", "git:/nowhere#pages", "--keep", "3"), "--keep is for folders"),
        (("--to", "../out", "--list", "--roll-back"), "cannot be combined"),
        (("--to", "../out", "--roll-back", "x"), "'x' is not a valid integer"),
        (("--to", "."), "holds the site itself"),
        (("--to", "docs/out"), "is read as source"),
        (("--to", "site.yml"), "is a file"),
        (("--to", "git:/nowhere#pages"), "does not appear to be a git repository"),
    ],
)
def test_wrong_usage_is_explained(site: Path, arguments: tuple[str, ...], words: str) -> None:
    done = publish(site, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_of_a_stranger_s_site_no_program_runs_and_its_repository_has_no_say(site: Path) -> None:
    ran = "{{ cycler.__init__.__globals__.os.popen('touch was-run').read() }}"
    write_site(site, {"theme/templates/footer.html": ran})
    repository(site, "../remote.git")
    assert publish(site, "--to", "../out", "--safe").returncode == 0
    assert not (site / "was-run").exists()
    assert publish(site, "--to", "git:origin#pages", "--safe").returncode == 2


def test_a_check_tells_what_readers_would_lose(site: Path) -> None:
    publish(site, "--to", "../out")
    twinpress("build", cwd=site)
    shutil.copy(site / "dist/_tp/urls.txt", site / "../former.txt")
    remote = bare(site.parent / "remote.git")
    publish(site, "--to", f"git:{remote}#pages")
    places = ("../out", "../out/releases/1", "dist", "../former.txt", f"git:{remote}#pages")
    assert [check(site, "--against", each).returncode for each in places] == [0] * 5
    move(site)
    for place in places:
        done = check(site, "--against", place)
        assert done.returncode == 1
        assert "`/docs/b` would lead nowhere" in done.stdout
        assert "  /docs/b: /docs/c" in done.stderr
    found = json.loads(check(site, "--against", "../out", "--format", "json").stdout)
    assert [(each["code"], each["level"], each["file"]) for each in found] == [
        ("address-vanished", "error", "site.yml")
    ]
    assert check(site).returncode == 0


def test_a_check_tells_what_a_commit_has_and_the_site_has_not(site: Path) -> None:
    shutil.move(site, site / "../repo/book")
    book = write_site(
        site / "../repo/book", {"static/a.svg": "<svg/>", "docs/.gitattributes": "* export-ignore\n"}
    )
    git(book.parent, "init", "--quiet", "--initial-branch=main")
    git(book.parent, "add", ".")
    git(book.parent, "commit", "--quiet", "--message=First")
    git(book.parent, "branch", "release/1.0")
    assert check(book, "--against", "git:release/1.0").returncode == 0
    move(book)
    (book / "static/a.svg").unlink()
    before = git(book.parent, "status", "--porcelain")
    for ref in ("release/1.0", "HEAD", git(book.parent, "rev-parse", "HEAD").strip()):
        done = check(book, "--against", f"git:{ref}")
        assert done.returncode == 1, done.stderr
        assert f"`/docs/b` would lead nowhere: {ref} has it" in done.stdout
        assert "`/a.svg` would lead nowhere" in done.stdout
        assert "  /docs/b: /docs/c" in done.stderr
    assert git(book.parent, "status", "--porcelain") == before
    assert not list(book.glob("dist"))


UNKNOWN = {
    "git:v9": "git does not give this commit: there is none of this name",
    "git:": "names neither a commit nor a branch",
    "git:--output=x": "git does not give this commit",
    "git:HEAD~99": "git does not give this commit",
    "git:HEAD:docs": "git does not give this commit",
}


@pytest.mark.parametrize(("against", "said"), UNKNOWN.items())
def test_a_commit_that_is_not_there_is_explained(site: Path, against: str, said: str) -> None:
    git(site, "init", "--quiet")
    git(site, "commit", "--quiet", "--allow-empty", "--message=None")
    done = check(site, "--against", against)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    nothing = check(site, "--against", "git:HEAD")
    assert (nothing.returncode, "there is no site in this commit" in nothing.stderr) == (2, True)
    safe = check(site, "--safe", "--against", "git:HEAD")
    assert (safe.returncode, "--safe" in safe.stderr) == (2, True)
    shutil.rmtree(site / ".git")
    assert "not a git repository" in check(site, "--against", "git:HEAD").stderr


def test_a_check_against_nothing_says_so(site: Path) -> None:
    remote = bare(site.parent / "remote.git")
    first = check(site, "--against", f"git:{remote}#pages")
    assert (first.returncode, "Nothing is published at " in first.stderr) == (0, True)
    nowhere = check(site, "--against", "../nowhere")
    assert (nowhere.returncode, "there is nothing to compare with" in nowhere.stderr) == (2, True)
