"""`twinpress key ...`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builder.site.load import load_config
from builder.store import ContentStore
from server.cli.terminal import console, record_table
from server.cli.terminal.record_table import Listing
from server.control import (
    ONE_OFF_SECONDS,
    Created,
    KeyKind,
    KeyRecord,
    SiteKeys,
    local_database,
    local_site,
)
from server.prompt import prompt

ONE_OFF_MINUTES = ONE_OFF_SECONDS // 60


def create(
    *, site: Path, kind: str, label: str, navigation: bool, url: str, with_prompt: bool, task: str
) -> int:
    """Make a key, print it and forget it."""
    with _keys(site) as (keys, owner):
        made = keys.create(KeyKind(kind), owner, label, navigation=navigation)
    console.write(f"{made.text}\n")
    _explain(made)
    if with_prompt:
        minutes = ONE_OFF_MINUTES if made.record.expires_at is not None else None
        console.write("\n" + prompt(url, made.text, minutes, task))
    return 0


def list_(*, site: Path, form: str) -> int:
    """Print what is known about the keys of a site."""
    with _keys(site) as (keys, owner):
        found = keys.list(owner)
    _listing(time.time()).show(found, as_json=form == "json")
    return 0


def delete(*, target: tuple[Path, str]) -> int:
    """Take a key away."""
    with _one(*target) as (keys, record):
        keys.delete(record.id)
    console.note(f"The {_named(record)} is deleted.")
    return 0


def disable(*, target: tuple[Path, str]) -> int:
    """Let a key rest."""
    with _one(*target) as (keys, record):
        keys.disable(record.id)
    console.note(f"The {_named(record)} is disabled.")
    return 0


def enable(*, target: tuple[Path, str]) -> int:
    """Let a key work again."""
    with _one(*target) as (keys, record):
        keys.enable(record.id)
    if record.state(time.time()) == "expired":
        console.note(f"The {_named(record)} is enabled, but it has expired: create a new one.")
    else:
        console.note(f"The {_named(record)} is enabled.")
    return 0


@contextmanager
def _keys(site: Path) -> Iterator[tuple[SiteKeys, str]]:
    """The keys of a site, and the site's id. Raises ConfigError when the folder is no site."""
    with ContentStore(site) as store:
        load_config(store)
    with local_database(site) as database:
        yield SiteKeys(database), local_site(database)


@contextmanager
def _one(site: Path, name: str) -> Iterator[tuple[SiteKeys, KeyRecord]]:
    with _keys(site) as (keys, owner):
        yield keys, keys.find(owner, name)


def _explain(made: Created) -> None:
    record = made.record
    life = "until you delete it" if record.expires_at is None else f"for {ONE_OFF_MINUTES} minutes"
    console.note(f"This {_named(record)} is valid {life}. It is not shown again: copy it now.")


def _named(record: KeyRecord) -> str:
    label = f" `{record.label}`" if record.label else ""
    return f"{record.kind} key{label} {record.id}"


_HEAD = ("ID", "KIND", "ENDS WITH", "STATE", "NAVIGATION", "EXPIRES", "LAST USED", "LABEL")
_NOTHING = "This site has no keys. Create one with `twinpress key create`."


def _listing(now: float) -> Listing[KeyRecord]:
    """With the states that keys have now, in seconds since 1970."""
    return Listing(_HEAD, lambda record: _cells(record, now), lambda record: _fields(record, now), _NOTHING)


def _cells(record: KeyRecord, now: float) -> tuple[str, ...]:
    return (
        record.id,
        record.kind,
        record.last_four,
        record.state(now),
        "yes" if record.navigation else "no",
        record_table.local(record.expires_at),
        record_table.local(record.last_used_at),
        record.label,
    )


def _fields(record: KeyRecord, now: float) -> dict[str, str | bool | None]:
    return {
        "id": record.id,
        "kind": record.kind,
        "prefix": record.prefix,
        "last_four": record.last_four,
        "label": record.label,
        "state": record.state(now),
        "navigation": record.navigation,
        "created_at": record_table.utc(record.created_at),
        "expires_at": record_table.utc(record.expires_at),
        "last_used_at": record_table.utc(record.last_used_at),
    }
