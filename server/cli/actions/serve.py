"""`twinpress serve`."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path

import click

from builder.site import Plan
from builder.workers.processors import COLLECT
from server.authoring.site_key_limits import ClientLimits
from server.cli.actions.agreement import agreed
from server.cli.actions.include_roots import include_roots as all_roots
from server.cli.terminal import console
from server.cli.terminal.progress import Bar
from server.cli.terminal.serve_messages import ServeMessages
from server.control.keys.key_text import KeyKind
from server.http.addresses import Network, Proxies
from server.http.keyless_limits import KeylessLimits
from server.preview.serving import Settings, serve

SWITCH = 0.001
"""Seconds that a thread which builds may keep the others from running; Python's own 5 ms are felt."""


def _limits(requests: int | None) -> ClientLimits:
    return ClientLimits() if requests is None else ClientLimits(requests=dict.fromkeys(KeyKind, requests))


def run(
    *,
    site: Path,
    host: str,
    port: int,
    browser: bool,
    no_key: bool,
    requests: int | None,
    address_requests: int,
    address_connections: int,
    proxies: tuple[Network, ...],
    plan: Plan | None,
    safe: bool,
    trust: bool,
    include_roots: tuple[Path, ...],
) -> int:
    """Show the site until Ctrl+C."""
    if safe and trust:
        raise click.UsageError("--safe runs no program of the site and --trust all of them: choose one.")
    may_run = None if safe else agreed(site, trust=trust)
    visitors = KeylessLimits(address_connections, address_requests, Proxies(proxies))
    roots = all_roots(include_roots, safe=safe)
    settings = Settings(site, host, port, plan, safe, may_run, not no_key, _limits(requests), visitors, roots)
    sys.setswitchinterval(SWITCH)
    gc.set_threshold(COLLECT)
    with Bar("Building") as bar:
        narrator = ServeMessages(site, bar, browser=browser)
        ended = asyncio.run(serve(settings, narrator, bar.update))
    if sys.stderr.isatty():
        console.note("")  # the terminal has shown `^C`, and what the shell says next is no part of it
    if not ended:
        # A build still runs in its daemon thread; the interpreter's own end could meet it anywhere.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    return 0
