"""The new address of an account: a mail to it has a link, and until that is opened the old one stays."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from server.control.accounts.emails import LONGEST, folded
from server.control.accounts.own_account import OwnAccount
from server.control.errors import EmailTaken, LinkEnded
from server.control.sign_in.attempts import Attempts, Limit
from server.control.sign_in.one_time_links import OneTimeLink
from server.dashboard.desk import Desk
from server.dashboard.forms import pressed
from server.dashboard.mails import Mail
from server.dashboard.security_mails import ADDRESS_CHANGED, tell_owner
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure

ADDRESS = "/address/{token}"
MAILS, HOUR = 3, 3600
"""Mails to one address in an hour."""


def ask_by_mail(visit: Visit, email: str) -> None:
    """Send a link to the new address, and tell the old one. Raises TooManyAttempts, Failure in a crowd."""
    desk, old = visit.desk, visit.who.email
    Attempts(desk.database).take([Limit(f"mail:{folded(email)[:LONGEST]}", MAILS, HOUR)])
    # Now, and not when the mail is sent: a new password that comes before that ends the link.
    token = desk.links.create("address", visit.who.id, email)
    desk.mails.send(partial(_confirm_mail, desk, token, old, email))
    desk.mails.send(partial(_told_mail, desk, old, email))


async def ask(visit: Visit) -> web.StreamResponse:
    """Show the button that confirms an address."""
    try:
        link = _look(visit)
    except LinkEnded:
        return visit.show("link-ended.html", 410, purpose="address")
    return visit.show("address.html", email=link.email, old=_email(visit, link))


async def confirm(visit: Visit) -> web.StreamResponse:
    """Have the account use the address that the link was sent to."""
    await pressed(visit.request)
    links, token = visit.desk.links, visit.request.match_info["token"]
    try:
        link = _look(visit)
        own, old = OwnAccount(visit.desk.database, link.account or ""), _email(visit, link)
        own.set_email(link.email, with_change=lambda change: links.use(change, "address", token))
    except LinkEnded:
        return visit.show("link-ended.html", 410, purpose="address")
    except EmailTaken as error:
        raise Failure("INVALID_QUERY", sentence(error)) from None
    told = f"Your account has the address {link.email} from now on, and this one no more."
    tell_owner(visit, old, ADDRESS_CHANGED, told)
    return visit.show("address-done.html", email=link.email)


def _email(visit: Visit, link: OneTimeLink) -> str:
    return visit.desk.accounts.get(link.account or "").email


def _look(visit: Visit) -> OneTimeLink:
    """The link. Raises LinkEnded, also for that of a suspended account, which can change nothing."""
    link = visit.desk.links.look("address", visit.request.match_info["token"])
    if visit.desk.accounts.get(link.account or "").suspended:
        raise LinkEnded("the account is suspended", hint="ask the operator")
    return link


def _confirm_mail(desk: Desk, token: str, old: str, new: str) -> Mail:
    link = desk.address.link(f"/address/{token}")
    said = f"With this link the account of {old} at {desk.address.authority} gets this address instead:"
    rest = "It works once, within a day. If that is not your account, do nothing: nothing changes."
    return Mail(new, "Confirm your address", (said, link, rest))


def _told_mail(desk: Desk, old: str, new: str) -> Mail:
    said = f"Your account at {desk.address.authority} shall have the address {new} from now on."
    until = "It has this one until somebody opens the link that was sent there."
    help = (
        f"If that was not you, change your password now, which ends the link: {desk.address.link('/account')}"
    )
    return Mail(old, "Your address is to be changed", (said, until, help))


ROUTES = (
    DashboardRoute("GET", ADDRESS, Need.NOTHING, ask),
    DashboardRoute("POST", ADDRESS, Need.NOTHING, confirm),
)
