"""A process that shows one site, from the side of the service.

It is started with an environment of our own, and without open files but its socket. It ends when its standard
input is closed, so also when the service is killed.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import aiohttp
import msgspec
from msgspec import Struct
from yarl import URL

from server.control.plans import PlanName
from server.dashboard.previews import PreviewFailed
from server.site_previews.limits import PreviewLimits
from server.site_previews.worker_order import WorkerOrder

_COMMAND = (sys.executable, "-I", "-m", "server.site_previews.worker")
# With one arena, glibc reserves no 64 MB of address space for each thread, which would count as memory.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}
"""All of it: nothing of the service's own, in which there may be keys and addresses with passwords."""
STARTING = 30.0
"""Seconds that the start of a process may take, on a machine that has very much to do."""
_BACKLOG = 64


class WorkerLost(PreviewFailed):
    """The process has ended amid a request, which may be no fault of the site."""

    def __init__(self) -> None:
        says = "The process that shows this site has ended; there may be too little memory. Try again."
        super().__init__(503, says)


class SiteFolder(Struct, frozen=True):
    """The place of a site on disk, and the plan of its owner."""

    root: Path
    plan: PlanName


class SiteWorker:
    """The process of one site, which listens at `place`. For one event loop.

    `under_way` counts the requests that it answers; `last_used` is when the last one ended, by the loop's
    clock.
    """

    def __init__(self, site: SiteFolder, place: Path, limits: PreviewLimits) -> None:
        self.site = site
        self.under_way = 0
        self.last_used = 0.0
        self._place = place
        self._patience = STARTING + limits.first_seconds + limits.page_seconds
        self._process = _started(site, place, limits)
        self._client = aiohttp.ClientSession(
            connector=aiohttp.UnixConnector(str(place), limit=0),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
        )

    @property
    def number(self) -> int:
        """The process's id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Tell whether the process goes on."""
        return self._process.poll() is None

    async def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> aiohttp.ClientResponse:
        """Return the answer to a request, of which the body is yet to be read. Raises PreviewFailed."""
        address = URL(f"http://site{target}", encoded=True)
        try:
            async with asyncio.timeout(self._patience):
                return await self._client.request(
                    method, address, headers=headers, data=body and BytesIO(body), allow_redirects=False
                )
        except TimeoutError:
            self._process.kill()
            raise _too_long() from None
        except aiohttp.ClientError:
            raise await self._ended() from None

    async def whole(self, answer: aiohttp.ClientResponse) -> bytes:
        """Read an answer to its end. Raises PreviewFailed where the process ends before."""
        try:
            async with answer:
                return await answer.read()
        except aiohttp.ClientError:
            raise await self._ended() from None

    async def _ended(self) -> PreviewFailed:
        """Say why the process has ended amid a request."""
        code = await asyncio.to_thread(self._process.wait)
        return _too_long() if code == -signal.SIGALRM else WorkerLost()

    async def end(self) -> None:
        """End the process, whatever it is at. May be called again."""
        self._process.kill()
        await self._client.close()
        await asyncio.to_thread(self._process.wait)
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._place.unlink(missing_ok=True)


def _started(site: SiteFolder, place: Path, limits: PreviewLimits) -> subprocess.Popen[bytes]:
    """Start the process, which finds its order in the pipe. Raises OSError."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen(_BACKLOG)
        # In a session of its own: Ctrl+C in the service's terminal is not for it.
        process = subprocess.Popen(  # noqa: S603 - our own module
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=(listener.fileno(),),
            cwd="/",
            env=_ENVIRONMENT,
            start_new_session=True,
        )
        order = WorkerOrder(
            root=str(site.root),
            plan=site.plan,
            socket=listener.fileno(),
            memory=limits.memory,
            page_seconds=limits.page_seconds,
            first_seconds=limits.first_seconds,
        )
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    with suppress(BrokenPipeError):  # it has ended already, which whoever asks it is told
        process.stdin.write(msgspec.json.encode(order) + b"\n")
        process.stdin.flush()
    return process


def _too_long() -> PreviewFailed:
    return PreviewFailed(504, "Showing this took too long and was given up. Simplify the page, or try again.")
