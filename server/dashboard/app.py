"""Routes of the dashboard, and the one place that decides who comes to which of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from urllib.parse import quote

from aiohttp import hdrs, web

from server.control.errors import KeyNotFound, SessionEnded
from server.dashboard.bodies import AGAIN
from server.dashboard.browser_guard import SAFE, Foreign, check_origin
from server.dashboard.desk import Desk
from server.dashboard.forms import FormError
from server.dashboard.pages import HEADERS, see
from server.dashboard.visit import DashboardRoute, Need, Visit
from server.http.failure import Failure

SIGN_IN, STEP_UP = "/sign-in", "/step-up"
_YEAR = "public, max-age=31536000, immutable"
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def add_dashboard(app: web.Application, desk: Desk, routes: Sequence[DashboardRoute]) -> None:
    """Have the application answer at these routes, and at the addresses of the dashboard's own files."""
    for route in routes:
        # A HEAD is answered as a GET by the framework, and changes nothing either.
        app.router.add_route(route.method, route.path, _handler(desk, route))
    for path, data in desk.pages.files.items():
        app.router.add_get(path, _file(path, data))


def _handler(desk: Desk, route: DashboardRoute) -> _Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        visit = Visit(request, desk)
        try:
            if request.host != desk.address.authority:
                return _elsewhere(visit)
            check_origin(request, desk.address)
            _demand(visit, route.need)
            request[AGAIN] = partial(_demand, visit, route.need)
            return await route.act(visit)
        except _Unmet as unmet:
            return unmet.answer
        except Foreign as foreign:
            return visit.show("refused.html", 403, why=str(foreign))
        except FormError as error:
            return visit.show("refused.html", 400, why=str(error))
        except SessionEnded:
            return see(SIGN_IN)
        except KeyNotFound as error:
            return visit.show("refused.html", 404, why=error.message)
        except Failure as failure:
            return visit.show("refused.html", failure.status, why=failure.message)

    return answer


def _elsewhere(visit: Visit) -> web.StreamResponse:
    """Send who reads to the service's own address. Raises Foreign for a change under another name."""
    request = visit.request
    if request.method in SAFE:
        return web.Response(
            status=307, headers={**HEADERS, "Location": visit.desk.address.link(request.path_qs)}
        )
    raise Foreign(f"the service answers at {visit.desk.address.origin}")


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
        visit.session = desk.sessions.check(token)
    except SessionEnded:
        return
    visit.token, visit.account = token, desk.accounts.get(visit.session.account)


def _unmet(visit: Visit, need: Need) -> web.StreamResponse | None:
    """Return the answer to who does not have what a route needs."""
    if need == Need.NOTHING:
        return None
    request = visit.request
    back = quote(request.path_qs, safe="/") if request.method in SAFE else ""
    then = f"?next={back}" if back and back != "/" else ""
    if visit.session is None or visit.account is None:
        return see(SIGN_IN + then)
    if visit.account.suspended and request.method not in SAFE:
        return visit.show("refused.html", 403, why="this account is suspended, so nothing can be changed")
    if need >= Need.OPERATOR and not visit.account.operator:
        return visit.show("refused.html", 404, why="there is no such page")
    if need in {Need.STEP_UP, Need.STEPPED_UP_OPERATOR} and not visit.desk.sessions.is_stepped_up(
        visit.session
    ):
        return see(STEP_UP + then)
    return None


def _file(path: str, data: bytes) -> _Handler:
    kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
    kind = kinds[path.rpartition(".")[2]]

    async def answer(_: web.Request) -> web.Response:
        return web.Response(
            body=data, content_type=kind, charset="utf-8", headers={hdrs.CACHE_CONTROL: _YEAR}
        )

    return answer
