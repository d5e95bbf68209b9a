"""Ask for links as a polite visitor does, and say in words what came of each.

    robots.txt -> HEAD -> GET where HEAD says no -> the same at the target of a redirect

Many hosts are asked at a time, the links of one host in turn. Of an answer the status and two headers are
read, and of robots.txt its text.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from urllib.robotparser import RobotFileParser

import aiohttp
from msgspec import Struct
from yarl import URL

from builder.version import VERSION
from server.external_links.answer import LinkAnswer
from server.external_links.host_lookup import HostLookup, HostUnknown, NoSuchHost, PrivateHost
from server.external_links.host_turns import HostBusy, HostTurns

AGENT = f"Twinpress-links/{VERSION}"
HOSTS = 16
"""Hosts that are asked at a time."""
_HOPS = 10
_ROBOTS_BYTES = 500_000
_SHUT_OUT = ("User-agent: *", "Disallow: /")
"""The rules of a host that fails to give any (RFC 9309)."""
_MOVED = frozenset({301, 302, 303, 307, 308})
_FOR_GOOD = frozenset({301, 308})
_GONE = {404: "there is nothing at this address (404)", 410: "it was removed for good (410)"}
_SHUT = {401: "it needs a sign-in (401)", 403: "it is refused (403)", 429: "it is asked too often (429)"}
_LATER = frozenset({429, 503})


Heard = Callable[[URL, LinkAnswer], None]


class AskLimits(Struct, frozen=True):
    """Seconds: of one request, between two requests of one host, and that a host may ask to wait."""

    seconds: float = 20.0
    pause: float = 0.5
    patience: float = 60.0


class _Reply(Struct, frozen=True):
    """The status of a response, and the headers that matter."""

    status: int
    location: str = ""
    wait: float | None = None


class _Refused(Exception):
    """The robots.txt of a host does not let this address be asked for."""


class LinkAsker:
    """Asks for links. With `private` also at addresses of this machine and its network."""

    def __init__(self, limits: AskLimits, threads: int, *, private: bool) -> None:
        self._limits = limits
        self._turns = HostTurns(limits.pause, limits.patience)
        self._hosts = HostLookup(threads, private=private)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=self._hosts, limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": AGENT, "Accept": "*/*"},
            timeout=aiohttp.ClientTimeout(total=limits.seconds),
        )
        self._robots: dict[URL, asyncio.Future[RobotFileParser | Exception]] = {}

    async def close(self) -> None:
        """End all connections."""
        await self._session.close()
        await self._hosts.close()

    async def ask(self, url: URL) -> LinkAnswer:
        """Ask for an address, and for those to which it leads. Total."""
        here, moved, lasts = url, "", True
        for _ in range(_HOPS):
            try:
                reply = await self._reply(here)
            except (OSError, TimeoutError, aiohttp.ClientError, HostBusy, ValueError, _Refused) as error:
                return _failure(error, moved, "" if here == url else f" at {here}, where it leads")
            if reply.status not in _MOVED or not reply.location:
                return _verdict(reply.status, moved, "" if here == url else f", at {here}, where it leads")
            try:
                here = here.join(URL(reply.location))
            except ValueError:
                return LinkAnswer("broken", "it leads to what is no address", reply.status)
            if here.scheme not in {"http", "https"} or not here.host:
                return LinkAnswer("unsure", f"it leads to {here}, which is no web page", reply.status)
            lasts = lasts and reply.status in _FOR_GOOD
            moved = str(here) if lasts else moved
        return LinkAnswer("broken", f"it leads on and on, more than {_HOPS} times")

    async def _reply(self, url: URL) -> _Reply:
        """Return the reply at an address that may be asked for; where it says to wait, the second one."""
        await self._heed_robots(url)
        reply = await self._once(url)
        if reply.status in _LATER and reply.wait is not None:
            self._turns.hold(url.host or "", reply.wait)
            if reply.wait <= self._limits.patience:
                return await self._once(url)
        return reply

    async def _once(self, url: URL) -> _Reply:
        try:
            reply = await self._request("HEAD", url)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError, aiohttp.ClientResponseError):
            return await self._request("GET", url)
        if reply.status < 400 or reply.status in _LATER:
            return reply
        return await self._request("GET", url)

    async def _request(self, method: str, url: URL) -> _Reply:
        self._check(url)
        host = url.host or ""
        async with (
            self._turns.turn(host),
            self._session.request(method, url.with_fragment(None), allow_redirects=False) as response,
        ):
            return _Reply(response.status, response.headers.get("Location", ""), _wait(response.headers))

    def _check(self, url: URL) -> None:
        """Refuse an address that is written as a number: nobody looks that up. Raises PrivateHost."""
        try:
            ip_address((url.host or "").partition("%")[0])
        except ValueError:
            return
        self._hosts.check(url.host or "")

    async def _heed_robots(self, url: URL) -> None:
        """Raise _Refused where robots.txt says so, and the failure of a host that gives none."""
        origin = url.origin()
        if origin not in self._robots:
            self._robots[origin] = asyncio.ensure_future(self._read_robots(origin))
        rules = await asyncio.shield(self._robots[origin])
        if isinstance(rules, Exception):
            raise rules
        if not rules.can_fetch(AGENT, str(url)):
            raise _Refused

    async def _read_robots(self, origin: URL) -> RobotFileParser | Exception:
        """Read the rules of a host; a failure is a value, which each of its links gets."""
        rules = RobotFileParser()
        try:
            status, text = await self._robots_text(origin.join(URL("/robots.txt")))
        except (OSError, TimeoutError, aiohttp.ClientError, HostBusy, ValueError) as error:
            return error
        rules.parse(_SHUT_OUT if status >= 500 or status == 429 else text.splitlines())
        delay = rules.crawl_delay(AGENT)
        self._turns.slow_down(origin.host or "", float(delay or 0))
        return rules

    async def _robots_text(self, url: URL) -> tuple[int, str]:
        for _ in range(_HOPS):
            self._check(url)
            async with (
                self._turns.turn(url.host or ""),
                self._session.get(url, allow_redirects=False) as response,
            ):
                if response.status not in _MOVED or "Location" not in response.headers:
                    wait = _wait(response.headers)
                    if response.status in _LATER and wait is not None:
                        self._turns.hold(url.host or "", wait)
                    data = await _beginning(response) if response.status == 200 else b""
                    return response.status, data.decode("utf-8", "replace")
                url = url.join(URL(response.headers["Location"]))
        return 404, ""


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    data = b""
    async for chunk in response.content.iter_any():
        data += chunk
        if len(data) >= _ROBOTS_BYTES:
            break
    return data


def _wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `Retry-After`, a number or a time; None for none."""
    given = headers.get("Retry-After", "").strip()
    if given.isdecimal():
        return float(given[:9])
    try:
        at = parsedate_to_datetime(given)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _verdict(status: int, moved: str, where: str) -> LinkAnswer:
    if status in _GONE:
        return LinkAnswer("broken", _GONE[status] + where, status, moved)
    if status in _SHUT:
        return LinkAnswer("unsure", _SHUT[status] + where, status, moved)
    if status >= 500:
        return LinkAnswer("unsure", f"the server fails just now ({status}){where}", status, moved)
    if status >= 300:
        return LinkAnswer("unsure", f"the answer is {status}{where}", status, moved)
    return LinkAnswer("fine", "", status, moved)


def _failure(error: Exception, moved: str, where: str) -> LinkAnswer:
    """Say what went wrong on the way to an answer."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorDNSError) else error
    match cause:
        case NoSuchHost():
            return LinkAnswer("broken", f"there is no host of this name{where}", moved=moved)
        case HostUnknown():
            said = "no name server answers for this host"
        case PrivateHost():
            said = "not asked: the host is on this machine or its network (`--private` asks there too)"
            return LinkAnswer("unasked", said + where)
        case _Refused():
            return LinkAnswer("unasked", f"not asked: the robots.txt of the host does not allow it{where}")
        case HostBusy():
            said = str(cause)
        case TimeoutError():
            said = "no answer came in time"
        case aiohttp.ClientConnectorCertificateError() | ssl.SSLCertVerificationError():
            said = "the certificate of the host is not valid"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            said = "the host does not speak TLS"
        case _:
            said = "the host cannot be reached, or does not speak HTTP"
    return LinkAnswer("unsure", said + where, moved=moved)


def ask_links(urls: Iterable[URL], heard: Heard, limits: AskLimits, *, private: bool) -> None:
    """Ask for addresses, and call `heard` with each answer as it comes.

    Raises KeyboardInterrupt where somebody presses Ctrl+C: what was heard until then is right.
    """
    asyncio.run(_ask(urls, heard, limits, private))


async def _ask(urls: Iterable[URL], heard: Heard, limits: AskLimits, private: bool) -> None:
    by_host: dict[str, list[URL]] = defaultdict(list)
    for url in urls:
        by_host[url.host or ""].append(url)
    asker, room = LinkAsker(limits, HOSTS, private=private), asyncio.Semaphore(HOSTS)

    async def ask_host(links: list[URL]) -> None:
        async with room:
            for url in links:
                heard(url, await asker.ask(url))

    try:
        async with asyncio.TaskGroup() as tasks:
            for links in by_host.values():
                tasks.create_task(ask_host(links))
    finally:
        await asker.close()
