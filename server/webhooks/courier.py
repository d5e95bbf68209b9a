"""The courier takes notices that are due, one after the other, and sees that each arrives.

A notice goes by mail, or in one signed call of a webhook over TLS: sent, and of the answer the status is read
and nothing else.

    POST /hooks/docs HTTP/1.1
    Content-Type: application/json
    Twinpress-Event: publish.failed
    Twinpress-Signature: t=1700000000,v1=HEX

HEX is the HMAC-SHA256, with the webhook's secret, of the time `t`, a full stop and the body.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import ssl
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from msgspec import Struct

from builder.errors import TwinpressError
from builder.version import VERSION
from server.control.notices.deliveries import Notices, QueuedNotice
from server.control.notices.events import NoticeEvent, from_body
from server.control.notices.webhooks import Webhooks
from server.domains.public_address import find_address
from server.hosting.threads import all_ended
from server.log_repeats import Repeats
from server.process.faults import describe

_LOOK = 1.0
"""Seconds between two looks for notices."""
COURIERS = 4
"""Notices that are on their way at a time: a host that does not answer holds up few others."""
AGAIN = 60.0
"""Seconds after which a fault that goes on is told again: couriers meet it each second."""
_FAULT = "Delivering notices failed"
_GOODBYE = 3.0
_FINE = range(200, 300)
_MOVED = range(300, 400)
SECONDS = 10.0
"""The time of a whole call, from the question for the host's address to the status."""
_PORT = 443
_LONGEST_LINE = 4096
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]*)?\r?\n")


class Couriers:
    """Threads that deliver notices. `mail` sends one to an account by mail; `tell` is told of faults of ours.

    With `private`, webhooks may be called on this machine and its network.
    """

    def __init__(
        self,
        notices: Notices,
        webhooks: Webhooks,
        mail: Callable[[str, NoticeEvent], None],
        tell: Callable[[str], None],
        *,
        private: bool = False,
    ) -> None:
        self._notices = notices
        self._webhooks = webhooks
        self._mail = mail
        self._tell = tell
        self._private = private
        self._ended = threading.Event()
        self._repeats = Repeats(AGAIN)
        self._telling = threading.Lock()
        self._threads = [
            threading.Thread(target=self._work, name=f"twinpress-courier-{number}", daemon=True)
            for number in range(COURIERS)
        ]

    def start(self) -> None:
        """Begin to look for notices."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End; a call that is under way for longer is made again by the next process."""
        self._ended.set()
        all_ended(self._threads, _GOODBYE)

    def _work(self) -> None:
        while not self._ended.is_set():
            try:
                notice = self._notices.take()
                if notice is not None:
                    self._deliver(notice)
                    continue
            except Exception as error:  # noqa: BLE001 - the last resort: it is told, and others go on
                self._failed(error)
            self._ended.wait(_LOOK)

    def _deliver(self, notice: QueuedNotice) -> None:
        try:
            status = self._sent(notice)
        except TwinpressError as error:
            self._notices.failed(notice, error.message)
            return
        except Exception as error:  # noqa: BLE001 - else it would be tried for ever
            self._failed(error)
            self._notices.failed(notice, "Twinpress failed")
            return
        if status is None or status in _FINE:
            self._notices.delivered(notice, status)
        else:
            said = "it leads elsewhere, where it is not followed" if status in _MOVED else "it was refused"
            self._notices.failed(notice, said, status)

    def _failed(self, error: Exception) -> None:
        """Tell of a fault of ours; of what goes on, as when the disk is full, once in a while."""
        with self._telling:
            left_out = self._repeats.hear(_FAULT)
        if left_out is not None:
            more = f" (so it did {left_out:,} times more since it was told last)" if left_out else ""
            self._tell(f"{_FAULT}: {describe(error)}{more}")

    def _sent(self, notice: QueuedNotice) -> int | None:
        """Send a notice; gives the status of the answer, None for a mail. Raises TwinpressError."""
        if notice.webhook is None:
            self._mail(notice.account, from_body(notice.body))
            return None
        url, secret = self._webhooks.target(notice.webhook)
        wanted = WebhookCall(url, secret, notice.event, notice.body, int(time.time()))
        return call(wanted, private=self._private)


class CallFailed(TwinpressError):
    """No answer of HTTP has come."""


class WebhookCall(Struct, frozen=True):
    """A call: where, what, and with which secret, at a time in whole seconds since 1970."""

    url: str
    secret: str
    event: str
    body: str
    at: int


def signature(secret: str, at: int, body: str) -> str:
    """Return the value of the header with the signature."""
    digest = hmac.new(secret.encode(), f"{at}.{body}".encode(), hashlib.sha256)
    return f"t={at},v1={digest.hexdigest()}"


def call(wanted: WebhookCall, *, private: bool, seconds: float = SECONDS) -> int:
    """Make a call, and return the status of the answer. Raises CallFailed, RefusedAddress."""
    return asyncio.run(_call(wanted, private, seconds))


async def _call(wanted: WebhookCall, private: bool, seconds: float) -> int:
    try:
        async with asyncio.timeout(seconds):
            return await _answered(wanted, private)
    except TimeoutError:
        raise CallFailed(f"no answer came within {seconds:g} seconds") from None
    except ssl.SSLCertVerificationError:
        raise CallFailed("the certificate of the host is not valid") from None
    except (OSError, ssl.SSLError):
        raise CallFailed("the host cannot be reached") from None


async def _answered(wanted: WebhookCall, private: bool) -> int:
    parts = urlsplit(wanted.url)
    host, port = parts.hostname or "", parts.port or _PORT
    address = await _found(host, port, private)
    context = ssl.create_default_context()
    reader, writer = await asyncio.open_connection(
        address, port, ssl=context, server_hostname=host, limit=_LONGEST_LINE
    )
    try:
        writer.write(_request(wanted))
        await writer.drain()
        return _status(await _first_line(reader))
    finally:
        # Nothing is waited for: who does not take the end of the connection would hold up others.
        writer.transport.abort()


async def _found(host: str, port: int, private: bool) -> str:
    """Look the host up in a thread for which nobody waits: a name server may take its time."""
    thread = ThreadPoolExecutor(1, "twinpress-webhook-host")
    try:
        look = partial(find_address, host, port, private=private)
        return await asyncio.get_running_loop().run_in_executor(thread, look)
    finally:
        thread.shutdown(wait=False)


async def _first_line(reader: asyncio.StreamReader) -> bytes:
    with suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return await reader.readuntil(b"\n")
    return b""


def _status(line: bytes) -> int:
    found = _STATUS.fullmatch(line)
    if found is None:
        raise CallFailed("the answer is not HTTP")
    return int(found[1])


def _request(wanted: WebhookCall) -> bytes:
    """Return the request. No address with spaces or line breaks is taken as a webhook."""
    parts, body = urlsplit(wanted.url), wanted.body.encode()
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    lines = (
        f"POST {target} HTTP/1.1",
        f"Host: {parts.netloc}",
        f"User-Agent: Twinpress/{VERSION}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"Twinpress-Event: {wanted.event}",
        f"Twinpress-Signature: {signature(wanted.secret, wanted.at, wanted.body)}",
        "Connection: close",
    )
    return "\r\n".join((*lines, "", "")).encode("ascii") + body
