"""Let in only changes that a page of ours asks for: a cookie comes along whoever asks.

Browsers say themselves who asks (Fetch Metadata; OWASP, Cross-Site Request Forgery Prevention). `same-site`
is refused, because published sites may be our siblings, and so is a request with two cookies of our name: a
sibling can set one for all of its domain. No tokens in forms are needed.
"""

from __future__ import annotations

from aiohttp import hdrs, web
from msgspec import Struct

from server.dashboard.service_address import ServiceAddress

SAFE = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})
_FETCH_SITE = "Sec-Fetch-Site"
_OURS = frozenset({"same-origin", "none"})


class ForeignRequest(Exception):
    """The request comes from elsewhere, or cannot say where from; the text says which of them."""


def check_origin(request: web.Request, address: ServiceAddress) -> None:
    """Raise ForeignRequest for a change that no page of this service asks for."""
    if request.method in SAFE:
        return
    sites = request.headers.getall(_FETCH_SITE, [])
    origins = request.headers.getall(hdrs.ORIGIN, [])
    if len(sites) > 1 or len(origins) > 1:
        raise ForeignRequest("the request says twice who asks")
    if sites and sites[0] not in _OURS:
        raise ForeignRequest("another site has asked for this change")
    if origins and origins[0] != address.origin:
        raise ForeignRequest("another site has asked for this change")
    if not sites and not origins:
        raise ForeignRequest("the request does not say which site asks for this change")


class SessionCookie(Struct, frozen=True):
    """The cookie with the token of a session. Behind TLS its name has the prefix that no sibling can set."""

    address: ServiceAddress
    plain_name: str = "twinpress"

    @property
    def name(self) -> str:
        """Return the name of the cookie."""
        return f"__Host-{self.plain_name}" if self.address.is_secure else self.plain_name

    def read(self, request: web.Request) -> str:
        """Return the token, "" where there is none. Raises ForeignRequest when there are two."""
        found = [
            pair.partition("=")[2]
            for header in request.headers.getall(hdrs.COOKIE, [])
            for pair in map(str.strip, header.split(";"))
            if pair.partition("=")[0] == self.name
        ]
        if len(found) > 1:
            raise ForeignRequest("the browser has sent two sessions")
        return found[0] if found else ""

    def give(self, response: web.StreamResponse, token: str, seconds: int) -> None:
        """Have the browser keep a token for so many seconds, for this host alone and for no script."""
        response.headers.add(hdrs.SET_COOKIE, self._header(token, seconds))

    def forget(self, response: web.StreamResponse) -> None:
        """Have the browser forget it."""
        response.headers.add(hdrs.SET_COOKIE, self._header("", 0))

    def _header(self, token: str, seconds: int) -> str:
        # Lax: who follows a link from a mail is signed in; what changes something is checked by its origin.
        parts = [f"{self.name}={token}", "Path=/", f"Max-Age={seconds}", "HttpOnly", "SameSite=Lax"]
        return "; ".join([*parts, "Secure"] if self.address.is_secure else parts)
