"""Routes of the dashboard, and the one place that decides who comes to which of them."""

from __future__ import annotations

import errno
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from urllib.parse import quote

from aiohttp import hdrs, web

from server.control.accounts.account import Account
from server.control.errors import AccountNotFound, DatabaseFull, KeyNotFound, SessionEnded
from server.dashboard.bodies import SENDER, Sender
from server.dashboard.browser_guard import SAFE, ForeignRequest, check_origin
from server.dashboard.desk import Desk
from server.dashboard.forms import FormError
from server.dashboard.pages import HEADERS, see
from server.dashboard.visit import DashboardRoute, Need, Visit
from server.http.failure import Failure
from server.http.page_log import WHO

SIGN_IN, STEP_UP = "/sign-in", "/step-up"
_NOTHING = "There is no page here. The API is below /api/v1; /api/v1/openapi.json describes it.\n"
_YEAR = "public, max-age=31536000, immutable"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_NO_ROOM = "the disk of the service is full: whoever runs it has to make room"
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def add_dashboard(app: web.Application, desk: Desk, routes: Sequence[DashboardRoute]) -> None:
    """Have the application answer at these routes, and at the addresses of the dashboard's own files."""
    for path in dict.fromkeys(route.path for route in routes):
        there = {route.method: _handler(desk, route) for route in routes if route.path == path}
        if hdrs.METH_GET in there:
            there[hdrs.METH_HEAD] = there[hdrs.METH_GET]
        resource = app.router.add_resource(path)
        for method, handler in there.items():
            resource.add_route(method, handler)
        # Otherwise the page for addresses that nobody has would answer.
        resource.add_route(hdrs.METH_ANY, _no_method(there))
    for path, data in desk.pages.files.items():
        app.router.add_get(path, _file(path, data))


def nowhere(desk: Desk) -> _Handler:
    """Answer at addresses that nobody has: with a page for browsers, with a line for programs."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if "text/html" in request.headers.get(hdrs.ACCEPT, ""):
            return _refused(Visit(request, desk), 404, "there is no such page")
        return web.Response(status=404, text=_NOTHING)

    return answer


def _handler(desk: Desk, route: DashboardRoute) -> _Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        visit = Visit(request, desk)
        try:
            if request.host != desk.address.authority:
                return _elsewhere(visit)
            check_origin(request, desk.address)
            _demand(visit, route.need)
            known = visit.account.id if visit.account is not None else ""
            request[SENDER] = Sender(known, partial(_demand, visit, route.need))
            return await route.act(visit)
        except _Unmet as unmet:
            return unmet.answer
        except SessionEnded:
            return see(SIGN_IN)
        except (ForeignRequest, FormError, KeyNotFound, DatabaseFull, OSError) as error:
            return _refused(visit, *_told(error))
        except Failure as failure:
            response = _refused(visit, failure.status, failure.message)
            response.headers.update(failure.headers)
            if failure.last:
                response.force_close()
            return response

    return answer


def _told(error: Exception) -> tuple[int, str]:
    """Return the status and the words of an error. Raises those that are faults of ours."""
    if isinstance(error, ForeignRequest):
        return 403, str(error)
    if isinstance(error, FormError):
        return 400, str(error)
    if isinstance(error, KeyNotFound):
        return 404, error.message
    if isinstance(error, DatabaseFull) or (isinstance(error, OSError) and error.errno in _FULL):
        return 507, _NO_ROOM
    raise error


def _refused(visit: Visit, status: int, why: str) -> web.Response:
    heading = "There is nothing to show" if visit.request.method in SAFE else "Nothing was changed"
    return visit.show("refused.html", status, why=why, heading=heading)


def _no_method(there: Iterable[str]) -> _Handler:
    headers = {**HEADERS, "Allow": ", ".join(sorted(there))}

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=405, headers=headers, text="This address takes no such request.\n")

    return answer


def _elsewhere(visit: Visit) -> web.StreamResponse:
    """Send who reads to the service's own address. Raises ForeignRequest for a change under another name."""
    request = visit.request
    if request.method in SAFE:
        return web.Response(
            status=307, headers={**HEADERS, "Location": visit.desk.address.link(request.path_qs)}
        )
    raise ForeignRequest(f"the service answers at {visit.desk.address.origin}")


class _Unmet(Exception):
    """The request does not have what its route needs; `answer` is what it gets."""

    def __init__(self, answer: web.StreamResponse) -> None:
        super().__init__()
        self.answer = answer


def _demand(visit: Visit, need: Need) -> None:
    """Raise _Unmet where a route needs more than the request has now."""
    _recognise(visit)
    answer = _unmet(visit, need)
    if answer is not None:
        raise _Unmet(answer)


def _recognise(visit: Visit) -> None:
    """Find the session that the cookie stands for, if it goes on."""
    desk = visit.desk
    visit.token, visit.session, visit.account = "", None, None
    token = desk.cookie.read(visit.request)
    if not token:
        return
    try:
        session = desk.sessions.check(token)
        account = desk.accounts.get(session.account)
    except (SessionEnded, AccountNotFound):
        return
    visit.token, visit.session, visit.account = token, session, account
    visit.request[WHO] = visit.actor


def _unmet(visit: Visit, need: Need) -> web.StreamResponse | None:
    """Return the answer to who does not have what a route needs."""
    if need == Need.NOTHING:
        return None
    back = _page_of(visit)
    then = f"?next={quote(back, safe='/')}" if back not in {"", "/"} else ""
    if visit.session is None or visit.account is None:
        return see(SIGN_IN + then)
    if visit.account.suspended and (visit.request.method not in SAFE or need >= Need.OPERATOR):
        return _refused(visit, 403, _suspended(visit.account))
    if need >= Need.OPERATOR and not visit.account.operator:
        return _refused(visit, 404, "there is no such page")
    if need in {Need.STEP_UP, Need.STEPPED_UP_OPERATOR} and not visit.desk.sessions.is_stepped_up(
        visit.session
    ):
        return see(STEP_UP + then)
    return None


def _page_of(visit: Visit) -> str:
    """Return the page that is asked for, or whose form was sent: there its sender goes on."""
    request, origin = visit.request, visit.desk.address.origin
    if request.method in SAFE:
        return request.path_qs
    page = request.headers.get(hdrs.REFERER, "")
    return page.removeprefix(origin) if page.startswith(f"{origin}/") else ""


def _suspended(account: Account) -> str:
    said = "this account is suspended, so it can change nothing and look after no others"
    return f"{said}. The operator's reason: {account.reason.rstrip('.')}" if account.reason else said


def _file(path: str, data: bytes) -> _Handler:
    kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
    kind = kinds[path.rpartition(".")[2]]

    async def answer(_: web.Request) -> web.Response:
        return web.Response(
            body=data, content_type=kind, charset="utf-8", headers={hdrs.CACHE_CONTROL: _YEAR}
        )

    return answer
