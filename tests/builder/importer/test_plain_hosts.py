"""Old addresses answer where files are all there is: `/x/` from `x/index.html`, `/x` from `x.html` too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.build import build
from builder.importer.old_site import System
from builder.importer.source_tree import SourceTree
from builder.importer.write_site import write_site
from builder.output import MemoryOutput
from tests.builder.importer.imported import imported

SITES: list[tuple[System, dict[str, str | bytes], list[str]]] = [
    (
        "mkdocs",
        {
            "mkdocs.yml": "site_name: A\nplugins: [{redirects: {redirect_maps: {old.md: a.md}}}]\n",
            "docs/index.md": "# T\n",
            "docs/a.md": "# A\n",
            "docs/a/b.md": "# B\n",
        },
        ["/", "/a", "/a/", "/a/b", "/a/b/", "/old", "/old/"],
    ),
    (
        "mkdocs",
        {
            "mkdocs.yml": "site_name: A\nuse_directory_urls: false\n",
            "docs/index.md": "# T\n",
            "docs/a.md": "# A\n",
        },
        ["/", "/index.html", "/a.html", "/a"],
    ),
    (
        "starlight",
        {
            "astro.config.mjs": "export default defineConfig({integrations: [starlight({title: 'A'})]})\n",
            "src/content/docs/index.md": "---\ntitle: T\n---\n",
            "src/content/docs/g/a.md": "---\ntitle: A\n---\n",
        },
        ["/", "/g/a", "/g/a/"],
    ),
    (
        "mdbook",
        {
            "book.toml": "[book]\ntitle = 'A'\n",
            "src/SUMMARY.md": "- [T](README.md)\n- [A](a/b.md)\n",
            "src/README.md": "# T\n",
            "src/a/b.md": "# A\n",
        },
        ["/", "/index.html", "/a/b.html"],
    ),
]


def _files(address: str) -> Iterator[str]:
    """Yield the files with which a plain host answers an address."""
    name = address.strip("/")
    if not address.endswith("/"):
        yield from (name, f"{name}.html")
    yield f"{name}/index.html".lstrip("/")


@pytest.mark.parametrize(("system", "files", "addresses"), SITES)
def test_old_addresses_answer_from_files_alone(
    tmp_path: Path, system: System, files: dict[str, str | bytes], addresses: list[str]
) -> None:
    site = imported(tmp_path / "old", system, files)
    with SourceTree(tmp_path / "old", "") as origin:
        write_site(site, origin, tmp_path / "new", lambda *_: None)
    output = MemoryOutput()
    build(tmp_path / "new", output)
    assert [each for each in addresses if not any(output.get(name) for name in _files(each))] == []
