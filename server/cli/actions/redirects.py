"""`twinpress redirect add`, `list` and `remove`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from builder.config.settings_text import with_redirects
from builder.moves import redirect_plan
from builder.moves.redirect_plan import AnsweringAddresses, RedirectPlan, own_redirects
from builder.site import CONFIG_FILE, Site, load
from builder.store import ChangeNote, ContentStore
from server.cli.actions.page_history import opened
from server.cli.terminal import console
from server.history import SHORT

NOWHERE = 1


def add(*, old: str, new: str, site: Path) -> int:
    """Add a redirect, or change the one that there is."""
    note = ChangeNote(act="redirect", about=f"{old} -> {new}")
    plan = _change(site, note, lambda found: redirect_plan.add(AnsweringAddresses.of(found), old, new))
    for warning in plan.warnings:
        console.note(f"warning: {warning}")
    return NOWHERE if plan.warnings else 0


def remove(*, old: str, site: Path) -> int:
    """Remove a redirect."""
    note = ChangeNote(act="redirect", about=f"remove {old}")
    _change(site, note, lambda found: redirect_plan.remove(found.config, old))
    return 0


def list_(*, site: Path, form: str) -> int:
    """Show all redirects."""
    with ContentStore(site) as store:
        found = redirect_plan.listed(load(store).config)
    if form == "json":
        records = [{"from": old, "to": new, "place": place} for old, new, place in found]
        console.write(json.dumps(records, indent=1, ensure_ascii=False) + "\n")
        return 0
    for old, new, place in found:
        console.line(f"{old} -> {new}  ({place})")
    if not found:
        console.note("There is no redirect yet.")
    return 0


def _change(site: Path, note: ChangeNote, planned: Callable[[Site], RedirectPlan]) -> RedirectPlan:
    """Change the redirects of `site.yml` as one change of the history, and say so."""
    with opened(site) as (kept, store):
        before = _text(store)
        found = load(store, drafts=True)
        plan, known = planned(found), own_redirects(found.config)
        if dict(plan.redirects) == known:
            console.note("Everything is like that already.")
            return plan
        text = with_redirects((before or b"").decode(errors="surrogateescape"), plan.redirects)
        kept.catch_up()
        data = text.encode(errors="surrogateescape")
        store.replace_file(CONFIG_FILE, data, expected=before, note=note)
        kept.catch_up()
        revision = kept.revisions(CONFIG_FILE, 1)[0].id[:SHORT]
    for line in (*_differences(known, plan.redirects), *plan.said):
        console.line(line)
    console.note(f"`twinpress undo {revision}` takes this back.")
    return plan


def _differences(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for old in before.keys() - now.keys():
        yield f"{old} -> {before[old]}: removed"
    for old, new in now.items():
        if old not in before:
            yield f"{old} -> {new}: added"
        elif before[old] != new:
            yield f"{old} -> {new}: changed, it led to {before[old]}"


def _text(store: ContentStore) -> bytes | None:
    try:
        return store.read_file(CONFIG_FILE)
    except FileNotFoundError:
        return None
