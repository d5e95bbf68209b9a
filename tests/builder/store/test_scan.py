from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from builder.errors import StorageError
from builder.store import CategoryRecord, ContentStore, Scan
from tests.builder.trees import in_memory, make, said, scan
from tests.time_bounds import processor_seconds


def test_a_folder_that_is_not_there_is_no_site(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file"):
        ContentStore(tmp_path / "nothing")


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    assert scan(tmp_path) == Scan((), {}, (), ())
    with ContentStore(tmp_path) as store:
        assert not store.has_pages()


def test_a_site_has_pages_twins_categories_and_files(tmp_path: Path) -> None:
    found = scan(
        tmp_path,
        {
            "site.yml": "title: A\n",
            "README.md": "not of the site",
            "docs/index.md": "# Docs",
            "docs/guide/install.mdx": "# Install",
            "docs/guide/install.llms.md": "Install.",
            "docs/guide/_category_.yml": "label: Guides\nposition: 1\n",
            "docs/guide/img/shot.png": b"png",
            "pages/about.md": "About",
            "pages/logo.svg": "<svg/>",
            "static/robots.md": "copied as it is",
            "static/.well-known/x": "published (RFC 8615)",
            "static/.hidden/x": "hidden",
            "docs/.draft.md": "hidden",
            "docs/install.mdx~": "an editor's backup",
        },
    )
    pages = [(page.path, page.file, page.format, page.twin_file) for page in found.pages]
    assert pages == [
        ("docs/guide/install", "docs/guide/install.mdx", "mdx", "docs/guide/install.llms.md"),
        ("docs/index", "docs/index.md", "md", None),
        ("pages/about", "pages/about.md", "md", None),
    ]
    assert found.categories == {"docs/guide": CategoryRecord("docs/guide", "Guides", 1, None)}
    assert [(file.file, file.output) for file in found.files] == [
        ("static/.well-known/x", ".well-known/x"),
        ("docs/guide/img/shot.png", "docs/guide/img/shot.png"),
        ("pages/logo.svg", "logo.svg"),
        ("static/robots.md", "robots.md"),
    ]
    assert found.diagnostics == ()
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_file_whose_name_is_no_content_path_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    found = scan(
        tmp_path,
        {
            "docs/good.md": "",
            "docs/with space.md": "",
            "docs/_partial.md": "",
            "docs/UPPER.MD": "",
            "docs/my folder/inner.md": "",
            "docs/my folder/picture.png": "",
            "docs/a/b/c/d/e/f/g/h/i.md": "",
            "docs/con.mdx": "",
            "pages/docs.md": "",
            "pages/deep/page.md": "",
            "pages/_category_.yml": "label: x",
            "docs/\u212a.md": "Kelvin, not K",
        },
    )
    assert [page.path for page in found.pages] == ["docs/good"]
    assert {code for _, code in said(found)} == {"path-invalid"}
    assert len(found.diagnostics) == 9
    assert [file for file, _ in found.parts] == ["docs/_partial.md"]
    assert [file.file for file in found.files] == ["docs/my folder/picture.png"]


def test_names_in_nfd_are_normalised_and_can_be_read(tmp_path: Path) -> None:
    folder, name = "docs/e\u0301te\u0301", "cafe\u0301"
    found = scan(
        tmp_path,
        {f"{folder}/{name}.md": "Nu", f"{folder}/{name}.llms.md": "Twin", f"{folder}/i\u0302.png": "x"},
    )
    (page,) = found.pages
    assert (page.path, page.file) == ("docs/\u00e9t\u00e9/caf\u00e9", f"{folder}/{name}.md")
    assert found.files[0].output == "docs/\u00e9t\u00e9/\u00ee.png"
    with ContentStore(tmp_path) as store:
        source = store.read(page.path)
        assert (source.text, source.twin, source.file) == ("Nu", "Twin", page.file)
        assert store.read_file(page.file) == b"Nu"


def test_one_name_in_two_normal_forms_is_a_conflict(tmp_path: Path) -> None:
    found = scan(
        tmp_path,
        {"docs/\u00e9.md": "C", "docs/e\u0301.md": "D", "docs/\u00e0/a.md": "", "docs/a\u0300/b.md": ""},
    )
    assert [page.file for page in found.pages] == ["docs/\u00e0/a.md", "docs/\u00e9.md"]
    assert said(found) == [("docs/a\u0300", "path-conflict"), ("docs/e\u0301.md", "path-conflict")]


def test_both_formats_of_one_page_are_a_conflict_that_names_both(tmp_path: Path) -> None:
    found = scan(tmp_path, {"docs/a.md": "md", "docs/a.mdx": "mdx"})
    assert [page.file for page in found.pages] == ["docs/a.mdx"]
    (conflict,) = found.diagnostics
    assert (conflict.file, conflict.code) == ("docs/a.md", "path-conflict")
    assert "`docs/a.mdx` and `docs/a.md` are both the page `docs/a`" in conflict.message
    with ContentStore(tmp_path) as store:
        assert store.read("docs/a").text == "mdx"


@pytest.mark.parametrize(
    ("one", "other"), [("docs/Install.md", "docs/install.mdx"), ("docs/Ä.md", "docs/ä.md")]
)
def test_pages_that_differ_only_in_case_are_a_conflict_that_names_both(
    tmp_path: Path, one: str, other: str
) -> None:
    found = scan(tmp_path, {one: "", other: ""})
    assert [page.file for page in found.pages] == [one]
    assert said(found) == [(other, "path-conflict")]
    assert one in found.diagnostics[0].message
    assert other in found.diagnostics[0].message


def test_a_twin_without_its_page_is_named(tmp_path: Path) -> None:
    found = scan(
        tmp_path,
        {
            "docs/a.llms.md": "",
            "docs/b.mdx": "",
            "docs/b.llms.md": "",
            "docs/c d.md": "",
            "docs/c d.llms.md": "",
        },
    )
    assert said(found) == [("docs/a.llms.md", "twin-orphan"), ("docs/c d.md", "path-invalid")]


def test_category_files_of_all_kinds_are_read_and_faults_are_named(tmp_path: Path) -> None:
    found = scan(
        tmp_path,
        {
            "docs/a/_category_.yaml": "label: A",
            "docs/b/_category_.json": '{"label": "B"}',
            "docs/c/_category_.yml": "label: C",
            "docs/c/_category_.json": "{}",
            "docs/d/_category_.yml": "label: [",
            "docs/e/_category_.yml": b"label: \xff",
            "docs/f/_category_.yml": "#" * 70_000,
            "docs/_category_.yml": "label: Root",
            **{f"docs/{folder}/page.md": "" for folder in "abcde"},
        },
    )
    assert {path: record.label for path, record in found.categories.items()} == {
        "docs": "Root",
        "docs/a": "A",
        "docs/b": "B",
        "docs/c": "C",
        "docs/d": None,
        "docs/e": "\ufffd",
    }
    assert said(found) == [
        ("docs/c/_category_.json", "path-conflict"),
        ("docs/d/_category_.yml", "category-invalid"),
        ("docs/e/_category_.yml", "page-encoding"),
        ("docs/f/_category_.yml", "category-invalid"),
    ]


def test_ten_thousand_files_are_found_in_less_than_a_second_of_work(tmp_path: Path) -> None:
    with in_memory(tmp_path) as site:
        for folder in range(100):
            make(site, {f"docs/folder-{folder}/some-page-{page}.md": "" for page in range(100)})
        with ContentStore(site) as store, processor_seconds(1):
            assert len(store.scan().pages) == 10_000


def test_a_category_without_a_page_is_told_but_for_that_of_all_pages(tmp_path: Path) -> None:
    files = {"docs/_category_.yml": "label: D", "docs/g/_category_.yml": "label: G", "pages/a.md": ""}
    assert said(scan(tmp_path, files)) == [("docs/g/_category_.yml", "category-empty")]


def test_a_file_that_is_called_like_a_category_is_copied_from_the_static_folder(tmp_path: Path) -> None:
    found = scan(tmp_path, {"static/_category_.yml": "label: [", "static/g/_category_.json": "{"})
    assert [each.output for each in found.files] == ["_category_.yml", "g/_category_.json"]
    assert (found.diagnostics, found.categories) == ((), {})


def test_a_file_that_has_a_name_outside_of_the_site_is_noticed(tmp_path: Path) -> None:
    site = make(
        tmp_path / "site", {"docs/a.md": "a", "static/b.png": "b", "docs/c.md": "c", "static/d.png": "d"}
    )
    os.link(site / "docs/a.md", tmp_path / "outside")
    os.link(site / "static/b.png", site / "static/again.png")
    os.link(site / "static/d.png", site / "static/more.png")
    os.link(site / "static/d.png", tmp_path / "more")
    assert scan(site).linked == ("docs/a.md", "static/d.png", "static/more.png")
