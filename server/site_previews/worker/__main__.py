"""Show one site until the service is gone.

The order is the first line of the standard input, which stays open for as long as the service wants it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sys
from pathlib import Path

import msgspec
from aiohttp import web

from builder.workers.processors import COLLECT
from server.site_previews.worker.app import worker_app
from server.site_previews.worker.confine import confine
from server.site_previews.worker.fresh_site import FreshSite
from server.site_previews.worker_order import WorkerOrder


def main() -> None:
    """Read the order, and obey it."""
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=WorkerOrder)
    confine(Path(order.root), order.memory)
    gc.set_threshold(COLLECT)
    asyncio.run(_serve(order))


async def _serve(order: WorkerOrder) -> None:
    runner = web.AppRunner(worker_app(FreshSite(order)), access_log=None)
    await runner.setup()
    await web.SockSite(runner, socket.socket(fileno=order.socket)).start()
    gone = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), gone.set)
    await gone.wait()
    os._exit(0)  # whatever is being built: nobody waits for it any more


if __name__ == "__main__":
    main()
