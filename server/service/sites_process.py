"""The process for readers of published sites, as a service starts it and looks after it.

It needs nothing of the service, and goes on when that is killed. The next service on the data folder adopts
it, or puts another into its place where version or settings are others: the sockets that listen pass from one
process to the next, so that no reader is refused. A service keeps them, too: while the process is started
again, readers wait.

Where the service ends as it should, the process ends, unless another service cares for it.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress

import server
from builder.errors import TwinpressError
from builder.version import VERSION
from server.http.listening import bound
from server.process import unix_socket
from server.process.confine import ENVIRONMENT
from server.process.faults import describe
from server.releases.bucket import store_environment
from server.service.host_settings import HostSettings
from server.site_serving.run import GOODBYE, SITES
from server.site_serving.serving_socket import FOLDER, ServingClient, ServingState, look

_RUN = "from server.cli import run; run()"
STARTING = 30.0
"""Seconds that the start of a process may take, on a machine that has very much to do."""
SILENCE = 10.0
"""Seconds after which a process that does not answer is taken to hang, and is ended."""
LOOK = 1.0
PAUSES = (0.0, 0.2, 1.0, 5.0, 15.0)
"""Seconds before the process is started again, at first and later; one that has lasted begins anew."""
LASTED = 60.0
_STEP = 0.02
_STDERR = 2


class ServingFailed(TwinpressError):
    """The process for readers does not start."""


def _identity_of(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return what tells the process of a version and its settings from all others."""
    named = (f"{name}={value}" for name, value in sorted(environment.items()))
    said = "\0".join((VERSION, *map(str, server.__path__), *words, *named))
    return hashlib.sha256(said.encode()).hexdigest()[:32]


class SitesProcess:
    """The process for readers of a service. `tell` is told when it ends; for one event loop.

    What may take a while happens in a thread, one at a time.
    """

    def __init__(self, settings: HostSettings, tell: Callable[[str], None]) -> None:
        self._data = settings.data
        self._host, self._port = settings.host, settings.ports[1]
        self._words = settings.sites_words
        self._environment = {**ENVIRONMENT, **(store_environment() if settings.releases else {})}
        self._identity = _identity_of(self._words, self._environment)
        self._tell = tell
        self._state: ServingState | None = None
        self._sockets: list[tuple[str, socket.socket]] = []
        self._child: subprocess.Popen[bytes] | None = None
        self._care: ServingClient | None = None
        self._began = 0.0
        self._turn = threading.Lock()
        self._closed = False

    def state(self) -> ServingState | None:
        """Return how the process did at the last look; None while there is none."""
        return self._state

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Have sites served while the block runs. Raises TwinpressError where that cannot be begun."""
        await asyncio.to_thread(self._take, replace=True)
        watch = asyncio.create_task(self._watch())
        watch.add_done_callback(self._tell_fault)
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.wait({watch})
            await asyncio.to_thread(self._leave)

    def _tell_fault(self, watch: asyncio.Task[None]) -> None:
        error = None if watch.cancelled() else watch.exception()
        if error is not None:
            self._tell(f"Twinpress has failed to look after published sites: {describe(error)}")

    def leave(self) -> None:
        """Let the process go at once; the block of `running` waits for its end."""
        self._closed = True
        if self._care is not None:
            self._care.say("leave")

    def _leave(self) -> None:
        """End the process, unless another service cares for it; it gets GOODBYE for its requests."""
        with self._turn:
            self._closed = True
            self._close_sockets()
            if self._care is not None:
                self._part(self._care)

    def _part(self, care: ServingClient) -> None:
        care.say("leave")
        if not care.waits_for_end(GOODBYE + STARTING / 10):
            self._kill()
        care.close()
        if self._child is not None:
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(STARTING / 10)

    async def _watch(self) -> None:
        """Look at the process, and have another where it has ended."""
        failures = 0
        while True:
            why = await self._lost()
            if self._closed:
                return
            failures = 0 if time.monotonic() - self._began > LASTED else failures
            self._state = None
            # Another service may have put another process into the place of this one.
            if not await asyncio.to_thread(self._follow):
                await self._again(why, failures)
                failures += 1

    async def _lost(self) -> str:
        """Wait until the process has ended, or hangs, and say so."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        assert self._care is not None  # noqa: S101 - there is one after `_take`
        loop.add_reader(self._care.fileno(), over.set)
        try:
            while not over.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), LOOK)
                if not over.is_set() and not await asyncio.to_thread(self._looks):
                    self._kill()
                    return f"has not answered for {SILENCE:g} s"
        finally:
            loop.remove_reader(self._care.fileno())
        return await asyncio.to_thread(self._end)

    def _end(self) -> str:
        """Say how the process has ended, as far as that can be known."""
        code = None
        if self._child is not None:
            with suppress(subprocess.TimeoutExpired):
                code = self._child.wait(LOOK)
        if code is not None and code < 0:
            return f"was ended by {signal.Signals(-code).name}"
        return "has ended"

    def _looks(self) -> bool:
        """Ask how the process does; False where it does not answer."""
        try:
            self._state = look(self._data, self._port, SILENCE) or self._state
        except (TwinpressError, OSError):
            return self._care is not None and self._care.waits_for_end(0.0)
        return True

    def _kill(self) -> None:
        number = self._care.process if self._care is not None else 0
        if number:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    async def _again(self, why: str, failures: int) -> None:
        """Have a process again, whatever it takes; the first attempt is told, and the end."""
        if not failures:
            self._tell(f"The process that serves published sites {why}; another one is started.")
        told = False
        for attempt in range(failures, sys.maxsize):
            await asyncio.sleep(PAUSES[min(attempt, len(PAUSES) - 1)])
            try:
                await asyncio.to_thread(self._take)
            except (TwinpressError, OSError) as error:
                if not told:
                    self._tell(f"Published sites are not served: {error}")
                told = True
            else:
                if told:
                    self._tell("Published sites are served again.")
                return

    def _take(self, *, replace: bool = False, start: bool = True) -> bool:
        """Adopt the process that is there, `replace` it, or `start` one; False where there is none.

        Raises TwinpressError and OSError.
        """
        with self._turn, self._changing():
            there = self._answering()
            if there is None and not start:
                return False
            if there is None:
                self._start()
            elif replace and there.is_kept and there.identity != self._identity:
                self._replace()
            else:
                self._adopt()
            self._began = time.monotonic()
            return True

    def _follow(self) -> bool:
        """Adopt the process that another service has put there instead; False where there is none."""
        with suppress(TwinpressError, OSError):
            return self._take(start=False)
        return False

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Have this service be the only one that starts or replaces the process at this port."""
        if self._closed:
            raise ServingFailed("the service is stopping")
        folder = unix_socket.own_folder(self._data / FOLDER)
        with (folder / f"{self._port}.lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _answering(self) -> ServingState | None:
        """Return the state of the process that is there; one that hangs is ended."""
        if self._care is not None:
            self._care.close()
        self._care = client = ServingClient.connect(self._data, self._port, SILENCE)
        if client is None:
            return None
        try:
            return client.ask("look")[0]
        except TwinpressError:
            self._kill()
            client.waits_for_end(STARTING / 10)  # its port is free then
            client.close()
            self._care = None
            return None

    def _adopt(self) -> None:
        """Care for the process that is there, and keep its sockets."""
        if self._care is None:
            self._care = ServingClient.connect(self._data, self._port, SILENCE)
        if self._care is None:
            raise ServingFailed("the process that serves published sites has ended again")
        state, sockets = self._care.care(_STDERR)
        self._close_sockets()
        self._state, self._sockets = state, sockets

    def _close_sockets(self) -> None:
        for _, each in self._sockets:
            each.close()
        self._sockets = []

    def _replace(self) -> None:
        """Start a process with the sockets of the one that is there, which ends when it has answered all."""
        before = self._care
        assert before is not None  # noqa: S101 - it has answered
        state, self._sockets = before.care(None)
        if state.host != self._host:  # another address can be listened on when the first one is free
            self._close_sockets()
            before.say("stop")
            before.waits_for_end(GOODBYE + STARTING / 10)
        self._care = None
        try:
            self._start()
            before.say("retire")
        finally:
            before.close()

    def _start(self) -> None:
        """Start a process, and wait until it answers. Raises TwinpressError."""
        if not self._sockets:
            opened = bound(self._host, self._port, "--sites-port")
            self._sockets = [(SITES, each) for each in opened]
        self._child = self._spawned()
        until = time.monotonic() + STARTING
        while time.monotonic() < until and self._child.poll() is None:
            if self._is_there(self._child.pid):
                self._adopt()
                return
            time.sleep(_STEP)
        code = self._child.poll()
        self._child.kill()
        self._child.wait()
        says = f"it has ended with {code}" if code is not None else f"it was not there in {STARTING:g} s"
        raise ServingFailed(f"the process that serves published sites does not start: {says}")

    def _is_there(self, number: int) -> bool:
        try:
            state = look(self._data, self._port, SILENCE)
        except (TwinpressError, OSError):
            return False
        return state is not None and state.process == number

    def _spawned(self) -> subprocess.Popen[bytes]:
        numbers = [(what, each.fileno()) for what, each in self._sockets]
        more = [word for what, number in numbers for word in ("--inherit", f"{what}={number}")]
        # In a session of its own: Ctrl+C in the service's terminal is for the service, which ends it then.
        return subprocess.Popen(  # noqa: S603 - our own command
            (sys.executable, "-I", "-c", _RUN, "sites", *self._words, "--identity", self._identity, *more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[number for _, number in numbers],
            cwd="/",
            env=self._environment,
            start_new_session=True,
        )
