"""Everything that the service is made of, put together. The only wiring."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from msgspec import Struct

from server.api.authentication import Api
from server.control import audit
from server.control.keys.management import ManagementKeys
from server.control.sealing import Keyring, open_keyring
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.databases.account_slots import Shares
from server.databases.authenticate_account import AccountDoor
from server.databases.database_group import GROUP
from server.databases.database_handlers import DatabaseHandlers
from server.hosting.apply import Applier
from server.hosting.catalog_fillers import Writers
from server.hosting.compare import Comparer
from server.hosting.end_by_force import Force
from server.hosting.enforce_session_limits import SessionLimits
from server.hosting.hosting_service import Databases
from server.hosting.leader import REQUESTS, Leader
from server.hosting.storage import Quota
from server.hosting.threads import Chore, Chores, pool
from server.http.limits import RateLimit
from server.postgres.tenants.provisioning import Provisioner
from server.service.host_settings import HostSettings
from server.service.postgres_server import Running, running

THREADS, QUICK = REQUESTS, 4
"""Requests at a time that wait for the database server, and that do not; others wait for one of them."""
ENSURE, FLUSH, ENFORCE, COMPARE, MEASURE, FORGET = 0.5, 1.0, 1.0, 30.0, 5.0, 3600.0
"""Seconds between two looks: at the server, what is new on it, long statements, locks, sizes, old events."""
NEAR = 1.0
"""The same, at those that are near their limit."""
SWEEP = 0.1
"""Seconds that a session lives at most whose login was begun with a password that is replaced by then."""


class Service(Struct, frozen=True):
    """The service as it runs."""

    leader: Leader
    provisioner: Provisioner
    databases: Databases
    api: Api

    def is_ready(self) -> bool:
        """Whether requests can be answered: the server is there, and what was begun before is done."""
        return self.leader.is_well()


@contextmanager
def service(settings: HostSettings) -> Iterator[Service]:
    """The service; everything has ended when the block has. Raises TwinpressError when it cannot start."""
    with closing(open_data(settings.data)) as database:
        keyring = open_keyring(database, settings.data)
        with (
            closing(ManagementKeys(database, plans=settings.plans)) as keys,
            running(settings, database, keyring) as engine,
            closing(Provisioner(engine.server, owner=engine.owner)) as provisioner,
            _kept(settings, database, keyring, engine, provisioner) as (leader, applier),
            pool(THREADS, "twinpress-databases") as threads,
            pool(QUICK, "twinpress-lists") as quick,
        ):
            databases = Databases(applier, leader)
            handlers = DatabaseHandlers(
                databases, lambda: engine.server, settings.plans, Shares(threads), quick
            )
            api = Api(GROUP, AccountDoor(keys, settings.requests, RateLimit()), handlers.by_operation())
            yield Service(leader, provisioner, databases, api)


@contextmanager
def _kept(
    settings: HostSettings,
    database: ControlDatabase,
    keyring: Keyring,
    engine: Running,
    provisioner: Provisioner,
) -> Iterator[tuple[Leader, Applier]]:
    """What makes the server obey, while it runs."""
    applier = Applier(database, keyring, provisioner, settings.plans, time.time)
    leader = Leader(applier, lambda: engine.open(provisioner.may_change))
    watch = Chores([[Chore("looking after the server", ENSURE, engine.ensure)]], lambda: True)
    led = Chores(_led(settings, applier, engine), leader.leads)
    swept = Chores([[Chore("ending late logins", SWEEP, provisioner.sweep)]], lambda: True)
    watch.start()
    leader.start()
    led.start()
    swept.start()
    try:
        yield leader, applier
    finally:
        watch.close()  # first, or it would start again what is being stopped
        led.close()
        swept.close()
        leader.close()


def _led(settings: HostSettings, applier: Applier, engine: Running) -> Sequence[Sequence[Chore]]:
    """What the leader does regularly; each group has a thread of its own."""
    database, provisioner = applier.database, applier.provisioner
    force = Force(database, provisioner, time.time, engine.end_by_force)
    writers = Writers(database, provisioner, time.time)
    limits = SessionLimits(database, provisioner, settings.plans, time.time)
    quota = Quota(database, provisioner, settings.plans, time.time)
    return (
        # What a tenant can make last is apart: to end what is too long above all, which frees all the others.
        (
            Chore("looking at the limits of statements", ENFORCE, limits.run),
            Chore("looking after those that were asked to end", ENFORCE, force.run),
        ),
        (Chore("looking at who changes settings of roles", ENFORCE, writers.run),),
        (Chore("looking at settings of roles", MEASURE, writers.shorten),),
        (
            Chore("looking at sizes", MEASURE, quota.run),
            Chore("looking at databases near their limit", NEAR, quota.run_near),
        ),
        (
            Chore("writing out new databases", FLUSH, applier.flush),
            Chore("taking functions from tenants that do harm to all", COMPARE, provisioner.withhold),
            Chore("comparing with the server", COMPARE, Comparer(database, provisioner, time.time).run),
            Chore("forgetting old events", FORGET, lambda: audit.forget_old(database, int(time.time()))),
        ),
    )
