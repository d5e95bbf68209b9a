"""Pass requests for previews on to a service, each of which listens on a socket of this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import aiohttp
from aiohttp import hdrs, web
from yarl import URL

from server.process import unix_socket
from server.site_serving import plain_answers

_ASKED = (
    hdrs.ACCEPT,
    hdrs.ACCEPT_ENCODING,
    hdrs.HOST,
    hdrs.IF_NONE_MATCH,
    hdrs.IF_RANGE,
    hdrs.RANGE,
    "Service-Worker",
)
"""The headers of a request that pass. No other does: no cookie in particular."""
_KEPT_BACK = {"connection", "keep-alive", "set-cookie", "transfer-encoding", "date", "trailer", "upgrade"}
"""The headers of an answer that do not."""
_CONNECT, _SILENCE = 5.0, 180.0
"""Seconds to reach the service, and for which it may say nothing: a preview's first page takes a while."""
_AWAY = "Previews cannot be shown just now. Try again in a moment."
_AGAIN = 5


class PreviewRelay:
    """Passes requests on to the sockets in `folder`, the newest first: any service can answer for all.

    Without one, and where nobody listens there, all requests are answered that previews are away.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._clients: dict[Path, aiohttp.ClientSession] = {}
        self._names = ExitStack()

    async def pass_on(self, request: web.BaseRequest) -> web.StreamResponse:
        """Have a service answer, and pass on what may pass."""
        for place in self._places():
            answer = await self._asked(request, place)
            if answer is not None:
                async with answer:
                    return await _copied(request, answer)
        return plain_answers.unavailable(_AWAY, _AGAIN)

    async def close(self) -> None:
        """Let go of the connections."""
        for each in self._clients.values():
            await each.close()
        self._names.close()

    def _places(self) -> Sequence[Path]:
        if self._folder is None:
            return ()
        try:
            found = [(each.stat().st_mtime_ns, Path(each)) for each in os.scandir(self._folder)]
        except OSError:
            return ()
        return [path for _, path in sorted(found, reverse=True)]

    async def _asked(self, request: web.BaseRequest, place: Path) -> aiohttp.ClientResponse | None:
        """Ask the service at a socket; None where it does not answer."""
        target = URL(f"http://service{request.rel_url.raw_path_qs}", encoded=True)
        sent = {name: ", ".join(request.headers.getall(name)) for name in _ASKED if name in request.headers}
        way = [*request.headers.getall(hdrs.X_FORWARDED_FOR, ()), request.remote or ""]
        sent[hdrs.X_FORWARDED_FOR] = ", ".join(filter(None, way))
        try:
            return await self._opened(place).request(
                request.method, target, headers=sent, allow_redirects=False
            )
        except (aiohttp.ClientError, OSError, TimeoutError):
            return None

    def _opened(self, place: Path) -> aiohttp.ClientSession:
        client = self._clients.get(place)
        if client is None:
            name = self._names.enter_context(unix_socket.short_name(place))
            client = self._clients[place] = aiohttp.ClientSession(
                connector=aiohttp.UnixConnector(name, limit=0),
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=(hdrs.USER_AGENT, hdrs.ACCEPT, hdrs.ACCEPT_ENCODING),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_SILENCE),
            )
        return client


async def _copied(request: web.BaseRequest, answer: aiohttp.ClientResponse) -> web.StreamResponse:
    """Send the answer as it comes; where it breaks off, the connection ends before the announced length."""
    response = web.StreamResponse(status=answer.status, reason=answer.reason)
    for name, value in answer.headers.items():
        if name.lower() not in _KEPT_BACK:
            response.headers.add(name, value)
    response.headers.setdefault(*plain_answers.SERVER)
    await response.prepare(request)
    if request.method == hdrs.METH_HEAD:
        return response
    with suppress(ConnectionError):  # a browser leaves as soon as it has enough
        try:
            async for piece in answer.content.iter_any():
                await response.write(piece)
        except (TimeoutError, aiohttp.ClientError):
            response.force_close()
    return response
