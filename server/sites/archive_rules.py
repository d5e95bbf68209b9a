"""Files that no hosted site has, by their names: what lies around a site on somebody's machine."""

from __future__ import annotations

from builder import paths
from builder.lazy_regex import lazy
from builder.site import CONFIG_FILE, SIDEBAR_FILE
from builder.site.load import MISNAMED
from builder.store.names import CONTENT, WELL_KNOWN, is_hidden
from builder.store.scan import ROOTS, SOURCES
from builder.theme.site_theme import NAME as THEME
from server.sites.entry_paths import Parts

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
