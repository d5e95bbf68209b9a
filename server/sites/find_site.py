"""Find the site in an archive: at its top, or in the one folder that tools put around everything.

A layer below `read_archive`: it looks at names, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from builder.store.names import CONTENT
from server.sites.archive_entry import ArchiveEntry
from server.sites.archive_limits import ArchiveRefused, shown
from server.sites.archive_rules import SETTINGS, is_page, junk
from server.sites.entry_paths import Parts, parts_of

_NAMED = 3
"""Sites elsewhere in the archive that a refusal names."""


class SitePlace(Struct, frozen=True):
    """The folder around the site, empty for none, and the name of its settings, empty when it has none."""

    folder: str
    settings: str

    def inside(self, parts: Parts) -> Parts | None:
        """The parts from the site's folder on; None for what lies outside of it."""
        if not self.folder:
            return parts
        return parts[1:] if parts[0] == self.folder and len(parts) > 1 else None


class _Seen(Struct):
    """Names at the top, two of them at most; which of their folders have settings, and pages."""

    tops: set[str] = field(default_factory=set)
    settings: set[tuple[str, str]] = field(default_factory=set)
    with_pages: set[str] = field(default_factory=set)
    elsewhere: list[str] = field(default_factory=list)

    def add(self, parts: Parts) -> None:
        if len(self.tops) < 2:
            self.tops.add(parts[0])
        for folder, inner in _readings(parts):
            if folder and folder not in self.tops:
                continue
            if len(inner) == 1 and inner[0] in SETTINGS:
                self.settings.add((folder, inner[0]))
            if is_page(inner):
                self.with_pages.add(folder)
        if parts[-1] in SETTINGS and len(parts) > 1 and len(self.elsewhere) < _NAMED:
            self.elsewhere.append("/".join(parts))

    def place(self) -> SitePlace:
        """Say where the site is. Raises ArchiveRefused."""
        folders = ["", *(self.tops if len(self.tops) == 1 else ())]
        named = ((folder, name) for folder in folders for name in SETTINGS)
        found = next((place for place in named if place in self.settings), None)
        if found is None:
            found = next(((folder, "") for folder in folders if folder in self.with_pages), None)
        if found is None:
            raise self._refused()
        return SitePlace(*found)

    def _refused(self) -> ArchiveRefused:
        folders = " or ".join(f"`{name}/`" for name in CONTENT)
        hint = f"a site is a folder with `{SETTINGS[0]}`, and pages in {folders}; pack that folder"
        if self.elsewhere:
            hint = (
                f"there is {', '.join(f'`{shown(name)}`' for name in self.elsewhere)}: pack that folder alone"
            )
        return ArchiveRefused(f"there is no site in the archive: no `{SETTINGS[0]}` and no pages", hint=hint)


def find_site(entries: Iterable[ArchiveEntry]) -> SitePlace:
    """Go through all entries, and say where the site is. Raises ArchiveRefused."""
    seen = _Seen()
    for entry in entries:
        parts = parts_of(entry.name)
        if entry.kind == "file" and parts and not junk(parts):
            seen.add(parts)
    return seen.place()


def _readings(parts: Parts) -> Iterator[tuple[str, Parts]]:
    """The file as one of a site at the top, and as one of a site in the folder that it is in."""
    yield "", parts
    if len(parts) > 1:
        yield parts[0], parts[1:]
