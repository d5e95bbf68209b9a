"""The official SDK as a client of ours, in the revision that it likes best and in the one before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from httpx2 import AsyncClient
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.server.commands import COMMAND, Answer
from tests.server.http_client import request
from tests.waiting import PATIENCE

T = TypeVar("T")
Work = Callable[[Client], Awaitable[T]]

MODES = {"2026-07-28": "auto", "2025-11-25": "legacy"}
"""The SDK's modes, by the revision that it ends up with."""
MODERN, LEGACY = MODES
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def over_http(url: str, revision: str, work: Work[T], headers: Mapping[str, str] | None = None) -> T:
    """Work with a client over HTTP."""

    async def run() -> T:
        async with AsyncClient(headers=dict(headers or {}), timeout=PATIENCE) as http:
            return await _worked(streamable_http_client(url, http_client=http), revision, work)

    return asyncio.run(run())


def over_stdio(arguments: list[str], revision: str, work: Work[T], cwd: Path) -> T:
    """Work with a client that starts `twinpress mcp`."""
    server = StdioServerParameters(command=str(COMMAND), args=["mcp", *arguments], cwd=cwd)
    return asyncio.run(_worked(server, revision, work))


async def _worked(server: Any, revision: str, work: Work[T]) -> T:
    async with Client(server, mode=MODES[revision], read_timeout_seconds=60) as client:
        assert client.session.protocol_version == revision
        return await work(client)


def message(method: str, id: object = 1, **params: object) -> dict[str, Any]:
    """A request as a modern client sends it."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": META}}


def call(name: str, **arguments: object) -> dict[str, Any]:
    """A call of a tool."""
    return message("tools/call", name=name, arguments=arguments)


def mirrored(sent: Mapping[str, Any]) -> dict[str, str]:
    """The headers that go with a message of a modern client."""
    params = sent.get("params", {})
    name = params.get("name", params.get("uri"))
    named = {"Mcp-Name": name} if name is not None else {}
    return {"MCP-Protocol-Version": MODERN, "Mcp-Method": sent["method"], **named}


def post(port: int, path: str, body: object, headers: Mapping[str, str] | None = None) -> Answer:
    """Send a body, as JSON unless it is bytes; with the headers of a modern client unless some are given."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = mirrored(body) if headers is None and isinstance(body, dict) else headers or {}
    all_headers = {"Content-Type": "application/json", **sent}
    return Answer(*request(port, "POST", path, all_headers.items(), data))
