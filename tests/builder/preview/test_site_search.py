"""The search of a large site is on disk, and a save makes few of its files anew."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from builder.preview import Later, Preview
from builder.preview.site_search import SpooledFiles
from tests.builder.preview.test_edits import OPTIONS, SEARCH, Clean
from tests.sites import write_site

SITE = {
    "site.yml": "title: Site\n",
    **{f"docs/f{n % 7}/p{n}.md": f"# Page {n}\n\nWords of {n * n}.\n\n## Part\n\nMore.\n" for n in range(60)},
    "docs/hidden.md": "---\nunlisted: true\n---\n# Hidden\n",
}


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.site.reader.LARGE", 0)


def searched(preview: Preview) -> dict[str, bytes]:
    """All files of the search."""
    found = preview.get(SEARCH)
    assert isinstance(found, Later)
    files = found.files()
    assert isinstance(files, SpooledFiles)
    return dict(files)


def built(root: Path) -> dict[str, bytes]:
    """The same as a build writes them."""
    files = Clean(root, None).files
    return {name: data for name, data in files.items() if name == SEARCH or name.startswith("_tp/search/")}


def test_the_search_is_that_of_a_build_after_each_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview = Preview(write_site(tmp_path, SITE), OPTIONS)
    with closing(preview):
        preview.update()
        assert searched(preview) == built(tmp_path)
        monkeypatch.setattr("builder.preview.site_search.files_of", None)  # all pages are not asked again
        for text in ("Other words.\n", "Words.\n\n## Part\n\nSomething else.\n"):
            write_site(
                tmp_path, {"docs/f1/p8.md": f"# Page 8\n\n{text}", "docs/f2/p9.md": f"# Page 9\n\n{text}"}
            )
            preview.update({"docs/f1/p8.md", "docs/f2/p9.md"})
            assert searched(preview) == built(tmp_path)


def test_a_page_that_comes_or_goes_has_it_made_anew(tmp_path: Path) -> None:
    preview = Preview(write_site(tmp_path, SITE), OPTIONS)
    with closing(preview):
        preview.update()
        earlier = searched(preview)
        write_site(tmp_path, {"docs/new.md": "# New\n"})
        preview.update({"docs/new.md"})
        assert searched(preview) == built(tmp_path) != earlier
        (tmp_path / "docs/new.md").unlink()
        preview.update({"docs/new.md"})
        assert searched(preview) == earlier
