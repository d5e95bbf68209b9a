"""Pages that no list names, and pages without a list of their headings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sites import build_site

UNLISTED = "---\ntitle: Quiet\nunlisted: true\n---\nXylophone.\n"
SITE = {
    "site.yml": "title: T\nurl: https://o.example\n",
    "docs/a.md": "---\ntitle: A\nhide_toc: true\n---\n## One\n\n## Two\n\n[b](b.md)\n",
    "docs/b.md": "---\ntitle: B\n---\n## One\n\n## Two\n",
    "docs/quiet.md": UNLISTED,
    "docs/folder/index.md": UNLISTED,
    "docs/folder/inner.md": "---\ntitle: Inner\n---\nInner.\n",
    "pages/secret.md": UNLISTED,
}


def test_an_unlisted_page_is_built_and_named_nowhere(tmp_path: Path) -> None:
    site = build_site(tmp_path, SITE)
    assert site.codes == []
    for path in ("docs/quiet", "docs/folder/index", "secret"):
        assert '<meta name="robots" content="noindex">' in site.text(f"{path}.html")
        assert "Xylophone" in site.text(f"{path}.md")
    named = ["llms.txt", "llms-full.txt", "sitemap.xml"]
    named += [path for path in site.output.paths if path.startswith("_tp/") and path.endswith(".json")]
    for name in named:
        text = site.text(name).lower()
        assert "xylophone" not in text, name
        assert "quiet" not in text, name
        assert "secret" not in text, name
    assert "quiet" not in site.text("docs/b.html").lower()
    assert 'href="/docs/folder/"' not in site.text("docs/b.html")
    assert "https://o.example/docs/folder/inner<" in site.text("sitemap.xml")


QUIET = {
    "docs/a.md": "---\ntitle: A\n---\n[the folder](quiet/) and [its page](quiet/deep/x.md)\n",
    "docs/quiet/deep/x.md": UNLISTED,
    "docs/quiet/deep/y.md": "---\ntitle: Y\nunlisted: true\n---\nText.\n",
    "docs/half/x.md": UNLISTED,
    "docs/half/y.md": "---\ntitle: Half\n---\nText.\n",
}
PLAIN = {
    path: text if path.endswith(("/a.md", "/half/y.md")) else text.replace("unlisted: true\n", "")
    for path, text in QUIET.items()
}
CHOSEN = "sidebar: [docs/a, docs/half/y]\n"


@pytest.mark.parametrize(("files", "more", "codes"), [(QUIET, "", []), (PLAIN, CHOSEN, ["sidebar-left-out"])])
def test_a_folder_of_unlisted_pages_has_no_page_that_lists_them(
    tmp_path: Path, files: dict[str, str], more: str, codes: list[str]
) -> None:
    site = build_site(tmp_path, {"site.yml": f"title: T\nurl: https://o.example\n{more}", **files})
    assert sorted(site.codes) == ["broken-link", *codes]
    assert "docs/quiet/deep/x.html" in site.output.paths
    assert not {"docs/quiet/index.html", "docs/quiet/deep/index.html"} & site.output.paths
    listed = site.text("docs/half/index.html").partition("<main")[2]
    assert ("Half" in listed, "Quiet" in listed) == (True, False)
    assert "quiet" not in site.text("sitemap.xml")


def test_hide_toc_leaves_out_the_list_of_headings_of_one_page(tmp_path: Path) -> None:
    site = build_site(tmp_path, SITE)
    assert "tp-contents" not in site.text("docs/a.html")
    assert "tp-contents" in site.text("docs/b.html")
