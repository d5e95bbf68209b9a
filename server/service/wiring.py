"""Wire the service together: control data, the dashboard, and hosted databases where there are any."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from builder.store import failures
from server.api.authentication import Api
from server.authoring.site_apis import PicturesOf, hosted_api
from server.authoring.site_key_limits import ClientLimits
from server.authoring.site_work import SiteWork, open_site_work
from server.control import audit
from server.control.accounts import deletion
from server.control.errors import SiteNotFound
from server.control.keys.management_keys import ManagementKeys
from server.control.notices.deliveries import Notices
from server.control.preview_addresses import PreviewAddresses
from server.control.sealing import Keyring, open_keyring
from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from server.dashboard.desk import Desk, ServedSites, ServiceParts, open_desk
from server.dashboard.notice_pages import send_notice
from server.dashboard.site_publishing import SitePublishing
from server.dashboard.site_visit import preview_path
from server.databases.account_slots import AccountSlots
from server.databases.authenticate_account import AccountAuthentication
from server.databases.database_group import GROUP
from server.databases.database_handlers import DatabaseHandlers
from server.databases.database_work import DatabaseWork
from server.export.account_export import Dump
from server.hosting.apply import Applier
from server.hosting.catalog_fillers import CatalogFillers
from server.hosting.compare import Comparer
from server.hosting.dump_database import dump_database
from server.hosting.end_by_force import EndByForce
from server.hosting.enforce_session_limits import SessionLimits
from server.hosting.hosting_service import Databases
from server.hosting.intents import Intents
from server.hosting.leader import REQUESTS, Leader
from server.hosting.storage import StorageQuota
from server.hosting.threads import Chore, Chores, pool
from server.http.buckets import SharedBuckets
from server.http.keyless_limits import KeylessLimits
from server.http.limits import RateLimit
from server.postgres.tenants.provisioning import Provisioner
from server.publishing.parts import PublishedFolders
from server.releases.site_stores import service_stores
from server.screenshots.browser_process import installed_browser
from server.screenshots.camera import Camera
from server.service.host_settings import HostSettings
from server.service.postgres_server import RunningServer, running
from server.service.published_sites import published_sites, published_to_readers, service_id
from server.service.sites_serving import SitesServing, sites_serving
from server.site_previews.site_previews import SitePictures, SitePreviews
from server.site_previews.site_workers import SiteFolder
from server.sites.account_usage import EVERY as MEASURE_SITES
from server.webhooks.courier import Couriers

COUNTED = "request-limits"
"""The file in the data folder with what clients have left of their requests."""
THREADS, QUICK = REQUESTS, 4
"""Requests at a time that wait for the database server, and that do not; others wait for one of them."""
ENSURE, FLUSH, ENFORCE, COMPARE, MEASURE = 0.5, 1.0, 1.0, 30.0, 5.0
"""Seconds between two looks: at the server, what is new on it, long statements, locks, sizes."""
NEAR = 1.0
"""The same, at those that are near their limit."""
SWEEP = 0.1
"""Seconds that a session lives at most whose login was begun with a password that is replaced by then."""
FORGET, CLOSE = 600.0, 15.0
"""Seconds between two looks for what is over (sessions, links, sites), and for sites that nobody uses."""


class Hosting(Struct, frozen=True):
    """Hosted databases as they run: the API of scripts, and the work that the dashboard asks of them."""

    leader: Leader
    work: DatabaseWork
    api: Api
    dump: Dump


class Service(Struct, frozen=True):
    """The service as it runs; without databases `hosting` is None. `pages` is the API of all sites.

    `visitors` says what clients may ask for that have no key, `sites` serves published sites.
    """

    desk: Desk
    previews: SitePreviews
    hosting: Hosting | None
    pages: Api
    visitors: KeylessLimits
    sites: SitesServing

    def is_ready(self) -> bool:
        """Return whether requests can be answered: the server is there, and what was begun before is done."""
        return self.hosting is None or self.hosting.leader.is_well()


@contextmanager
def service(settings: HostSettings, tell: Callable[[str], None]) -> Iterator[Service]:
    """The service; everything has ended when the block has. Raises TwinpressError when it cannot start.

    `tell` is told of faults of ours.
    """
    with (
        closing(open_data(settings.data)) as control,
        open_site_work(control, settings.data, settings.plans) as sites,
        _open_rate_limit(settings.data) as rate,
    ):
        keyring = open_keyring(control, settings.data)
        addresses = PreviewAddresses(control, keyring)
        stores = service_stores(settings.releases, settings.data, service_id(control))
        folders = PublishedFolders(settings.data, stores)
        previews = _site_previews(settings, addresses, sites, tell)
        readers = sites_serving(settings, tell)
        with (
            closing(ManagementKeys(control, plans=settings.plans)) as keys,
            _run_databases(settings, control, keyring, keys, rate) as hosted,
            published_sites(settings, folders, control, sites, tell) as publishing,
            open_desk(
                control,
                keyring,
                settings.address,
                ServiceParts(
                    keys=keys,
                    plans=settings.plans,
                    databases=hosted.work if hosted else None,
                    sites=sites,
                    publishing=publishing,
                    mail=settings.mail,
                    sign_up=settings.sign_up,
                    previews=previews,
                    dump=hosted.dump if hosted else None,
                    analytics=settings.analytics,
                    served=lambda: ServedSites(readers.kind, readers.state() is not None),
                ),
            ) as dashboard,
            _run_tidying(dashboard, addresses),
            _run_couriers(dashboard, tell, private=settings.webhook_private),
        ):
            dashboard.looker.start(tell)
            pages = _pages_api(settings, sites, publishing, rate, _pictures(settings, previews))
            visitors = replace(settings.visitors, rate=rate)
            yield Service(dashboard, previews, hosted, pages, visitors, readers)


def _pages_api(
    settings: HostSettings,
    sites: SiteWork,
    publishing: SitePublishing,
    rate: RateLimit,
    pictures: PicturesOf | None,
) -> Api:
    """Return the API by which agents write the pages of all sites."""
    published = partial(published_to_readers, publishing, sites.sites)

    def preview_root(id: str) -> str:
        try:
            return settings.address.link(preview_path(sites.sites.get(id)))
        except SiteNotFound:
            return ""

    return hosted_api(sites, ClientLimits(), rate, published, pictures, preview_root=preview_root)


def _pictures(settings: HostSettings, previews: SitePreviews) -> PicturesOf | None:
    """Return what takes pictures for agents, where the operator has named a user for the browser."""
    if not settings.picture_user:
        return None
    return SitePictures(previews, Camera(partial(installed_browser, settings.picture_user))).of


@contextmanager
def _open_rate_limit(data: Path) -> Iterator[RateLimit]:
    """Count requests for all processes of the service together."""
    with failures.writing(str(data / COUNTED)):
        buckets = SharedBuckets(data / COUNTED)
    with closing(buckets):
        yield RateLimit(buckets=buckets)


def _site_previews(
    settings: HostSettings, addresses: PreviewAddresses, work: SiteWork, tell: Callable[[str], None]
) -> SitePreviews:
    """Return the previews, which ask `work` for a site's folder and the plan of its owner."""

    def locate(id: str) -> SiteFolder | None:
        try:
            site = work.sites.get(id)
        except SiteNotFound:
            return None
        return SiteFolder(work.opened.root(id), site.plan) if site.delete_at is None else None

    return SitePreviews(addresses, settings.sites, service=settings.address, locate=locate, tell=tell)


@contextmanager
def _run_tidying(desk: Desk, addresses: PreviewAddresses) -> Iterator[None]:
    """Forget regularly what is over; each process may, as what one has forgotten is gone for all."""

    def forget() -> None:
        desk.sign_in.forget_old()
        desk.shown_once.forget_old()
        desk.sites.delete_due()
        addresses.forget_old()
        deletion.delete_empty(desk.database, int(time.time()))
        audit.forget_old(desk.database, int(time.time()))

    old, idle, usage = (
        Chore("forgetting what is over", FORGET, forget),
        Chore("closing sites", CLOSE, desk.sites.opened.close_idle),
        Chore("measuring sites", MEASURE_SITES, desk.usage.measure),
    )
    chores = Chores([[old], [idle], [usage]], lambda: True)
    chores.start()
    try:
        yield
    finally:
        chores.close()


@contextmanager
def _run_couriers(desk: Desk, tell: Callable[[str], None], *, private: bool) -> Iterator[None]:
    """Tell accounts of what breaks, while the block runs."""
    notices = Notices(desk.database)
    with closing(
        Couriers(notices, desk.webhooks, partial(send_notice, desk), tell, private=private)
    ) as couriers:
        couriers.start()
        yield


@contextmanager
def _run_databases(
    settings: HostSettings,
    control: ControlDatabase,
    keyring: Keyring,
    keys: ManagementKeys,
    rate: RateLimit,
) -> Iterator[Hosting | None]:
    """Run the database server and all that makes it obey, while the block runs, where there is to be one.

    Raises TwinpressError.
    """
    if not settings.databases:
        yield None
        return
    with (
        running(settings, control, keyring) as engine,
        closing(Provisioner(engine.server, owner=engine.owner)) as provisioner,
        _run_leader(settings, control, keyring, engine, provisioner) as (leader, applier),
        pool(THREADS, "twinpress-databases") as threads,
        pool(QUICK, "twinpress-lists") as quick,
    ):
        databases = Databases(applier, leader)
        work = DatabaseWork(databases, lambda: engine.server, settings.plans, AccountSlots(threads), quick)
        handlers = DatabaseHandlers(work, quick)
        authentication = AccountAuthentication(keys, settings.requests, rate)
        api = Api(GROUP, authentication, handlers.by_operation())

        def dump(id: str, target: Path) -> bool:
            bin_dir = settings.engine.bin_dir
            return dump_database(control, keyring, engine.server, bin_dir, id=id, target=target)

        yield Hosting(leader, work, api, dump)


@contextmanager
def _run_leader(
    settings: HostSettings,
    control: ControlDatabase,
    keyring: Keyring,
    engine: RunningServer,
    provisioner: Provisioner,
) -> Iterator[tuple[Leader, Applier]]:
    """Run what makes the server obey."""
    applier = Applier(control, keyring, provisioner, settings.plans, time.time)
    leader = Leader(applier, lambda: engine.open(provisioner.may_change))
    watch = Chores([[Chore("looking after the server", ENSURE, engine.ensure)]], lambda: True)
    led = Chores(_leader_chores(settings, applier, engine), leader.leads)
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


def _leader_chores(
    settings: HostSettings, applier: Applier, engine: RunningServer
) -> Sequence[Sequence[Chore]]:
    """Return the leader's regular chores; each group has a thread of its own."""
    control, provisioner = applier.control, applier.provisioner
    force = EndByForce(control, provisioner, time.time, engine.end_by_force)
    writers = CatalogFillers(control, provisioner, time.time)
    intents = Intents(control, applier.keyring, settings.plans, time.time)
    limits = SessionLimits(control, provisioner, settings.plans, time.time)
    quota = StorageQuota(control, provisioner, settings.plans, time.time)
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
            Chore("deleting accounts", COMPARE, intents.delete_due),
            Chore("comparing with the server", COMPARE, Comparer(control, provisioner, time.time).run),
        ),
    )
