"""The cache that machines share, as options of a command name it."""

from __future__ import annotations

import click

from builder.build import Result
from builder.cache.shared_cache import SharedCache
from server.cli.terminal import console
from server.shared_caches.open_cache import open_cache


def shared_cache(cache_from: str, cache_to: str, *, no_cache: bool, safe: bool) -> SharedCache | None:
    """Return the shared cache that a build uses, None for none."""
    if safe and (cache_from or cache_to):
        console.note("--safe leaves the shared cache alone, too.")
        return None
    if no_cache and (cache_from or cache_to):
        message = "--no-cache leaves .twinpress/cache alone, through which pages of a shared cache go: "
        raise click.UsageError(f"{message}leave one of them out.")
    return open_cache(cache_from, cache_to)


def tell_used(shared: SharedCache | None, result: Result) -> None:
    """Say how many pages of a build came from the shared cache."""
    if shared is not None and shared.reads:
        console.note(f"cache: {shared.used:,} of {result.pages:,} pages from remote")
