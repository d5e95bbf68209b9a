"""One connection: how long it may take, and what it is answered when it sends no request.

The framework stops reading at the first signal to end, but a request whose body is on its way is to be
finished; and it leaves a reader waiting when the rest of a body turns out to be none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import cast

from aiohttp import StreamReader, web
from aiohttp.http import HttpProcessingError, RawRequestMessage

from server.http import refusal, request_id, slow_readers
from server.http.connection_room import Room
from server.http.failure import Failure
from server.http.keyless_limits import address_of
from server.http.logged_request import Log, LoggedRequest
from server.http.request_log import UNREADABLE
from server.http.slow_readers import UnreadBytes
from server.process.faults import describe

BROKEN = "the body is not what its headers say"
CANCELLING = 0.1
"""Seconds that a request gets to end when it has been cancelled."""
_SILENT = logging.getLogger(__name__)
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False  # aiohttp logs every malformed request with a traceback


class Connection(web.RequestHandler):
    """One connection of `server`. `room` says whether there is room for it, and how long it may take.

    `tell` is told faults of ours, and `log` what was answered to no request.
    """

    outflow: UnreadBytes

    def __init__(
        self,
        server: web.Server,
        room: Room,
        tell: Callable[[str], None],
        log: Log,
    ) -> None:
        wire = room.wire
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=wire.idle_seconds,
            max_line_size=refusal.LINE_BYTES,
            max_field_size=refusal.LINE_BYTES,
            access_log=None,  # type: ignore[arg-type]  # aiohttp takes it, and says so nowhere
            logger=_SILENT,
            auto_decompress=False,
        )
        self._head_seconds = wire.head_seconds
        self._idle_seconds = wire.idle_seconds
        self._room = room
        self._visitors = wire.visitors
        self._forwards = False
        self.address = ""
        self._tell = tell
        self._log = log
        self._body: StreamReader | None = None
        self._head: asyncio.TimerHandle | None = None
        self._busy = False
        self._ending = False
        self._last = False
        self._whole = False
        self._answers = False
        self._gone: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        """True if it waits for a request, or for the rest of one's head, and none has come yet."""
        return self._waits and not slow_readers.asks(self._line)

    @property
    def served(self) -> bool:
        """True if it has had a request."""
        return self._request_count > 0

    @property
    def _waits(self) -> bool:
        return not self._busy and self.transport is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless there are too many."""
        line = cast(asyncio.Transport, transport)
        peer = line.get_extra_info("peername")
        # At a socket that is a file, the process for readers asks, which tells whom it asks for.
        self._forwards = self._visitors.forwards(peer[0]) if isinstance(peer, tuple) else peer is not None
        self.address = "" if self._forwards else address_of(peer)
        failure = self._room.refusal(self.address)
        if failure is not None:
            self._end_with(line, failure)
            return
        self.opened = self._loop.time()
        self._line, self.outflow = line, UnreadBytes(line, self.opened)
        slow_readers.bound(line)
        self._room.enter(self)
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """End."""
        self._no_head()
        if self._gone is not None:
            self._gone.cancel()
        self._room.leave(self)
        super().connection_lost(exc)

    def abort(self) -> None:
        """End at once: what the client has not taken is forgotten, by the operating system too."""
        slow_readers.forget(self._line)
        self._line.abort()

    def make_way(self, failure: Failure) -> None:
        """End for another. Where no request has come, one may be on its way: its client is told why.

        Between two requests clients know that a connection may end, and ask again by themselves.
        """
        if self.served or self.transport is None:
            self.force_close()
        else:
            self._end_with(self.transport, failure)

    def begin(self, request: web.BaseRequest) -> None:
        """Count as a connection of whoever asks, where a proxy asks for others.

        Raises Failure when there are too many of these.
        """
        if not self._forwards:
            return
        address = self._visitors.behind(request)
        failure = self._room.excess(address)
        if failure is not None:
            raise failure
        self._room.move(self, address)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request. What is no request ends the one whose body it should have been."""
        super().data_received(data)
        for message, payload in self._messages:
            self._busy = True
            if isinstance(message, RawRequestMessage):
                self._body = payload
            elif self._body is not None and not self._body.is_eof():
                self._body.set_exception(web.RequestPayloadError(BROKEN))
        if not self._waits:
            self._no_head()
        elif data and self._head is None:
            self._head = self._loop.call_later(self._head_seconds, self._too_slow)

    def eof_received(self) -> bool:  # type: ignore[override]  # aiohttp lets each connection close here
        """The client sends nothing more: stay open for the answers to its whole requests, but for no events.

        It may have gone altogether, so an answer that does not begin has the time of an idle client alone.
        """
        self._whole = self._busy and self._has_body and (self._answers or not self._streams)
        if self._whole:
            self._gone = self._loop.call_later(self._idle_seconds, self._go)
        return self._whole

    def _go(self) -> None:
        """End, unless it is being answered: who takes nothing of that is seen to by the room."""
        if self._answers:
            self._gone = self._loop.call_later(self._idle_seconds, self._go)
        else:
            self._room.leave(self)
            self.abort()

    @property
    def _has_body(self) -> bool:
        """True if no rest of a body is on its way."""
        return self._body is None or self._body.is_eof() or self._body.exception() is not None

    @property
    def _streams(self) -> bool:
        """True if an answer has begun that is still being made."""
        return self._current_request is not None and self._current_request.writer.output_size > 0

    def _no_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _too_slow(self) -> None:
        self._head = None
        if self._waits and self.transport is not None and not self._last:
            message = f"the head of the request took longer than {self._head_seconds:g} s"
            self._end_with(self.transport, Failure("REQUEST_TIMEOUT", message))

    def _end_with(self, transport: asyncio.Transport, failure: Failure) -> None:
        transport.write(refusal.plain(self._refused(failure)))
        self.transport = None  # which leaves it open for a moment
        self.force_close()
        self._room.part(transport)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to what the parser refused, and to faults outside of the application."""
        if isinstance(exc, ConnectionError):
            raise exc  # the client has left, and there is nobody to be answered
        if request.writer.output_size > 0:
            raise ConnectionError("a part of another answer was sent already")
        if isinstance(exc, HttpProcessingError):
            return self._refused(refusal.unreadable(exc))
        response = self._refused(Failure("INTERNAL", "Twinpress failed; the log says why"))
        why = describe(exc) if exc else f"status {status}"
        self._tell(f"Twinpress failed to answer ({response.headers[request_id.HEADER]}): {why}")
        return response

    def _refused(self, failure: Failure) -> web.Response:
        """The last answer of the connection, which stands in the log under its id."""
        response = refusal.answer(failure)
        id = response.headers[request_id.HEADER]
        self._log(LoggedRequest(id, UNREADABLE, "", failure.status, 0.0, "", client=self.address))
        return response

    def close(self) -> None:
        """Take no further request; the running one may come to its end, with the rest of its body."""
        self._ending = True
        if not self._request_in_progress:
            super().close()

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send an answer, which is the last one of a connection that is to end."""
        # The rest of a body that nobody wanted is not to be taken for another request.
        over = self._whole and not self._messages
        self._last = self._ending or over or not request.content.is_eof()
        if self._last:
            resp.force_close()
        self._answers = True
        try:
            return await super().finish_response(request, resp, start_time)
        finally:
            self._answers, self._busy = False, bool(self._messages)
            if self._whole and not self._busy:
                super().close()  # the client has ended while it took its answer
            if self._forwards:
                self._room.move(self, "")

    async def shutdown(self, timeout: float | None = 15.0) -> None:
        """End; a running request has `timeout` seconds for that."""
        if self._request_in_progress:
            self._handler_waiter = self._loop.create_future()
            await asyncio.wait([self._handler_waiter], timeout=timeout)
            self._handler_waiter = None
        super().close()
        await super().shutdown(CANCELLING if self._request_in_progress else timeout)
