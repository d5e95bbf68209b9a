"""Settings of a site: the common ones as a form, and the whole of `site.yml` as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiohttp import web
from msgspec import Struct
from msgspec.structs import asdict

from builder import config
from builder.config import settings_text
from builder.config.settings_text import InvalidSettings
from builder.diagnostics import Diagnostic, Level
from builder.errors import RevisionMismatch
from builder.site import SIDEBAR_FILE
from server.authoring import site_settings
from server.authoring.open_site import OpenSite
from server.authoring.site_settings import SettingsText
from server.control.hosted_sites import HostedSite
from server.dashboard.forms import form
from server.dashboard.site_visit import address, author, own_site, route, use
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure
from server.http.limits import BodyLimits

SETTINGS = "/settings"
COMMON = ("title", "description", "url", "language", "accent", "logo")
LARGE = BodyLimits(body_bytes=1024 * 1024)


class _Common(Struct, frozen=True):
    revision: str = ""
    title: str = ""
    description: str = ""
    url: str = ""
    language: str = ""
    accent: str = ""
    logo: str = ""


class _Whole(Struct, frozen=True):
    revision: str = ""
    text: str = ""


async def settings(visit: Visit) -> web.StreamResponse:
    """Show the settings."""
    site = own_site(visit)
    return await _page(visit, site, await use(visit, site, site_settings.load))


async def common(visit: Visit) -> web.StreamResponse:
    """Save the common settings; every other line of the file stays."""
    site, given = own_site(visit), await form(visit.request, _Common)
    now = await use(visit, site, site_settings.load)
    wanted = {name: text.strip() for name, text in asdict(given).items() if name != "revision"}
    do = visit.desk.sites.do
    try:
        text = await do(lambda: settings_text.with_values(now.text, wanted))
    except InvalidSettings as error:
        raise Failure("INVALID_BODY", sentence(error)) from error
    if errors := _errors(await do(lambda: site_settings.check(text))):
        return await _page(visit, site, now, 422, given=wanted, errors=errors)
    return await _save(visit, site, now, _Whole(given.revision, text))


async def whole(visit: Visit) -> web.StreamResponse:
    """Save the whole file, unless it cannot be read."""
    site, given = own_site(visit), await form(visit.request, _Whole, LARGE)
    given = _Whole(given.revision, given.text.replace("\r\n", "\n"))
    now = await use(visit, site, site_settings.load)
    found = await visit.desk.sites.do(lambda: site_settings.check(given.text))
    wrong = [one for one in found if one.level == Level.ERROR]
    if wrong:
        return await _page(visit, site, now, 422, typed=given.text, wrong=wrong, revision=given.revision)
    return await _save(visit, site, now, given)


async def sidebar(visit: Visit) -> web.StreamResponse:
    """Save the file of the sidebar, unless it cannot be read."""
    site, given, edited = own_site(visit), await form(visit.request, _Whole, LARGE), author(visit)
    text = given.text.replace("\r\n", "\n")
    now = await use(visit, site, site_settings.load)
    found = await visit.desk.sites.do(lambda: site_settings.check(text, SIDEBAR_FILE))
    as_typed = {"typed": text, "revision": given.revision}
    if wrong := [one for one in found if one.level == Level.ERROR]:
        return await _page(visit, site, now, 422, order={**as_typed, "wrong": wrong})

    def save(opened: OpenSite) -> None:
        site_settings.save(opened, text, given.revision, edited, SIDEBAR_FILE)

    try:
        await use(visit, site, save)
    except RevisionMismatch:
        theirs = (await use(visit, site, _sidebar)).text
        order = {**as_typed, "wrong": (), "theirs": theirs, "conflict": _CHANGED}
        return await _page(visit, site, now, 409, order=order)
    except Failure as failure:
        order = {**as_typed, "wrong": (), "conflict": _no_room(failure)}
        return await _page(visit, site, now, failure.status, order=order)
    return visit.did(address(site, SETTINGS), "Saved.")


def _sidebar(opened: OpenSite) -> SettingsText:
    return site_settings.load(opened, SIDEBAR_FILE)


async def _order(visit: Visit, site: HostedSite, now: SettingsText) -> Mapping[str, object] | None:
    """The file of the sidebar as the form shows it, None where the site has none and wants none."""
    file = await use(visit, site, _sidebar)
    settings, _ = await visit.desk.sites.do(lambda: config.load(now.text))
    if not file.revision and not settings.sidebar_file:
        return None
    wrong = await visit.desk.sites.do(lambda: site_settings.check(file.text, SIDEBAR_FILE))
    return {
        "typed": file.text,
        "revision": file.revision,
        "wrong": wrong if file.revision else (),
        "is_used": bool(settings.sidebar_file),
        "conflict": "",
        "theirs": "",
    }


async def _save(visit: Visit, site: HostedSite, now: SettingsText, given: _Whole) -> web.StreamResponse:
    edited = author(visit)

    def save(opened: OpenSite) -> None:
        site_settings.save(opened, given.text, given.revision, edited)

    try:
        await use(visit, site, save)
    except RevisionMismatch:
        return await _page(visit, site, now, 409, theirs=now.text, typed=given.text, conflict=_CHANGED)
    except Failure as failure:
        typed = {"typed": given.text, "revision": given.revision, "theirs": now.text}
        return await _page(visit, site, now, failure.status, conflict=_no_room(failure), **typed)
    return visit.did(address(site, SETTINGS), "Saved.")


_CHANGED = "The file was changed since you opened it. It is below as it is now; what you typed is above it."


def _no_room(failure: Failure) -> str:
    """Return the words of a refusal for want of room, which loses nothing typed; raises any other one."""
    if failure.code != "STORAGE_FULL":
        raise failure
    return f"{sentence(failure)} What you typed is still below."


def _errors(found: Sequence[Diagnostic]) -> Mapping[str, str]:
    """Errors of the common settings, by field: messages begin with its name.

    The form itself writes the quotes that some values need in the file.
    """
    parts = [(one.message.partition(": "), "" if "in quotes" in one.hint else one.hint) for one in found]
    return {
        name: f"{said[0].upper()}{said[1:]}{f': {hint}' if hint else ''}."
        for (name, _, said), hint in parts
        if name in COMMON and said
    }


async def _page(
    visit: Visit, site: HostedSite, now: SettingsText, status: int = 200, **values: object
) -> web.Response:
    given, fault, wrong = await visit.desk.sites.do(lambda: _read(now.text))
    every: Mapping[str, object] = {
        "given": given,
        "typed": now.text,
        "revision": now.revision,
        "fault": fault,
        "wrong": wrong,
        "conflict": "",
        "theirs": "",
        **values,
    }
    order = await _order(visit, site, now)
    typed_order = values.get("order")
    if order is not None and isinstance(typed_order, dict):
        order = {**order, **typed_order}
    every = {**every, "order": order}
    return visit.show("site-settings.html", status, site=site, **every)


def _read(text: str) -> tuple[Mapping[str, str], str, Sequence[Diagnostic]]:
    """The common settings in a text, the reason why they cannot be read, and all that is wrong with it."""
    given: Mapping[str, str] = {}
    fault = ""
    try:
        given = settings_text.values(text, COMMON)
    except InvalidSettings as error:
        fault = sentence(error)
    return given, fault, site_settings.check(text)


ROUTES: Sequence[DashboardRoute] = (
    DashboardRoute("GET", route(SETTINGS), Need.SESSION, settings),
    DashboardRoute("POST", route(f"{SETTINGS}/common"), Need.SESSION, common),
    DashboardRoute("POST", route(f"{SETTINGS}/file"), Need.SESSION, whole),
    DashboardRoute("POST", route(f"{SETTINGS}/sidebar"), Need.SESSION, sidebar),
)
