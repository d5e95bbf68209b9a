"""Pages that send a link by mail: for a forgotten password, and to sign up where everybody may.

The answer is the same whether there is an account or not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from aiohttp import web
from msgspec import Struct

from server.control.accounts.emails import LONGEST, check_email, folded
from server.control.errors import AccountNotFound, InvalidEmail, TooManyAttempts
from server.control.sign_in.attempts import Attempts, Limit, block
from server.dashboard.desk import Desk
from server.dashboard.forms import FormError, form
from server.dashboard.mails import Mail
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure

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


ROUTES = (
    DashboardRoute("GET", FORGOTTEN, Need.NOTHING, ask_forgotten),
    DashboardRoute("POST", FORGOTTEN, Need.NOTHING, forgotten),
    DashboardRoute("GET", SIGN_UP, Need.NOTHING, ask_sign_up),
    DashboardRoute("POST", SIGN_UP, Need.NOTHING, sign_up),
)
