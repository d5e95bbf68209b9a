"""Account: who its owner is, how they sign in, from where, and its end."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from aiohttp import web
from msgspec import Struct

from server.control.accounts.own_account import OwnAccount
from server.control.errors import EmailTaken, InvalidEmail, LastOperator, TooManyAttempts, WeakPassword
from server.control.sign_in.attempts import Attempts, Limit
from server.control.sqlite.database import Transaction
from server.dashboard.address_pages import ask_by_mail
from server.dashboard.forms import FormError, form, pressed
from server.dashboard.pages import HEADERS
from server.dashboard.security_mails import PASSWORD, tell_owner
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure

ACCOUNT = "/account"
_LOG = logging.getLogger("twinpress.export")
ADDRESSES, HOUR = 10, 3600
"""Addresses that an account may try to take in an hour: each answer says whether somebody has it."""


class _Email(Struct, frozen=True):
    email: str


class _Password(Struct, frozen=True):
    password: str
    remove_passkeys: bool = False


class _Typed(Struct, frozen=True):
    email: str = ""


async def account(visit: Visit) -> web.StreamResponse:
    """Show the account."""
    desk, id = visit.desk, visit.who.id
    return visit.show(
        "account.html",
        here=ACCOUNT,
        codes=desk.codes.state(id),
        recovery_left=desk.codes.recovery_left(id),
        passkeys=desk.passkeys.of(id),
        sessions=desk.sessions.of(id),
        this=visit.session.id if visit.session else "",
    )


async def ask_email(visit: Visit) -> web.StreamResponse:
    """Show the form for another address."""
    return visit.show("account-email.html", here=ACCOUNT, can_mail=visit.desk.mails.are_sent)


async def email(visit: Visit) -> web.StreamResponse:
    """Change the address."""
    try:
        given = await form(visit.request, _Email)
        Attempts(visit.desk.database).take([Limit(f"address:{visit.who.id}", ADDRESSES, HOUR)])
        if visit.desk.mails.are_sent:
            new = _own(visit).check_new_email(given.email)
            ask_by_mail(visit, new)
            return visit.did(ACCOUNT, f"Look into the mails of {new}: the link there changes your address.")
        changed = _own(visit).set_email(given.email)
    except FormError as error:
        return _email_again(visit, error.errors, error.given)
    except (InvalidEmail, EmailTaken, TooManyAttempts) as error:
        return _email_again(visit, {"email": sentence(error)}, {"email": given.email})
    return visit.did(ACCOUNT, f"You sign in with {changed.email} from now on.")


def _email_again(visit: Visit, errors: Mapping[str, str], given: Mapping[str, str]) -> web.Response:
    can_mail = visit.desk.mails.are_sent
    return visit.show("account-email.html", 422, here=ACCOUNT, errors=errors, given=given, can_mail=can_mail)


async def ask_password(visit: Visit) -> web.StreamResponse:
    """Show the form for a new password."""
    return _password_form(visit)


def _password_form(
    visit: Visit, errors: Mapping[str, str] | None = None, given: Mapping[str, str] | None = None
) -> web.Response:
    return visit.show(
        "account-password.html",
        422 if errors else 200,
        here=ACCOUNT,
        passkeys=visit.desk.passkeys.of(visit.who.id),
        errors=errors or {},
        given=given or {},
    )


async def password(visit: Visit) -> web.StreamResponse:
    """Change the password; all other sessions end, and passkeys if that is wanted."""
    try:
        given = await form(visit.request, _Password)
    except FormError as error:
        return _password_form(visit, error.errors, error.given)

    def with_change(change: Transaction) -> None:
        if given.remove_passkeys:
            visit.desk.passkeys.delete_all(change, visit.who.id)

    try:
        await visit.desk.slow.do(_own(visit).set_password, given.password, with_change)
    except WeakPassword as error:
        typed = {"remove_passkeys": "on"} if given.remove_passkeys else {}
        return _password_form(visit, {"password": sentence(error)}, typed)
    said = " The passkeys are removed." if given.remove_passkeys else ""
    told = f"The password of your account was changed.{said} All other sessions have ended."
    tell_owner(visit, visit.who.email, PASSWORD, told)
    return visit.did(ACCOUNT, f"The password is changed. All other sessions have ended.{said}")


async def end_session(visit: Visit) -> web.StreamResponse:
    """End one session of the account."""
    await pressed(visit.request)
    if not visit.desk.sessions.end(visit.who.id, visit.request.match_info["id"]):
        raise Failure("NOT_FOUND", "there is no such session: it may have ended meanwhile")
    return visit.did(ACCOUNT, "The session has ended.")


async def end_others(visit: Visit) -> web.StreamResponse:
    """End all sessions but this one."""
    await pressed(visit.request)
    ended = visit.desk.sessions.end_others(visit.who.id, visit.session.id if visit.session else "")
    return visit.did(ACCOUNT, f"{ended} other {'session has' if ended == 1 else 'sessions have'} ended.")


async def ask_delete(visit: Visit) -> web.StreamResponse:
    """Show the form that has the account deleted."""
    return visit.show("account-delete.html", here=ACCOUNT)


async def delete(visit: Visit) -> web.StreamResponse:
    """Have the account deleted in seven days, if its address was typed."""
    given = await form(visit.request, _Typed)
    if given.email.strip() != visit.who.email:
        errors = {"email": f"Type {visit.who.email} to delete this account."}
        return visit.show("account-delete.html", 422, here=ACCOUNT, errors=errors)
    try:
        _own(visit).delete()
    except LastOperator as error:
        errors = {"": sentence(error)}
        return visit.show("account-delete.html", 422, here=ACCOUNT, errors=errors)
    return visit.did(ACCOUNT, "The account will be deleted. Until then you can restore it here.")


async def ask_export(visit: Visit) -> web.StreamResponse:
    """Show what an export has, and the button for it."""
    return visit.show("account-export.html", here=ACCOUNT)


async def export(visit: Visit) -> web.StreamResponse:
    """Send all that the account has as a zip, while it is written."""
    await pressed(visit.request)
    exports = visit.desk.exports
    with exports.place(visit.who.id):
        headers = {**HEADERS, "Content-Disposition": 'attachment; filename="twinpress-account.zip"'}
        response = web.StreamResponse(headers=headers)
        response.content_type = "application/zip"
        await response.prepare(visit.request)
        try:
            await exports.send(response, visit.who.id, visit.actor)
        except Exception as error:  # noqa: BLE001 - half of the zip is sent: the connection has to break off
            _LOG.warning("the export of the account %s broke off: %s", visit.who.id, error)
            if visit.request.transport is not None:
                visit.request.transport.abort()
            return response
        await response.write_eof()
        return response


async def restore(visit: Visit) -> web.StreamResponse:
    """Keep the account that was to be deleted."""
    await pressed(visit.request)
    if _own(visit).restore().delete_at is not None:
        raise Failure("NOT_FOUND", "the seven days are over, and what the account had is being deleted")
    return visit.did(ACCOUNT, "The account stays.")


def _own(visit: Visit) -> OwnAccount:
    return OwnAccount(visit.desk.database, visit.who.id, visit.session.id if visit.session else "")


ROUTES = (
    DashboardRoute("GET", ACCOUNT, Need.SESSION, account),
    DashboardRoute("GET", f"{ACCOUNT}/email", Need.STEP_UP, ask_email),
    DashboardRoute("POST", f"{ACCOUNT}/email", Need.STEP_UP, email),
    DashboardRoute("GET", f"{ACCOUNT}/password", Need.STEP_UP, ask_password),
    DashboardRoute("POST", f"{ACCOUNT}/password", Need.STEP_UP, password),
    DashboardRoute("POST", f"{ACCOUNT}/sessions/others/end", Need.SESSION, end_others),
    DashboardRoute("POST", f"{ACCOUNT}/sessions/{{id}}/end", Need.SESSION, end_session),
    DashboardRoute("GET", f"{ACCOUNT}/export", Need.STEP_UP, ask_export),
    DashboardRoute("POST", f"{ACCOUNT}/export", Need.STEP_UP, export),
    DashboardRoute("GET", f"{ACCOUNT}/delete", Need.STEP_UP, ask_delete),
    DashboardRoute("POST", f"{ACCOUNT}/delete", Need.STEP_UP, delete),
    DashboardRoute("POST", f"{ACCOUNT}/restore", Need.SESSION, restore),
)
