"""The operator's pages of one account: its plan, its suspension, and links that open it."""

from __future__ import annotations

from functools import partial
from typing import Literal

from aiohttp import web
from msgspec import Struct

from server.control.accounts.account import Account
from server.control.errors import AccountNotFound, InvalidReason, LastOperator
from server.control.plans import PlanName
from server.control.sign_in.one_time_links import Purpose
from server.dashboard.forms import FormError, form, pressed
from server.dashboard.mails import Mail
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure

OPERATOR = "/operator"
ACCOUNTS = f"{OPERATOR}/accounts"
PLANS: tuple[PlanName, ...] = ("free", "premium")


class _Plan(Struct, frozen=True):
    plan: PlanName


class _Reason(Struct, frozen=True):
    reason: str = ""


class _Rights(Struct, frozen=True):
    operator: Literal["yes", "no"]


async def ask_invite(visit: Visit) -> web.StreamResponse:
    """Show the form for an invitation."""
    _check_invites(visit)
    return visit.show("operator-invite.html", here=OPERATOR)


async def invite(visit: Visit) -> web.StreamResponse:
    """Create a link that makes one account, and show it once."""
    _check_invites(visit)
    await pressed(visit.request)
    return visit.did(OPERATOR, "This link makes one account, within seven days.", _link(visit, "invite"))


async def account(visit: Visit) -> web.StreamResponse:
    """Show one account."""
    return await _show(visit, _found(visit))


async def set_plan(visit: Visit) -> web.StreamResponse:
    """Put the account on a plan."""
    found, given = _found(visit), await form(visit.request, _Plan)
    visit.desk.accounts.set_plan(found.id, given.plan, _by(visit))
    return visit.did(_path(found), f"{found.email} is on the plan {given.plan}.")


async def suspend(visit: Visit) -> web.StreamResponse:
    """Suspend the account; its owner reads the reason."""
    found = _other(visit, "suspend")
    try:
        given = await form(visit.request, _Reason)
        visit.desk.accounts.suspend(found.id, _by(visit), given.reason)
    except InvalidReason as error:
        typed = {"reason": given.reason}
        return await _show(visit, found, errors={"reason": sentence(error)}, given=typed)
    except FormError as error:
        return await _show(visit, found, errors=error.errors, given=error.given)
    said = "Its keys are refused from now on, its databases within seconds."
    return visit.did(_path(found), f"{found.email} is suspended. {said}")


async def clear(visit: Visit) -> web.StreamResponse:
    """End the suspension."""
    found = _found(visit)
    await pressed(visit.request)
    visit.desk.accounts.clear(found.id, _by(visit))
    return visit.did(_path(found), f"{found.email} is not suspended any more: all works as before.")


async def set_rights(visit: Visit) -> web.StreamResponse:
    """Let the account look after all others, or no more."""
    found, given = _other(visit, "change the rights of"), await form(visit.request, _Rights)
    try:
        visit.desk.accounts.set_operator(found.id, given.operator == "yes", _by(visit))
    except LastOperator as error:
        return await _show(visit, found, errors={"": sentence(error)})
    said = "may look after all accounts" if given.operator == "yes" else "looks after its own account alone"
    return visit.did(_path(found), f"{found.email} {said}.")


async def reset(visit: Visit) -> web.StreamResponse:
    """Create a link to a new password for the account, and show it once."""
    found = _found(visit)
    await pressed(visit.request)
    said = f"With this link {found.email} chooses a new password, within an hour."
    return visit.did(_path(found), said, _link(visit, "reset", found.id))


async def turn_codes_off(visit: Visit) -> web.StreamResponse:
    """Turn off the codes of an owner who has lost them, and tell the owner where mails are sent."""
    found = _other(visit, "turn off the codes of")
    await pressed(visit.request)
    if not visit.desk.codes.turn_off(found.id, _by(visit)):
        raise Failure("NOT_FOUND", "this account is asked for no codes")
    if visit.desk.mails.are_sent:
        visit.desk.mails.tell(partial(_codes_off_mail, visit.desk.address.authority, found.email))
    return visit.did(_path(found), f"{found.email} is asked for no codes any more.")


def _codes_off_mail(service: str, email: str) -> Mail:
    said = f"The operator of {service} has turned off the codes of your authenticator app: your password"
    help = "Turn them on again on the page Account. If you have not asked for this, tell the operator."
    return Mail(email, "Codes are turned off", (f"{said} alone opens your account now.", help))


async def end_sessions(visit: Visit) -> web.StreamResponse:
    """End all sessions of the account in browsers."""
    found = _other(visit, "sign out")
    await pressed(visit.request)
    ended = visit.desk.sessions.end_others(found.id)
    return visit.did(_path(found), f"{ended} {'session has' if ended == 1 else 'sessions have'} ended.")


async def _show(visit: Visit, found: Account, **values: object) -> web.Response:
    desk = visit.desk
    rows = await desk.databases.list(found.id) if desk.databases else ()
    return visit.show(
        "operator-account.html",
        422 if values.get("errors") else 200,
        here=OPERATOR,
        found=found,
        is_own=found.id == visit.who.id,
        keys=desk.keys.list(found.id),
        limits=desk.plans[found.plan],
        databases=[row for row in rows if row.wanted == "present"],
        sessions=desk.sessions.of(found.id),
        codes=desk.codes.state(found.id),
        plans=PLANS,
        **values,
    )


def _found(visit: Visit) -> Account:
    """The account of the address. Raises Failure."""
    try:
        return visit.desk.accounts.get(visit.request.match_info["id"])
    except AccountNotFound:
        raise Failure("NOT_FOUND", "there is no such account") from None


def _other(visit: Visit, act: str) -> Account:
    """The account of the address, if it is not the operator's own. Raises Failure."""
    found = _found(visit)
    if found.id == visit.who.id:
        raise Failure("INVALID_QUERY", f"you cannot {act} the account that you are signed in with")
    return found


def _check_invites(visit: Visit) -> None:
    """Raises Failure where invitations are not taken."""
    if visit.desk.sign_up == "closed":
        raise Failure("NOT_FOUND", "this service takes no invitations: start it with `--sign-up invite`")


def _by(visit: Visit) -> str:
    return f"operator {visit.who.id}"


def _link(visit: Visit, purpose: Purpose, account: str | None = None) -> str:
    return visit.desk.address.link(f"/{purpose}/{visit.desk.links.create(purpose, account)}")


def _path(found: Account) -> str:
    return f"{ACCOUNTS}/{found.id}"


def _of(act: str) -> str:
    return f"{ACCOUNTS}/{{id}}{act}"


ROUTES = (
    DashboardRoute("GET", f"{OPERATOR}/invite", Need.STEPPED_UP_OPERATOR, ask_invite),
    DashboardRoute("POST", f"{OPERATOR}/invite", Need.STEPPED_UP_OPERATOR, invite),
    DashboardRoute("GET", _of(""), Need.STEPPED_UP_OPERATOR, account),
    DashboardRoute("POST", _of("/plan"), Need.STEPPED_UP_OPERATOR, set_plan),
    DashboardRoute("POST", _of("/suspend"), Need.STEPPED_UP_OPERATOR, suspend),
    DashboardRoute("POST", _of("/clear"), Need.STEPPED_UP_OPERATOR, clear),
    DashboardRoute("POST", _of("/rights"), Need.STEPPED_UP_OPERATOR, set_rights),
    DashboardRoute("POST", _of("/reset"), Need.STEPPED_UP_OPERATOR, reset),
    DashboardRoute("POST", _of("/codes/off"), Need.STEPPED_UP_OPERATOR, turn_codes_off),
    DashboardRoute("POST", _of("/sessions/end"), Need.STEPPED_UP_OPERATOR, end_sessions),
)
