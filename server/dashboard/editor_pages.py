"""One page of a site: its source beside what is wrong with it, saved only over what its owner has seen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import msgspec
from aiohttp import web
from msgspec import Struct

from builder.diagnostics import Diagnostic, Level
from builder.errors import PageNotFound, RevisionMismatch, TwinpressError
from builder.paths import TWIN_SUFFIX, Format
from builder.store import Source
from server.authoring.open_site import OpenSite
from server.authoring.reviewer import ReviewTooLong
from server.control.errors import SiteGone
from server.control.hosted_sites import HostedSite
from server.dashboard.differences import Merge, difference, merge
from server.dashboard.forms import form
from server.dashboard.json_bodies import answer_json, json_body
from server.dashboard.previews import DraftText, PreviewFailed
from server.dashboard.revision_views import recent
from server.dashboard.site_visit import (
    address,
    asked_path,
    author,
    key_names,
    own_site,
    preview_of,
    route,
    use,
)
from server.dashboard.tree_pages import PAGE, PAGES
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.http.failure import Failure
from server.http.limits import BodyLimits

LARGE = BodyLimits(body_bytes=8 * 1024 * 1024)
"""Of a form with a page twice, as it was and as it is now, each sign of which may take three bytes."""
NUMBERED = 10_000
"""Lines with a number: an element for each of a million keeps everybody waiting."""


class _Edit(Struct, frozen=True):
    """A page as it was typed; the rest but path and format tells of the page as it was opened."""

    path: str
    format: Format
    text: str
    original: str = ""
    revision: str = ""
    line_ends: Literal["lf", "crlf"] = "lf"


class _Text(Struct, frozen=True):
    """A page as it is being typed."""

    path: str
    format: Format
    text: str


class _Told(Struct, frozen=True):
    """Something that is wrong, as the editor's script shows it."""

    line: int
    level: Level
    message: str
    hint: str


class _Checked(Struct, frozen=True):
    """Everything wrong with a text, and the address of its preview, "" for none."""

    wrong: Sequence[_Told]
    preview: str


async def editor(visit: Visit) -> web.StreamResponse:
    """Show a page's source, and what is wrong with it."""
    site, path = own_site(visit), asked_path(visit)
    source = await use(visit, site, lambda opened: opened.service.source(path))
    return await _editor(visit, site, source)


async def save(visit: Visit) -> web.StreamResponse:
    """Save a page over what was opened; what somebody else has saved meanwhile is shown and not lost."""
    site, edited = own_site(visit), author(visit)
    given = _read(await form(visit.request, _Edit, LARGE))

    def write(opened: OpenSite) -> None:
        now = _source(opened, given.path)
        opened.service.take_room(len(given.text), edited)
        opened.store.write(
            given.path,
            given.format,
            given.text,
            now.twin if now else None,
            if_match=given.revision or None,
            create_only=not given.revision,
            most=opened.parts.limits.pages,
            note=edited.note,
            permit=edited.permit,
        )
        opened.parts.changed(given.path)

    try:
        await use(visit, site, write)
    except RevisionMismatch:
        now = await use(visit, site, lambda opened: _source(opened, given.path))
        if now is None or (now.text, now.format) != (given.text, given.format):
            return await _conflict(visit, site, given, now)
        # Sent twice, as by a double click: what is there is what was typed.
    except Failure as failure:
        return await _unsaved(visit, site, given, sentence(failure), failure.status)
    return visit.did(address(site, PAGE, path=given.path), "Saved.")


async def check(visit: Visit) -> web.StreamResponse:
    """Say what is wrong with a text as it is being typed."""
    site = own_site(visit)
    given = await json_body(visit.request, _Text, LARGE)
    source = Source(given.path, given.format, given.text, None, "", _file(given.path, given.format))
    wrong = [
        _Told(one.line, one.level, one.message, one.hint) for one in await _diagnostics(visit, site, source)
    ]
    return answer_json(msgspec.json.encode(_Checked(wrong, await _drafted(visit, site, given))))


def _read(given: _Edit) -> _Edit:
    """The texts with the line ends of the page as it was opened: forms send CR LF for each."""
    text, original = (each.replace("\r\n", "\n") for each in (given.text, given.original))
    ended = text.replace("\n", "\r\n") if given.line_ends == "crlf" else text
    return msgspec.structs.replace(given, text=ended, original=original)


def _line_ends(text: str) -> str:
    """The end of all lines of a page; where there are several, a saved page has line feeds alone."""
    return "crlf" if "\r\n" in text and "\n" not in text.replace("\r\n", "") else "lf"


def _source(opened: OpenSite, path: str) -> Source | None:
    try:
        return opened.store.read(path)
    except PageNotFound:
        return None


def _file(path: str, format: Format) -> str:
    return f"{path}.{format}"


async def _diagnostics(visit: Visit, site: HostedSite, source: Source) -> Sequence[Diagnostic]:
    async with visit.desk.sites.opened.use(site.id, site.plan) as opened:
        try:
            found = opened.reviewer.page(source, f"{source.path}{TWIN_SUFFIX}")
            return await asyncio.wrap_future(found)
        except (ReviewTooLong, TwinpressError) as error:
            return opened.reviewer.failure_diagnostics(source.file, error)


async def _drafted(visit: Visit, site: HostedSite, given: _Text) -> str:
    """The address of a preview of a text that is not saved; "" where it cannot be shown now."""
    if visit.desk.previews is None or visit.session is None:
        return ""
    try:
        draft = DraftText(given.path, given.format, given.text)
        return (await visit.desk.previews.draft(visit.session.id, site.id, draft)).address
    except (PreviewFailed, SiteGone):
        return ""


async def _editor(
    visit: Visit, site: HostedSite, source: Source, status: int = 200, **values: object
) -> web.Response:
    diagnostics, names = await _diagnostics(visit, site, source), key_names(visit, site)
    writes = await use(visit, site, lambda opened: recent(opened.history, names, 1, source.path))

    def shown(opened: OpenSite) -> tuple[str, str]:
        view = opened.service.view
        return view.base_path() + view.address(source), view.title(source)

    page_address, title = await use(visit, site, shown)
    every = {
        "typed": source.text,
        "original": source.text,
        "revision": source.revision,
        "line_ends": _line_ends(source.text),
        "refused": "",
        "framed": preview_of(visit, site, page_address),
        **values,
    }
    return visit.show(
        "site-editor.html",
        status,
        site=site,
        source=source,
        title=title,
        numbered=NUMBERED,
        marked=frozenset(one.line for one in diagnostics if one.file == source.file),
        diagnostics=diagnostics,
        last=writes.all[0] if writes.all else None,
        **every,
    )


async def _unsaved(visit: Visit, site: HostedSite, given: _Edit, why: str, status: int) -> web.Response:
    """Show what was typed again, with the reason why it could not be saved."""
    source = Source(
        given.path, given.format, given.text, None, given.revision, _file(given.path, given.format)
    )
    return await _editor(visit, site, source, status, original=given.original, refused=why)


async def _conflict(visit: Visit, site: HostedSite, given: _Edit, now: Source | None) -> web.Response:
    """Show what both sides have made of the page, and a text that joins them."""
    names = key_names(visit, site)
    writes = await use(visit, site, lambda opened: recent(opened.history, names, 1, given.path))
    yours, theirs = given.text.replace("\r\n", "\n"), (now.text if now else "").replace("\r\n", "\n")
    # Apart from the event loop: three long texts take a second.
    joined, mine, others = await visit.desk.sites.do(
        lambda: (
            merge(given.original, yours, theirs) if now else Merge(yours, 0),
            difference(given.original, yours),
            difference(given.original, theirs),
        )
    )
    return visit.show(
        "site-conflict.html",
        409,
        site=site,
        given=given,
        now=now,
        numbered=NUMBERED,
        line_ends=_line_ends(now.text if now else given.text),
        last=writes.all[0] if writes.all else None,
        yours=mine,
        theirs=others,
        joined=joined,
    )


ROUTES = (
    DashboardRoute("GET", route(PAGE), Need.SESSION, editor),
    DashboardRoute("POST", route(PAGE), Need.SESSION, save),
    DashboardRoute("POST", route(f"{PAGES}/check"), Need.SESSION, check),
)
