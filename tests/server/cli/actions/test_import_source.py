"""Sites are imported from folders, zips and git repositories, and nothing outside of these is read."""

from __future__ import annotations

import io
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.builder.plan.test_last_changed import PARTIAL, git
from tests.server.cli.actions.test_import_site import BOOK
from tests.server.commands import twinpress

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
SITE = {name.removeprefix("book/"): text for name, text in BOOK.items()}
INCLUDING = {**SITE, "src/low.md": "# Low water\n\n{{#include ../../common/tide.md}}\n"}
LINKING = "- [Start](README.md)\n- [Low](low.md)\n- [P](p.md)\n"
SHARED = {"common/tide.md": "Every six hours.\n"}


def _zip(path: Path, files: Mapping[str, str | bytes], *links: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        for name in links:
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, "/etc/passwd")


def _below(folder: str, files: Mapping[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def _put(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _repository(folder: Path, files: Mapping[str, str]) -> Path:
    """Create a repository with two commits, of which the second changes one page."""
    _put(folder, {**files, "website/src/low.md": "# Low water\n\nOld text.\n"})
    git(folder, "init", "-q", "-b", "main", ".")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first", day="2024-02-29")
    git(folder, "tag", "v1")
    _put(folder, files)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "second", day="2025-06-01")
    return folder


ZIPS: list[tuple[Mapping[str, str], str]] = [
    (SITE, "book.zip"),
    (_below("handbook-main", SITE), "book.zip"),
    (_below("handbook-main/website", SITE), "book.zip/website"),
    (_below("handbook-main/website", SITE), "book.zip/handbook-main/website"),
    ({**_below("website", SITE), "other.txt": "x", "__MACOSX/website/._book.toml": "x"}, "book.zip/website"),
]


@pytest.mark.parametrize(("files", "source"), ZIPS)
def test_a_zip_is_imported(tmp_path: Path, files: Mapping[str, str], source: str) -> None:
    _zip(tmp_path / "book.zip", files)
    done = twinpress("import", source, "new", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new/docs/low.md").read_text() == "# Low water\n\nText.\n"


@pytest.mark.parametrize(("root", "code"), [("book.zip", 0), ("book.zip/a", 0), ("book.zip/a/website", 1)])
def test_the_root_of_a_zip_bounds_what_is_read(tmp_path: Path, root: str, code: int) -> None:
    _zip(tmp_path / "book.zip", {**_below("a/website", INCLUDING), **_below("a", SHARED), "b.txt": "x"})
    done = twinpress("import", "book.zip/a/website", "new", "--root", root, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    texts = [path.read_text() for path in (tmp_path / "new/docs").iterdir()]
    assert any("Every six hours" in text for text in texts) == (not code)


def _overlapping() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("book.toml", "x" * 99)
        info = archive.infolist()[0]
        archive.filelist.append(info)
        archive.NameToInfo["b"] = info
    return file.getvalue()


ATTACKS: list[tuple[Mapping[str, str | bytes], str]] = [
    ({**SITE, "../../out.md": "x"}, "leads out"),
    ({**SITE, "/out.md": "x"}, "root of a disk"),
    ({**SITE, "C:/out.md": "x"}, "root of a disk"),
    ({**SITE, "src/bomb.png": b"\0" * (100 << 20)}, "attack"),
]


@pytest.mark.parametrize(("files", "said"), ATTACKS)
def test_a_zip_that_attacks_is_refused(tmp_path: Path, files: Mapping[str, str | bytes], said: str) -> None:
    _zip(tmp_path / "book.zip", files)
    done = twinpress("import", "book.zip", "new", cwd=tmp_path)
    assert (done.returncode, [*tmp_path.iterdir()]) == (2, [tmp_path / "book.zip"]), done.stderr
    assert said in done.stderr


def test_files_that_share_bytes_of_a_zip_are_refused(tmp_path: Path) -> None:
    (tmp_path / "book.zip").write_bytes(_overlapping())
    done = twinpress("import", "book.zip", "new", cwd=tmp_path)
    assert (done.returncode, "attack" in done.stderr) == (2, True)


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\3\4" + b"\0" * 100, b"plain text"])
def test_what_is_no_zip_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "book.zip").write_bytes(data)
    assert twinpress("import", "book.zip", "new", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "new").exists()


def test_a_link_in_a_zip_is_told_and_not_followed(tmp_path: Path) -> None:
    _zip(tmp_path / "book.zip", {**SITE, "src/SUMMARY.md": LINKING}, "src/p.md")
    done = twinpress("import", "book.zip", "new", cwd=tmp_path)
    assert done.returncode == 1
    assert "it is a symbolic link" in (tmp_path / "new/import-report.md").read_text()
    assert "root:" not in "".join(path.read_text() for path in (tmp_path / "new").rglob("*.md"))


@needs_git
@pytest.mark.parametrize(
    ("source", "ref", "text"),
    [
        ("repo/website", ["--ref", "v1"], "Old text."),
        ("repo/website", ["--ref", "main"], "Text."),
        ("repo.git/website", ["--ref", "v1"], "Old text."),
        ("repo.git/website", [], "Text."),
    ],
)
def test_a_commit_of_a_repository_is_imported(tmp_path: Path, source: str, ref: list[str], text: str) -> None:
    folder = _repository(tmp_path / "repo", _below("website", SITE))
    git(tmp_path, "clone", "-q", "--bare", "repo", "repo.git")
    (folder / "website/src/low.md").write_text("not committed")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = twinpress("import", source, "new", *ref, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new/docs/low.md").read_text() == f"# Low water\n\n{text}\n"
    assert {path: path.read_bytes() for path in before} == before


@needs_git
def test_the_whole_commit_may_be_included_unless_the_root_says_less(tmp_path: Path) -> None:
    _repository(tmp_path / "repo", {**_below("website", INCLUDING), **SHARED})
    whole = twinpress("import", "repo/website", "new", "--ref", "main", cwd=tmp_path)
    root = ("--root", "repo/website")
    less = twinpress("import", "repo/website", "less", "--ref", "main", *root, cwd=tmp_path)
    assert (whole.returncode, less.returncode) == (0, 1), (whole.stderr, less.stderr)


@needs_git
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["repo/website", "new", "--ref", "none"], "no commit `none`"),
        (["repo/website", "new", "--ref", "--all"], "no commit `--all`"),
        (["plain", "new", "--ref", "main"], "--ref is for a git repository"),
        (["plain", "new", "--git", "dates"], "in no git repository"),
        (["repo/website", "new", "--ref", "main", "--root", "plain"], "not in --root"),
        (["repo.git/none", "new"], "no configuration"),
    ],
)
def test_what_a_repository_does_not_have_is_told(tmp_path: Path, arguments: list[str], said: str) -> None:
    _repository(tmp_path / "repo", _below("website", SITE))
    git(tmp_path, "clone", "-q", "--bare", "repo", "repo.git")
    _put(tmp_path, _below("plain", SITE))
    done = twinpress("import", *arguments, cwd=tmp_path)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


RUNNING = (
    "core.fsmonitor", "core.pager", "filter.x.smudge", "diff.x.textconv", "diff.external", "core.sshCommand",
    "alias.ls-tree", "uploadpack.packObjectsHook",
)  # fmt: skip
"""Settings that name a program for git to run."""


@needs_git
@pytest.mark.parametrize(
    "arguments", [["repo/website"], ["repo/website", "--ref", "main"], ["repo.git/website"]]
)
def test_pages_keep_the_day_of_their_last_commit(tmp_path: Path, arguments: list[str]) -> None:
    _repository(tmp_path / "repo", _below("website", SITE))
    git(tmp_path, "clone", "-q", "--bare", "repo", "repo.git")
    done = twinpress("import", *arguments, "new", "--git", "dates", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2024-02-29" in (tmp_path / "new/docs/index.md").read_text().splitlines()[1]
    assert "2025-06-01" in (tmp_path / "new/docs/low.md").read_text().splitlines()[1]
    twinpress("build", "new", "-o", "out", cwd=tmp_path)
    assert '<time datetime="2025-06-01">' in (tmp_path / "out/low.html").read_text()


MOVED = "Move the pages of the documentation, unchanged"
REWRITTEN = "Rewrite the documentation for Twinpress"


def _log(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        ["git", "log", "--format=%s", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


@needs_git
def test_commits_lead_from_the_new_pages_to_the_old_ones(tmp_path: Path) -> None:
    repo = _repository(tmp_path / "repo", _below("website", {**SITE, "src/é.md": "# E\n\n[low](low.md)\n"}))
    (repo / "website/src/SUMMARY.md").write_text("- [Start](README.md)\n- [Low](low.md)\n- [E](é.md)\n")
    git(repo, "commit", "-qam", "third")
    for name in ("user.name", "user.email"):
        git(repo, "config", name, "a")
    (repo / "staged.txt").write_text("mine")
    git(repo, "add", "staged.txt")
    arguments = ("import", "repo/website", "repo/new", "--git", "commits")
    done = twinpress(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert _log(repo, "--follow", "--", "new/docs/low.md") == [REWRITTEN, MOVED, "second", "first"]
    assert _log(repo, "--follow", "--", "new/docs/é.md")[:2] == [REWRITTEN, MOVED]
    said = subprocess.run(["git", "status", "--short"], cwd=repo, check=True, capture_output=True, text=True)
    assert said.stdout == "A  staged.txt\n"
    assert twinpress(*arguments, cwd=tmp_path).returncode == 0
    assert _log(repo)[0] == REWRITTEN
    assert len(_log(repo)) == 5
    (repo / "website/src/low.md").write_text("# Low water\n\nNewer.\n")
    assert twinpress(*arguments, cwd=tmp_path).returncode == 0
    assert _log(repo, "--follow", "--", "new/docs/low.md") == [REWRITTEN, REWRITTEN, MOVED, "second", "first"]


@needs_git
@pytest.mark.parametrize(
    ("dest", "said"),
    [("new", "in no work tree"), ("other/new", "not the history"), ("repo/new", "no branch")],
)
def test_commits_need_the_repository_of_the_old_site(tmp_path: Path, dest: str, said: str) -> None:
    repo = _repository(tmp_path / "repo", _below("website", SITE))
    git(repo, "checkout", "-q", "--detach")
    _repository(tmp_path / "other", {**_below("website", SITE), "c.txt": "other"})
    done = twinpress("import", "repo/website", dest, "--git", "commits", cwd=tmp_path)
    assert (done.returncode, (tmp_path / dest).exists()) == (2, False)
    assert said in done.stderr


@needs_git
def test_a_shallow_clone_has_no_days(tmp_path: Path) -> None:
    _repository(tmp_path / "repo", _below("website", SITE))
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{tmp_path}/repo", "shallow")
    done = twinpress("import", "shallow/website", "new", "--git", "dates", cwd=tmp_path)
    assert (done.returncode, "shallow" in done.stderr) == (2, True)


@needs_git
def test_nothing_that_a_repository_names_is_run_or_fetched(tmp_path: Path) -> None:
    files = {**_below("website", SITE), ".gitattributes": "* filter=x diff=x"}
    folder = _repository(tmp_path / "repo", files)
    bad = f"touch {tmp_path}/ran"
    for key, value in {**dict.fromkeys(RUNNING, bad), **PARTIAL}.items():
        git(folder, "config", key, value.replace("{bad}", bad))
    missing = next(path for path in (folder / ".git/objects").rglob("*") if path.is_file())
    missing.unlink()
    for arguments in (["--ref", "main"], ["--git", "dates"]):
        twinpress("import", "repo/website", "new", *arguments, cwd=tmp_path)
    assert not (tmp_path / "ran").exists()


@needs_git
def test_links_and_modules_of_a_commit_are_told_and_not_followed(tmp_path: Path) -> None:
    folder = _repository(tmp_path / "repo", _below("website", SITE))
    (folder / "website/src/p.md").symlink_to("/etc/passwd")
    _put(folder, {"website/src/SUMMARY.md": LINKING})
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "third")
    done = twinpress("import", "repo/website", "new", "--ref", "main", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "it is a symbolic link" in (tmp_path / "new/import-report.md").read_text()
