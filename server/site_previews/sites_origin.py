"""The public address of hosted sites, and the names of previews below it."""

from __future__ import annotations

import ipaddress
import re

from aiohttp import hdrs, web
from msgspec import Struct

from server.dashboard.service_address import InvalidAddress, ServiceAddress, service_address

_HOST = re.compile(r"(?P<name>[a-z0-9.-]+?)\.?(?P<port>:[0-9]{1,5})?", re.IGNORECASE)
_ABSOLUTE = re.compile(r"https?://([^/?#@]*)", re.IGNORECASE)
"""The form of a target that a proxy is asked with."""


class SitesOrigin(Struct, frozen=True):
    """The origin of sites, at which no session of the service is ever valid."""

    address: ServiceAddress

    def below(self, label: str) -> str:
        """Return the origin of the site, or of the preview, whose host name has this first part."""
        scheme, _, authority = self.address.origin.partition("://")
        return f"{scheme}://{label}.{authority}"

    def at(self, host: str) -> str:
        """Return the origin of a site at a domain of its own: same scheme and port, another name."""
        scheme, _, authority = self.address.origin.partition("://")
        return f"{scheme}://{host}{authority.removeprefix(self.address.host)}"

    def label(self, request: web.Request) -> str:
        """Return the first part of the name that a request is for, "" where that is none of a preview.

        The port is of no account: behind a proxy it may be another. Where the target of the request names a
        host, too, both must be the same.
        """
        named = _ABSOLUTE.match(request.raw_path)
        names = [*request.headers.getall(hdrs.HOST, []), *([named[1]] if named else [])]
        found = {self._label(name) for name in names}
        return found.pop() if len(found) == 1 else ""

    def _label(self, host: str) -> str:
        form = _HOST.fullmatch(host)
        label, _, rest = form["name"].lower().partition(".") if form else ("", "", "")
        return label if rest == self.address.host.lower() else ""


def sites_origin(text: str, service: ServiceAddress) -> SitesOrigin:
    """Read the address from what an operator writes. Raises InvalidAddress."""
    at_risk = "drafts would be read, and pages changed,"
    found = service_address(text, example="https://sites.example.net", at_risk=at_risk)
    if found.origin == service.origin:
        hint = "give another host or port: a page of a site must not share an origin with a session"
        raise InvalidAddress(f"`{text}` is the address of the service itself", hint=hint)
    if _is_number(found.host):
        hint = "write a name, such as http://localhost:8081"
        raise InvalidAddress(f"`{text}` is no name, and each preview has a name below it", hint=hint)
    return SitesOrigin(found)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
