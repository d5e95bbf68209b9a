"""`twinpress mv`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from builder.moves.move_plan import MovePlan, SiteFiles, plan_move
from builder.report import counted
from builder.site import read_sources, site_of
from builder.store import ChangeNote, ContentStore, Replacement
from builder.store.names import COMPONENTS, PLACES
from builder.store.part_files import PartFiles
from server.cli.actions.page_history import opened
from server.cli.terminal import console
from server.history import SHORT
from server.history.restoring import emptied

LEFT = 1


def run(*, old: str, new: str, site: Path, no_redirect: bool, dry_run: bool) -> int:
    """Move a page, a folder or a file."""
    if dry_run:
        with ContentStore(site) as store:
            plan = plan_move(_site_files(store), old, new, "none" if no_redirect else "add")
        _show(plan)
        console.note("Nothing was changed.")
        return LEFT if plan.left else 0
    with opened(site) as (kept, store):
        kept.catch_up()
        plan = plan_move(_site_files(store), old, new, "none" if no_redirect else "add")
        change = Replacement(plan.expected, plan.wanted, drop=emptied(plan.files))
        store.put_back(change, note=ChangeNote(act="mv", about=f"{old} {new}"))
        kept.catch_up()
        revision = kept.revisions("", 1)[0].id[:SHORT]
    _show(plan)
    console.note(f"`twinpress undo {revision}` takes this back.")
    return LEFT if plan.left else 0


def _site_files(store: ContentStore) -> SiteFiles:
    sources = read_sources(store)

    @cache
    def read(file: str) -> bytes | None:
        try:
            return store.read_file(file)
        except FileNotFoundError:
            return None

    site = site_of(sources, drafts=True)
    return SiteFiles(site, sources.scan, tuple(_names(store.root)), read, PartFiles(store.root))


def _names(root: Path) -> Iterator[str]:
    """The names of all files in the folders of pages and files, and of own components."""
    for top in (*PLACES, COMPONENTS):
        for place, folders, names in os.walk(root / top):
            folders.sort()
            inner = Path(place).relative_to(root).as_posix()
            yield from (f"{inner}/{name}" for name in sorted(names))


def _show(plan: MovePlan) -> None:
    for old, new in plan.files.items():
        console.line(f"{old} -> {new}")
    for file, number in sorted(plan.links.items()):
        console.line(f"{file}: {counted(number, 'link')} changed")
    for old, new in plan.redirects.items():
        console.line(f"site.yml: redirect {old} -> {new}")
    for sentence in plan.said:
        console.line(sentence)
    for left in plan.left:
        console.line(f"{left.file}:{left.line}: `{left.address}` stays: change it by hand")
