"""Steps of tests that publish Ann's site in the dashboard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from server.control.hosted_sites import HostedSite
from server.publishing.publish_lock import publish_lock
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import Dashboard
from tests.waiting import until


def site_of(dashboard: Dashboard) -> HostedSite:
    """The site of Ann."""
    account = dashboard.desk.accounts.find("ann@example.com")
    return dashboard.desk.sites.sites.named(account.id, "quay-docs")


@contextmanager
def held(dashboard: Dashboard) -> Iterator[None]:
    """Hold up the publisher for the time of the block."""
    work = dashboard.desk.publishing.releases.folders.work(site_of(dashboard).id)
    with ExitStack() as opened:
        until(lambda: opened.enter_context(publish_lock(work)))  # a sweep may still have it
        yield


def ended(browser: Browser, page: Page) -> Page:
    """The page of a job when it has ended."""
    return until(lambda: found if "data-renew" not in (found := browser.get(page.path)).text else None)
