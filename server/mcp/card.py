"""The card of a site's server, by which clients that know its host alone find it."""

from __future__ import annotations

import ipaddress

from server.mcp.dispatch import SERVER_INFO
from server.mcp.messages import ENCODER
from server.mcp.revisions import SUPPORTED

PATH = ".well-known/mcp/server-card.json"
"""Below the root of the host."""
_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
_ABOUT = "Search and read this documentation site."


def card(host: str, path: str) -> bytes:
    """The card of the server at a path of a host, as the `Host` header has that."""
    name, is_public = host.partition(":")[0].lower(), _is_public(host)
    return ENCODER.encode(
        {
            "$schema": _SCHEMA,
            "name": f"{'.'.join(reversed(name.split('.'))) if is_public else 'localhost'}/docs",
            "version": SERVER_INFO["version"],
            "title": SERVER_INFO["title"],
            "description": _ABOUT,
            "remotes": [
                {
                    "type": "streamable-http",
                    "url": f"{'https' if is_public else 'http'}://{host}{path}",
                    "supportedProtocolVersions": list(SUPPORTED),
                }
            ],
        }
    )


def _is_public(host: str) -> bool:
    """Return whether a host is on the web, where sites are behind TLS, and not this machine."""
    name = host.partition(":")[0].lower()
    if host.startswith("[") or name == "localhost" or name.endswith(".localhost"):
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return True
    return False
