"""A large site is shown before all of its pages are read, and is right when they have been."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace

from builder.build import build
from builder.errors import TwinpressError
from builder.frontmatter import KeptDocument
from builder.output import FolderOutput
from builder.plan.options import Options
from builder.preview import Preview, Unfinished
from builder.store import FRESH
from tests.builder.preview.test_edits import OPTIONS, Clean, given
from tests.sites import write_site
from tests.waiting import PATIENCE

SITE = {
    "site.yml": "title: Site\n",
    "docs/index.md": "# Start\n",
    "docs/guide/first-steps.md": "---\ntitle: Beginning\n---\n\nOwn words, [on](next.md#there).\n",
    "docs/guide/next.md": "---\nsidebar_position: 1\n---\n# After that\n\n## There\n",
    "pages/about.md": "# About us\n",
}
PAGE = "docs/guide/first-steps.html"


class Large:
    """A preview of a site that counts as large."""

    def __init__(self, root: Path) -> None:
        self.root = write_site(root, SITE)
        self.woken = Event()
        self.preview = Preview(root, OPTIONS)
        self.preview.begin(self.woken.set, least=1)

    def read(self) -> None:
        """Have all pages read."""
        assert self.preview.read()
        assert self.woken.wait(PATIENCE)
        assert self.preview.has_read
        assert self.preview.take() == ()

    def is_as_built(self) -> None:
        clean = Clean(self.root, None)
        assert not self.preview.is_outline
        assert {name: given(self.preview, name) for name in clean.files} == clean.files
        assert self.preview.diagnostics() == clean.diagnostics


def html(preview: Preview, output: str = PAGE) -> str:
    found = preview.get(output)
    assert isinstance(found, bytes)
    return found.decode()


def test_a_page_is_shown_with_its_own_text_before_any_other_is_read(tmp_path: Path) -> None:
    large = Large(tmp_path)
    page = html(large.preview)
    assert "<title>Beginning" in page
    assert "Own words" in page
    assert 'href="/docs/guide/next#there"' in page
    assert ">Next</a>" in page  # as its file is called
    assert "After that" not in page
    large.read()
    assert "After that" in html(large.preview)
    large.is_as_built()


@pytest.mark.parametrize(
    "output",
    ["docs/guide/first-steps.md", "llms.txt", "sitemap.xml", "urls.txt", "docs/none.html", "404.html"],
)
def test_what_needs_more_than_one_page_waits(tmp_path: Path, output: str) -> None:
    large = Large(tmp_path)
    assert large.preview.unfinished
    with pytest.raises(Unfinished):
        large.preview.get(output)
    large.read()
    large.is_as_built()


def test_the_theme_is_there_at_once(tmp_path: Path) -> None:
    preview = Large(tmp_path).preview
    sheet = html(preview).partition('rel="stylesheet" href="/')[2].partition('"')[0]
    assert preview.get(sheet)


def test_what_is_saved_meanwhile_is_shown(tmp_path: Path) -> None:
    large = Large(tmp_path)
    html(large.preview)
    write_site(tmp_path, {"docs/guide/first-steps.md": "# Saved\n", "docs/new.md": "# New\n"})
    assert large.preview.update({"docs/guide/first-steps.md", "docs/new.md"}) == ()
    assert "<title>Saved" in html(large.preview)
    (tmp_path / "docs/guide/next.md").unlink()
    large.preview.update({"docs/guide/next.md"})
    with pytest.raises(Unfinished):
        large.preview.get("docs/guide/next.html")
    large.read()
    assert large.preview.get("docs/guide/next.html") is None
    large.is_as_built()


def test_a_change_of_which_nothing_is_known_has_everything_looked_at(tmp_path: Path) -> None:
    large = Large(tmp_path)
    assert large.preview.read()
    write_site(tmp_path, {"docs/new.md": "# New\n", "site.yml": "title: Other\n"})
    large.preview.update()
    assert large.woken.wait(PATIENCE)
    large.preview.take()
    large.is_as_built()


def test_a_site_that_cannot_be_read_stays_an_outline_until_something_changes(tmp_path: Path) -> None:
    large = Large(tmp_path)
    write_site(tmp_path, {"theme/templates/page.html": "{% if %}"})
    assert large.preview.read()
    assert large.woken.wait(PATIENCE)
    with pytest.raises(TwinpressError):
        large.preview.take()
    assert "Own words" in html(large.preview)
    assert not large.preview.read()
    (tmp_path / "theme/templates/page.html").unlink()
    large.preview.update({"theme/templates/page.html"})
    large.woken.clear()
    large.read()
    large.is_as_built()


def test_addresses_that_are_in_texts_are_read_first(tmp_path: Path) -> None:
    settings = {"site.yml": "title: Site\nextras: [slug]\n"}
    preview = Preview(write_site(tmp_path, {**SITE, **settings}), OPTIONS)
    preview.begin(lambda: None, least=1)
    assert not preview.is_outline
    assert not preview.read()
    assert "After that" in html(preview)


def test_texts_that_a_build_has_kept_are_there_before_and_after_its_file_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builder.site.reader.LARGE", 0)
    large = Large(tmp_path)
    time.sleep(2 * FRESH / 1e9)
    build(tmp_path, FolderOutput(tmp_path / "dist"), Options(cache="keep"))
    large.preview = Preview(tmp_path, replace(OPTIONS, cache="own"))
    large.preview.begin(large.woken.set, least=1)
    large.read()
    assert isinstance(large.preview.state.pages["docs/index"].document, KeptDocument)
    large.is_as_built()
    large.preview.close()
    write_site(tmp_path, {"site.yml": "title: Other\nplan: premium\n"})
    large.preview.update({"site.yml"})
    large.is_as_built()
