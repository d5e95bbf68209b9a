"""Revisions of the protocol: which one a message speaks, and what it must have for that.

A message of a modern revision says so itself, in `_meta`. Older clients say it once, in `initialize`, and
over HTTP in a header; they get the same answers without what they do not know.
"""

from __future__ import annotations

from server.mcp.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    UNSUPPORTED_REVISION,
    Message,
    ProtocolError,
    quoted,
    text_of,
)

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The newest first."""
SUPPORTED = (MODERN, *LEGACY)
UNNAMED = "2025-03-26"
"""The revision of clients that name none over HTTP."""

PREFIX = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, SERVER = (
    f"{PREFIX}protocolVersion",
    f"{PREFIX}clientCapabilities",
    f"{PREFIX}serverInfo",
)

INITIALIZE = "initialize"
_HEADER = "MCP-Protocol-Version"


def revision_of(message: Message) -> str:
    """Return the revision that a message speaks by what stands in it. Raises ProtocolError."""
    named = text_of(message.meta, VERSION)
    if named is None:
        return LEGACY[0]
    if named not in SUPPORTED:
        raise unsupported(named)
    if named == MODERN and not isinstance(message.meta.get(CAPABILITIES), dict):
        raise ProtocolError(INVALID_PARAMS, f"_meta: `{CAPABILITIES}` is missing (an empty object will do)")
    return named


def revision_over_http(message: Message, header: str | None) -> str:
    """Return the revision of a message that came with this `MCP-Protocol-Version`. Raises ProtocolError."""
    named = text_of(message.meta, VERSION)
    if named is not None and header != named:
        raise ProtocolError(
            HEADER_MISMATCH, f"{_HEADER} is `{quoted(header or '')}`, and `_meta` has `{quoted(named)}`"
        )
    if header is not None and header not in SUPPORTED:
        raise unsupported(header)
    if header == MODERN and named is None:
        raise ProtocolError(INVALID_PARAMS, f"_meta: `{VERSION}` is missing")
    return revision_of(message) if named is not None else header or UNNAMED


def agreed(message: Message) -> str:
    """Return the revision to which `initialize` leads: the one that is asked for, or else the newest."""
    asked = text_of(message.params, "protocolVersion")
    return asked if asked in LEGACY else LEGACY[0]


def unsupported(asked: str) -> ProtocolError:
    """The answer to who speaks another revision."""
    data = {"supported": list(SUPPORTED), "requested": quoted(asked)}
    return ProtocolError(UNSUPPORTED_REVISION, "Unsupported protocol version", data)
