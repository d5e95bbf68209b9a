"""A site as it is asked for: over HTTP from this machine, or from the folder that a build has written."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urljoin, urlsplit

from aiohttp import ClientError, ClientSession, ClientTimeout
from msgspec import Struct
from msgspec.structs import replace

from builder.errors import TwinpressError
from server.site_files import mime, page_form
from server.site_files.routing import Moved, answer

TOGETHER = 8
"""Requests at a time."""
_HOPS = 5
_MOVED = frozenset({301, 302, 303, 307, 308})
_LARGEST = 32 * 1024 * 1024
_TIMEOUT = ClientTimeout(total=15)


class FetchedFile(Struct, frozen=True):
    """The last answer of an address: `hops` are the addresses that it led through. A status of 0 is none."""

    url: str
    status: int
    type: str
    text: str
    size: int
    headers: Mapping[str, str]
    hops: tuple[str, ...] = ()

    @property
    def is_ok(self) -> bool:
        """True for what there is."""
        return 200 <= self.status < 300

    @property
    def is_html(self) -> bool:
        """True for a page of HTML."""
        return "text/html" in self.type


class Web(Protocol):
    """Answers for addresses of one site. `depends` says that a host is to decide on what is answered."""

    depends: bool

    async def get(self, url: str, *, markdown: bool = False) -> FetchedFile:
        """Return the answer for an address, whatever it is; with `markdown` that is what is preferred."""


NONE = FetchedFile("", 0, "", "", 0, {})


class FolderWeb:
    """The folder of a build, with the addresses that a host with clean URLs gives its files."""

    depends = True

    def __init__(self, folder: Path, origin: str, base: str) -> None:
        self._files = {
            each.relative_to(folder).as_posix(): each for each in folder.rglob("*") if each.is_file()
        }
        self._origin, self._base = origin, base

    async def get(self, url: str, *, markdown: bool = False) -> FetchedFile:
        """Return the file for an address, behind redirects."""
        hops: tuple[str, ...] = ()
        for _ in range(_HOPS):
            parts = urlsplit(url)
            if f"{parts.scheme}://{parts.netloc}" != self._origin:
                return replace(NONE, url=url)
            found = answer(unquote(parts.path) or "/", self._files, self._base)
            if not isinstance(found, Moved):
                break
            hops, url = (*hops, url), urljoin(url, found.location)
        if found is None or isinstance(found, Moved):
            return FetchedFile(url, 404, "text/plain", "", 0, {}, hops)
        form = page_form.form(found, self._files, self._base, lambda: markdown)
        data = self._files[form.output].read_bytes()
        text = data.decode("utf-8", "replace")
        return FetchedFile(
            url, found.status, mime.content_type(form.output), text, len(data), form.headers, hops
        )


class LoopbackWeb:
    """A server on this machine. Each address is asked for once in either form."""

    depends = False

    def __init__(self, session: ClientSession, origin: str) -> None:
        self._session, self._origin = session, origin
        self._together = asyncio.Semaphore(TOGETHER)

    async def get(self, url: str, *, markdown: bool = False) -> FetchedFile:
        """Ask the server; other hosts are never asked, also not behind a redirect."""
        hops: tuple[str, ...] = ()
        for _ in range(_HOPS):
            parts = urlsplit(url)
            if f"{parts.scheme}://{parts.netloc}" != self._origin:
                break
            found, location = await self._ask(url, markdown=markdown)
            if not location:
                return replace(found, hops=hops)
            hops, url = (*hops, url), urljoin(url, location)
        return replace(NONE, url=url, hops=hops)

    async def _ask(self, url: str, *, markdown: bool) -> tuple[FetchedFile, str]:
        accept = {"Accept": "text/markdown"} if markdown else {}
        try:
            async with (
                self._together,
                self._session.get(url, headers=accept, allow_redirects=False) as response,
            ):
                data = await response.content.read(_LARGEST)
                headers = {name.lower(): value for name, value in response.headers.items()}
        except (ClientError, TimeoutError, OSError):
            return replace(NONE, url=url), ""
        location = headers.get("location", "") if response.status in _MOVED else ""
        kind = headers.get("content-type", "").lower()
        text = data.decode("utf-8", "replace")
        return FetchedFile(url, response.status, kind, text, len(data), headers), location


def session() -> ClientSession:
    """The session for requests to this machine."""
    return ClientSession(timeout=_TIMEOUT, headers={"User-Agent": "twinpress-score"})


def loopback(url: str) -> tuple[str, str]:
    """The origin and the base path of an address. Raises TwinpressError unless it is on this machine."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise TwinpressError(f"`{url}` is no address of the form http://127.0.0.1:8000/")
    if not _is_loopback(parts.hostname):
        raise TwinpressError(
            f"`{parts.hostname}` is not this machine. A score asks for every page of a site several times, "
            "which is not done to the servers of others: give the folder of the build, or serve it here"
        )
    return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
