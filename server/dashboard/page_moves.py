"""Give a page another path: its files go, and come with the same bytes elsewhere, as one change."""

from __future__ import annotations

from builder import paths
from builder.errors import PageNotFound, RevisionMismatch
from builder.paths import TWIN_SUFFIX
from builder.store import Replacement
from server.authoring import site_settings
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor
from server.history.restoring import emptied


def move_page(opened: OpenSite, path: str, to: str, edited: ChangeAuthor) -> str:
    """Move a page with its twin; return its new path.

    Raises InvalidPath, PageNotFound, RevisionMismatch where there is a page already or somebody saves one of
    both, PathConflict, StorageError; then nothing has changed.
    """
    source, to = opened.store.read(path, any_size=True), paths.parse(to)
    if to == source.path:
        return to
    if _exists(opened, to):
        raise RevisionMismatch("there is a page already", path=to, hint="use another path")
    files = {source.file: f"{to}.{source.format}"}
    twin = f"{source.path}{TWIN_SUFFIX}"
    if source.twin is not None:
        files[twin] = f"{to}{TWIN_SUFFIX}"
    data = {file: opened.store.read_file(file) for file in files}
    expected = {**data, **dict.fromkeys(files.values())}
    wanted = {**dict.fromkeys(files), **{files[file]: each for file, each in data.items()}}
    edited.permit()
    opened.store.put_back(Replacement(expected, wanted, drop=emptied(files)), note=edited.note)
    opened.handlers.changed(source.path)
    opened.handlers.changed(to)
    return to


def redirect_page(opened: OpenSite, path: str, to: str, edited: ChangeAuthor) -> None:
    """Lead readers from a page's former address to its new one.

    Raises InvalidSettings where `site.yml` cannot be read, RevisionMismatch, StorageError.
    """
    now = site_settings.load(opened)
    text = site_settings.with_redirect(now.text, paths.url(path), paths.url(to))
    site_settings.save(opened, text, now.revision, edited.permit)


def _exists(opened: OpenSite, path: str) -> bool:
    try:
        opened.store.read(path, any_size=True)
    except PageNotFound:
        return False
    return True
