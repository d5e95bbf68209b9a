"""Requests that no page of ours sends are refused in words, and never end in an error of ours."""

from __future__ import annotations

import errno
import http.client
import itertools
import socket
import time

import pytest
from aiohttp import web

from server.control.accounts.passwords import LONGEST
from server.control.errors import DatabaseFull, SessionEnded
from server.dashboard.app import add_dashboard
from server.dashboard.bodies import STRANGERS
from server.dashboard.routes import ROUTES
from server.dashboard.visit import DashboardRoute, Need, Visit
from tests.ports import free_port
from tests.server.app_thread import served
from tests.server.dashboard.browser import Browser
from tests.server.dashboard.conftest import Dashboard
from tests.server.dashboard.test_every_change import named, path_of
from tests.waiting import PATIENCE

ANN = "ann@example.com"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
NESTED = b'{"id": "a", "label": "b", "answer": {"x": ' + b"[" * 30000 + b'}, "response": {}}'
BODIES: dict[str, tuple[str, bytes]] = {
    "no UTF-8": (FORM, b"email=\xff\xfe&password=\x80"),
    "an unknown charset": (f"{FORM}; charset=nonsense", b"email=a"),
    "another charset": (f"{FORM}; charset=utf-16", b"email=a"),
    "half of a pair": (
        FORM,
        b"email=%ED%A0%80&password=%ED%A0%80&label=%ED%A0%80&reason=%ED%A0%80&name=%ED%A0%80",
    ),
    "nul": (FORM, b"email=%00&password=%00&label=%00&reason=%00&name=%00&code=%00"),
    "very many fields": (FORM, b"&".join(b"a%d=1" % number for number in range(20000))),
    "a field twice": (FORM, b"email=a&email=b"),
    "no form": ("text/plain", b"email=a"),
    "a file": ("multipart/form-data; boundary=x", b"--x\r\n\r\n"),
    "deep JSON": (JSON, NESTED),
    "JSON of another kind": (JSON, b'{"id": 1, "response": [], "answer": "x"}'),
    "an answer of no device": (
        JSON,
        b'{"id": "a", "response": {"clientDataJSON": "e30"}, "answer": {"response": {}}}',
    ),
    "an answer that is no base64": (
        JSON,
        b'{"id": "\\u00e9", "response": {"clientDataJSON": "\\u00e9"}, "answer": {}}',
    ),
    "no JSON": (JSON, b"\xff"),
    "nothing": (FORM, b""),
}
IDS = ["%00", "%ff", "%ED%A0%80", "a" * 3000, "%2e%2e", "%2F"]


_numbers = itertools.count()


def operator(dashboard: Dashboard) -> tuple[str, Browser]:
    """A new operator; gives the id of the account, and a browser in which it is signed in."""
    email = f"operator-{next(_numbers)}@example.com"
    dashboard.desk.database.write("DELETE FROM attempts")  # of the others, to sign in
    return dashboard.account(email, operator=True).id, dashboard.signed_in(email)


def has_ended(dashboard: Dashboard, browser: Browser) -> bool:
    """Return whether its session is over, or its account no more; to ask for a page would take far longer."""
    try:
        dashboard.desk.sessions.check(browser.cookies[dashboard.desk.cookie.name])
    except SessionEnded:
        return True
    return False


def send(
    dashboard: Dashboard, method: str, path: str, cookies: dict[str, str], kind: str, body: bytes
) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", dashboard.port, timeout=PATIENCE)
    cookie = "; ".join(f"{name}={text}" for name, text in cookies.items())
    headers = {"Host": f"localhost:{dashboard.port}", "Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
    connection.request(method, path, body or None, {**headers, "Content-Type": kind})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("route", [one for one in ROUTES if one.method == "POST"], ids=named)
def test_an_odd_body_is_refused(lasting: Dashboard, route: DashboardRoute) -> None:
    account, browser = operator(lasting)
    found = {}
    for said, (kind, body) in BODIES.items():
        found[said] = send(lasting, "POST", path_of(route, account), browser.cookies, kind, body)
        lasting.desk.database.write("DELETE FROM attempts")
        if has_ended(lasting, browser):  # it was signed out, or is no more
            account, browser = operator(lasting)
    assert {said: status for said, status in found.items() if status >= 500} == {}


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [
        ("/sign-in", FORM, 413),
        ("/sign-in/passkey", JSON, 413),
        ("/reset/a", FORM, 413),
        ("/sign-out", FORM, 303),
    ],
)
def test_a_stranger_sends_no_more_than_the_longest_password(
    dashboard: Dashboard, path: str, kind: str, status: int
) -> None:
    assert send(dashboard, "POST", path, {}, kind, b" " * STRANGERS.body_bytes) != 413
    large = b" " * (STRANGERS.body_bytes + 1)
    assert send(dashboard, "POST", path, {}, kind, large) == status
    dashboard.account(ANN)
    longest = dashboard.browser().post("/sign-in", {"email": ANN, "password": "\U0001f511" * LONGEST})
    assert longest.status == 422


PARTS: dict[str, bytes] = {
    "nul in a header": b'name="file"; filename="a\0.png"\r\n\r\nx',
    "a header that is too long": b'name="file"; filename="' + b"a" * 9000 + b'"\r\n\r\nx',
    "very many headers": b'name="file"; filename="a.png"' + b"\r\nX: a" * 200 + b"\r\n\r\nx",
    "a header without a colon": b'name="file"; filename="a.png"\r\nnone\r\n\r\nx',
    "a name that is no UTF-8": b'name="file"; filename="\xff.png"\r\n\r\nx',
    "a charset that is too long": b'name="_charset_"\r\n\r\n' + b"x" * 40,
}


@pytest.mark.parametrize("path", ["/sites/quay-docs/pages/files", "/sites/import"])
def test_an_odd_part_of_a_form_with_files_is_refused(
    lasting: Dashboard, curious: tuple[str, Browser], path: str
) -> None:
    found = {}
    for said, part in PARTS.items():
        body = b"--x\r\nContent-Disposition: form-data; " + part + b"\r\n--x--\r\n"
        kind = "multipart/form-data; boundary=x"
        found[said] = send(lasting, "POST", path, curious[1].cookies, kind, body)
    assert {said: status for said, status in found.items() if status not in {400, 422}} == {}


@pytest.mark.parametrize("route", [one for one in ROUTES if "{" in one.path], ids=named)
def test_an_odd_address_is_refused(lasting: Dashboard, route: DashboardRoute) -> None:
    _, browser = operator(lasting)
    paths = [path_of(route, "a").replace("/a", f"/{id}") for id in IDS]
    paths += [route.path.replace("{token}", id) for id in IDS if "{token}" in route.path]
    found = {path: send(lasting, route.method, path, browser.cookies, FORM, b"") for path in paths}
    assert {path[:80]: status for path, status in found.items() if status >= 500 or status == 200} == {}


@pytest.mark.parametrize(
    "query", ["next=//evil.example", "next=%0d%0aSet-Cookie:x", "done=%00", "find=%ff", "kind=%ED%A0%80"]
)
def test_an_odd_query_is_nothing(dashboard: Dashboard, query: str) -> None:
    dashboard.account(ANN, operator=True)
    browser = dashboard.signed_in(ANN)
    for path in ("/sign-in", "/step-up", "/account", "/activity", "/operator", "/databases"):
        page = browser.ask("GET", f"{path}?{query}", None, {})
        assert page.status == 200
        assert "evil" not in page.headers.get("location", "")


@pytest.fixture(scope="module")
def curious(lasting: Dashboard) -> tuple[str, Browser]:
    """An operator with a site, who only looks."""
    account, browser = operator(lasting)
    browser.post("/sites", {"name": "quay-docs"})
    return account, browser


ODD = ("9" * 5000, "9" * 300, "%D9%A3", "-1", "%ED%A0%80", "%00", "%ff")
NAMED = ("page", "find", "sort", "show", "q", "level", "path", "revision", "who", "since", "before", "done")


@pytest.mark.parametrize("route", [one for one in ROUTES if one.method == "GET"], ids=named)
def test_no_odd_value_in_a_query_is_an_error_of_ours(
    lasting: Dashboard, curious: tuple[str, Browser], route: DashboardRoute
) -> None:
    account, browser = curious
    path = path_of(route, account)
    queries = {odd: "&".join(f"{name}={odd}" for name in NAMED) for odd in ODD[1:]}
    queries |= {name: f"{name}={ODD[0]}" for name in NAMED}
    found = {
        said: send(lasting, "GET", f"{path}?{query}", browser.cookies, FORM, b"")
        for said, query in queries.items()
    }
    assert {said[:40]: status for said, status in found.items() if status >= 500} == {}


@pytest.mark.parametrize(
    ("path", "body", "changed"),
    [
        ("/account/password", b"password=another+four+words+here", "accounts"),
        ("/account/email", b"email=thief%40example.com", "accounts"),
        ("/databases/keys", b"label=thief", "management_keys"),
        ("/operator/accounts/{id}/plan", b"plan=premium", "accounts"),
    ],
)
def test_a_session_that_ends_while_a_body_comes_changes_nothing(
    dashboard: Dashboard, path: str, body: bytes, changed: str
) -> None:
    account = dashboard.account(ANN, operator=True)
    thief = dashboard.signed_in(ANN)
    cookie = "; ".join(f"{name}={text}" for name, text in thief.cookies.items())
    rows = f"SELECT * FROM {changed}"
    before = dashboard.desk.database.read(rows)
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=PATIENCE) as connection:
        lines = [
            f"POST {path.replace('{id}', account.id)} HTTP/1.1",
            f"Host: localhost:{dashboard.port}",
            f"Cookie: {cookie}",
        ]
        lines += [f"Content-Type: {FORM}", "Sec-Fetch-Site: same-origin", f"Content-Length: {len(body)}"]
        lines += ["Expect: 100-continue", "Connection: close"]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        assert b" 100 " in connection.recv(1000), "the session was checked"
        dashboard.desk.sessions.end_others(account.id)
        connection.sendall(body)
        answer = connection.makefile("rb").read()
    assert b"/sign-in" in answer
    assert dashboard.desk.database.read(rows) == before


def test_a_body_that_comes_in_pieces_is_read_whole(dashboard: Dashboard) -> None:
    head, tail = b'{"id": "a", "response": ', b'{"clientDataJSON": "e30"}}'
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=PATIENCE) as connection:
        lines = [
            "POST /sign-in/passkey HTTP/1.1",
            f"Host: localhost:{dashboard.port}",
            f"Content-Type: {JSON}",
        ]
        lines += ["Sec-Fetch-Site: same-origin", f"Content-Length: {len(head + tail)}", "Connection: close"]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + head)
        time.sleep(0.3)
        connection.sendall(tail)
        answer = connection.makefile("rb").read()
    assert b" 422 " in answer.partition(b"\r\n")[0]
    assert b"The passkey was not accepted." in answer


FULL = [
    DatabaseFull("there is no room for the database", path="/srv/data/control.sqlite3"),
    OSError(errno.ENOSPC, "No space left on device", "/srv/data/upload"),
]


@pytest.mark.parametrize("fault", FULL, ids=lambda fault: type(fault).__name__)
def test_a_full_disk_is_said_and_no_place_of_the_service(dashboard: Dashboard, fault: Exception) -> None:
    async def act(_: Visit) -> web.StreamResponse:
        raise fault

    app, port = web.Application(), free_port()
    add_dashboard(app, dashboard.desk, [DashboardRoute("GET", "/full", Need.NOTHING, act)])
    with served(app, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", "/full", headers={"Host": dashboard.desk.address.authority})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
    assert (answer.status, "is full" in text, "/srv" in text) == (507, True, False)
