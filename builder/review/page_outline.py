"""The outline of a rendered page: what stands in it, for readers who cannot see it.

Read from the page's HTML, so that it says what a browser has; components come from its source, which alone
has their lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from builder.errors import StorageError
from builder.images import header
from builder.markdown.body import PlacedComponent
from builder.review.outline_reader import OutlineReader
from builder.review.outline_structs import (
    LONGEST,
    MOST,
    OutlineComponent,
    OutlineImage,
    OutlineTable,
    PageOutline,
)
from builder.store import ContentStore

MOST_HTML = 1_000_000
"""Characters of a document that are read, which takes about a second."""


class ImageFiles(Struct, frozen=True):
    """The files of the site that images may be: `files` by output path, and what the page itself `brings`."""

    base: str
    files: Mapping[str, str]
    brings: frozenset[str]
    store: ContentStore

    def image(self, src: str, alt: str) -> OutlineImage:
        """Look an image up. The sizes of files elsewhere are not known, and nobody asks for them."""
        path, shown = unquote(urlsplit(src).path), src[:LONGEST]
        if not src.startswith(f"{self.base}/") or src.startswith("//"):
            return OutlineImage(shown, alt[:LONGEST], None, None, broken=False)
        output = path.removeprefix(f"{self.base}/")
        size = self._size(self.files.get(output, ""))
        broken = output not in self.files and output not in self.brings
        width, height = size or (None, None)
        return OutlineImage(shown, alt[:LONGEST], width, height, broken=broken)

    def _size(self, file: str) -> header.Size | None:
        try:
            with self.store.open_file(file) as opened:
                return header.of_file(opened, file)
        except (OSError, StorageError):
            return None


def outline_of(
    html: str, components: Sequence[PlacedComponent], images: ImageFiles, *, draft: bool, full: bool
) -> PageOutline:
    """Return the outline of the page whose document this is: a short one unless it is to be `full`."""
    reader = OutlineReader()
    reader.feed(html[:MOST_HTML])
    reader.close()
    found = reader.found
    shown = _each(components) if full else _summed_up(components)
    landmarks = found.landmarks if full else []
    lists = (
        found.headings,
        landmarks,
        shown,
        found.images,
        found.tables,
        found.code,
        found.diagrams,
    )
    return PageOutline(
        draft=draft,
        headings=found.headings[:MOST],
        landmarks=reader.landmarks() if full else None,
        components=shown[:MOST],
        images=[images.image(src, alt) for src, alt in found.images[:MOST]],
        tables=[OutlineTable(each.headers[:MOST], each.rows) for each in found.tables[:MOST]],
        code=found.code[:MOST],
        internal_links=found.internal,
        external_links=found.external,
        words=found.words,
        diagrams=found.diagrams[:MOST],
        formulas=found.formulas,
        cut=len(html) > MOST_HTML or any(len(each) > MOST for each in lists),
    )


def _each(components: Sequence[PlacedComponent]) -> list[OutlineComponent]:
    return [OutlineComponent(one.name, one.line, one.depth, 1, one.holds) for one in components]


def _summed_up(components: Sequence[PlacedComponent]) -> list[OutlineComponent]:
    """The components that stand in no other, those of a name that follow each other as one."""
    found: list[OutlineComponent] = []
    for one in components:
        last = found[-1] if found else None
        if last is not None and one.depth:
            last.holds[one.name] = last.holds.get(one.name, 0) + 1
        elif last is not None and last.name == one.name:
            found[-1] = replace(last, count=last.count + 1)
        else:
            found.append(OutlineComponent(one.name, one.line, 0, 1, {}))
    return found
