"""Readers of a site: how often they read what, what they asked for in vain, and exports of the counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal
from urllib.parse import unquote

import msgspec
from aiohttp import hdrs, web
from msgspec import Struct

from builder import paths
from builder.errors import ConfigError, StorageError
from builder.plan.addresses import Addresses, addresses_of
from builder.plan.layout import lay_out
from builder.plan.vanished import vanished_addresses
from server.authoring.open_site import OpenSite
from server.authoring.store_failures import failure_of
from server.control.hosted_sites import HostedSite
from server.control.site_choices import TooManyHidden
from server.dashboard.forms import form
from server.dashboard.pages import HEADERS
from server.dashboard.publish_pages import WantedRedirect, published_state, redirect_fault, searches_differ
from server.dashboard.site_visit import address, by, own_site, route, use
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.readers.audience import OTHERS
from server.readers.reader_report import (
    NAMES,
    DayViews,
    NamedCount,
    ReaderReport,
    Record,
    as_csv,
    reader_report,
    records,
)

READERS = "/readers"
SPANS = (7, 30, 90)
"""Days that can be looked at, the last ones."""
_USUAL = 30
SHOWN = 50
"""Pages, addresses and texts that are listed; the export has all."""
LONGEST_ADDRESS = 2_000
"""Characters of an address that is hidden; counted ones are shorter."""
WIDE, HIGH = 704, 120
"""The chart, in units of its own."""
_FILLED = 0.7
"""The part of a day's room that its bar takes."""
Format = Literal["csv", "json"]
_TYPES: Mapping[Format, str] = {"csv": "text/csv", "json": "application/json"}


class _Address(Struct, frozen=True):
    address: str


class _Switch(Struct, frozen=True):
    on: bool = False


class DayBar(Struct, frozen=True):
    """The bar of a day in the chart: where it is, and the heights of its parts, that of agents on top."""

    x: float
    width: float
    people: float
    agents: float


class CountedPage(Struct, frozen=True):
    """A page that was read, with its title and content path where the site has it now."""

    counted: NamedCount
    title: str = ""
    path: str = ""


class VainAddress(Struct, frozen=True):
    """An address at which there was nothing; `target` is where a redirect may lead, "" for nowhere."""

    counted: NamedCount
    target: str
    answers: bool

    @classmethod
    def named(cls, name: str) -> VainAddress:
        """Return an address of which nothing else is asked."""
        return cls(NamedCount(name, 0, 0), "", answers=False)

    @property
    def readable(self) -> str:
        """Return the address as people write it, where that is one line of signs that can be seen."""
        decoded = unquote(self.counted.name, errors="replace")
        return decoded if decoded.isprintable() and "\ufffd" not in decoded else self.counted.name


class SiteNow(Struct, frozen=True):
    """Pages and addresses of a site as it is now: titles and content paths by address."""

    pages: Mapping[str, tuple[str, str]] = {}
    addresses: Addresses | None = None


async def readers(visit: Visit) -> web.StreamResponse:
    """Show what readers did on the last days."""
    site, days = own_site(visit), _span(visit)
    found = await _report(visit, site, days)
    now, choices = await use(visit, site, _site_now), visit.desk.sites.choices.of(site.id)
    hidden = choices.hidden_addresses
    return visit.show(
        "site-readers.html",
        site=site,
        days=days,
        spans=SPANS,
        found=found,
        bars=chart(found.days),
        high=HIGH,
        wide=WIDE,
        pages=[_read(each, now) for each in found.pages if each.name != OTHERS][:SHOWN],
        vain=await visit.desk.sites.do(lambda: vain(found, now, hidden)),
        hidden=[VainAddress.named(each) for each in sorted(hidden)],
        choices=choices,
        searches_differ=searches_differ(await published_state(visit, site), choices),
    )


async def redirect(visit: Visit) -> web.StreamResponse:
    """Lead readers of an address at which there was nothing to another one."""
    site = own_site(visit)
    if fault := await redirect_fault(visit, site, await form(visit.request, WantedRedirect)):
        return visit.refused(address(site, READERS), f"The redirect was not created. {fault}")
    said = "The redirect is created. Readers have it from the next release on: publish the site."
    return visit.did(address(site, READERS), said)


async def hide(visit: Visit) -> web.StreamResponse:
    """List an address no more among those that were asked for in vain."""
    site, given = own_site(visit), await form(visit.request, _Address)
    try:
        visit.desk.sites.choices.hide_address(site.id, by(visit), given.address[:LONGEST_ADDRESS])
    except TooManyHidden as error:
        return visit.did(address(site, READERS), sentence(error))
    said = f"{VainAddress.named(given.address).readable} is hidden. You find it below the list."
    return visit.did(address(site, READERS), said)


async def show(visit: Visit) -> web.StreamResponse:
    """List an address again."""
    site, given = own_site(visit), await form(visit.request, _Address)
    visit.desk.sites.choices.show_address(site.id, by(visit), given.address)
    said = f"{VainAddress.named(given.address).readable} is listed again when somebody has asked for it."
    return visit.did(address(site, READERS), said)


async def searches(visit: Visit) -> web.StreamResponse:
    """Have searches without a result counted, or not any more; then what was counted is deleted."""
    site, given = own_site(visit), await form(visit.request, _Switch)
    visit.desk.sites.choices.count_searches(site.id, by(visit), on=given.on)
    if given.on:
        said = "Searches without a result are counted from the next release on: publish the site."
        return visit.did(address(site, READERS), said)
    await visit.desk.sites.do(lambda: visit.desk.publishing.counts.forget_searches(site.id))
    said = "What was searched for is deleted. Publish the site, and its search tells nothing any more."
    return visit.did(address(site, READERS), said)


async def as_table(visit: Visit) -> web.StreamResponse:
    """Send all counts as CSV."""
    return await _export(visit, "csv")


async def as_json(visit: Visit) -> web.StreamResponse:
    """Send all counts as JSON."""
    return await _export(visit, "json")


def chart(days: Sequence[DayViews]) -> Sequence[DayBar]:
    """Return the bars of a chart in which the day with most views is as high as the chart."""
    most, room = max((day.views for day in days), default=0) or 1, WIDE / max(1, len(days))
    return [
        DayBar(
            x=round(number * room + room * (1 - _FILLED) / 2, 2),
            width=round(room * _FILLED, 2),
            people=round(day.people / most * HIGH, 2),
            agents=round(day.agents / most * HIGH, 2),
        )
        for number, day in enumerate(days)
    ]


def vain(found: ReaderReport, now: SiteNow, hidden: Collection[str] = ()) -> Sequence[VainAddress]:
    """Return the addresses at which there was nothing, each with where a redirect may lead; none `hidden`."""
    asked = [each for each in found.vain if each.name not in {OTHERS, *hidden}][:SHOWN]
    if now.addresses is None:
        return [VainAddress(each, "", answers=False) for each in asked]
    lost = vanished_addresses(Addresses({each.name: () for each in asked}, {}), now.addresses)
    targets = {each.address: each.target for each in lost}
    return [VainAddress(each, targets.get(each.name) or "", each.name not in targets) for each in asked]


def _site_now(opened: OpenSite) -> SiteNow:
    try:
        site = opened.service.view.whole()
    except ConfigError:
        return SiteNow()  # its owner is told elsewhere; addresses need no site to be counted
    pages = {page.url: (page.title, page.path) for page in site.pages}
    return SiteNow(pages, addresses_of(lay_out(site)))


def _read(counted: NamedCount, now: SiteNow) -> CountedPage:
    """Find the page at an address, which is one of `docs` or `pages`, or the home page."""
    title, path = now.pages.get(counted.name) or now.pages.get(_of_home(counted.name), ("", ""))
    return CountedPage(counted, title, path)


def _of_home(address: str) -> str:
    return paths.url("pages/index") if address == "/" else address


async def _report(visit: Visit, site: HostedSite, days: int) -> ReaderReport:
    counts = visit.desk.publishing.counts
    try:
        return await visit.desk.sites.do(lambda: reader_report(counts, site.id, days))
    except StorageError as error:
        raise failure_of(error) from error


def _span(visit: Visit) -> int:
    asked = visit.request.query.get("days", "")
    return int(asked) if asked in map(str, SPANS) else _USUAL


async def _export(visit: Visit, format: Format) -> web.StreamResponse:
    """Send the counts of the time that is asked for, some thousand at a time."""
    site, days = own_site(visit), _span(visit)
    pieces = _written(records(visit.desk.publishing.counts, site.id, days), format)
    try:
        first = await visit.desk.sites.do(lambda: next(pieces))
    except StorageError as error:
        raise failure_of(error) from error
    name = f"{site.name}-readers-{days}-days.{format}"
    headers = {**HEADERS, hdrs.CONTENT_DISPOSITION: f'attachment; filename="{name}"'}
    response = web.StreamResponse(headers=headers)
    response.content_type, response.charset = _TYPES[format], "utf-8"
    await response.prepare(visit.request)
    piece: str | None = first
    while piece is not None:
        await response.write(piece.encode())
        piece = await visit.desk.sites.do(lambda: next(pieces, None))
    await response.write_eof()
    return response


def _written(found: Iterator[list[Record]], format: Format) -> Iterator[str]:
    """Write counts in pieces, of which there is at least one."""
    if format == "csv":
        yield ",".join(NAMES) + "\r\n"
        yield from map(as_csv, found)
        return
    yield "["
    separator = "\n"
    for rows in found:
        lines = (msgspec.json.encode(dict(zip(NAMES, row, strict=True))).decode() for row in rows)
        yield separator + ",\n".join(lines)
        separator = ",\n"
    yield "\n]\n"


ROUTES: Sequence[DashboardRoute] = (
    DashboardRoute("GET", route(READERS), Need.SESSION, readers),
    DashboardRoute("GET", route(f"{READERS}.csv"), Need.SESSION, as_table),
    DashboardRoute("GET", route(f"{READERS}.json"), Need.SESSION, as_json),
    DashboardRoute("POST", route(f"{READERS}/redirect"), Need.SESSION, redirect),
    DashboardRoute("POST", route(f"{READERS}/hide"), Need.SESSION, hide),
    DashboardRoute("POST", route(f"{READERS}/show"), Need.SESSION, show),
    DashboardRoute("POST", route(f"{READERS}/searches"), Need.SESSION, searches),
)
