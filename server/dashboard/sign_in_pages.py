"""Sign in and out: password, code, passkey; again before dangerous acts."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlsplit

import msgspec
from aiohttp import web
from msgspec import Struct

from server.control.errors import LinkEnded, TooManyAttempts, WrongCode, WrongPasskey, WrongPassword
from server.control.sign_in.browser_sessions import LIFE as SESSION_LIFE
from server.control.sign_in.browser_sessions import NewToken
from server.control.sign_in.one_time_links import LIFE
from server.control.sign_in.sign_in import SecondStep
from server.dashboard.app import SIGN_IN, STEP_UP
from server.dashboard.forms import FormError, form
from server.dashboard.json_bodies import answer_json, json_body
from server.dashboard.pages import see
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence

CODE = "/sign-in/code"
_WRONG = {
    WrongPassword: "The e-mail address or the password is wrong.",
    WrongCode: "This code is wrong, or was used before. Enter the next one.",
    WrongPasskey: "The passkey was not accepted. Try again, or use your password.",
    LinkEnded: "That took too long. Sign in again.",
}


class _Password(Struct, frozen=True):
    email: str
    password: str
    next: str = "/"


class _Code(Struct, frozen=True):
    code: str
    next: str = "/"


class _Signed(Struct, frozen=True):
    """The answer of a device, as the script sends it."""

    id: str
    response: dict[str, Any]
    rawId: str = ""
    type: str = ""


class _Again(Struct, frozen=True):
    password: str
    next: str = "/"


def here(path: str) -> str:
    """Return a path of this service, `/` for anything that leads elsewhere."""
    try:
        parts = urlsplit(path)
    except ValueError:
        return "/"
    is_path = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_path and not parts.scheme and not parts.netloc else "/"


async def ask(visit: Visit) -> web.StreamResponse:
    """Show the form, or go on where somebody is signed in."""
    if visit.session is not None:
        return see(here(visit.request.query.get("next", "/")))
    return _form(visit)


async def with_password(visit: Visit) -> web.StreamResponse:
    """Sign in, or ask for a code."""
    visit.desk.slow.check_room()
    try:
        given = await form(visit.request, _Password)
    except FormError as error:
        return _form(visit, error.errors, error.given)
    try:
        new = await visit.desk.slow.do(
            visit.desk.sign_in.with_password, given.email, given.password, visit.client
        )
    except (WrongPassword, TooManyAttempts) as error:
        return _form(visit, {"": _said(error)}, {"email": given.email, "next": given.next})
    if isinstance(new, NewToken):
        return visit.enter(new, here(given.next))
    return _second(visit, new, here(given.next))


def _second(visit: Visit, first: SecondStep, then: str) -> web.Response:
    response = see(f"{CODE}?next={quote(then, safe='/')}" if then != "/" else CODE)
    visit.desk.first_step.give(response, first.token, LIFE["second"])
    return response


async def ask_code(visit: Visit) -> web.StreamResponse:
    """Show the form for the code of an app."""
    if not visit.desk.first_step.read(visit.request):
        return see(SIGN_IN)
    return visit.show("sign-in-code.html", next=here(visit.request.query.get("next", "/")))


async def with_code(visit: Visit) -> web.StreamResponse:
    """Sign in with the second step."""
    desk, given = visit.desk, await form(visit.request, _Code)
    try:
        new = await desk.slow.do(
            desk.sign_in.with_code, desk.first_step.read(visit.request), given.code, visit.client
        )
    except LinkEnded as error:
        return _form(visit, {"": _said(error)})
    except (WrongCode, TooManyAttempts) as error:
        return visit.show("sign-in-code.html", 422, errors={"code": _said(error)}, next=here(given.next))
    response = visit.enter(new, here(given.next))
    desk.first_step.forget(response)
    return response


async def ask_passkey(visit: Visit) -> web.StreamResponse:
    """Return what a device is to sign, as JSON for the script; a POST, as each question is kept."""
    account = visit.account.id if visit.account is not None else None
    try:
        asked = visit.desk.sign_in.ask_passkey(account, visit.client)
    except TooManyAttempts as error:
        return _not_signed(error)
    return answer_json(asked.encode())


async def with_passkey(visit: Visit) -> web.StreamResponse:
    """Sign in, or step up, with what a device has signed; says where to go on."""
    desk, given = visit.desk, await json_body(visit.request, _Signed)
    signed = msgspec.to_builtins(given)
    try:
        if visit.session is None:
            new = await desk.slow.do(desk.sign_in.with_passkey, signed, visit.client)
        else:
            new = await desk.slow.do(desk.sign_in.again_with_passkey, visit.token, signed)
    except (WrongPasskey, TooManyAttempts) as error:
        return _not_signed(error)
    response = answer_json(msgspec.json.encode({"next": here(visit.request.query.get("next", "/"))}))
    desk.cookie.give(response, new.token, SESSION_LIFE)
    return response


def _not_signed(error: WrongPasskey | TooManyAttempts) -> web.Response:
    return answer_json(msgspec.json.encode({"error": _said(error)}), 422)


async def ask_again(visit: Visit) -> web.StreamResponse:
    """Show the form for the password of who is signed in."""
    return _again(visit, next=here(visit.request.query.get("next", "/")))


async def again(visit: Visit) -> web.StreamResponse:
    """Step the session up."""
    desk, given = visit.desk, await form(visit.request, _Again)
    try:
        new = await desk.slow.do(
            desk.sign_in.again_with_password, visit.token, visit.who.email, given.password
        )
    except (WrongPassword, TooManyAttempts) as error:
        said = "This is not your password." if isinstance(error, WrongPassword) else _said(error)
        return _again(visit, {"password": said}, next=here(given.next))
    return visit.enter(new, here(given.next))


async def leave(visit: Visit) -> web.StreamResponse:
    """End the session; what the browser kept of it goes too."""
    if visit.session is not None:
        visit.desk.sessions.end(visit.session.account, visit.session.id)
    response = see(SIGN_IN)
    visit.desk.cookie.forget(response)
    visit.desk.last_site.forget(response)
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


def _form(visit: Visit, errors: object = None, given: object = None) -> web.Response:
    errors = errors or {}
    values = given or {"next": here(visit.request.query.get("next", "/"))}
    return visit.show("sign-in.html", 422 if errors else 200, errors=errors, given=values)


def _again(visit: Visit, errors: object = None, *, next: str) -> web.Response:
    return visit.show("step-up.html", 422 if errors else 200, errors=errors or {}, next=next)


def _said(error: Exception) -> str:
    """Return an error as the form says it."""
    if isinstance(error, TooManyAttempts):
        return sentence(error)
    return _WRONG[type(error)]  # type: ignore[index]


ROUTES = (
    DashboardRoute("GET", SIGN_IN, Need.NOTHING, ask),
    DashboardRoute("POST", SIGN_IN, Need.NOTHING, with_password),
    DashboardRoute("GET", CODE, Need.NOTHING, ask_code),
    DashboardRoute("POST", CODE, Need.NOTHING, with_code),
    DashboardRoute("POST", "/sign-in/passkey/ask", Need.NOTHING, ask_passkey),
    DashboardRoute("POST", "/sign-in/passkey", Need.NOTHING, with_passkey),
    DashboardRoute("GET", STEP_UP, Need.SESSION, ask_again),
    DashboardRoute("POST", STEP_UP, Need.SESSION, again),
    DashboardRoute("POST", "/sign-out", Need.NOTHING, leave),
)
