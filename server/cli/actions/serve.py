"""`twinpress serve`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from builder.site import Plan
from server.cli.progress import Bar
from server.cli.serving import Narrator
from server.preview.serving import Settings, serve


def run(*, site: Path, host: str, port: int, browser: bool, plan: Plan | None) -> int:
    """Show the site until Ctrl+C."""
    with Bar("Building") as bar:
        narrator = Narrator(site, bar, browser=browser)
        ended = asyncio.run(serve(Settings(site, host, port, plan), narrator, bar.update))
    if not ended:
        # A build still runs in its daemon thread; the interpreter's own end could meet it anywhere.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    return 0
