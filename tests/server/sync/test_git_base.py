from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.sync.base_file import NAME
from server.sync.errors import SyncError
from server.sync.folder_side import read_commit
from tests.server.sync.world import World, bodies, world
from tests.sites import write_site

SITE = {
    "docs/a.md": "# A\n",
    "docs/b.md": "# B\n",
    "docs/g/c.mdx": "---\ntitle: C\n---\n\nC\n",
    "docs/g/c.llms.md": "C\n",
    "docs/g/_category_.yml": "label: G\n",
    "pages/p.md": "P\n",
    "static/x.md": "no page\n",
}


def git(folder: Path, *arguments: str) -> str:
    own = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Both sides have a site, which is committed in a repository above the folder, and no base file."""
    folder = tmp_path_factory.mktemp("git")
    with world(folder) as made:
        write_site(made.here, SITE)
        write_site(folder / "outside", {"docs/a.md": "none of the site\n"})
        git(folder, "init")
        git(folder, "add", "outside", "here/docs", "here/pages", "here/static")
        git(folder, "commit", "-m", "One")
        git(folder, "tag", "v1")
        yield made


@pytest.fixture(autouse=True)
def same(one: World) -> None:
    one.clear()
    for site in (one.here, one.there):
        write_site(site, SITE)


def test_a_commit_is_the_base(one: World) -> None:
    write_site(one.here, {"docs/a.md": "# Ours\n", "docs/b.md": "# Both\n"})
    write_site(one.there, {"docs/b.md": "# Theirs\n", "docs/g/_category_.yml": "label: H\n"})
    (one.here / "pages/p.md").unlink()
    report = one.push(commit="v1", prune=True)
    assert {each.path: each.action for each in report.done} == {"docs/a": "replaced", "pages/p": "deleted"}
    assert [each.path for each in report.conflicts] == ["docs/b"]
    assert report.other == ["docs/g"]
    assert bodies(one.there)["docs/a"] == "# Ours\n"


def test_the_base_file_goes_on_from_the_commit(one: World) -> None:
    write_site(one.here, {"docs/b.md": "# Ours\n"})
    write_site(one.there, {"docs/b.md": "# Theirs\n", "docs/a.md": "# A, changed\n"})
    assert [each.path for each in one.push(commit="HEAD").conflicts] == ["docs/b"]
    assert (one.here / NAME).exists()
    report = one.pull()
    assert {each.path: each.action for each in report.done} == {"docs/a": "replaced"}
    assert [each.path for each in report.conflicts] == ["docs/b"]


def test_a_commit_is_read_as_it_is_in_the_repository(one: World, tmp_path: Path) -> None:
    """No filter is run, links and files of other folders are none of the site's."""
    site = write_site(
        tmp_path / "site", {"docs/a.md": "A\n", ".gitattributes": "*.md filter=x text eol=crlf\n"}
    )
    (site / "docs/link.md").symlink_to("a.md")
    git(site, "init")
    git(site, "add", ".")
    git(site, "commit", "-m", "One")
    git(site, "config", "filter.x.smudge", f"touch {tmp_path}/run; cat")
    git(site, "config", "filter.x.clean", f"touch {tmp_path}/run; cat")
    assert set(read_commit(site, "HEAD").pages) == {"docs/a"}
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("ref", ["nowhere", "--help", "v1:here", "v1^{tree}", ""])
def test_what_is_no_commit_is_an_error(one: World, ref: str) -> None:
    with pytest.raises(SyncError, match="git does not give this commit"):
        read_commit(one.here, ref)


def test_a_folder_outside_of_a_repository_has_no_commits(tmp_path: Path) -> None:
    with pytest.raises(SyncError, match="not a git repository"):
        read_commit(tmp_path, "HEAD")
