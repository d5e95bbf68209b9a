"""`twinpress mv`: one change in the history, which `undo` and `restore` take back to the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.server.commands import twinpress
from tests.server.history.sites import files
from tests.sites import write_site

FILES = {
    "site.yml": "# Ours\ntitle: T\n",
    "docs/a.mdx": "# A\n\n[b](./g/b.md) ![p](./p.png)\n",
    "docs/a.llms.md": "# A\n\n[b](./g/b.md)\n",
    "docs/p.png": "p",
    "docs/g/b.md": "# B\n\n[a](../a.mdx#a)\n",
    "docs/g/_category_.yml": "label: G\n",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site of two pages."""
    return write_site(tmp_path / "site", FILES)


def _last(site: Path) -> dict[str, object]:
    found: list[dict[str, object]] = json.loads(
        twinpress("history", "--format", "json", "-n", "1", cwd=site).stdout
    )
    return found[0]


def test_a_person_moves_a_page_and_takes_it_back(site: Path) -> None:
    before = files(site)
    tried = twinpress("mv", "docs/a", "docs/g/c", "--dry-run", cwd=site)
    assert (tried.returncode, files(site)) == (0, before)
    assert not (site / ".twinpress").exists()
    done = twinpress("mv", "docs/a", "docs/g/c", "--site", site, cwd=site.parent)
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout
        == tried.stdout
        == (
            "docs/a.mdx -> docs/g/c.mdx\ndocs/a.llms.md -> docs/g/c.llms.md\ndocs/p.png -> docs/g/p.png\n"
            "docs/g/b.md: 1 link changed\ndocs/g/c.llms.md: 1 link changed\ndocs/g/c.mdx: 1 link changed\n"
            "site.yml: redirect /docs/a -> /docs/g/c\nsite.yml: redirect /docs/p.png -> /docs/g/p.png\n"
        )
    )
    assert files(site)["docs/g/b.md"] == b"# B\n\n[a](./c.mdx#a)\n"
    assert twinpress("check", "--strict", cwd=site).returncode == 0
    last = _last(site)
    assert (last["act"], last["about"], last["key"]) == ("mv", "docs/a docs/g/c", None)
    assert f"twinpress undo {str(last['revision'])[:10]}" in done.stderr
    assert twinpress("undo", str(last["revision"])[:10], cwd=site).returncode == 0
    assert files(site) == before
    twinpress("restore", str(last["revision"]), cwd=site)
    assert "docs/g/c.mdx" in files(site)
    twinpress("restore", f"{last['revision']}^", cwd=site)
    assert files(site) == before


def test_a_folder_moves_and_leaves_no_empty_one(site: Path) -> None:
    before = files(site)
    done = twinpress("mv", "docs/g", "docs/deep/h", cwd=site)
    assert done.returncode == 0, done.stderr
    assert not (site / "docs/g").exists()
    assert files(site)["docs/deep/h/b.md"] == b"# B\n\n[a](../../a.mdx#a)\n"
    assert b"  /docs/g/b: /docs/deep/h/b\n" in files(site)["site.yml"]
    assert twinpress("undo", str(_last(site)["revision"]), cwd=site).returncode == 0
    assert files(site) == before
    assert not (site / "docs/deep").exists()


def test_what_is_refused_changes_nothing_and_says_the_way_out(site: Path) -> None:
    before = files(site)
    told = twinpress("mv", "docs/none", "docs/c", cwd=site)
    assert (told.returncode, told.stdout) == (2, "")
    assert "there is no such page, folder or file" in told.stderr
    told = twinpress("mv", "docs/a", "docs/g", cwd=site)
    assert "write `docs/g/` to move it into the folder" in told.stderr
    assert files(site) == before


def test_a_link_that_stays_is_told_and_there_is_no_redirect_where_none_is_wanted(site: Path) -> None:
    write_site(site, {"docs/x.md": '<a href="&#x2e;/a.mdx">t</a>\n'})
    told = twinpress("mv", "docs/a", "docs/c", "--no-redirect", cwd=site)
    assert (told.returncode, told.stdout.splitlines()[-1]) == (
        1,
        "docs/x.md:1: `./a.mdx` stays: change it by hand",
    )
    assert files(site)["site.yml"] == FILES["site.yml"].encode()
