"""Answer messages: the methods of the protocol, over whatever has tools and resources.

Stateless: what a client has said in `initialize` is not remembered, as nothing of it changes an answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from builder.version import VERSION as OUR_VERSION
from server.mcp import messages
from server.mcp.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Json,
    Message,
    ProtocolError,
    needed,
    quoted,
    text_of,
)
from server.mcp.revisions import INITIALIZE, MODERN, SERVER, SUPPORTED, agreed
from server.mcp.tools import Tool, ToolResult

SERVER_INFO = {"name": "twinpress", "title": "Twinpress", "version": OUR_VERSION}
TOOLS_MS = 3_600_000
"""Milliseconds for which a client may take lists of tools to be as they were."""


class Resources(Protocol):
    """Texts that clients can list and read by their URIs; each method raises ProtocolError."""

    async def listed(self, cursor: str | None) -> Json:
        """Some resources as `resources/list` has them, from `cursor` on."""

    async def templates(self) -> Sequence[Json]:
        """The patterns of URIs."""

    async def read(self, uri: str) -> Sequence[Json]:
        """The contents at a URI."""


class McpService(Protocol):
    """A server as its clients see it. `instructions` are fixed words of ours."""

    @property
    def instructions(self) -> str:
        """The words on how to use the tools."""

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools, in the order in which they are listed."""

    @property
    def resources(self) -> Resources | None:
        """The resources, None where there are none."""

    @property
    def scope(self) -> str:
        """`public`, or `private` where what clients get depends on who they are."""

    @property
    def fresh_ms(self) -> int:
        """Milliseconds for which clients may take lists and texts of pages to be as they were."""

    async def call(self, tool: Tool, given: Json) -> ToolResult:
        """Call a tool with these arguments."""


class _Call(Struct, frozen=True):
    """A request on its way."""

    service: McpService
    message: Message

    @property
    def cursor(self) -> str | None:
        return text_of(self.message.params, "cursor")


Answer = Callable[[_Call], Awaitable[Json]]


async def respond(service: McpService, message: Message, revision: str) -> bytes | None:
    """Return the response to a message, None to a notification. Raises ProtocolError."""
    methods = _MODERN if revision == MODERN else _LEGACY
    if message.id is None:
        return None
    answer = methods.get(message.method)
    if answer is None:
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {quoted(message.method)}")
    call = _Call(service, message)
    made = await answer(call)
    if revision == MODERN:
        made = {"resultType": "complete", **made, **_cached(call), "_meta": {SERVER: SERVER_INFO}}
    return messages.result(message.id, made)


def _cached(call: _Call) -> Json:
    """The time for which a modern client may keep a result, as it is told."""
    method = call.message.method
    if method not in _CACHED:
        return {}
    age = call.service.fresh_ms if method in _OF_PAGES else TOOLS_MS
    return {"ttlMs": age, "cacheScope": call.service.scope}


def _about(service: McpService) -> Json:
    resources: Json = {} if service.resources is None else {"resources": {}}
    return {"capabilities": {"tools": {}, **resources}, "instructions": service.instructions}


async def _discover(call: _Call) -> Json:
    return {"supportedVersions": list(SUPPORTED), **_about(call.service)}


async def _initialize(call: _Call) -> Json:
    about = _about(call.service)
    return {"protocolVersion": agreed(call.message), "serverInfo": SERVER_INFO, **about}


async def _ping(_: _Call) -> Json:
    return {}


async def _list_tools(call: _Call) -> Json:
    if call.cursor is not None:
        raise bad_cursor()
    return {"tools": [tool.listed() for tool in call.service.tools]}


async def _call_tool(call: _Call) -> Json:
    name, given = needed(call.message.params, "name"), call.message.params.get("arguments")
    tool = next((each for each in call.service.tools if each.name == name), None)
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {quoted(name)}")
    if given is not None and not isinstance(given, dict):
        raise ProtocolError(INVALID_PARAMS, "arguments: expected an object")
    return (await call.service.call(tool, given or {})).told()


async def _list_resources(call: _Call) -> Json:
    return await _resources(call).listed(call.cursor)


async def _list_templates(call: _Call) -> Json:
    if call.cursor is not None:
        raise bad_cursor()
    return {"resourceTemplates": list(await _resources(call).templates())}


async def _read_resource(call: _Call) -> Json:
    return {"contents": list(await _resources(call).read(needed(call.message.params, "uri")))}


def _resources(call: _Call) -> Resources:
    found = call.service.resources
    if found is None:
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {quoted(call.message.method)}")
    return found


def bad_cursor() -> ProtocolError:
    """The answer to a cursor that we have not given, or that is of something else."""
    return ProtocolError(INVALID_PARAMS, "cursor: is none of this list; begin without one")


_BOTH: Mapping[str, Answer] = {
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "resources/list": _list_resources,
    "resources/templates/list": _list_templates,
    "resources/read": _read_resource,
}
_MODERN: Mapping[str, Answer] = {"server/discover": _discover, **_BOTH}
_LEGACY: Mapping[str, Answer] = {INITIALIZE: _initialize, "ping": _ping, **_BOTH}
_OF_PAGES = frozenset({"resources/list", "resources/read"})
_CACHED = _OF_PAGES | {"server/discover", "tools/list", "resources/templates/list"}
