"""The client against servers that are no good: what it refuses, what it waits for, what it never sends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from server.authoring.structs import Page
from server.sync.errors import ServiceRefused, ServiceUnreachable, SyncError
from server.sync.run_sync import PAGES, pages_base, proxy_for
from server.sync.service_client import Patience, Refusal, ServiceClient
from tests.ports import free_port
from tests.server.app_thread import served

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
HASTY = Patience(losses=2, pause=0.001, waits=3)
LISTED = {"ok": True, "data": {"site": {"id": "s", "categories": [], "more": 1}, "pages": []}}


def ask(
    answer: Answer, work: Callable[[ServiceClient], Awaitable[object]]
) -> tuple[object, list[web.Request]]:
    """Return what the client makes of a server that answers so, and the requests that came."""
    seen: list[web.Request] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        seen.append(request)
        return await answer(request)

    async def run(port: int) -> object:
        async with ServiceClient(f"http://127.0.0.1:{port}{PAGES}", "svc_docs_x", patience=HASTY) as client:
            return await work(client)

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", handle)
    with served(app) as port:
        return asyncio.run(run(port)), seen


def replying(*replies: web.Response | Callable[[], web.Response]) -> Answer:
    left = list(replies)

    async def answer(_: web.Request) -> web.StreamResponse:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply() if callable(reply) else reply

    return answer


def site(client: ServiceClient) -> Awaitable[object]:
    return client.site()


def busy(status: int, seconds: str) -> web.Response:
    body = {"ok": False, "error": "later", "code": "RATE_LIMITED"}
    return web.json_response(body, status=status, headers={"Retry-After": seconds})


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again_when_it_says_so(status: int) -> None:
    listing, seen = ask(replying(busy(status, "0"), busy(status, "0"), web.json_response(LISTED)), site)
    assert (listing.site.id, len(seen)) == ("s", 3)  # type: ignore[attr-defined]


def test_a_service_that_stays_busy_is_given_up() -> None:
    with pytest.raises(ServiceRefused, match="later"):
        ask(replying(lambda: busy(429, "0")), site)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    reply = web.Response(status=status, headers={"Location": "https://elsewhere.example/?k=1"})
    with pytest.raises(ServiceUnreachable, match=r"leads to https://elsewhere\.example \("):
        ask(replying(reply), site)


@pytest.mark.parametrize(
    "reply",
    [
        web.Response(text="<html>", status=200),
        web.Response(text="<html>", status=502),
        web.json_response({"ok": True, "data": {"pages": []}}),
        web.json_response([]),
        web.json_response({"ok": True, "data": None}),
    ],
)
def test_another_server_is_told_from_the_service(reply: web.Response) -> None:
    with pytest.raises(ServiceUnreachable, match=r"the service (answers|gives)"):
        ask(replying(reply), site)


PAGE = {"path": "docs/a", "format": "md", "frontmatter": {}, "body": "", "llmBody": None}


@pytest.mark.parametrize(
    ("page", "headers"),
    [
        (PAGE, {}),
        ({**PAGE, "path": "docs/../../x"}, {"ETag": '"1"'}),
        ({**PAGE, "format": "exe"}, {"ETag": '"1"'}),
    ],
)
def test_a_page_must_be_the_one_that_was_asked_for_and_have_a_revision(
    page: dict[str, object], headers: dict[str, str]
) -> None:
    with pytest.raises(ServiceUnreachable):
        ask(
            replying(web.json_response({"ok": True, "data": page}, headers=headers)),
            lambda one: one.page("docs/a"),
        )


def test_every_change_is_conditional() -> None:
    sent = Page("docs/a", "md", {}, "", None)

    async def change(client: ServiceClient) -> None:
        await client.put(sent, None)
        await client.put(sent, "r1")
        await client.delete("docs/a", "r1")

    done = {"ok": True, "data": {"revision": "r2"}}
    _, seen = ask(replying(lambda: web.json_response(done)), change)
    assert [request.headers.get("If-None-Match") for request in seen] == ["*", None, None]
    assert [request.headers.get("If-Match") for request in seen] == [None, '"r1"', '"r1"']
    assert {request.headers["Authorization"] for request in seen} == {"Bearer svc_docs_x"}


REFUSALS = [(401, "KEY_DISABLED", ServiceRefused), (409, "X", Refusal), (507, "STORAGE_FULL", ServiceRefused)]


@pytest.mark.parametrize(("status", "code", "error"), REFUSALS)
def test_some_refusals_are_for_good(status: int, code: str, error: type[Exception]) -> None:
    reply = web.json_response({"ok": False, "error": "no", "code": code}, status=status)
    with pytest.raises(error):
        ask(replying(reply), lambda one: one.page("docs/a"))


def test_a_service_that_is_not_there_is_told() -> None:
    async def run() -> None:
        async with ServiceClient(f"http://127.0.0.1:{free_port()}{PAGES}", "k", patience=HASTY) as client:
            await client.site()

    with pytest.raises(ServiceUnreachable, match="does not answer"):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("address", "insecure", "base"),
    [
        ("https://docs.example.com", False, "https://docs.example.com/api/v1/pages"),
        ("https://docs.example.com/below/", False, "https://docs.example.com/below/api/v1/pages"),
        ("http://127.0.0.1:8000/api/v1/pages", False, "http://127.0.0.1:8000/api/v1/pages"),
        ("http://127.8.0.1", False, "http://127.8.0.1/api/v1/pages"),
        ("http://[::1]:8000", False, "http://[::1]:8000/api/v1/pages"),
        ("http://localhost:8080", False, "http://localhost:8080/api/v1/pages"),
        ("http://site.localhost", False, "http://site.localhost/api/v1/pages"),
        ("http://docs.example.com", True, "http://docs.example.com/api/v1/pages"),
        ("http://docs.example.com", False, ""),
        ("http://10.0.0.1", False, ""),
        ("http://127.0.0.1.example.com", False, ""),
        ("http://localhost.example.com", False, ""),
    ],
)
def test_a_key_goes_over_plain_http_to_this_machine_alone(address: str, insecure: bool, base: str) -> None:
    if base:
        assert pages_base(address, insecure=insecure) == base
    else:
        with pytest.raises(SyncError, match="plain http"):
            pages_base(address, insecure=insecure)


def test_a_proxy_is_for_https_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert proxy_for("https://docs.example.com/api") == "http://proxy.example:3128"
    assert proxy_for("https://inside.example/api") is None
    assert proxy_for("http://127.0.0.1:8000/api") is None
