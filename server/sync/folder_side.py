"""The folder's side: its pages as the service would give them, its categories, and what does not travel.

Also the same as it was at a commit, read by git as it keeps it: no filter that the repository names is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from builder.category.record import FILES
from builder.diagnostics import Diagnostic
from builder.errors import PageNotFound, TwinpressError
from builder.paths import DOCS, PAGE_SUFFIXES, PAGES, TWIN_SUFFIX
from builder.store import CategoryRecord, ContentStore, Scan, Source
from builder.store.names import is_content
from server.authoring.compose import page_of
from server.authoring.structs import Category
from server.static_targets.commit_tree import NoCommit, write_commit
from server.sync.errors import SyncError
from server.sync.page_content import page_digest, untold
from server.sync.side import PageState, Side, Unread

_UNREAD_PAGE = frozenset({
    "page-unreadable", "page-too-large", "path-invalid", "path-conflict", "symlink-skipped", "twin-orphan",
})  # fmt: skip
"""Codes of what a scan leaves out, so that nobody knows whether there is a page."""
_UNREAD_CATEGORY = frozenset({"category-invalid", "page-encoding", "path-invalid", "symlink-skipped"})
_SUFFIXES = (TWIN_SUFFIX, *PAGE_SUFFIXES)


class FolderSide(Struct, frozen=True):
    """The site in a folder; `files` are those that do not travel, by their names."""

    side: Side
    files: tuple[str, ...]


def read_folder(store: ContentStore) -> FolderSide:
    """Read the pages and categories of the site in `store`. Raises StorageError."""
    scan = store.scan()
    pages: dict[str, PageState] = {}
    unread = dict(_unread_pages(scan.diagnostics))
    for found in scan.pages:
        if found.path not in unread:
            state = read_page(store, found.path)
            if isinstance(state, str):
                unread[found.path] = state
            elif state is not None:
                pages[found.path] = state
    folders, categories = _unread_folders(scan.diagnostics), _unread_categories(scan)
    side = Side(pages, read_categories(scan), Unread(unread, folders, categories))
    return FolderSide(
        side, tuple(sorted((*(file.file for file in scan.files), *(part for part, _ in scan.parts))))
    )


def read_page(store: ContentStore, path: str) -> PageState | str | None:
    """One page as it is now, None where there is none; a text says why it cannot be compared."""
    try:
        source = store.read(path)
    except PageNotFound:
        return None
    except TwinpressError as error:
        return error.message
    return untold(source) or state_of(source)


def state_of(source: Source) -> PageState:
    """A page's state."""
    return PageState(page_digest(page_of(source)), source.revision)


def read_categories(scan: Scan) -> Mapping[str, Category]:
    """The records of folders; that of `docs` itself does not travel, as the service has no path for it."""
    return {path: _category(record) for path, record in scan.categories.items() if path != DOCS}


def _category(record: CategoryRecord) -> Category:
    return Category(record.path, record.label, record.position, record.collapsed)


def _unread_pages(found: Iterable[Diagnostic]) -> Iterable[tuple[str, str]]:
    for one in found:
        suffix = next((suffix for suffix in _SUFFIXES if one.file.endswith(suffix)), "")
        if suffix and one.code in _UNREAD_PAGE:
            yield one.file.removesuffix(suffix), one.message


def _unread_folders(found: Iterable[Diagnostic]) -> dict[str, str]:
    """Return what is neither a page nor a category by its name: a folder, for all that one knows."""
    return {
        one.file: one.message
        for one in found
        if one.code in _UNREAD_PAGE and not one.file.endswith((*_SUFFIXES, *FILES))
    }


def _unread_categories(scan: Scan) -> dict[str, str]:
    return {
        one.file.rpartition("/")[0]: one.message
        for one in scan.diagnostics
        if one.code in _UNREAD_CATEGORY and one.file.endswith(FILES) and one.file.rpartition("/")[0] != DOCS
    }


def read_commit(site: Path, ref: str) -> Side:
    """The pages and categories of the site in the folder `site` at a commit. Raises SyncError."""
    with TemporaryDirectory(prefix="twinpress-base-") as folder:
        try:
            write_commit(site, ref, Path(folder), _travels)
        except NoCommit as error:
            raise SyncError(error.message, path=f"--base {ref}", hint=error.hint) from None
        with ContentStore(Path(folder)) as store:
            side = read_folder(store).side
    pages = {path: PageState(state.content) for path, state in side.pages.items()}
    return Side(pages, side.categories)


def _travels(file: str) -> bool:
    return file.startswith((f"{DOCS}/", f"{PAGES}/")) and is_content(file)
