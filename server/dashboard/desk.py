"""The parts that the dashboard works with, made for the time that the service runs.

Work on passwords takes long: only so much of it is done at a time, beside the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Literal, ParamSpec, TypeVar

from msgspec import Struct

from server.authoring.site_work import SiteWork
from server.control.accounts.accounts import Accounts
from server.control.accounts.passwords import Passwords
from server.control.keys.management_keys import ManagementKeys
from server.control.notices.webhooks import Webhooks
from server.control.plans import Plans
from server.control.sealing import Keyring
from server.control.sign_in.browser_sessions import BrowserSessions
from server.control.sign_in.one_time_links import OneTimeLinks, SignUp
from server.control.sign_in.passkeys import Passkeys, PasskeySite
from server.control.sign_in.shown_once import ShownOnce
from server.control.sign_in.sign_in import SignIn
from server.control.sign_in.time_codes import TimeCodes
from server.control.sqlite.database import ControlDatabase
from server.dashboard.account_exports import AccountExports
from server.dashboard.browser_guard import SessionCookie
from server.dashboard.mails import Mails, MailSettings
from server.dashboard.pages import ASSETS, DashboardPages
from server.dashboard.previews import Previews
from server.dashboard.service_address import ServiceAddress
from server.dashboard.site_publishing import SitePublishing
from server.databases.database_work import DatabaseWork
from server.export.account_export import Dump, ExportSource
from server.findings.looker import Looker
from server.findings.site_findings import FOLDER as FINDINGS
from server.http.failure import Failure
from server.releases.site_stores import RELEASES
from server.sites.account_usage import UsageMeter


class ServedSites(Struct, frozen=True):
    """Published sites are served by a process of its `own`, `inside` the service, or by neither of them.

    Then `is_up` says whether `twinpress sites` runs.
    """

    by: Literal["own", "inside", "none"] = "inside"
    is_up: bool = True


class Desk(Struct, frozen=True):
    """The parts that the dashboard works with: one for the whole service."""

    address: ServiceAddress
    database: ControlDatabase
    accounts: Accounts
    sessions: BrowserSessions
    links: OneTimeLinks
    codes: TimeCodes
    passkeys: Passkeys
    sign_in: SignIn
    shown_once: ShownOnce
    keys: ManagementKeys
    plans: Plans
    databases: DatabaseWork | None
    """None where the service runs without databases."""
    sites: SiteWork
    pages: DashboardPages
    slow: SlowWork
    mails: Mails
    sign_up: SignUp
    exports: AccountExports
    previews: Previews | None
    """None where no sites are hosted."""
    publishing: SitePublishing
    webhooks: Webhooks
    served: Callable[[], ServedSites]
    looker: Looker
    """Looks at sites once it is started."""
    usage: UsageMeter

    @property
    def cookie(self) -> SessionCookie:
        """Return the cookie of sessions."""
        return SessionCookie(self.address)

    @property
    def first_step(self) -> SessionCookie:
        """Return the cookie of who has given a password, and has yet to give a code."""
        return SessionCookie(self.address, "twinpress-first")

    @property
    def last_site(self) -> SessionCookie:
        """Return the cookie with the name of the site that was opened last: the menu goes on to show it."""
        return SessionCookie(self.address, "twinpress-site")


class ServiceParts(Struct, frozen=True, kw_only=True):
    """The parts of the service that the dashboard is given.

    `dump` writes a database to a file. With `analytics`, published pages may have the scripts of statistics.
    """

    keys: ManagementKeys
    plans: Plans
    databases: DatabaseWork | None
    sites: SiteWork
    publishing: SitePublishing
    mail: MailSettings | None = None
    sign_up: SignUp = "closed"
    previews: Previews | None = None
    dump: Dump | None = None
    analytics: bool = False
    served: Callable[[], ServedSites] = ServedSites


@contextmanager
def open_desk(
    database: ControlDatabase,
    keyring: Keyring,
    address: ServiceAddress,
    given: ServiceParts,
    passwords: Passwords | None = None,
) -> Iterator[Desk]:
    """Everything that the pages ask; its threads and its notes of last uses end with the block.

    `passwords` hashes them, as it is recommended without one.
    """
    accounts, codes = Accounts(database, passwords=passwords), TimeCodes(database, keyring)
    passkeys = Passkeys(database, PasskeySite(address.host, address.origin))
    with (
        closing(BrowserSessions(database)) as sessions,
        _run_background(database, address, given) as background,
    ):
        sign_in = SignIn(database, accounts=accounts, sessions=sessions, codes=codes, passkeys=passkeys)
        yield Desk(
            address=address,
            database=database,
            accounts=accounts,
            sessions=sessions,
            links=OneTimeLinks(database),
            codes=codes,
            passkeys=passkeys,
            sign_in=sign_in,
            shown_once=ShownOnce(database, keyring),
            keys=given.keys,
            plans=given.plans,
            databases=given.databases,
            sites=given.sites,
            pages=DashboardPages(ASSETS),
            slow=background.slow,
            mails=background.mails,
            sign_up=given.sign_up,
            exports=background.exports,
            previews=given.previews,
            publishing=given.publishing,
            webhooks=Webhooks(database, keyring),
            served=given.served,
            looker=background.looker,
            usage=_usage_meter(database, given.sites),
        )


class _Background(Struct, frozen=True):
    """The parts with threads of their own."""

    slow: SlowWork
    mails: Mails
    exports: AccountExports
    looker: Looker


@contextmanager
def _run_background(
    database: ControlDatabase, address: ServiceAddress, given: ServiceParts
) -> Iterator[_Background]:
    findings = given.sites.opened.root("").parent / FINDINGS
    with (
        closing(SlowWork()) as slow,
        closing(Mails(given.mail, address)) as mails,
        closing(AccountExports(_export_source(database, given))) as exports,
        closing(Looker(given.sites, findings, analytics=given.analytics)) as looker,
    ):
        yield _Background(slow, mails, exports, looker)


def _usage_meter(database: ControlDatabase, sites: SiteWork) -> UsageMeter:
    folder = sites.opened.root("")
    return UsageMeter(database, folder.with_name(USAGE), (folder, folder.with_name(RELEASES)))


USAGE = "usage.json"
"""The file in the data folder with what sites use of the disk. It can be found out anew."""


def _export_source(database: ControlDatabase, given: ServiceParts) -> ExportSource:
    folder = given.sites.opened.root("")
    return ExportSource(database, folder, folder, given.publishing.releases.folders.site_stores, given.dump)


THREADS, WAITING = 2, 32
"""Each hash takes 64 MiB for some tens of milliseconds; who would wait longer than a second is sent away."""
_BUSY = Failure("TOO_BUSY", "many people sign in just now: try again in a moment", {"Retry-After": "2"})
P = ParamSpec("P")
T = TypeVar("T")


class SlowWork:
    """Threads for work on passwords. To be used in one event loop."""

    def __init__(self, threads: int = THREADS, waiting: int = WAITING) -> None:
        self._pool = ThreadPoolExecutor(threads, "twinpress-passwords")
        self._most = threads + waiting
        self._begun = 0

    async def do(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `act` returns. Raises what it raises, and Failure with `TOO_BUSY` in a crowd."""
        self.check_room()
        self._begun += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: act(*args, **kwargs))
        finally:
            self._begun -= 1

    def check_room(self) -> None:
        """Raise Failure with `TOO_BUSY` in a crowd: nobody's form need be read then."""
        if self._begun >= self._most:
            raise _BUSY

    @property
    def length(self) -> int:
        """The number of acts that run or wait."""
        return self._begun

    def close(self) -> None:
        """End, when what was begun has ended."""
        self._pool.shutdown(cancel_futures=True)
