"""Show one site until the service is gone, which alone asks for its pages.

The order is the first line of the standard input, which stays open for as long as the service wants it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import socket
import sys
from pathlib import Path
from urllib.parse import quote

import msgspec
from aiohttp import web

from builder.diagnostics import Diagnostic
from builder.errors import TwinpressError
from builder.preview import UnsavedText
from builder.workers.processors import COLLECT
from server.dashboard.previews import DraftFinding, DraftResult
from server.http.answers import Handler
from server.preview import sending
from server.preview.problems import CRASHED, NO_MEMORY, of_crash
from server.preview.site_answers import SiteAnswers
from server.process.confine import confine
from server.process.faults import describe
from server.site_files import mime
from server.site_previews.worker.fresh_site import FreshSite, NotShown
from server.site_previews.worker_order import BROKEN, DRAFT, WorkerOrder


def main() -> None:
    """Read the order, and obey it."""
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=WorkerOrder)
    confine(Path(order.root), order.memory)
    gc.set_threshold(COLLECT)
    asyncio.run(_serve(order))


async def _serve(order: WorkerOrder) -> None:
    runner = web.AppRunner(_app(FreshSite(order)), access_log=None)
    await runner.setup()
    await web.SockSite(runner, socket.socket(fileno=order.socket)).start()
    gone = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), gone.set)
    await gone.wait()
    os._exit(0)  # whatever is being built: nobody waits for it any more


MOST_BYTES = 4 * 1024 * 1024
"""Of a text that is not saved, written as JSON."""
DRAFTS = 8
_ID_BYTES = 9
_HTML = mime.content_type(".html")
_OVER = "This text is not kept any more. It is shown again with the next change.\n"


def _app(site: FreshSite) -> web.Application:
    """Pages and files of the site, and pages from texts that are not saved."""
    shown = _ShownSite(site)
    app = web.Application(middlewares=[_explaining], client_max_size=MOST_BYTES)
    app.router.add_post(f"/{DRAFT}", shown.draft)
    app.router.add_get("/{path:.*}", shown.page)
    return app


class _Drafts:
    """Pages rendered from texts that are not saved, by id, in memory alone; the oldest gives way."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def keep(self, html: bytes) -> str:
        """Keep a document; returns its id."""
        id = secrets.token_urlsafe(_ID_BYTES)
        self._known[id] = html
        if len(self._known) > DRAFTS:
            del self._known[next(iter(self._known))]
        return id

    def get(self, id: str) -> bytes | None:
        """Return the document with this id; None where it had to give way, or never was."""
        return self._known.get(id)


class _ShownSite:
    """The handlers."""

    def __init__(self, site: FreshSite) -> None:
        self._site = site
        self._drafts = _Drafts()
        self._answers = SiteAnswers(site, site.open_file)

    async def page(self, request: web.Request) -> web.StreamResponse:
        """A page or file, as it is on the disk now, or a page as it would be."""
        draft = request.query.get(DRAFT)
        if draft is None:
            return await self._answers.page(request, await self._site.now())
        html = self._drafts.get(draft)
        if html is None:
            return web.Response(status=404, text=_OVER)
        return await sending.send(request, sending.of_bytes(html, _HTML), 200)

    async def draft(self, request: web.Request) -> web.StreamResponse:
        """Render a page, and say where it is."""
        sent = msgspec.json.decode(await request.read(), type=UnsavedText)
        found = await self._site.draft(sent)
        address = f"{quote(found.url)}?{DRAFT}={self._drafts.keep(found.html)}" if found.html else ""
        result = DraftResult(address, tuple(map(_finding, found.diagnostics)))
        return web.Response(body=msgspec.json.encode(result), content_type="application/json")


def _finding(found: Diagnostic) -> DraftFinding:
    return DraftFinding(found.level.value, found.code, found.line, found.column, found.message, found.hint)


@web.middleware
async def _explaining(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Say in a sentence why nothing can be shown."""
    try:
        return await handler(request)
    except TwinpressError as error:
        return _told(422 if request.method == "POST" else 503, error.message, error.hint)
    except NotShown as error:
        return _told(503, error.problem.message, error.problem.hint, error.problem.code)
    except MemoryError as error:
        problem = of_crash(error)
        return _told(503, problem.message, problem.hint, problem.code)
    except (web.HTTPException, ConnectionError):
        raise
    except Exception as error:  # noqa: BLE001 - the last resort; the service tells it
        return _told(500, describe(error), "", CRASHED)


def _told(status: int, message: str, hint: str, code: str = "") -> web.Response:
    """A sentence; behind a fault of ours, or without memory, nothing more can be relied on."""
    text = f"{message}: {hint}\n" if hint else f"{message}\n"
    headers = {BROKEN: code} if code in {CRASHED, NO_MEMORY} else {}
    return web.Response(status=status, text=text, headers=headers)


if __name__ == "__main__":
    main()
