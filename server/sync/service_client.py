"""The authoring API as its client sees it: five endpoints, asked with one key over verified TLS.

Redirects are refused, as the key must not travel. What is busy is asked again when it says so, and a lost
connection a few times: every change is conditional, so that one that was made already is not made twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import TypeVar
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec
from aiohttp import ClientError, ClientTimeout, hdrs
from msgspec import Struct

from builder.version import VERSION
from server.authoring.structs import Category, Finding, InboundLink, Page
from server.sync.errors import ServiceRefused, ServiceUnreachable

T = TypeVar("T")
AT_ONCE = 8
"""Connections."""
_TIMES = ClientTimeout(total=None, sock_connect=15, sock_read=60)
_BUSY = frozenset({429, 503})
_REFUSES_ALL = frozenset({401, 507})
_REFUSING = frozenset({"UNKNOWN_HOST", "DASHBOARD_ONLY", "NOT_FOUND"})
"""Codes with which nothing will be answered."""
_LARGEST = 64 * 1024 * 1024
"""Bytes of an answer."""
_LONGEST = 120.0
"""Seconds that are waited at a time, at most."""


class Patience(Struct, frozen=True):
    """Bounds of sending a request again: `losses` lost connections, the first after `pause` seconds.

    `waits` are answers that say to wait.
    """

    losses: int = 4
    pause: float = 0.5
    waits: int = 60


class Refusal(Exception):
    """The service refuses one request, with a `code` for programs and a `message` for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class Listed(Struct, frozen=True):
    """A page in the list of a site."""

    path: str


class ServedSite(Struct, frozen=True):
    """As much of a site's summary as is of use here."""

    id: str
    categories: list[Category] = []


class SiteListing(Struct, frozen=True):
    """The site, and all its pages."""

    site: ServedSite
    pages: list[Listed]


class ServedPage(Struct, frozen=True):
    """A page with its revision."""

    page: Page
    revision: str


class PutAnswer(Struct, frozen=True):
    """The outcome of a PUT."""

    revision: str
    created: bool = False
    diagnostics: list[Finding] = []


class DeleteAnswer(Struct, frozen=True):
    """The outcome of a DELETE: the links that lead nowhere now."""

    inbound_links: list[InboundLink] | None = None


class _Envelope(Struct):
    ok: bool
    data: msgspec.Raw = msgspec.Raw(b"null")
    error: str = ""
    code: str = ""


class _Answer(Struct, frozen=True):
    status: int
    etag: str
    envelope: _Envelope


class ServiceClient:
    """Asks the service whose API is at `base`. A context manager.

    What it does raises ServiceUnreachable, or ServiceRefused where nothing else will be answered.
    """

    def __init__(
        self, base: str, key: str, *, proxy: str | None = None, patience: Patience | None = None
    ) -> None:
        self._base = base
        self._proxy = proxy
        self._patience = patience or Patience()
        bearer, agent = f"Bearer {key}", f"twinpress/{VERSION}"
        self._headers: dict[str, str] = {hdrs.AUTHORIZATION: bearer, hdrs.USER_AGENT: agent}
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> ServiceClient:
        """Open a session; connections are made when they are needed."""
        connector = aiohttp.TCPConnector(limit=AT_ONCE)
        self._session = aiohttp.ClientSession(
            connector=connector, timeout=_TIMES, cookie_jar=aiohttp.DummyCookieJar()
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def site(self) -> SiteListing:
        """`GET /ai/site`, without which nothing can be done."""
        try:
            return self._data(await self._ask("GET", "/ai/site"), SiteListing)
        except Refusal as refusal:
            raise self._refused(refusal.code, refusal.message) from refusal

    async def page(self, path: str, known: str = "") -> ServedPage | None:
        """`GET /ai/page`; None when the page still has the revision `known`. Raises Refusal."""
        headers: dict[str, str] = {hdrs.IF_NONE_MATCH: json.dumps(known)} if known else {}
        answer = await self._ask("GET", f"/ai/page?path={quote(path)}", headers=headers)
        if answer.status == 304:
            return None
        page = self._data(answer, Page)
        if page.path != path or not answer.etag:
            raise self._strange(f"gives another page for {path}, or one without a revision")
        return ServedPage(page, answer.etag)

    async def put(self, page: Page, revision: str | None, *, rehearsal: bool = False) -> PutAnswer:
        """`PUT /ai/page`, over the page with this revision; None creates a page. Raises Refusal."""
        target = "/ai/page?dry_run=true" if rehearsal else "/ai/page"
        body = msgspec.json.encode(page)
        return self._data(await self._ask("PUT", target, body, _condition(revision)), PutAnswer)

    async def delete(self, path: str, revision: str) -> DeleteAnswer:
        """`DELETE /ai/page`, of the page with this revision. Raises Refusal."""
        target = f"/ai/page?path={quote(path)}"
        return self._data(await self._ask("DELETE", target, headers=_condition(revision)), DeleteAnswer)

    async def category(self, path: str, fields: Mapping[str, object]) -> Category:
        """`POST /ai/category`. Raises Refusal."""
        body = msgspec.json.encode({"path": path, **fields})
        return self._data(await self._ask("POST", "/ai/category", body), Category)

    async def _ask(
        self, method: str, target: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> _Answer:
        """One request, sent again where that may help."""
        losses = waits = 0
        sent = {**self._headers, **(headers or {})}
        if body is not None:
            sent[hdrs.CONTENT_TYPE] = "application/json"
        while True:
            try:
                answer, after = await self._send(method, target, body, sent)
            except (ClientError, OSError, TimeoutError) as error:
                losses += 1
                if losses >= self._patience.losses or isinstance(error, aiohttp.ClientSSLError):
                    raise self._lost(error) from error
                await asyncio.sleep(self._patience.pause * 2 ** (losses - 1))
                continue
            waits += 1
            if answer.status not in _BUSY or waits >= self._patience.waits:
                return self._accepted(answer)
            await asyncio.sleep(after)

    async def _send(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[_Answer, float]:
        """The answer to one request, and how long to wait before the next where it says so."""
        assert self._session is not None  # noqa: S101 - a context manager
        url = self._base + target
        async with self._session.request(
            method, url, data=body, headers=headers, allow_redirects=False, proxy=self._proxy
        ) as response:
            after = _seconds(response.headers.get(hdrs.RETRY_AFTER, ""))
            etag = response.headers.get(hdrs.ETAG, "").removeprefix("W/").strip('"')
            if response.status == 304:
                return _Answer(304, etag, _Envelope(ok=True)), after
            if 300 <= response.status < 400:
                raise self._redirected(response.headers.get(hdrs.LOCATION, ""))
            envelope = self._envelope(response.status, await _read(response))
            return _Answer(response.status, etag, envelope), after

    def _envelope(self, status: int, data: bytes | None) -> _Envelope:
        try:
            return msgspec.json.decode(data or b"", type=_Envelope)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            if status in _BUSY:  # of a proxy before the service
                return _Envelope(ok=False, error="the service is busy", code="TOO_BUSY")
            raise self._strange(f"answers {status} without the form of the authoring API") from None

    def _accepted(self, answer: _Answer) -> _Answer:
        """Let good answers pass. Raises Refusal, or ServiceRefused where nothing else will be answered."""
        told = answer.envelope
        if told.ok:
            return answer
        if answer.status in _REFUSES_ALL | _BUSY or told.code in _REFUSING:
            raise self._refused(told.code, told.error)
        raise Refusal(answer.status, told.code, told.error)

    def _data(self, answer: _Answer, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(answer.envelope.data, type=kind)
        except msgspec.MsgspecError as error:
            raise self._strange(f"gives what is no {kind.__name__}: {error}") from None

    @property
    def _host(self) -> str:
        parts = urlsplit(self._base)
        return f"{parts.scheme}://{parts.netloc}"

    def _refused(self, code: str, message: str) -> ServiceRefused:
        return ServiceRefused(f"{message} [{code}]", path=self._host, hint=_HINTS.get(code, ""))

    def _lost(self, error: Exception) -> ServiceUnreachable:
        said = str(error) or type(error).__name__
        hint = "what was done so far stays; the same command goes on from there"
        return ServiceUnreachable(f"the service does not answer: {said}", path=self._host, hint=hint)

    def _strange(self, said: str) -> ServiceUnreachable:
        hint = "is this the address of Twinpress itself, not that of a published site?"
        return ServiceUnreachable(f"the service {said}", path=self._host, hint=hint)

    def _redirected(self, target: str) -> ServiceUnreachable:
        parts = urlsplit(target)
        there = f"{parts.scheme}://{parts.netloc}" if parts.netloc else "another address"
        hint = "give the address of the service itself; the key is not sent anywhere else"
        return ServiceUnreachable(f"the service leads to {there}", path=self._host, hint=hint)


_HINTS = {
    "BAD_KEY": "create a key for this site, and give it in TWINPRESS_KEY or with --key-file",
    "KEY_EXPIRED": "keys that begin with svc_docs_ do not expire",
    "STORAGE_FULL": "make room there, as the message says; the same command goes on from there",
}


def _condition(revision: str | None) -> dict[str, str]:
    if revision is None:
        return {hdrs.IF_NONE_MATCH: "*"}
    return {hdrs.IF_MATCH: json.dumps(revision)}


def _seconds(text: str) -> float:
    """Return the seconds in `Retry-After`, one where it has none."""
    return min(float(text), _LONGEST) if text.isdecimal() else 1.0


async def _read(response: aiohttp.ClientResponse) -> bytes | None:
    """The body, None for one that is too large."""
    data = bytearray()
    async for chunk in response.content.iter_any():
        data += chunk
        if len(data) > _LARGEST:
            return None
    return bytes(data)
