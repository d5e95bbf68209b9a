"""The pages that one-time links open: the first account, an invitation, a new password."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web
from msgspec import Struct

from server.control.accounts.account import Account
from server.control.accounts.own_account import OwnAccount
from server.control.errors import EmailTaken, InvalidEmail, LinkEnded, WeakPassword
from server.control.sign_in.one_time_links import OneTimeLink, Purpose
from server.dashboard.forms import FormError, form
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence

FIRST, INVITE, WELCOME, RESET = (f"/{kind}/{{token}}" for kind in ("first", "invite", "welcome", "reset"))


class _NewAccount(Struct, frozen=True):
    password: str
    email: str = ""
    """Not of the form behind a mail: the link says for which address it is."""


class _NewPassword(Struct, frozen=True):
    password: str


def _page(
    visit: Visit, purpose: Purpose, errors: Mapping[str, str], given: Mapping[str, str]
) -> web.Response:
    try:
        link = _look(visit, purpose)
    except LinkEnded:
        return visit.show("link-ended.html", 410, purpose=purpose)
    email = visit.desk.accounts.get(link.account).email if link.account else link.email
    status = 422 if errors else 200
    return visit.show(f"{purpose}.html", status, errors=errors, given=given, email=email)


def _ask(purpose: Purpose) -> Callable[[Visit], Awaitable[web.StreamResponse]]:
    async def ask(visit: Visit) -> web.StreamResponse:
        return _page(visit, purpose, {}, {})

    return ask


def _create(purpose: Purpose) -> Callable[[Visit], Awaitable[web.StreamResponse]]:
    """Answer the form behind a link that makes an account; the first one is the operator's."""

    async def create(visit: Visit) -> web.StreamResponse:
        try:
            given = await form(visit.request, _NewAccount)
        except FormError as error:
            return _page(visit, purpose, error.errors, error.given)
        try:
            account = await visit.desk.slow.do(_created, visit, purpose, given)
        except LinkEnded:
            return visit.show("link-ended.html", 410, purpose=purpose)
        except (InvalidEmail, EmailTaken) as error:
            return _page(visit, purpose, {"email": sentence(error)}, {"email": given.email})
        except WeakPassword as error:
            return _page(visit, purpose, {"password": sentence(error)}, {"email": given.email})
        return _entered(visit, account)

    return create


def _created(visit: Visit, purpose: Purpose, given: _NewAccount) -> Account:
    desk, token = visit.desk, visit.request.match_info["token"]
    link = _look(visit, purpose)  # before the password is hashed, which takes long
    return desk.accounts.create(
        link.email or given.email,
        given.password,
        operator=purpose == "first",
        with_change=lambda change: desk.links.use(change, purpose, token),
    )


def _look(visit: Visit, purpose: Purpose) -> OneTimeLink:
    """Return the link. Raises LinkEnded, also for one that is not taken any more."""
    taken: Mapping[Purpose, bool] = {
        "invite": visit.desk.sign_up != "closed",
        "welcome": visit.desk.sign_up == "open",
    }
    if not taken.get(purpose, True):
        raise LinkEnded("nobody can sign up here any more", hint="ask the operator for an account")
    return visit.desk.links.look(purpose, visit.request.match_info["token"])


async def reset(visit: Visit) -> web.StreamResponse:
    """Answer the form for a new password: all sessions of the account end."""
    try:
        given = await form(visit.request, _NewPassword)
    except FormError as error:
        return _page(visit, "reset", error.errors, {})
    try:
        account = await visit.desk.slow.do(_reset, visit, given.password)
    except LinkEnded:
        return visit.show("link-ended.html", 410, purpose="reset")
    except WeakPassword as error:
        return _page(visit, "reset", {"password": sentence(error)}, {})
    return _entered(visit, account)


def _reset(visit: Visit, password: str) -> Account:
    desk, token = visit.desk, visit.request.match_info["token"]
    account = desk.links.look("reset", token).account or ""
    own = OwnAccount(desk.database, account)
    return own.set_password(password, with_change=lambda change: desk.links.use(change, "reset", token))


def _entered(visit: Visit, account: Account) -> web.Response:
    """Sign in who has just said a password, unless a code is asked for too."""
    desk, client = visit.desk, visit.client
    if desk.codes.state(account.id) == "on":
        desk.sign_in.know(account.id, client)
        return visit.show("reset-done.html", email=account.email)
    return visit.enter(desk.sign_in.begin(account.id, client))


ROUTES = (
    DashboardRoute("GET", FIRST, Need.NOTHING, _ask("first")),
    DashboardRoute("POST", FIRST, Need.NOTHING, _create("first")),
    DashboardRoute("GET", INVITE, Need.NOTHING, _ask("invite")),
    DashboardRoute("POST", INVITE, Need.NOTHING, _create("invite")),
    DashboardRoute("GET", WELCOME, Need.NOTHING, _ask("welcome")),
    DashboardRoute("POST", WELCOME, Need.NOTHING, _create("welcome")),
    DashboardRoute("GET", RESET, Need.NOTHING, _ask("reset")),
    DashboardRoute("POST", RESET, Need.NOTHING, reset),
)
