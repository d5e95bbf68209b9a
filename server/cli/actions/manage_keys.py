"""`twinpress key ...`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from builder.site.load import load_config
from builder.store import ContentStore
from server.cli.terminal import console
from server.cli.terminal.key_table import listing
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


def create(*, site: Path, kind: str, label: str, url: str, with_prompt: bool) -> int:
    """Make a key, print it and forget it."""
    with _keys(site) as (keys, owner):
        made = keys.create(KeyKind(kind), owner, label)
    console.write(f"{made.text}\n")
    _explain(made)
    if with_prompt:
        minutes = ONE_OFF_MINUTES if made.record.expires_at is not None else None
        console.write("\n" + prompt(url, made.text, minutes))
    return 0


def list_(*, site: Path, form: str) -> int:
    """Print what is known about the keys of a site."""
    with _keys(site) as (keys, owner):
        found = keys.list(owner)
    listing(time.time()).show(found, as_json=form == "json")
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
        console.note(f"The {_named(record)} is enabled, but it has expired: make a new one.")
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
