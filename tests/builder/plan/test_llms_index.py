"""`llms.txt` of a large site: parted by top category, so that no file is cut off by who fetches it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.sites import Built, build_site

ABOUT = "An account of all that there is to be said about this, for whoever would like to know."
LIMIT = 50_000
SITES = {
    "by folder": {f"docs/f{folder:02}/p{page:02}.md": "" for folder in range(15) for page in range(40)},
    "in one folder": {f"docs/guide/p{page:03}.md": "" for page in range(600)},
    "in no folder": {f"docs/p{page:03}.md": "" for page in range(600)},
    "outside": {"docs/a.md": "", **{f"pages/p{page:03}.md": "" for page in range(600)}},
}


def large(folder: Path, name: str, settings: str = "title: T\nurl: https://t.example\n") -> Built:
    """Build a site of 600 pages."""
    head = f"---\ntitle: Page\ndescription: {ABOUT}\n---\n"
    return build_site(folder, {"site.yml": settings, **dict.fromkeys(SITES[name], head)})


@pytest.mark.parametrize("name", SITES)
def test_a_large_index_is_parted_and_each_page_is_in_it_once(tmp_path: Path, name: str) -> None:
    built = large(tmp_path, name)
    links = re.findall(r"\]\(https://t\.example/(\S+)\)", built.text("llms.txt"))
    parts = [link for link in links if link.endswith(".txt")]
    assert len(parts) >= 2
    files = [built.text(name) for name in ("llms.txt", *parts)]
    listed = [link for text in files for link in re.findall(r"\]\(https://t\.example/(\S+\.md)\)", text)]
    assert len(listed) == len(set(listed))
    assert set(listed) >= {path.replace("pages/", "") for path in SITES[name]}
    assert [len(text) for text in files if len(text) > LIMIT] == []
    assert [text for text in files if not re.match(r"# .+\n\n(> .+\n\n)?## .+\n\n- \[", text)] == []


def test_parts_are_named_after_their_folders(tmp_path: Path) -> None:
    built = large(tmp_path / "a", "by folder")
    line = "- [F00](https://t.example/llms/docs/f00.txt): F00, Page, "
    assert line in built.text("llms.txt")
    assert "# T: F00\n" in built.text("llms/docs/f00.txt")
    built = large(tmp_path / "b", "in one folder", "title: T\n")
    assert "- [Guide (2)](/llms/docs/guide-2.txt): " in built.text("llms.txt")


def test_a_file_of_the_author_does_not_take_the_place_of_a_part(tmp_path: Path) -> None:
    head = f"---\ntitle: Page\ndescription: {ABOUT}\n---\n"
    files = {**dict.fromkeys(SITES["by folder"], head), "static/llms/docs/f00.txt": "mine"}
    built = build_site(tmp_path, {"site.yml": "title: T\nurl: https://t.example\n", **files})
    assert built.codes == ["path-conflict"]
    assert built.text("llms/docs/f00.txt").startswith("# T: F00\n")
