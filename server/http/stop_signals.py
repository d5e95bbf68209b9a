"""The signals that end a server."""

from __future__ import annotations

import asyncio
import signal

from server.process import interrupts


def stop_signal() -> asyncio.Future[None]:
    """Done at the first SIGINT or SIGTERM, which may have come during the start.

    A second one ends the program as it always does.
    """
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[None] = loop.create_future()

    def stop() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
        if not stopped.done():  # two may have come at once
            stopped.set_result(None)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    # From here on none can be missed.
    if interrupts.heed():
        stop()
    return stopped
