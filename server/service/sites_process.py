"""The process that answers readers of published sites, as the service starts it and looks after it.

It needs nothing of the service, and goes on when the service is killed: readers have their pages meanwhile.
The next start of the service ends it and begins a new one. Where the service stops by itself, it stops, too.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from msgspec import Struct

from server.publishing.publisher import RELEASES

_LOCK = "serving.lock"
_STOPPING = 10.0
"""Seconds that it gets to answer what was asked."""
_PAUSES = (0.2, 1.0, 5.0)
"""Seconds before it is started again, the first time and later ones; one that has lasted begins anew."""
_LASTED = 60.0
_LINE = 64 * 1024


class SitesSettings(Struct, frozen=True):
    """Where it listens, and the socket at which the service answers for previews."""

    data: Path
    host: str
    port: int
    previews: Path

    @property
    def command(self) -> tuple[str, ...]:
        """Return the words of the command."""
        own = (sys.executable, "-m", "server.site_serving", "--data", str(self.data), "--host", self.host)
        return (*own, "--port", str(self.port), "--previews", str(self.previews))


@asynccontextmanager
async def serving_sites(settings: SitesSettings, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Have the sites served while the block runs; `tell` is told what the process says, and when it ends."""
    await end_former(settings.data)
    watch = asyncio.create_task(_watched(settings, tell))
    try:
        yield
    finally:
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch


async def end_former(data: Path) -> None:
    """End the process that a killed service has left behind, if there is one."""
    number = _holder(data / RELEASES / _LOCK)
    if number:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGTERM)
        until = asyncio.get_running_loop().time() + _STOPPING
        while _holder(data / RELEASES / _LOCK) == number and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.02)


def _holder(lock: Path) -> int:
    """Return the number of the process that holds the lock, which it has written into it; 0 for none."""
    with suppress(FileNotFoundError), lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            text = file.read(20)
            return int(text) if text.isdigit() else 0
    return 0


async def _watched(settings: SitesSettings, tell: Callable[[str], None]) -> None:
    """Start it, and start it again whenever it ends; end it when this task is cancelled."""
    loop, again = asyncio.get_running_loop(), 0
    while True:
        began = loop.time()
        await _one(settings, tell)
        tell("The process that serves published sites has ended; it is started again.")
        again = 0 if loop.time() - began > _LASTED else again
        await asyncio.sleep(_PAUSES[min(again, len(_PAUSES) - 1)])
        again += 1


async def _one(settings: SitesSettings, tell: Callable[[str], None]) -> None:
    """Run one process to its end."""
    process = await asyncio.create_subprocess_exec(
        *settings.command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        cwd="/",
        start_new_session=True,
        limit=_LINE,
    )
    assert process.stderr is not None  # noqa: S101 - it is a pipe
    try:
        async for line in process.stderr:
            tell(line.decode(errors="replace").rstrip())
        await process.wait()
    finally:
        if process.returncode is None:
            await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _STOPPING)
    except TimeoutError:
        process.kill()
        await process.wait()
