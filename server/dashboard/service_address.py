"""The service's public address: what cookies, origins, links and passkeys go by."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgspec import Struct

from builder.errors import TwinpressError

ADDRESS, SIGN_UP = "service_address", "sign_up"
"""Names of settings: what the service was last started with, for commands that print links to it."""
_PORTS = {"http": 80, "https": 443}
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})


class InvalidAddress(TwinpressError):
    """The text is no address at which browsers can reach the service."""


class ServiceAddress(Struct, frozen=True):
    """`origin` is scheme, host and port as browsers write them; `host` is the name alone, for passkeys."""

    origin: str
    host: str

    @property
    def is_secure(self) -> bool:
        """Tell whether browsers reach the service by TLS."""
        return self.origin.startswith("https:")

    @property
    def authority(self) -> str:
        """Return what browsers send as `Host`."""
        return self.origin.partition("://")[2]

    def link(self, path: str) -> str:
        """Return the whole address of a path."""
        return self.origin + path


def service_address(
    text: str, *, example: str = "https://app.example.net", at_risk: str = "passwords would be read"
) -> ServiceAddress:
    """Read the address from what an operator writes. Raises InvalidAddress.

    An `example` is shown with what is wrong, and without TLS what would be `at_risk`.
    """
    hint = f"write it like {example}"
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError:
        raise InvalidAddress(f"`{text}` is no address", hint=hint) from None
    if parts.scheme not in _PORTS or not host or parts.username is not None:
        raise InvalidAddress(f"`{text}` is no address of a service", hint=hint)
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise InvalidAddress(f"`{text}` has more than a host: the service needs one of its own", hint=hint)
    named = f"[{host}]" if ":" in host else host
    if parts.scheme == "http" and named not in _LOCAL and not named.endswith(".localhost"):
        raise InvalidAddress(f"`{text}` has no TLS: {at_risk} on the way", hint=hint)
    tail = "" if port in {None, _PORTS[parts.scheme]} else f":{port}"
    return ServiceAddress(f"{parts.scheme}://{named}{tail}", host)
