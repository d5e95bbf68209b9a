"""Categories that a change has changed: by their records, or by the index pages of their folders.

A folder without a word of its own has the label and the position of its index page in the sidebar.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from builder.changes.steps_outcome import AppliedSteps
from builder.paths import DOCS
from builder.site import Site, SitePage
from builder.store import CategoryRecord

_INDEX = "/index"


def changed_categories(before: Site, now: Site, done: AppliedSteps) -> tuple[CategoryRecord, ...]:
    """Return the categories that are others now, by path, and those that operations were about."""
    said = {path: now.categories.get(path, CategoryRecord(path)) for path in done.folders}
    paths = {*done.touched, *done.origins.values()}
    folders = {path.removesuffix(_INDEX) for path in paths if path.endswith(_INDEX)} - {DOCS, *said}
    old, new = _by_path(before), _by_path(now)
    for folder in folders:
        placed = _placed(now, new, folder)
        there = any(path.startswith(f"{folder}/") for path in new)
        if folder.startswith(f"{DOCS}/") and there and placed != _placed(before, old, folder):
            said[folder] = placed
    return tuple(said[path] for path in sorted(said))


def _by_path(site: Site) -> Mapping[str, SitePage]:
    return {page.path: page for page in (*site.pages, *site.drafts)}


def _placed(site: Site, pages: Mapping[str, SitePage], folder: str) -> CategoryRecord:
    """Return what is said of a folder, and where nothing is, what its index page says."""
    record = site.categories.get(folder, CategoryRecord(folder))
    index = pages.get(folder + _INDEX)
    if index is None:
        return record
    position = index.meta.sidebar_position if record.position is None else record.position
    return replace(record, label=record.label or index.label, position=position)
