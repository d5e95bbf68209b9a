"""Records of folders are removed, and deletions rehearsed with all links that would break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.authoring.client import BASE, Client, authoring
from tests.server.commands import twinpress
from tests.sites import write_site

RECORD = "label: Guide # ours\nposition: 2\n"
FILES = {
    "site.yml": "nav:\n  - {label: A, href: /docs/g/a}\nredirects:\n  /old: /docs/g/a\n",
    "docs/b.md": "# B\n\n[a](./g/a)\n",
    "docs/g/a.md": "# A\n",
    "docs/g/_category_.yml": RECORD,
    "docs/g/_category_.json": '{"label": "Other"}',
}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Client, Path]]:
    with authoring(write_site(tmp_path, FILES), "--requests", "0") as client:
        yield client, tmp_path


def test_a_record_goes_its_pages_stay_and_undo_brings_it_back(served: tuple[Client, Path]) -> None:
    client, site = served
    target = f"{BASE}/ai/category?path=docs/g"
    said = {"path": "docs/g", "label": "Guide", "position": 2, "collapsed": None}
    rehearsed = client.ask("DELETE", f"{target}&dry_run=true")
    assert rehearsed.data == {"deleted": False, "category": said}
    assert (site / "docs/g/_category_.yml").read_text() == RECORD
    assert client.ask("DELETE", target).data == {"deleted": True, "category": said}
    assert sorted(file.name for file in (site / "docs/g").iterdir()) == ["a.md"]
    again = client.ask("DELETE", target)
    assert (again.status, again.json["code"]) == (404, "PAGE_NOT_FOUND")
    assert twinpress("undo", "--key", "serve", cwd=site).returncode == 0
    assert (site / "docs/g/_category_.yml").read_text() == RECORD


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "INVALID_QUERY"),
        ("?path=docs/none", "PAGE_NOT_FOUND"),
        ("?path=docs/b", "PAGE_NOT_FOUND"),
        ("?path=docs", "INVALID_PATH"),
        ("?path=../x", "INVALID_PATH"),
        ("?path=docs/%00", "INVALID_PATH"),
        ("?path=docs/g&dry_run=perhaps", "INVALID_QUERY"),
    ],
)
def test_what_is_no_record_is_refused(served: tuple[Client, Path], query: str, code: str) -> None:
    assert served[0].ask("DELETE", f"{BASE}/ai/category{query}").json["code"] == code


def test_a_deletion_is_rehearsed_with_the_links_that_would_break(served: tuple[Client, Path]) -> None:
    client, site = served
    target = f"{BASE}/ai/page?path=docs/g/a"
    rehearsed = client.ask("DELETE", f"{target}&dry_run=true")
    assert (rehearsed.data["deleted"], (site / "docs/g/a.md").exists()) == (False, True)
    places = [(one["path"], one["file"], one["line"]) for one in rehearsed.data["inbound_links"]]
    assert places == [("", "site.yml", 2), ("", "site.yml", 4), ("docs/b", "docs/b.md", 3)]
    refused = client.ask("DELETE", f"{target}&dry_run=true", If_Match='"other"')
    assert refused.json["code"] == "REVISION_MISMATCH"
    assert client.delete("docs/g/a").data == {**rehearsed.data, "deleted": True}
    assert client.ask("DELETE", f"{target}&dry_run=true").status == 404
