"""The cache that machines share, as options of a command name it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from builder.build import Result
from server.cli.terminal import console

if TYPE_CHECKING:
    from builder.cache.shared_cache import SharedCache


_PUBLISHED = ("docs", "pages", "static")


def shared_cache(
    cache_from: str, cache_to: str, site: Path, *outputs: Path, no_cache: bool, safe: bool
) -> SharedCache | None:
    """Return the shared cache that a build of a site uses, None for none. Raises InvalidCache."""
    left = "--safe" if safe else "--no-cache" if no_cache else ""
    if left and (cache_from or cache_to):
        console.note(f"{left} leaves the shared cache alone, too.")
        return None
    if not cache_from and not cache_to:
        return None
    # Loaded here: it speaks HTTP, which most builds need not.
    from server.shared_caches.open_cache import open_cache  # noqa: PLC0415

    found = open_cache(cache_from, cache_to, [*(site / each for each in _PUBLISHED), *outputs])
    if found is not None and cache_to and not found.is_trusted:
        console.note("cache: TWINPRESS_CACHE_SECRET is not set: trusted builds take nothing of what is sent")
    return found


def check_verified(share: float, *, no_cache: bool, safe: bool) -> None:
    """Refuse to compare kept pages where none are looked for. Raises click.UsageError."""
    if share and (safe or no_cache):
        left = "--safe" if safe else "--no-cache"
        raise click.UsageError(f"--verify-cache compares kept pages, which {left} leaves alone.")


def tell_used(shared: SharedCache | None, result: Result) -> None:
    """Say how many pages of a build came from the shared cache, and how many kept ones were compared."""
    if shared is not None and shared.reads:
        here = f", {shared.kept:,} kept on this machine" if shared.kept else ""
        console.note(f"cache: {shared.used:,} of {result.pages:,} pages from remote{here}")
    if result.verified:
        wrong = sum(one.code == "cache-wrong" for one in result.diagnostics)
        said = f"{wrong:,} of them wrong" if wrong else "all of them right"
        console.note(f"cache: {result.verified:,} kept pages rendered anew, {said}")
