"""The processes that show sites, from the side of the service: started and ended as they are asked for.

Each shows one site, and is started with an environment of our own, and without open files but its socket. It
ends when its standard input is closed, so also when the service is killed. A site that nobody looks at costs
nothing.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from pathlib import Path

import aiohttp
import msgspec
from msgspec import Struct
from yarl import URL

from server.control.plans import PlanName
from server.dashboard.previews import PreviewFailed
from server.process.confine import ENVIRONMENT, landlock_version
from server.site_previews.limits import PreviewLimits
from server.site_previews.worker_order import WorkerOrder

_COMMAND = (sys.executable, "-I", "-m", "server.site_previews.worker")
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
            env=ENVIRONMENT,
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


_NOT_CONFINED = "Without Landlock in this system, processes of previews could read all files of this user."
_NAME_BYTES = 8
"""Of a socket: a process that is confined cannot list the folder, and finds no other's."""
_AGAIN = 5
"""Seconds after which it may be worth asking again."""


class SiteWorkers:
    """The processes by the ids of their sites. For one event loop.

    `tell` is told once where the system cannot confine them.
    """

    def __init__(self, limits: PreviewLimits, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._limits = limits
        self._running: dict[str, SiteWorker] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._closed = False

    @property
    def running(self) -> dict[str, int]:
        """Return the ids of the processes by those of their sites."""
        return {id: worker.number for id, worker in self._running.items()}

    @asynccontextmanager
    async def of(self, id: str, site: SiteFolder) -> AsyncIterator[SiteWorker]:
        """The process of the site with this id, for one request. Raises PreviewFailed."""
        worker = self._at_hand(id, site) or self._start(id, site)
        worker.under_way += 1
        try:
            yield worker
        finally:
            worker.under_way -= 1
            self._rest(id, worker)

    def end(self, id: str, worker: SiteWorker) -> None:
        """End the process of a site, unless that is another by now."""
        if self._running.get(id) is worker:
            del self._running[id]
            task = asyncio.get_running_loop().create_task(worker.end())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """End all of them, and wait until they have gone."""
        self._closed = True
        for id, worker in list(self._running.items()):
            self.end(id, worker)
        await asyncio.gather(*self._ending)
        if self._folder is not None:
            self._folder.cleanup()

    def _at_hand(self, id: str, site: SiteFolder) -> SiteWorker | None:
        worker = self._running.get(id)
        if worker is not None and worker.is_alive and worker.site == site:
            return worker
        if worker is not None:
            self.end(id, worker)  # it has ended by itself, or shows another folder or another plan
        return None

    def _start(self, id: str, site: SiteFolder) -> SiteWorker:
        if self._closed:
            raise PreviewFailed(503, "The service is stopping.")
        self._make_room()
        place = Path(self._own_folder()) / secrets.token_hex(_NAME_BYTES)
        worker = self._running[id] = SiteWorker(site, place, self._limits)
        return worker

    def _make_room(self) -> None:
        """End the process that nobody has asked for longest, where there are too many."""
        if len(self._running) < self._limits.workers:
            return
        idle = [(worker.last_used, id) for id, worker in self._running.items() if not worker.under_way]
        if not idle:
            says = "Too many previews are being made just now. Try again in a moment."
            raise PreviewFailed(503, says, retry_after=_AGAIN)
        longest = min(idle)[1]
        self.end(longest, self._running[longest])

    def _rest(self, id: str, worker: SiteWorker) -> None:
        """Have the process ended, unless somebody asks for it again in time."""
        loop = asyncio.get_running_loop()
        worker.last_used = used = loop.time()

        def end() -> None:
            if not worker.under_way and worker.last_used == used:
                self.end(id, worker)

        loop.call_later(self._limits.idle_seconds, end)

    def _own_folder(self) -> str:
        if self._folder is None:
            if not landlock_version():
                self._tell(_NOT_CONFINED)
            self._folder = tempfile.TemporaryDirectory(prefix="twinpress-")
        return self._folder.name
