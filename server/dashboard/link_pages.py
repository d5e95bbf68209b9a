"""One-time links: the pages that send one by mail, and those that one opens.

They lead to the first account, an invitation, a sign-up where everybody may, a new password. Who asks for a
link gets the same answer whether there is an account or not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from aiohttp import web
from msgspec import Struct

from server.control.accounts.account import Account
from server.control.accounts.emails import LONGEST, check_email, folded
from server.control.accounts.own_account import OwnAccount
from server.control.errors import (
    AccountNotFound,
    EmailTaken,
    InvalidEmail,
    LinkEnded,
    TooManyAttempts,
    WeakPassword,
)
from server.control.sign_in.attempts import Attempts, Limit, block
from server.control.sign_in.one_time_links import OneTimeLink, Purpose
from server.control.sqlite.database import Transaction
from server.dashboard.desk import Desk
from server.dashboard.forms import FormError, form
from server.dashboard.mails import Mail
from server.dashboard.security_mails import PASSWORD, tell_owner
from server.dashboard.template_filters import capital
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure

FIRST, INVITE, WELCOME, RESET = (f"/{kind}/{{token}}" for kind in ("first", "invite", "welcome", "reset"))
FORGOTTEN, SIGN_UP = "/forgotten", "/sign-up"
OF_ADDRESS, OF_BLOCK, HOUR = 3, 20, 3600
"""Mails to one address, and those that one block of addresses asks for, in an hour."""


class _Email(Struct, frozen=True):
    email: str


async def ask_forgotten(visit: Visit) -> web.StreamResponse:
    """Show the form for an address, or who can help."""
    return visit.show("forgotten.html", can_mail=visit.desk.mails.are_sent)


async def forgotten(visit: Visit) -> web.StreamResponse:
    """Send a link to a new password, if the address has an account."""
    if not visit.desk.mails.are_sent:
        raise Failure("NOT_FOUND", "this service sends no mails: ask its operator")
    return await _send(visit, "forgotten.html", _reset_mail)


async def ask_sign_up(visit: Visit) -> web.StreamResponse:
    """Show the form for the address of a new account."""
    _check_open(visit)
    return visit.show("sign-up.html")


async def sign_up(visit: Visit) -> web.StreamResponse:
    """Send a link that creates an account."""
    _check_open(visit)
    return await _send(visit, "sign-up.html", _sign_up_mail)


async def _send(visit: Visit, template: str, make: Callable[[Desk, str], Mail | None]) -> web.StreamResponse:
    shown = partial(visit.show, template, can_mail=True)
    try:
        given = await form(visit.request, _Email)
        email = check_email(given.email)
        _count(visit, email)
    except FormError as error:
        return shown(422, errors=error.errors, given=error.given)
    except InvalidEmail as error:
        return shown(422, errors={"email": sentence(error)}, given={"email": given.email})
    except TooManyAttempts as error:
        return shown(422, errors={"": sentence(error)}, given={"email": given.email})
    visit.desk.mails.send(partial(make, visit.desk, email))
    return visit.show("mail-sent.html", email=email)


def _count(visit: Visit, email: str) -> None:
    """Raises TooManyAttempts, for addresses with an account and without one alike."""
    limits = (
        Limit(f"mail:{folded(email)[:LONGEST]}", OF_ADDRESS, HOUR),
        Limit(f"mails:{block(visit.client.address)}", OF_BLOCK, HOUR),
    )
    Attempts(visit.desk.database).take(limits)


def _check_open(visit: Visit) -> None:
    """Raises Failure where not everybody may sign up."""
    if visit.desk.sign_up != "open":
        raise Failure("NOT_FOUND", "there is no sign-up here: ask the operator for an account")


def _reset_mail(desk: Desk, email: str) -> Mail | None:
    try:
        account = desk.accounts.find(email)
    except AccountNotFound:
        return None
    link = desk.address.link(f"/reset/{desk.links.create('reset', account.id)}")
    return Mail(
        account.email,
        "Choose a new password",
        (
            f"With this link you choose a new password for your account at {desk.address.authority}:",
            link,
            "It works once, within an hour. If you have not asked for it, do nothing: nothing changes.",
        ),
    )


def _sign_up_mail(desk: Desk, email: str) -> Mail:
    try:
        account = desk.accounts.find(email)
    except AccountNotFound:
        link = desk.address.link(f"/welcome/{desk.links.create('welcome', email=email)}")
        said = f"With this link you create your account at {desk.address.authority}:"
        return Mail(email, "Create your account", (said, link, "It works once, within a day."))
    said = (
        f"Somebody, perhaps you, wanted to create an account at {desk.address.authority} with this address."
    )
    help = f"You have one already. Sign in: {desk.address.link('/sign-in')}"
    lost = f"If you do not know your password: {desk.address.link(FORGOTTEN)}"
    return Mail(account.email, "You have an account already", (said, help, lost))


class _NewAccount(Struct, frozen=True):
    password: str
    email: str = ""
    """Not of the form behind a mail: the link says for which address it is."""


class _NewPassword(Struct, frozen=True):
    password: str
    remove_passkeys: bool = False


def _page(
    visit: Visit, purpose: Purpose, errors: Mapping[str, str], given: Mapping[str, str]
) -> web.Response:
    try:
        link = _look(visit, purpose)
    except LinkEnded:
        return visit.show("link-ended.html", 410, purpose=purpose)
    email = visit.desk.accounts.get(link.account).email if link.account else link.email
    passkeys = visit.desk.passkeys.of(link.account) if link.account else ()
    status = 422 if errors else 200
    return visit.show(f"{purpose}.html", status, errors=errors, given=given, email=email, passkeys=passkeys)


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
            return _page(visit, purpose, _about_email(purpose, error), {"email": given.email})
        except WeakPassword as error:
            return _page(visit, purpose, {"password": sentence(error)}, {"email": given.email})
        return _entered(visit, account)

    return create


def _about_email(purpose: Purpose, error: InvalidEmail | EmailTaken) -> Mapping[str, str]:
    """Return what is wrong by field; the form behind a mail has none for the address."""
    if purpose != "welcome":
        return {"email": sentence(error)}
    return {"": f"{capital(error.message)}: sign in with it."}


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
    """Answer the form for a new password: all sessions of the account end, and passkeys if that is wanted."""
    try:
        given = await form(visit.request, _NewPassword)
    except FormError as error:
        return _page(visit, "reset", error.errors, error.given)
    try:
        account = await visit.desk.slow.do(_reset, visit, given)
    except LinkEnded:
        return visit.show("link-ended.html", 410, purpose="reset")
    except WeakPassword as error:
        typed = {"remove_passkeys": "on"} if given.remove_passkeys else {}
        return _page(visit, "reset", {"password": sentence(error)}, typed)
    said = " The passkeys are removed." if given.remove_passkeys else ""
    told = f"The password of your account was changed by a link for who has forgotten it.{said}"
    tell_owner(visit, account.email, PASSWORD, f"{told} All sessions have ended.")
    return _entered(visit, account)


def _reset(visit: Visit, given: _NewPassword) -> Account:
    desk, token = visit.desk, visit.request.match_info["token"]
    account = desk.links.look("reset", token).account or ""

    def with_change(change: Transaction) -> None:
        desk.links.use(change, "reset", token)
        if given.remove_passkeys:
            desk.passkeys.delete_all(change, account)

    return OwnAccount(desk.database, account).set_password(given.password, with_change=with_change)


def _entered(visit: Visit, account: Account) -> web.Response:
    """Sign in who has just said a password, unless a code is asked for too."""
    desk, client = visit.desk, visit.client
    if desk.codes.state(account.id) == "on":
        desk.sign_in.know(account.id, client)
        return visit.show("reset-done.html", email=account.email)
    return visit.enter(desk.sign_in.begin(account.id, client))


ROUTES = (
    DashboardRoute("GET", FORGOTTEN, Need.NOTHING, ask_forgotten),
    DashboardRoute("POST", FORGOTTEN, Need.NOTHING, forgotten),
    DashboardRoute("GET", SIGN_UP, Need.NOTHING, ask_sign_up),
    DashboardRoute("POST", SIGN_UP, Need.NOTHING, sign_up),
    DashboardRoute("GET", FIRST, Need.NOTHING, _ask("first")),
    DashboardRoute("POST", FIRST, Need.NOTHING, _create("first")),
    DashboardRoute("GET", INVITE, Need.NOTHING, _ask("invite")),
    DashboardRoute("POST", INVITE, Need.NOTHING, _create("invite")),
    DashboardRoute("GET", WELCOME, Need.NOTHING, _ask("welcome")),
    DashboardRoute("POST", WELCOME, Need.NOTHING, _create("welcome")),
    DashboardRoute("GET", RESET, Need.NOTHING, _ask("reset")),
    DashboardRoute("POST", RESET, Need.NOTHING, reset),
)
