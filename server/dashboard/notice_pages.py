"""Notices of an account: webhooks that are called and mails that are sent when something breaks."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web
from msgspec import Struct

from builder.errors import TwinpressError
from server.control.errors import AccountNotFound
from server.control.notices.deliveries import Notices
from server.control.notices.events import NoticeEvent, TestNotice
from server.control.notices.webhooks import MOST, InvalidWebhook, WebhookNotFound
from server.dashboard.desk import Desk
from server.dashboard.forms import FormError, form, pressed
from server.dashboard.mails import Mail
from server.dashboard.site_visit import by
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure

ACCOUNT, NOTICES = "/account", "/account/notices"
SUBJECTS: Mapping[str, str] = {
    "publish.failed": "A site was not published",
    "domain.broken": "A domain has failed",
    "domain.mended": "A domain is right again",
    "test": "A test",
}


class NoMails(TwinpressError):
    """The service sends no mails, or the account is gone."""


class _Hook(Struct, frozen=True):
    url: str


class _Switch(Struct, frozen=True):
    on: bool = False


async def notices(visit: Visit) -> web.StreamResponse:
    """Show the webhooks of the account, how their last calls went, and whether mails are sent."""
    return _page(visit)


async def create(visit: Visit) -> web.StreamResponse:
    """Create a webhook, and show its secret once."""
    try:
        given = await form(visit.request, _Hook)
        _, secret = visit.desk.webhooks.create(visit.who.id, given.url, by(visit))
    except FormError as error:
        return _page(visit, 422, errors=error.errors, given=error.given)
    except InvalidWebhook as error:
        return _page(visit, 422, errors={"url": sentence(error)}, given={"url": given.url})
    said = "The webhook is created. Its secret is shown this once: with it, the receiver checks each call."
    return visit.did(NOTICES, said, secret)


async def test(visit: Visit) -> web.StreamResponse:
    """Have one webhook called."""
    await pressed(visit.request)
    id = _own(visit)
    Notices(visit.desk.database).test(visit.who.id, id, TestNotice())
    return visit.did(NOTICES, "The webhook is called in a moment. Load this page again to see the answer.")


async def delete(visit: Visit) -> web.StreamResponse:
    """Delete a webhook."""
    await pressed(visit.request)
    try:
        visit.desk.webhooks.delete(visit.who.id, _own(visit), by(visit))
    except WebhookNotFound as error:
        raise Failure("NOT_FOUND", error.message) from error
    return visit.did(NOTICES, "The webhook is deleted, and is called no more.")


async def mails(visit: Visit) -> web.StreamResponse:
    """Have mails sent, or not any more."""
    given = await form(visit.request, _Switch)
    if given.on and not visit.desk.mails.are_sent:
        raise Failure("NOT_FOUND", "this service sends no mails")
    visit.desk.webhooks.choose_mails(visit.who.id, by(visit), on=given.on)
    return visit.did(NOTICES, "You get mails." if given.on else "You get no mails any more.")


def send_notice(desk: Desk, account: str, event: NoticeEvent) -> None:
    """Send an account a mail about an event. Raises NoMails."""
    if not desk.mails.are_sent:
        raise NoMails("the service sends no mails")
    try:
        to = desk.accounts.get(account).email
    except AccountNotFound:
        raise NoMails("there is no such account") from None
    ends = f"To change what you are told: {desk.address.link(NOTICES)}"
    mail = Mail(to, f"{SUBJECTS[event.name]} at {desk.address.authority}", (*event.paragraphs(), ends))
    try:
        desk.mails.send(lambda: mail)
    except Failure as failure:
        raise NoMails(failure.message) from failure


def _own(visit: Visit) -> str:
    """The id in the address, if it is of a webhook of this account. Raises Failure."""
    id = visit.request.match_info["id"]
    if all(each.id != id for each in visit.desk.webhooks.list(visit.who.id)):
        raise Failure("NOT_FOUND", "there is no such webhook here")
    return id


def _page(visit: Visit, status: int = 200, **values: object) -> web.Response:
    desk = visit.desk
    return visit.show(
        "account-notices.html",
        status,
        here=ACCOUNT,
        webhooks=desk.webhooks.list(visit.who.id),
        most=MOST,
        mails=desk.webhooks.mails(visit.who.id),
        can_mail=desk.mails.are_sent,
        **values,
    )


ROUTES = (
    DashboardRoute("GET", NOTICES, Need.SESSION, notices),
    DashboardRoute("POST", f"{ACCOUNT}/webhooks", Need.SESSION, create),
    DashboardRoute("POST", f"{ACCOUNT}/webhooks/{{id}}/test", Need.SESSION, test),
    DashboardRoute("POST", f"{ACCOUNT}/webhooks/{{id}}/delete", Need.SESSION, delete),
    DashboardRoute("POST", f"{ACCOUNT}/mails", Need.SESSION, mails),
)
