"""Domains of a site: add one, see what its records say, choose the main host, and remove one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from aiohttp import web
from msgspec import Struct

from server.control.errors import SiteNotFound
from server.control.hosted_sites import HostedSite
from server.dashboard.forms import FormError, form, pressed
from server.dashboard.site_publishing import SiteDomains
from server.dashboard.site_visit import address, by, own_site, route
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.domains.domain import Domain
from server.domains.domain_claims import DomainClaims, DomainLimitReached, DomainNotFound, DomainTaken
from server.domains.domain_name import TXT, InvalidDomain, companion, registered
from server.http.failure import Failure

Changed = TypeVar("Changed")
DOMAINS = "/domains"
DOMAIN = "{domain:[a-z0-9.-]+}"


class _New(Struct, frozen=True):
    domain: str = ""
    both: bool = False


class _Main(Struct, frozen=True):
    host: str = ""


class _Leads(Struct, frozen=True):
    host: str = ""
    leads: bool = False


class _Named(Struct, frozen=True):
    name: str = ""


async def domains(visit: Visit) -> web.StreamResponse:
    """Show all domains of the site, each with what was found."""
    return _page(visit, own_site(visit))


async def add(visit: Visit) -> web.StreamResponse:
    """Claim a domain, and show the records that it needs."""
    site = own_site(visit)
    try:
        given = await form(visit.request, _New)
        added = _change(lambda: _claims(visit).add(site.id, given.domain, by(visit), both=given.both))
    except FormError as error:
        return _page(visit, site, errors=error.errors, given=error.given)
    except (InvalidDomain, DomainTaken, DomainLimitReached) as error:
        errors = {"domain": sentence(error)}
        return _page(visit, site, errors=errors, given={"domain": given.domain, "both": given.both})
    names = " and ".join(each.name for each in added)
    return visit.did(address(site, DOMAINS), f"{names}: now set the records below where your DNS is.")


async def look(visit: Visit) -> web.StreamResponse:
    """Have the records of a domain looked at at once."""
    site, found = _own(visit)
    await pressed(visit.request)
    _change(lambda: _claims(visit).look_again(site.id, found.name, by(visit)))
    return visit.did(address(site, DOMAINS), f"The records of {found.name} are being looked at.")


async def choose_main(visit: Visit) -> web.StreamResponse:
    """Have another host be the main one."""
    site, given = own_site(visit), await form(visit.request, _Main)
    _change(lambda: _claims(visit).set_main(site.id, given.host, by(visit)))
    said = f"{given.host or 'The address of this service'} is the main host."
    state = visit.desk.publishing.state(site)
    if state.address_differs:
        said += f" {state.remedy}: until then pages name the former one as theirs."
    return visit.did(address(site, DOMAINS), said)


async def choose_leads(visit: Visit) -> web.StreamResponse:
    """Have a host redirect to the main one, or show the site itself."""
    site, given = own_site(visit), await form(visit.request, _Leads)
    _change(lambda: _claims(visit).set_leads(site.id, given.host, given.leads, by(visit)))
    does = "redirects to the main host" if given.leads else "shows the site itself"
    return visit.did(address(site, DOMAINS), f"{given.host or 'The address of this service'} {does}.")


async def ask_remove(visit: Visit) -> web.StreamResponse:
    """Show the form that removes a domain."""
    site, found = _own(visit)
    return _removal(visit, site, found)


async def remove(visit: Visit) -> web.StreamResponse:
    """Remove a domain, where its name was typed."""
    site, found = _own(visit)
    given = await form(visit.request, _Named)
    if given.name.strip().lower() != found.name:
        errors = {"name": f"Type {found.name} to remove this domain."}
        return _removal(visit, site, found, 422, errors=errors)
    _change(lambda: _claims(visit).remove(site.id, found.name, by(visit)))
    return visit.did(address(site, DOMAINS), f"{found.name} is no domain of this site any more.")


class DomainView(Struct, frozen=True):
    """A domain as the page shows it; `address` is where readers come to it."""

    domain: Domain
    address: str
    is_main: bool

    @property
    def txt_name(self) -> str:
        """Return the name of the record that proves whose it is."""
        return f"{TXT}.{self.domain.name}"

    @property
    def is_registered(self) -> bool:
        """Return whether it is a registered name itself, at which DNS allows no CNAME."""
        return registered(self.domain.name) == self.domain.name

    @property
    def companion(self) -> str:
        """Return the same name with `www.`, or without."""
        return companion(self.domain.name)


def _page(visit: Visit, site: HostedSite, **values: object) -> web.Response:
    known, publishing = visit.desk.publishing.domains, visit.desk.publishing
    hosts = known.claims.of_site(site.id)
    found = [
        DomainView(each, publishing.address_at(each.name), each.name == hosts.main)
        for each in known.claims.list(site.id)
    ]
    own = publishing.own_url(site)
    return visit.show(
        "site-domains.html",
        422 if values.get("errors") else 200,
        site=site,
        found=found,
        hosts=hosts,
        known=known,
        own=own,
        own_name=own.partition("://")[2],
        is_local=_is_local(known),
        state=publishing.state(site),
        now=int(time.time()),
        used=len(known.claims.of_account(visit.who.id)),
        most=visit.desk.plans[visit.who.plan].domains,
        stage=_stage(found),
        **values,
    )


def _stage(found: Sequence[DomainView]) -> str:
    """Return a text that changes when a page of these has to be drawn anew."""
    return " ".join(f"{each.domain.name}:{each.domain.state}:{each.is_main}" for each in found)


def _is_local(known: SiteDomains) -> bool:
    return known.target == "localhost" or known.target.endswith(".localhost")


def _claims(visit: Visit) -> DomainClaims:
    return visit.desk.publishing.domains.claims


def _removal(
    visit: Visit, site: HostedSite, found: Domain, status: int = 200, **values: object
) -> web.Response:
    own = visit.desk.publishing.own_url(site)
    return visit.show(
        "site-domain-remove.html",
        status,
        here=address(site, DOMAINS),
        site=site,
        domain=found,
        own=own,
        **values,
    )


def _own(visit: Visit) -> tuple[HostedSite, Domain]:
    """Return the domain of the address. Raises Failure where the site has none such."""
    site = own_site(visit)
    try:
        return site, _claims(visit).get(site.id, visit.request.match_info["domain"])
    except DomainNotFound as error:
        raise Failure("NOT_FOUND", "there is no such domain here") from error


def _change(act: Callable[[], Changed]) -> Changed:
    """Change something. Raises Failure for what has gone meanwhile, and what else the act raises."""
    try:
        return act()
    except (DomainNotFound, SiteNotFound) as error:
        raise Failure("NOT_FOUND", sentence(error)) from error


ROUTES: Sequence[DashboardRoute] = (
    DashboardRoute("GET", route(DOMAINS), Need.SESSION, domains),
    DashboardRoute("POST", route(DOMAINS), Need.SESSION, add),
    DashboardRoute("POST", route(f"{DOMAINS}/main"), Need.SESSION, choose_main),
    DashboardRoute("POST", route(f"{DOMAINS}/leads"), Need.SESSION, choose_leads),
    DashboardRoute("POST", route(f"{DOMAINS}/{DOMAIN}/look"), Need.SESSION, look),
    DashboardRoute("GET", route(f"{DOMAINS}/{DOMAIN}/remove"), Need.STEP_UP, ask_remove),
    DashboardRoute("POST", route(f"{DOMAINS}/{DOMAIN}/remove"), Need.STEP_UP, remove),
)
