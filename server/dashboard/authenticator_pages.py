"""Authenticators of an account beside its password: codes of an app, and passkeys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import segno
from aiohttp import web
from markupsafe import Markup
from msgspec import Struct

from server.control.errors import InvalidLabel, WrongCode, WrongPasskey
from server.control.sign_in.time_codes import address
from server.dashboard.account_pages import ACCOUNT
from server.dashboard.forms import form, pressed
from server.dashboard.json_bodies import answer_json, json_body
from server.dashboard.pages import see
from server.dashboard.security_mails import (
    CODES_OFF,
    CODES_ON,
    PASSKEY,
    PASSKEY_DELETED,
    RECOVERY,
    tell_owner,
)
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure

CODES = f"{ACCOUNT}/codes"
PASSKEYS = f"{ACCOUNT}/passkeys"


class _Code(Struct, frozen=True):
    code: str = ""


async def ask_code(visit: Visit) -> web.StreamResponse:
    """Show what an app has to know, and ask for its first code."""
    if visit.desk.codes.state(visit.who.id) == "on":
        return see(ACCOUNT)
    return _code_page(visit)


async def begin_codes(visit: Visit) -> web.StreamResponse:
    """Make a secret for an app; nothing is asked for until its first code has come."""
    await pressed(visit.request)
    if visit.desk.codes.state(visit.who.id) != "on":
        visit.desk.codes.begin(visit.who.id)
    return see(CODES)


async def confirm_codes(visit: Visit) -> web.StreamResponse:
    """Turn codes on with the first code of the app; the page that follows shows recovery codes once."""
    given, state = await form(visit.request, _Code), visit.desk.codes.state(visit.who.id)
    if state == "on":  # sent twice: nobody has seen the first answer
        said = "Codes are on. If you have not kept your recovery codes, create new ones."
        return visit.did(ACCOUNT, said)
    if state == "off":
        return see(CODES)
    try:
        recovery = visit.desk.codes.confirm(visit.who.id, given.code)
    except WrongCode as error:
        return _code_page(visit, {"code": sentence(error)})
    told = "Whoever signs in with your password is asked for a code of an authenticator app from now on."
    tell_owner(visit, visit.who.email, CODES_ON, told)
    return _recovery_shown(visit, recovery)


async def renew_recovery(visit: Visit) -> web.StreamResponse:
    """Replace the recovery codes; the page that follows shows the new ones once."""
    await pressed(visit.request)
    if visit.desk.codes.state(visit.who.id) != "on":
        raise Failure("NOT_FOUND", "codes are off, so there are none to replace")
    recovery = visit.desk.codes.renew_recovery(visit.who.id)
    told = "New recovery codes were created for your account: those from before open nothing."
    tell_owner(visit, visit.who.email, RECOVERY, told)
    return _recovery_shown(visit, recovery)


async def show_recovery(visit: Visit) -> web.StreamResponse:
    """Show recovery codes, once."""
    kept = visit.take(visit.request.query.get("shown", ""))
    return visit.show("recovery-codes.html", here=ACCOUNT, codes=kept.split() if kept else ())


async def turn_off_codes(visit: Visit) -> web.StreamResponse:
    """Ask for codes no more."""
    await pressed(visit.request)
    was_on = visit.desk.codes.state(visit.who.id) == "on"
    visit.desk.codes.turn_off(visit.who.id)
    if was_on:
        told = "Codes were switched off: the password alone opens your account."
        tell_owner(visit, visit.who.email, CODES_OFF, told)
    return visit.did(ACCOUNT, "Codes are off: the password alone opens this account.")


def _code_page(visit: Visit, errors: dict[str, str] | None = None) -> web.Response:
    begun = visit.desk.codes.state(visit.who.id) == "begun"
    secret = visit.desk.codes.begun(visit.who.id) if begun else ""
    link = address(secret, visit.who.email, visit.desk.address.host) if begun else ""
    # Markup: segno writes numbers and names of its own alone; the text is in them as squares.
    # Dark on light whatever the page's colours are, with the border that apps need: others read it badly.
    drawn = segno.make(link).svg_inline(light="white", border=4, omitsize=True) if begun else ""
    return visit.show(
        "codes.html",
        422 if errors else 200,
        here=ACCOUNT,
        secret=secret,
        picture=Markup(drawn),
        errors=errors or {},
    )


def _recovery_shown(visit: Visit, recovery: Sequence[str]) -> web.Response:
    return see(f"{CODES}/recovery?shown={visit.keep(' '.join(recovery))}")


class _MadePasskey(Struct, frozen=True):
    """The answer of a device, as the script sends it."""

    answer: dict[str, Any]
    label: str = ""


async def ask_passkey_label(visit: Visit) -> web.StreamResponse:
    """Show the page that adds a passkey."""
    return visit.show("passkey-new.html", here=ACCOUNT)


async def ask_passkey(visit: Visit) -> web.StreamResponse:
    """Return what the device is to make, as JSON; a POST, as each question is kept."""
    try:
        return answer_json(visit.desk.passkeys.ask_to_create(visit.who).encode())
    except WrongPasskey as error:
        return _refused(sentence(error))


async def create_passkey(visit: Visit) -> web.StreamResponse:
    """Add the passkey that a device has made; says where to go on."""
    given = await json_body(visit.request, _MadePasskey)
    try:
        await visit.desk.slow.do(visit.desk.passkeys.create, visit.who.id, given.answer, given.label)
    except (WrongPasskey, InvalidLabel) as error:
        return _refused(sentence(error))
    told = "A passkey was added to your account: the device that has it can sign in without your password."
    tell_owner(visit, visit.who.email, PASSKEY, told)
    done = visit.keep("The passkey is added: you can sign in with it from now on.")
    return answer_json(msgspec.json.encode({"next": f"{ACCOUNT}?done={done}"}))


async def delete_passkey(visit: Visit) -> web.StreamResponse:
    """Delete a passkey of the account."""
    await pressed(visit.request)
    id, passkeys = visit.request.match_info["id"], visit.desk.passkeys
    named = next((f" {one.label}" for one in passkeys.of(visit.who.id) if one.id == id and one.label), "")
    if not passkeys.delete(visit.who.id, id):
        raise Failure("NOT_FOUND", "there is no such passkey")
    told = f"The passkey{named} was deleted: the device that has it cannot sign in with it any more."
    tell_owner(visit, visit.who.email, PASSKEY_DELETED, told)
    return visit.did(ACCOUNT, "The passkey is deleted: that device cannot sign in with it any more.")


def _refused(said: str) -> web.Response:
    return answer_json(msgspec.json.encode({"error": said}), 422)


ROUTES = (
    DashboardRoute("GET", CODES, Need.STEP_UP, ask_code),
    DashboardRoute("POST", CODES, Need.STEP_UP, begin_codes),
    DashboardRoute("POST", f"{CODES}/confirm", Need.STEP_UP, confirm_codes),
    DashboardRoute("GET", f"{CODES}/recovery", Need.STEP_UP, show_recovery),
    DashboardRoute("POST", f"{CODES}/recovery", Need.STEP_UP, renew_recovery),
    DashboardRoute("POST", f"{CODES}/off", Need.STEP_UP, turn_off_codes),
    DashboardRoute("GET", f"{PASSKEYS}/new", Need.STEP_UP, ask_passkey_label),
    DashboardRoute("POST", f"{PASSKEYS}/ask", Need.STEP_UP, ask_passkey),
    DashboardRoute("POST", PASSKEYS, Need.STEP_UP, create_passkey),
    DashboardRoute("POST", f"{PASSKEYS}/{{id}}/delete", Need.STEP_UP, delete_passkey),
)
