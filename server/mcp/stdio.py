"""The protocol on standard input and output: a message is a line, answered before the next one is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from server.mcp import messages
from server.mcp.dispatch import McpService, respond
from server.mcp.messages import INTERNAL, INVALID_REQUEST, ProtocolError, Unreadable
from server.mcp.revisions import revision_of

LONGEST = 1024 * 1024
"""Bytes of a line."""


def serve(
    opened: Callable[[], McpService], source: BinaryIO, sink: BinaryIO, tell: Callable[[Exception], None]
) -> None:
    """Answer until the input ends. `opened` gives what is served, and `tell` is told of faults of ours."""
    while line := source.readline(LONGEST + 1):
        response = _too_long(source, line) if len(line) > LONGEST else _response(opened, line, tell)
        if response is not None:
            sink.write(response + b"\n")
            sink.flush()


def _too_long(source: BinaryIO, line: bytes) -> bytes:
    """Leave out the rest of a line."""
    while line and not line.endswith(b"\n"):
        line = source.readline(LONGEST)
    fault = Unreadable(INVALID_REQUEST, f"a message may have {LONGEST:,} bytes")
    return messages.error(None, fault)


def _response(
    opened: Callable[[], McpService], line: bytes, tell: Callable[[Exception], None]
) -> bytes | None:
    if not line.strip():
        return None
    try:
        message = messages.read(line)
    except Unreadable as fault:
        return messages.error(None, fault)
    if message.id is None:
        return None
    try:
        return _now(opened, message)
    except ProtocolError as fault:
        return messages.error(message.id, fault)
    except Exception as error:  # noqa: BLE001 - the last resort: it is told, and the client gets an answer
        tell(error)
        return messages.error(message.id, ProtocolError(INTERNAL, "Twinpress failed to answer"))


def _now(opened: Callable[[], McpService], message: messages.Message) -> bytes | None:
    """Run an answer to its end: nothing in it waits for anything but the disk. Raises what it raises."""
    running = respond(opened(), message, revision_of(message))
    try:
        running.send(None)
    except StopIteration as ended:
        made: bytes | None = ended.value
        return made
    finally:
        running.close()
    raise AssertionError("a service on standard input and output waits for nobody")
