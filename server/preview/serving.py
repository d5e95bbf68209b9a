"""Run the preview: find a port, build, answer until told to stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Protocol

from aiohttp import web
from msgspec import Struct, field

from builder.plan.options import Options
from builder.site import Plan
from builder.store import ContentStore
from server.authoring.site_apis import LocalApi, ServerContext, local_api
from server.authoring.site_key_limits import ClientLimits
from server.control.errors import DatabaseError
from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import ONE_OFF_SECONDS
from server.http.connection_room import Wire
from server.http.keyless_limits import KeylessLimits
from server.http.listening import listening
from server.http.logged_request import LoggedRequest
from server.http.request_log import RequestLog
from server.http.runner import Runner
from server.http.stop_signals import stop_signal
from server.preview import host_guard
from server.preview.app import Listeners, make_app
from server.preview.builder_thread import BuilderThread, PreviewJob
from server.preview.snapshot import SCRIPT, Progress, Snapshot
from server.preview.viewers import Live

PORTS_TRIED = 100
GOODBYE = 3.0
"""Seconds that open requests get to come to an end; event streams end at once."""
UNSEEN = 0.6
"""Seconds after which a change must have been seen by the watcher."""
BUILD_GOODBYE = 1.0
"""Seconds that a running build gets."""


class Settings(Struct, frozen=True):
    """The site to serve, and the address.

    Port 0 is any free one. With `key` an hour's key is made at the start.

    A `safe` site is somebody else's: nothing that it brings is run, and no key in it counts. Of another one,
    the programs in its theme are run that are `agreed`, and files may be included from `include_roots`
    (`builder.build.Options` tells how).
    """

    root: Path
    host: str
    port: int
    plan: Plan | None = None
    safe: bool = False
    agreed: str | None = None
    key: bool = True
    limits: ClientLimits = field(default_factory=ClientLimits)
    visitors: KeylessLimits = field(default_factory=KeylessLimits)
    include_roots: tuple[str, ...] = ()


class Audience(Protocol):
    """The receivers of messages; called in the event loop."""

    def listening(self, host: str, port: int, wanted: int) -> None:
        """Connections are accepted at this port; the one that was `wanted` may be another."""

    def fault(self, text: str) -> None:
        """A request could not be answered, which is a fault of Twinpress."""

    def access(self, request: LoggedRequest) -> None:
        """The authoring API was asked for something."""

    def earlier(self, keys: int, *, counts: bool) -> None:
        """So many lasting keys are there already, and whether they count; called before `key`, or never."""

    def key(self, text: str) -> None:
        """This key opens the authoring API; called before `listening`, or never."""

    def built(self, snapshot: Snapshot, changed: frozenset[str]) -> None:
        """There is a new state, for the first time with `changed` empty."""


async def serve(settings: Settings, audience: Audience, progress: Progress) -> bool:
    """Serve until SIGINT or SIGTERM; whether the building thread has ended by then.

    Raises TwinpressError when there is no site, or no port to listen on.
    """
    live = Live()
    stopped = stop_signal()
    worker = BuilderThread(_job(settings, live, audience, progress))
    changed = _changed(live, worker)
    told = Listeners(audience.fault, RequestLog(audience.access), settings.visitors.visit)
    with ContentStore(settings.root) as store, _api(settings, changed, audience, told) as api:
        app = make_app(live, store, settings.host, told, api)
        async with _listening(app, settings, audience, told):
            failed = worker.start()
            history = asyncio.create_task(_begin_history(live, api))
            try:
                await asyncio.wait({stopped, failed}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                live.close()
                worker.end()
                await history
        ended = await asyncio.to_thread(worker.stop, BUILD_GOODBYE)
    if failed.done():
        failed.result()
    return ended


def _changed(live: Live, worker: BuilderThread) -> Callable[[str], None]:
    """Return the action for a source that the API has changed: readers wait for the build that has it.

    The watcher sees the change too. Where a build began in the very moment of the change, though, nobody
    knows whether it has it, so that another one is made.
    """

    def look(path: str) -> None:
        if live.behind:
            worker.push(path)

    def changed(path: str) -> None:
        live.written()
        asyncio.get_running_loop().call_later(UNSEEN, look, path)

    return changed


async def _begin_history(live: Live, api: LocalApi | None) -> None:
    """Have the site brought into its history once all pages are checked: on a large one that takes long."""
    shown = await live.until(lambda found: found.complete)
    if shown is not None and api is not None:
        api.begin_history()


@contextmanager
def _api(
    settings: Settings, changed: Callable[[str], None], audience: Audience, told: Listeners
) -> Iterator[LocalApi | None]:
    """The authoring API, or None where nothing can be written beside the site: it can still be looked at."""
    around = ServerContext(
        allowed=lambda request: host_guard.known(request, settings.host),
        changed=changed,
        log=told.log,
        tell=told.tell,
        visit=told.visit,
    )
    with ExitStack() as opened:
        try:
            api = opened.enter_context(
                local_api(
                    settings.root,
                    around,
                    plan=settings.plan,
                    limits=settings.limits,
                    safe=settings.safe,
                    include_roots=settings.include_roots,
                )
            )
        except DatabaseError as error:
            audience.fault(f"There is no authoring API: {error}")
            yield None
            return
        audience.earlier(_lasting(api), counts=not settings.safe)
        if settings.key:
            keys, site = api.authentication.keys, api.site.now()
            audience.key(keys.create(KeyKind.ONE_OFF, site, "serve", navigation=True).text)
        yield api


def _lasting(api: LocalApi) -> int:
    """Count the keys that outlive one that is made now: a site may have come with them."""
    later = time.time() + ONE_OFF_SECONDS
    keys = api.authentication.keys.list(api.site.now())
    return sum(not key.disabled and (key.expires_at is None or key.expires_at > later) for key in keys)


def _job(settings: Settings, live: Live, audience: Audience, progress: Progress) -> PreviewJob:
    loop = asyncio.get_running_loop()

    def publish(snapshot: Snapshot, changed: frozenset[str]) -> None:
        live.publish(snapshot)
        audience.built(snapshot, changed)

    def built(snapshot: Snapshot, changed: frozenset[str]) -> None:
        loop.call_soon_threadsafe(publish, snapshot, changed)

    return PreviewJob(
        settings.root,
        options_of(settings),
        progress,
        built,
        can_wait=live.can_wait,
        is_behind=lambda: live.behind,
        seen=live.seen,
    )


def options_of(settings: Settings) -> Options:
    """Return the options of a build for the preview."""
    return Options(
        plan=settings.plan,
        drafts=True,
        reload=SCRIPT,
        trusted=not settings.safe,
        agreed="" if settings.safe else settings.agreed,
        cache="no" if settings.safe else "own",
        include_roots=settings.include_roots,
    )


@asynccontextmanager
async def _listening(
    app: web.Application, settings: Settings, audience: Audience, told: Listeners
) -> AsyncIterator[None]:
    runner = Runner(app, told.tell, told.log, GOODBYE, Wire(visitors=settings.visitors))
    async with listening(runner, settings.host, _ports(settings.port)) as port:
        audience.listening(settings.host, port, settings.port)
        yield


def _ports(wanted: int) -> range:
    """The wanted port and those after it."""
    return range(wanted, min(wanted + PORTS_TRIED, 65535) + 1) if wanted else range(1)
