"""Files that pages include, sent to a machine that does not have the site's folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from builder.markdown.context import PageParts, SiteParts
from builder.store.part_files import SUFFIXES, WRITTEN, PartFile, PartFiles
from builder.store.walk import nfc

MOST_BYTES = 16 * 1024 * 1024
"""Of all the files that are sent, as text."""
_AWAY = PartFile("", "it is on another machine")


class SentParts:
    """Parts and own components as they were when they were sent, by their way from the site's folder.

    `is_wanting` is set when a page asks for a file that was not sent: that page is to be rendered elsewhere.
    """

    def __init__(self, files: Mapping[str, PartFile], scopes: Mapping[str, Mapping[str, str]]) -> None:
        self.is_wanting = False
        self._files = files
        self._site = SiteParts(None, scopes)

    def read(self, file: str) -> PartFile:
        """Return a file that was sent."""
        found = self._files.get(file)
        if found is None:
            self.is_wanting = True
        return found or _AWAY

    def variables(self, path: str) -> Mapping[str, str]:
        """The variables that the page at a content path has."""
        return self._site.variables(path)


def sent_parts(parts: PageParts) -> PageParts:
    """Return the same parts for a machine that does not have the site's folder."""
    if not isinstance(parts, SiteParts) or parts.files is None:
        return parts
    return SentParts(dict(_found(parts.files)), parts.scopes)


def _found(files: PartFiles) -> Iterator[tuple[str, PartFile]]:
    """Yield the files that only pages include, until they are too many."""
    left = MOST_BYTES
    for way in _ways(files.root):
        found = files.read(way)
        left -= len(found.text)
        if left < 0:
            return
        if not found.problem:
            yield way, found


def _ways(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        if folder != root and os.path.exists(f"{folder}/{WRITTEN}"):  # noqa: PTH110 - as the folder is called
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = folder[len(root) :].strip("/")
        for name in sorted(names):
            way = nfc(f"{inside}/{name}" if inside else name)
            if name.endswith(SUFFIXES) and any(each.startswith("_") for each in way.split("/")):
                yield way
