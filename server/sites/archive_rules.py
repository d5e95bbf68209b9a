"""The names in an archive: files that no hosted site has, as they lie around one on somebody's machine.

By names alone the site itself is found: at the top, or in the one folder that tools put around everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from builder import paths
from builder.lazy_regex import lazy
from builder.site import CONFIG_FILE, SIDEBAR_FILE
from builder.site.load import MISNAMED
from builder.store.names import CONTENT, WELL_KNOWN, is_hidden
from builder.store.scan import ROOTS, SOURCES
from builder.theme.site_theme import NAME as THEME
from server.sites.archive_entry import ArchiveEntry
from server.sites.archive_limits import ArchiveRefused, shown
from server.sites.entry_paths import Parts, parts_of

SETTINGS = (CONFIG_FILE, MISNAMED)
"""The names of a site's settings, the right one first."""

_FOLDERS = {
    ".git": "the history of git",
    ".twinpress": "keys, history and caches of whoever packed the site",
    "__MACOSX": "notes of macOS",
    "node_modules": "packages of programs",
}
_JUNK = {".ds_store": "a note of macOS", "icon\r": "a note of macOS"} | dict.fromkeys(
    ("desktop.ini", "ehthumbs.db", "thumbs.db"), "a note of Windows"
)
_APPLE_DOUBLE = "._"
_BACKUP = lazy(r".*~|#.*#")
_COPY = lazy(r"~\$.*|.*\.(?:bak|orig|rej|swo|swp)")
_HIDDEN, _SAVED = "its name begins with a dot", "a backup of an editor"
_OUTPUT = "dist"
_NO_PART = f"no part of a site, which has `{CONFIG_FILE}`, {', '.join(f'`{root}/`' for root in ROOTS)}"


def is_unseen(parts: Parts) -> bool:
    """Return whether a file, or a folder, is one that Twinpress never looks at in a site, by its own name."""
    name = parts[-1]
    if name == WELL_KNOWN:
        return parts[:-1] != ("static",)
    return is_hidden(name) or _BACKUP.fullmatch(name) is not None


def junk(parts: Parts) -> tuple[str, str] | None:
    """The line of Omission and the reason for a file that is none of anybody's site; None for others."""
    for depth in range(1, len(parts)):
        folder = "/".join(parts[:depth]) + "/"
        # As the programs that make them spell them: in another spelling, an author has named a folder so.
        if parts[depth - 1] in _FOLDERS:
            return folder, _FOLDERS[parts[depth - 1]]
        if is_unseen(parts[:depth]):
            return folder, _why_unseen(parts[depth - 1])
    name = parts[-1]
    if name.startswith(_APPLE_DOUBLE):
        return f"{_APPLE_DOUBLE}*", "notes of macOS"
    if name.casefold() in _JUNK:
        return name, _JUNK[name.casefold()]
    if is_unseen(parts):
        return "/".join(parts), _why_unseen(name)
    return ("/".join(parts), _SAVED) if _COPY.fullmatch(name.casefold()) else None


def _why_unseen(name: str) -> str:
    return _HIDDEN if name.startswith(".") else _SAVED


def no_part(parts: Parts) -> tuple[str, str] | None:
    """The same for a file that a hosted site does not use; `parts` are from the site's folder."""
    root = parts[0]
    if root == THEME:
        return f"{THEME}/", "a hosted site has the default theme: no templates, scripts and styles of its own"
    if root == _OUTPUT and len(parts) > 1:
        return f"{_OUTPUT}/", "the output of a build"
    if len(parts) == 1:
        return None if root in {*SETTINGS, SIDEBAR_FILE} else (root, _NO_PART)
    return None if root in SOURCES else (f"{root}/", _NO_PART)


def is_page(parts: Parts) -> bool:
    """Return whether a file is a page's by its name and place."""
    name = parts[-1]
    is_source = name.endswith(tuple(paths.PAGE_SUFFIXES)) and not name.endswith(paths.TWIN_SUFFIX)
    is_part = any(part.startswith("_") for part in parts)
    return is_source and not is_part and len(parts) > 1 and parts[0] in CONTENT


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
