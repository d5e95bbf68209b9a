"""Import a site, build it, and count what became of each construct of its pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import frontmatter

from builder.build import build
from builder.importer.check_import import check_import
from builder.importer.new_site import NewSite, import_site
from builder.importer.old_site import System
from builder.importer.source_tree import SourceTree
from builder.importer.systems.known_systems import SYSTEMS
from builder.importer.write_site import write_site
from builder.output import MemoryOutput
from tests.builder.importer.counting.comparison import Comparison
from tests.builder.importer.counting.source_counter import SourceCounter
from tests.builder.importer.counting.wanted import OldPlace
from tests.builder.importer.imported import NONE

ROOTS: Mapping[System, Sequence[str]] = {
    "docusaurus": ("../docs", "docs", "static"),
    "mkdocs": ("docs",),
    "mdbook": ("src",),
    "starlight": ("src/content/docs", "public"),
    "vitepress": ("docs", "public"),
}
"""Where the pages and files of a system are, from which the first folders of addresses count."""
_PAGE = re.compile(r"\.mdx?$")
_ARTICLE = re.compile(r"<article\b.*</article>|<head>.*?</head>", re.DOTALL)
_UNSEEN = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)


def count_site(folder: Path, system: System, root: Path, base: str = "") -> Comparison:
    """Return the comparison of a site with what its import into a folder makes of it."""
    with SourceTree(root, base) as origin:
        new = import_site(origin, SYSTEMS[system], NONE, lambda *_: None)
        write_site(new, origin, folder, lambda *_: None)
        report = check_import(new, folder, lambda *_: None).report
    output = MemoryOutput()
    build(folder, output)
    found = Comparison(report.losses)
    places = _Places(system, root / base, new)
    for file, placed in new.placed.pages.items():
        html = (
            output.get(_output(placed.url)) or output.get(f"{placed.url.strip('/')}.html") or b""
        ).decode()
        text = places.read(file) or ""
        is_mdx = file.endswith(".mdx") or system == "docusaurus"
        source = SourceCounter(system, text, is_mdx=is_mdx)
        fields = frontmatter.loads(new.texts[placed.file]).metadata
        found.page(source, places.of(file, placed.page.address), _content(html), fields)
    return found


class _Places:
    """The files of an old site with their addresses."""

    def __init__(self, system: System, folder: Path, new: NewSite) -> None:
        self._folder = folder
        self._roots = ROOTS.get(system, ("",))
        self._addresses = {file: placed.page.address for file, placed in new.placed.pages.items()}
        for root in self._roots:
            for path in (folder / root).rglob("*"):
                if path.is_file() and not _PAGE.search(path.name):
                    inner = path.relative_to(folder / root).as_posix()
                    self._addresses.setdefault(posixpath.normpath(posixpath.join(root, inner)), f"/{inner}")

    def of(self, file: str, address: str) -> OldPlace:
        """Return the place of a page."""
        return OldPlace(file, address, self._addresses, self._roots, self.read)

    def read(self, file: str) -> str | None:
        """Return the text of a file; None for none."""
        path = self._folder / file
        return path.read_text() if path.is_file() else None


def _output(url: str) -> str:
    return f"{url.strip('/')}/index.html".lstrip("/") if url.endswith("/") else f"{url.strip('/')}.html"


def _content(html: str) -> str:
    """Return the head and the content of a page, without what stands round it."""
    found = "".join(each[0] for each in _ARTICLE.finditer(html))
    return _UNSEEN.sub("", found if "<article" in found else html)
