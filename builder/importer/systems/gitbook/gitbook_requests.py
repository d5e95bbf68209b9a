"""Requests of an API in GitBook: `{% swagger %}`, the older `{% api-method %}`, and those of OpenAPI.

    {% swagger method="get" path="/a" baseUrl="https://x" summary="S" %}
    {% swagger-description %} {% swagger-parameter in="path" name="id" type="string" required="true" %}
    {% swagger-response status="200: OK" description="D" %}

Parameters that follow one another and are of one place are a list.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from builder.importer.systems.gitbook.gitbook_blocks import BlockText, GitBookBlock

_PLACES = {
    "path": "Path parameters", "query": "Query parameters", "header": "Headers", "body": "Body",
    "cookie": "Cookies", "api-method-path-parameters": "Path parameters",
    "api-method-query-parameters": "Query parameters", "api-method-headers": "Headers",
    "api-method-body-parameters": "Body", "api-method-form-data-parameters": "Form data",
}  # fmt: skip
_PARAMETERS = frozenset({"swagger-parameter", "api-method-parameter"})


def _attributes(given: Mapping[str, str]) -> str:
    return "".join(
        f' {name}="{html.escape(" ".join(value.split()), quote=True)}"'
        for name, value in given.items()
        if value
    )


def _request(text: BlockText, block: GitBookBlock) -> None:
    """Write a request: its verb, address and summary, then all that is said about it."""
    host, path = block.value("baseUrl", "host").rstrip("/"), block.value("path")
    if not path.startswith("/"):
        path = f"/{path}" if path else ""
    if not urlsplit(host).scheme:
        host, path = "", f"{host}{path}"
    given = {
        "method": block.value("method").upper() or "GET",
        "path": path.replace("\\_", "_") or "/",
        "baseUrl": host.replace("\\_", "_"),
        "summary": block.value("summary") or _summary(text, block),
    }
    text.pair(block, f"<Endpoint{_attributes(given)} />\n", "")


def _summary(text: BlockText, block: GitBookBlock) -> str:
    """Return the summary that an older request has as a block of its own."""
    inner = text.after(block)
    if inner is None or inner.name != "api-method-summary" or inner.is_end:
        return ""
    shown = text.inner(inner).strip()
    text.whole(inner, "")
    inner.is_done = True
    return shown


def _operation(text: BlockText, block: GitBookBlock) -> None:
    """Write an operation of OpenAPI as a request, with the link to its description."""
    method, path = block.value("method"), block.value("path")
    old = text.text[block.start : block.end]
    begin = f"<Endpoint{_attributes({'method': method.upper(), 'path': path})} />\n" if path else ""
    if not text.inner(block).strip():
        source = block.value("src", "spec")
        begin += f"\n[{source}](<{source}>)\n" if source.startswith("http") else ""
    text.work.rewriting.tell(f"block {block.name}", block.start, old, "the request and a link", "changed")
    text.pair(block, begin, "")


def _parameter(text: BlockText, block: GitBookBlock) -> None:
    """Write a parameter; the first of a list opens it, and the last one closes it."""
    place = block.value("in")
    given = {"name": block.value("name").replace("\\_", "_"), "type": block.value("type")}
    required = " required" if block.value("required") == "true" else ""
    begin = f"<Param{_attributes(given)}{required}>\n" if given["name"] else ""
    if not _follows(text, block, place):
        begin = f"<Params{_attributes({'title': _PLACES.get(place, '')})}>\n{begin}"
    end = "\n</Param>\n" if given["name"] else ""
    if not _precedes(text, block, place):
        end += "</Params>\n"
    text.pair(block, begin, end)


def _follows(text: BlockText, block: GitBookBlock, place: str) -> bool:
    """Return whether a parameter of the same place stands directly before."""
    before = text.blocks[block.number - 1] if block.number else None
    if before is None or not before.is_end or before.name not in _PARAMETERS or before.partner is None:
        return False
    is_near = not text.text[before.end : block.start].strip()
    return is_near and before.partner.value("in") == place


def _precedes(text: BlockText, block: GitBookBlock, place: str) -> bool:
    """Return whether a parameter of the same place stands directly behind."""
    if block.partner is None:
        return False
    after = text.after(block.partner)
    if after is None or after.is_end or after.name not in _PARAMETERS or after.partner is None:
        return False
    return not text.text[block.partner.end : after.start].strip() and after.value("in") == place


def _response(text: BlockText, block: GitBookBlock) -> None:
    status = block.value("status", "httpCode")
    description = block.value("description")
    shown = ": ".join(one for one in (f"**{status}**" if status else "", description) if one)
    text.pair(block, f"{shown}\n" if shown else "", "")


def _place(text: BlockText, block: GitBookBlock) -> None:
    """Write the place of the parameters that follow as a line, where there are some."""
    label = _PLACES.get(block.name, "") if text.inner(block).strip() else ""
    text.pair(block, f"**{label}**\n" if label else "", "")


def _unwrapped(text: BlockText, block: GitBookBlock) -> None:
    text.drop(block)


REQUESTS: Mapping[str, Callable[[BlockText, GitBookBlock], None]] = {
    "swagger": lambda text, block: (_operation if block.value("src") else _request)(text, block),
    "api-method": _request,
    "openapi": _operation,
    "openapi-operation": _operation,
    "openapi-schemas": _operation,
    "openapi-webhook": _operation,
    "swagger-parameter": _parameter,
    "api-method-parameter": _parameter,
    "swagger-response": _response,
    "api-method-response-example": _response,
    **dict.fromkeys((one for one in _PLACES if one.startswith("api-")), _place),
    **dict.fromkeys(
        (
            "swagger-description", "api-method-summary", "api-method-description", "api-method-spec",
            "api-method-request", "api-method-response", "api-method-response-example-description",
        ),
        _unwrapped,
    ),
}  # fmt: skip
"""The work on each block of an API."""
