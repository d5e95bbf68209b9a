"""The signals that end a server."""

from __future__ import annotations

import asyncio
import signal

from server.process import interrupts


def stop_signal() -> asyncio.Future[None]:
    """Done at the first SIGINT or SIGTERM, which may have come during the start, or when the terminal closes.

    A second one ends the program as it always does. With `nohup`, the end of the terminal is of no account.
    """
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[None] = loop.create_future()
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)

    def stop() -> None:
        for number in numbers:
            loop.remove_signal_handler(number)
        if not stopped.done():  # two may have come at once
            stopped.set_result(None)

    for number in numbers:
        loop.add_signal_handler(number, stop)
    # From here on none can be missed.
    if interrupts.heed():
        stop()
    return stopped
