"""Two accounts that have some of everything, for tests of what a change of the one does to other rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyotp

from server.control import ControlDatabase, KeyKind, SiteKeys
from server.control.accounts.account import Account
from server.control.accounts.accounts import Accounts
from server.control.accounts.own_account import OwnAccount
from server.control.accounts.passwords import Passwords
from server.control.audit import By
from server.control.hosted_sites import HostedSites
from server.control.keys.management_keys import ManagementKeys
from server.control.preview_addresses import PreviewAddresses
from server.control.sealing import open_keyring
from server.control.sign_in.attempts import Attempts, KnownBlocks, Limit
from server.control.sign_in.browser_sessions import BrowserSessions
from server.control.sign_in.one_time_links import OneTimeLinks
from server.control.sign_in.passkeys import Passkeys, PasskeySite
from server.control.sign_in.shown_once import ShownOnce
from server.control.sign_in.time_codes import STEP, TimeCodes
from server.control.sqlite import saved_choice
from server.control.sqlite.data_folder import open_data
from tests.server.control.clock import Clock
from tests.server.control.people import PASSWORD, QUICK
from tests.server.control.sign_in.device import Device

HOST = PasskeySite("localhost", "http://localhost:8080")
Rows = Counter[tuple[str, tuple[object, ...]]]


@dataclass
class Person:
    """One account, and the ids and texts of what it has: of most things two."""

    account: Account
    sites: list[str]
    site_keys: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    device: Device = field(default_factory=lambda: Device(HOST.origin, HOST.host))
    link: str = ""
    shown: str = ""
    app: str = ""
    recovery: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id of the account."""
        return self.account.id


class Street:
    """The database, all that changes it, and the two: what `ann` does is no business of `bob`'s."""

    def __init__(self, database: ControlDatabase, data: Path, people: Sequence[Person] = ()) -> None:
        keyring = open_keyring(database, data, {})
        self.database = database
        self.clock = clock = Clock()
        self.accounts = Accounts(database, clock, Passwords(QUICK))
        self.sites = HostedSites(database, clock)
        self.site_keys = SiteKeys(database, clock)
        self.keys = ManagementKeys(database, clock)
        self.sessions = BrowserSessions(database, clock)
        self.links = OneTimeLinks(database, clock)
        self.codes = TimeCodes(database, keyring, clock)
        self.passkeys = Passkeys(database, HOST, clock)
        self.shown = ShownOnce(database, keyring, clock)
        self.previews = PreviewAddresses(database, keyring, clock)
        self.attempts = Attempts(database, clock)
        self.known = KnownBlocks(database, clock)
        self.ann, self.bob = people or [self._moved_in(name) for name in ("ann", "bob")]

    def own(self, person: Person, session: str = "") -> OwnAccount:
        """The account as its owner changes it, in the first session or in this one."""
        session = session or person.sessions[0]
        return OwnAccount(self.database, person.id, session, self.clock, Passwords(QUICK))

    def by(self, person: Person) -> By:
        """The owner, in the audit log."""
        return By(person.id)

    def code(self, person: Person) -> str:
        """The code that the app of the account shows next."""
        return pyotp.TOTP(person.app).at(int(self.clock()) + STEP)

    def changed(self, act: Callable[[Street], object]) -> dict[str, tuple[int, int]]:
        """Tell of each table how many rows are no more, and how many are new or other ones, after an act."""
        before = self._rows()
        act(self)
        after = self._rows()
        gone, new = (Counter(table for table, _ in rows) for rows in (before - after, after - before))
        return {table: (gone[table], new[table]) for table in sorted({*gone, *new})}

    def _rows(self) -> Rows:
        tables = self.database.read("SELECT name FROM sqlite_master WHERE type = 'table'")
        return Counter(
            (str(table), row) for (table,) in tables for row in self.database.read(f"SELECT * FROM {table}")
        )

    def _moved_in(self, name: str) -> Person:
        account = self.accounts.create(f"{name}@example.com", PASSWORD)
        by = By(account.id)
        sites = [self.sites.create(account.id, f"{name}-{each}", by).id for each in ("docs", "blog")]
        self.sites.rename(sites[1], f"{name}-news", by)
        made = Person(account, sites)
        made.site_keys = [self.site_keys.create(KeyKind.LONG_LIVED, sites[0]).record.id for _ in "12"]
        made.keys = [self.keys.create(account.id).record.id for _ in "12"]
        for _ in "12":
            session = self.sessions.begin(account.id)
            made.tokens += [session.token]
            made.sessions += [session.session.id]
        self.links.create("second", account.id)
        made.link = self.links.create("reset", account.id)
        self.codes.begin(account.id)
        made.app = self.codes.begun(account.id)
        made.recovery = list(self.codes.confirm(account.id, pyotp.TOTP(made.app).at(int(self.clock()))))
        self.passkeys.create(account.id, made.device.make(self.passkeys.ask_to_create(account)))
        self.passkeys.ask_to_sign(account.id)
        made.shown = self.shown.keep(made.sessions[0], "a secret")
        self.shown.keep(made.sessions[1], "another")
        self.previews.label(made.sessions[0], sites[0])
        self.known.note(account.id, "192.0.2.7")
        self.attempts.take([Limit(f"password:{name}", 9, 60)])
        saved_choice.keep(self.database, f"of {name}", "1")
        return made

    def close(self) -> None:
        """End the threads."""
        for each in (self.site_keys, self.keys, self.sessions):
            each.close()


@contextmanager
def street(data: Path, people: Sequence[Person] = ()) -> Iterator[Street]:
    """The two in a data folder: a new one, or one in which these people live already."""
    with open_data(data) as database:
        made = Street(database, data, people)
        yield made
        made.close()
