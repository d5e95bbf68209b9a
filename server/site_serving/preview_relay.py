"""Pass requests for previews on to the service, which listens on a socket of this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import aiohttp
from aiohttp import hdrs, web
from yarl import URL

from server.site_serving import plain_answers

PREFIX = "preview-"
"""The beginning of the first part of the name of a preview's host."""
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
    """Passes requests on to the service at `place`; without one, all of them are answered that it is away."""

    def __init__(self, place: Path | None) -> None:
        self._place = place
        self._client: aiohttp.ClientSession | None = None

    async def pass_on(self, request: web.BaseRequest) -> web.StreamResponse:
        """Have the service answer, and pass on what may pass."""
        if self._place is None:
            return _away()
        target = URL(f"http://service{request.rel_url.raw_path_qs}", encoded=True)
        sent = {name: ", ".join(request.headers.getall(name)) for name in _ASKED if name in request.headers}
        way = [*request.headers.getall(hdrs.X_FORWARDED_FOR, ()), request.remote or ""]
        sent[hdrs.X_FORWARDED_FOR] = ", ".join(filter(None, way))
        try:
            answer = await self._opened(self._place).request(
                request.method, target, headers=sent, allow_redirects=False
            )
        except (aiohttp.ClientError, OSError, TimeoutError):
            return _away()
        async with answer:
            return await _copied(request, answer)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.close()

    def _opened(self, place: Path) -> aiohttp.ClientSession:
        if self._client is None:
            self._client = aiohttp.ClientSession(
                connector=aiohttp.UnixConnector(str(place), limit=0),
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=(hdrs.USER_AGENT, hdrs.ACCEPT, hdrs.ACCEPT_ENCODING),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT, sock_read=_SILENCE),
            )
        return self._client


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


def _away() -> web.StreamResponse:
    return plain_answers.unavailable(_AWAY, _AGAIN)
