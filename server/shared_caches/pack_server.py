"""Packs on an HTTP server that takes GET and PUT, such as nginx with WebDAV, Nexus or Artifactory."""

from __future__ import annotations

import ssl
from http.client import HTTPException
from typing import IO
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from builder.cache.errands import StoreRefused
from builder.cache.packs import MOST_BYTES
from builder.errors import StorageError

SECONDS = 10.0
"""For each step of an exchange; `builder/cache/errands.py` waits for the first answer less long."""
_NO_PLACE = (404, 405, 409, 501)
"""Statuses of servers that take no PUT, or not where there is no folder yet."""


class PackServer:
    """Packs below an address; `token` goes along as `Authorization: Bearer`, unless it is empty."""

    def __init__(self, address: str, token: str = "") -> None:
        self._address = address.rstrip("/")
        self._token = token
        self._opener = build_opener(_Stays)

    @property
    def name(self) -> str:
        """The address."""
        return self._address

    def get(self, name: str) -> bytes | None:
        """Return a pack, None where there is none. Raises StorageError."""
        return self._ask("GET", name)

    def put(self, name: str, data: bytes) -> None:
        """Put a pack in its place. Raises StorageError."""
        self._ask("PUT", name, data)

    def leave(self, prefix: str) -> None:
        """Nothing to tidy: a prefix without packs is not there."""

    def remove(self, name: str) -> None:
        """Remove a pack, if it is there and the server takes DELETE. Raises StorageError."""
        self._ask("DELETE", name)

    def _ask(self, method: str, name: str, data: bytes | None = None) -> bytes | None:
        request = Request(f"{self._address}/{name}", data, self._headers(data), method=method)  # noqa: S310
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                return _read(answer)
        except HTTPError as error:
            with error:
                if method != "PUT" and error.code in {404, 410}:
                    return None
                raise _refused(method, error.code, self._token) from None
        except (OSError, HTTPException, ValueError) as error:
            raise StorageError(f"no answer to {method}: {_said(error)}") from error

    def _headers(self, data: bytes | None) -> dict[str, str]:
        found = {"User-Agent": "twinpress", "Accept": "application/octet-stream, */*"}
        if data is not None:
            found["Content-Type"] = "application/octet-stream"
        if self._token:
            found["Authorization"] = f"Bearer {self._token}"
        return found


class _Stays(HTTPRedirectHandler):
    """Follows no redirect: the token is for this server alone."""

    def redirect_request(self, *_: object) -> None:
        return None


def _read(answer: IO[bytes]) -> bytes:
    found = answer.read(MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise StorageError(f"an answer of more than {MOST_BYTES // 1024 // 1024} MB is no pack")
    return found


def _refused(method: str, status: int, token: str) -> StorageError:
    message = f"{method} is answered with status {status}"
    if status in {401, 403}:
        variable = "TWINPRESS_CACHE_READ_TOKEN" if method == "GET" else "TWINPRESS_CACHE_WRITE_TOKEN"
        hint = f"look at the token in {variable}" if token else f"put a token into {variable}"
        return StoreRefused(message, hint=hint)
    if 300 <= status < 400:
        return StorageError(message, hint="give the address that it leads to")
    if method == "PUT" and status in _NO_PLACE:
        return StorageError(message, hint="let the server take files there, and create folders for them")
    return StorageError(message)


def _said(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ssl.SSLError):
        return f"its certificate is refused ({reason.reason or reason})"
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
