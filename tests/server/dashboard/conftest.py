"""The dashboard over real HTTP, on a control database of its own and without a database server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from msgspec import Struct
from playwright.sync_api import Browser as Chromium

from server.authoring.site_work import SiteWork, open_site_work
from server.control.accounts.account import Account
from server.control.accounts.passwords import Passwords
from server.control.hosted_sites import HostedSite
from server.control.keys.management_keys import ManagementKeys
from server.control.notices.deliveries import Notices
from server.control.plans import PLANS, Plans
from server.control.publish_jobs import PublishJobs
from server.control.sealing import open_keyring
from server.control.sqlite.database import ControlDatabase
from server.dashboard.app import add_dashboard
from server.dashboard.desk import Desk, ServiceParts, open_desk
from server.dashboard.routes import ROUTES
from server.dashboard.service_address import service_address
from server.dashboard.site_publishing import SiteDomains, SitePublishing
from server.domains.domain_claims import DomainClaims
from server.domains.domain_name import DomainRules
from server.publishing.parts import PublishedFolders, PublishingParts
from server.publishing.publisher import Publisher
from server.publishing.rehearsals import Rehearsals
from server.publishing.site_releases import SiteReleases
from tests.chromium import launched
from tests.ports import free_port
from tests.server.app_thread import served
from tests.server.control.fresh_data import open_fresh
from tests.server.control.people import QUICK
from tests.server.dashboard.browser import Browser
from tests.server.forked_worker import forking

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
PASSWORD = "four unrelated words here"
TARGET = "sites.twin.example"


class Dashboard(Struct, frozen=True):
    """The service as its pages have it, and browsers for it."""

    port: int
    desk: Desk

    def browser(self) -> Browser:
        """A browser that nobody has signed in with."""
        return Browser(self.port)

    def account(self, email: str, **details: Any) -> Account:
        """An account whose password is PASSWORD."""
        return self.desk.accounts.create(email, PASSWORD, **details)

    def signed_in(self, email: str) -> Browser:
        """A browser in which an account is signed in."""
        browser = self.browser()
        assert browser.post("/sign-in", {"email": email, "password": PASSWORD}).status == 200
        return browser


@pytest.fixture(scope="package", autouse=True)
def forked() -> Iterator[None]:
    """Builds and looks in forked processes: what is shown of them is tried here, not how they are started."""
    with forking():
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    """A real browser, for what needs one."""
    with launched(FLAGS) as started:
        yield started


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[Dashboard]:
    with running(tmp_path / "data") as found:
        yield found


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """One for all tests of a file, of which none may rely on what another one leaves."""
    with running(tmp_path_factory.mktemp("dashboard") / "data") as found:
        yield found


@contextmanager
def running(data: Path, plans: Plans = PLANS, **settings: Any) -> Iterator[Dashboard]:
    """The dashboard on a data folder."""
    port = free_port()
    with (
        closing(open_fresh(data)) as database,
        closing(ManagementKeys(database)) as keys,
        open_site_work(database, data, plans) as sites,
        publishing(database, data, sites) as published,
    ):
        address = service_address(f"http://localhost:{port}")
        keyring = open_keyring(database, data)
        given = ServiceParts(
            keys=keys, plans=plans, databases=None, sites=sites, publishing=published, **settings
        )
        made = open_desk(database, keyring, address, given, Passwords(QUICK))
        with made as found, served(_app(found), port):
            yield Dashboard(port, found)


@contextmanager
def publishing(database: ControlDatabase, data: Path, sites: SiteWork) -> Iterator[SitePublishing]:
    """Publish sites for the time of the block; faults fail the test."""
    jobs, folders, told = PublishJobs(database), PublishedFolders(data), list[str]()
    claims = DomainClaims(database, DomainRules(("localhost", TARGET)))

    def url(site: HostedSite) -> str:
        main = claims.of_site(site.id).main
        return domain_url(main) if main else site_url(site)

    parts = PublishingParts(jobs, folders, sites.opened.root, url, told.append)
    publisher = Publisher(parts, sites.sites, choices=sites.choices.of, notify=Notices(database).notify)
    rehearsals = Rehearsals(parts)
    with closing(publisher), closing(rehearsals):
        publisher.start()
        yield SitePublishing(
            jobs,
            SiteReleases(database, folders),
            publisher.nudge,
            rehearsals,
            url,
            site_url,
            domain_url,
            SiteDomains(claims, TARGET, lambda: ["192.0.2.40"]),
            lambda _: None,
        )
    assert told == []


def site_url(site: HostedSite) -> str:
    """The address at which readers would have a site."""
    return f"http://{site.name}.localhost:8081"


def domain_url(name: str) -> str:
    """The address at which readers would have a site at a domain."""
    return f"http://{name}:8081"


def _app(made: Desk) -> web.Application:
    app = web.Application()
    add_dashboard(app, made, ROUTES)
    return app
