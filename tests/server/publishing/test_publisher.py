"""Sites are published: what readers get, what stops it, and what is left when a process is killed."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from builder.plan.copied_files import LARGE
from builder.store import ContentStore
from server.control import ControlDatabase
from server.control.audit import By
from server.control.errors import SiteNotFound
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.keys.key_text import KeyKind
from server.control.notices.events import NoticeEvent
from server.control.publish_jobs import PublishJob, PublishJobs
from server.control.site_choices import ChosenForSites
from server.publishing.build_order import BuildLimits
from server.publishing.job_report import read_report
from server.publishing.make_release import keep_sources
from server.publishing.parts import PublishedFolders, PublishingParts
from server.publishing.publish_lock import publish_lock
from server.publishing.publisher import Publisher
from server.publishing.run_build import BuildFailed
from server.publishing.site_releases import SiteReleases
from server.publishing.snapshot import take_snapshot
from server.releases import live_pointer
from server.releases.bucket import StorePatience, open_bucket
from server.releases.bucket_address import bucket_address
from server.releases.bucket_sites import BucketSites
from server.releases.packed_object import HEAD_BYTES, parts
from server.releases.release_store import POINTER
from server.releases.site_stores import SiteStores
from server.releases.stored_object import object_key
from tests.server.control.people import account
from tests.server.releases.small_s3 import ADDRESS, SmallS3, small_s3
from tests.sites import write_site
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("forked_builds")

OWNER = By("session abc")
WORDS = [f"{first}{last}" for first in "bcdfgklmnprst" for last in ("arbour", "oat", "ide", "uay", "essel")]
SITE = {"site.yml": "title: Boats\n", "docs/index.md": "# Boats\n\nThe **harbour** is open.\n"}
BROKEN = {**SITE, "docs/a.md": "[Nowhere](/docs/nowhere)\n"}


class Quay(Struct):
    """A service's data folder with one site, and what publishes it."""

    folder: Path
    database: ControlDatabase
    sites: HostedSites
    site: HostedSite
    jobs: PublishJobs
    folders: PublishedFolders
    told: list[str] = field(default_factory=list)
    notices: list[tuple[str, NoticeEvent]] = field(default_factory=list)

    @property
    def choices(self) -> ChosenForSites:
        """Return what the owner has switched on."""
        return ChosenForSites(self.database)

    def publisher(
        self, limits: BuildLimits | None = None, root: Callable[[str], Path] | None = None
    ) -> Publisher:
        """One that has not begun; `root` gives the folder of a site in another way."""
        return Publisher(
            replace(self.parts, root=root or self.root),
            self.sites,
            choices=self.choices.of,
            notify=lambda account, event: self.notices.append((account, event)),
            limits=limits,
        )

    @property
    def parts(self) -> PublishingParts:
        """The parts that publishing shares."""
        return PublishingParts(
            self.jobs,
            self.folders,
            self.root,
            lambda site: f"http://{site.name}.localhost:8081",
            self.told.append,
        )

    def root(self, site: str) -> Path:
        """The folder of a site."""
        return self.folder / "sites" / site

    def write(self, files: dict[str, str]) -> None:
        """Write files of the site."""
        write_site(self.root(self.site.id), files)

    def publish(self, *, despite_errors: bool = False) -> PublishJob:
        """Ask for a release, and wait for the end."""
        asked = self.jobs.ask(self.site.id, OWNER, despite_errors=despite_errors)
        return self.ended(asked)

    def bytes_kept(self) -> int:
        """The bytes of all that is kept of releases."""
        folder = self.folder / "releases" / self.site.id
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    def ended(self, job: PublishJob) -> PublishJob:
        """The job when it has ended."""

        until(lambda: not self.jobs.get(job.site, job.number).is_under_way)
        return self.jobs.get(job.site, job.number)

    def read(self, path: str) -> str | None:
        """The text that readers get from the live release."""
        store = self.folders.releases(self.site.id)
        live = store.pointer().live
        file = store.files(live).get(path) if live else None
        if file is None:
            return None
        stored = store.objects.read(object_key(file.digest))
        assert stored is not None
        start, length = parts(stored.data[:HEAD_BYTES]).identity
        return stored.data[start : start + length].decode()


BOTH = pytest.mark.parametrize("stores", ["folder", "bucket"], indirect=True)
"""Marks tests that hold wherever releases are."""


@pytest.fixture
def stores(request: pytest.FixtureRequest) -> Iterator[SiteStores | None]:
    """The stores of releases: None is a folder of the data."""
    if getattr(request, "param", "folder") == "folder":
        yield None
        return
    with small_s3():
        yield BucketSites(open_bucket(bucket_address(ADDRESS), StorePatience(tries=1, in_all=1.0)))


@pytest.fixture
def quay(tmp_path: Path, stores: SiteStores | None) -> Iterator[Quay]:
    with closing(ControlDatabase(tmp_path / "control.sqlite3")) as database:
        sites = HostedSites(database)
        site = sites.create(account(database).id, "boats", OWNER)
        found = Quay(
            tmp_path, database, sites, site, PublishJobs(database), PublishedFolders(tmp_path, stores)
        )
        found.write(SITE)
        yield found


@pytest.fixture
def running(quay: Quay) -> Iterator[Quay]:
    with closing(quay.publisher()) as publisher:
        publisher.start()
        yield quay
    assert quay.told == []


@BOTH
def test_readers_get_what_was_published_until_the_next_time(running: Quay) -> None:
    quay = running
    assert quay.read("docs.html") is None
    first = quay.publish()
    assert (first.state, first.release, first.said) == ("done", 1, "")
    assert "<strong>harbour</strong>" in (quay.read("docs/index.html") or "")
    assert "http://boats.localhost:8081/docs/" in (quay.read("sitemap.xml") or "")
    quay.write({"docs/index.md": "# Boats\n\nThe harbour is closed.\n", "docs/b.md": "# Tides\n"})
    assert "is open" in (quay.read("docs/index.html") or "").replace("</strong>", "")
    assert quay.publish().release == 2
    assert "is closed" in (quay.read("docs/index.html") or "")
    assert quay.read("docs/b.html") is not None
    (quay.root(quay.site.id) / "docs/b.md").unlink()
    assert quay.publish().release == 3
    assert quay.read("docs/b.html") is None
    report = read_report(quay.folders.work(quay.site.id), 3)
    assert (report.step, report.pages) == ("ended", 1)
    assert report.lines[-1].text == "Readers have release 3"


def test_the_same_site_gives_the_same_files(running: Quay) -> None:
    quay = running
    store = quay.folders.releases(quay.site.id)
    quay.publish()
    before = set(store.objects.keys("objects"))
    quay.publish()
    assert store.files(1) == store.files(2)
    assert set(store.objects.keys("objects")) == before


def test_a_build_makes_nothing_that_is_there(running: Quay) -> None:
    quay = running
    quay.write({f"docs/f{number % 3}/p{number}.md": f"# P{number}\n" for number in range(9)})
    quay.publish()
    there = {each.hex() for each in quay.folders.releases(quay.site.id).digests()}
    quay.write(BROKEN)
    assert quay.publish().state == "failed"  # so that all that was made is still in its folder
    made = {path.name for path in (quay.folders.work(quay.site.id) / "made").iterdir()}
    assert made
    assert not made & there


def test_ten_releases_cost_little_more_than_one(running: Quay) -> None:
    quay = running
    chance = random.Random(7)
    texts = {n: "\n".join(" ".join(chance.choices(WORDS, k=12)) for _ in range(40)) for n in range(60)}
    quay.write({f"docs/f{n % 9}/p{n}.md": f"# P{n}\n\n{text}\n" for n, text in texts.items()})
    quay.publish()
    first = quay.bytes_kept()
    for number in range(9):
        quay.write({"docs/f1/p1.md": f"# P1\n\nChange {number}. {texts[1]}\n"})
        assert quay.publish().state == "done"
    assert len(quay.folders.releases(quay.site.id).numbers()) == 10
    # A page in its forms, lists, some files of the search, and of `llms-full.txt` the piece with its text.
    assert quay.bytes_kept() < 1.5 * first, (first, quay.bytes_kept())


def test_a_release_keeps_what_it_was_made_of(running: Quay) -> None:
    quay = running
    quay.write({"docs/d.md": "---\ndraft: true\n---\n", "static/a.css": "a{}\n" * 100, ".git/config": "x"})
    (quay.root(quay.site.id) / "static/large.iso").touch()
    os.truncate(quay.root(quay.site.id) / "static/large.iso", LARGE)
    quay.publish(despite_errors=True)
    store = quay.folders.releases(quay.site.id)
    before = store.sources(1)
    assert sorted(before) == ["docs/d.md", "docs/index.md", "site.yml", "static/a.css"]
    assert store.files(1)["a.css"].digest == before["static/a.css"].digest
    quay.write({"docs/index.md": "# Ships\n"})
    quay.publish(despite_errors=True)
    after = store.sources(2)
    assert {path for path in after if before[path] != after[path]} == {"docs/index.md"}
    assert store.data(before["docs/index.md"].digest, 1000) == SITE["docs/index.md"].encode()
    assert store.data(after["docs/index.md"].digest, 1000) == b"# Ships\n"


def test_sources_that_the_build_has_changed_are_not_kept(quay: Quay) -> None:
    work, releases = quay.folders.work(quay.site.id), quay.folders.releases(quay.site.id)
    with ContentStore(quay.root(quay.site.id)) as store:
        snapshot = take_snapshot(store, work)
        page = snapshot.folder / "docs/index.md"
        page.unlink()
        page.symlink_to("/etc/hostname")
        with pytest.raises(BuildFailed, match="try again"):
            keep_sources(work, snapshot.sources, releases, releases.digests())
        keep_sources(work, take_snapshot(store, work).sources, releases, releases.digests())
    assert page.read_text() == SITE["docs/index.md"]


def test_errors_leave_the_old_site_and_are_told(running: Quay) -> None:
    quay = running
    quay.publish()
    quay.write(BROKEN)
    failed = quay.publish()
    assert (failed.state, failed.release) == ("failed", None)
    assert failed.said == "the site has 1 error, so it was not published"
    assert quay.read("docs/a.html") is None
    report = read_report(quay.folders.work(quay.site.id), failed.number)
    assert [(found.file, found.line, found.code) for found in report.diagnostics] == [
        ("docs/a.md", 1, "broken-link")
    ]
    assert (report.errors, report.step) == (1, "ended")
    assert quay.publish(despite_errors=True).release == 2
    assert quay.read("docs/a.html") is not None


def test_drafts_are_not_published(running: Quay) -> None:
    running.write({"docs/d.md": "---\ndraft: true\n---\nSecret words\n"})
    running.publish()
    store = running.folders.releases(running.site.id)
    assert not any("docs/d" in path for path in store.files(1))
    assert running.read("docs/d.html") is None


def test_a_file_whose_name_is_no_text_is_left_out_and_told(running: Quay) -> None:
    running.write({"static/a.txt": "a"})
    (running.root(running.site.id) / "static" / os.fsdecode(b"b\xff.txt")).write_text("b")
    assert running.publish().state == "done"
    assert [path for path in running.folders.releases(running.site.id).files(1) if path.endswith("a.txt")]
    lines = [line.text for line in read_report(running.folders.work(running.site.id), 1).lines]
    assert r"Left out: static/b\xff.txt. Its name is not valid UTF-8; rename it" in lines


def test_what_the_plan_hides_is_in_no_file(running: Quay) -> None:
    running.write({"docs/p.mdx": '<Callout color="red">\nPremium words\n</Callout>\n'})
    running.publish()
    store = running.folders.releases(running.site.id)
    for path in store.files(1):
        assert (
            "Premium words" not in (running.read(path) or "")
            if path.endswith(("html", "md", "json"))
            else True
        )


def test_a_theme_of_the_site_is_none_of_a_hosted_one(running: Quay) -> None:
    quay = running
    own = {"templates/page.html": "<script>alert('own')</script>", "js/own.js": "own()", "boot.js": "own()"}
    quay.write({f"theme/{path}": text for path, text in own.items()})
    assert quay.publish().state == "done"
    html = quay.read("docs/index.html") or ""
    assert "harbour" in html
    store = quay.folders.releases(quay.site.id)
    scripts = [path for path in store.files(1) if path.endswith(".js")]
    assert scripts
    assert not [path for path in ("docs/index.html", *scripts) if "own()" in (quay.read(path) or "")]
    assert "alert" not in html
    assert not [path for path in store.sources(1) if path.startswith("theme")]


def test_two_wishes_that_wait_are_one(quay: Quay) -> None:
    first = quay.jobs.ask(quay.site.id, OWNER)
    again = quay.jobs.ask(quay.site.id, By("session def"), despite_errors=True)
    assert (again.number, again.actor, again.despite_errors) == (first.number, "session def", True)


def test_a_site_that_is_to_be_deleted_is_not_published(running: Quay) -> None:
    quay = running
    asked = quay.jobs.ask(quay.site.id, OWNER)
    quay.sites.delete(quay.site.id, OWNER)
    with pytest.raises(SiteNotFound):
        quay.jobs.ask(quay.site.id, OWNER)
    assert quay.ended(asked).state in {"done", "failed"}


def test_who_may_not_publishes_nothing(quay: Quay) -> None:
    def refuse() -> None:
        raise PermissionError

    with pytest.raises(PermissionError):
        quay.jobs.ask(quay.site.id, By("session abc", refuse))
    assert quay.jobs.last(quay.site.id) is None


def test_a_job_is_stopped_before_it_begins(quay: Quay) -> None:
    asked = quay.jobs.ask(quay.site.id, OWNER)
    quay.jobs.stop(quay.site.id, asked.number, OWNER)
    assert quay.jobs.get(quay.site.id, asked.number).said == "it was stopped"
    with closing(quay.publisher()) as publisher:
        publisher.start()
        time.sleep(0.5)
    assert quay.folders.releases(quay.site.id).numbers() == []


def test_a_build_that_takes_too_long_is_given_up(quay: Quay) -> None:
    with closing(quay.publisher(BuildLimits(seconds=0.01))) as publisher:
        publisher.start()
        failed = quay.publish()
    assert failed.said == "the build took longer than 0.01 seconds and was given up"


def test_a_job_whose_process_was_killed_is_begun_again_and_given_up_the_second_time(quay: Quay) -> None:
    asked = quay.jobs.ask(quay.site.id, OWNER)
    assert quay.jobs.begin(asked.number) is not None  # and the process is killed: nobody holds the lock
    with closing(quay.publisher()) as publisher:
        publisher.start()
        done = quay.ended(asked)
    assert (done.state, done.attempts) == ("done", 2)
    again = quay.jobs.ask(quay.site.id, OWNER)
    for _ in range(2):
        begun = quay.jobs.begin(again.number)
        assert begun is not None
        quay.jobs.resume(begun)
    assert quay.jobs.get(quay.site.id, again.number).said == (
        "the service has ended twice while this was published"
    )


@pytest.mark.parametrize("is_switched", [False, True])
@BOTH
def test_a_job_whose_release_is_there_makes_no_second_one(quay: Quay, is_switched: bool) -> None:
    with closing(quay.publisher()) as publisher:
        publisher.start()
        quay.publish()
    quay.write({"docs/index.md": "# Boats\n\nThe harbour is closed.\n"})
    store = quay.folders.releases(quay.site.id)
    before = store.pointer()
    with closing(quay.publisher()) as publisher:
        publisher.start()
        job = quay.publish()
    if not is_switched:
        store.objects.replace(POINTER, live_pointer.encode(before), store.objects.version(POINTER))
    quay.database.write("UPDATE publish_jobs SET state = 'running' WHERE number = ?", (job.number,))
    quay.choices.publish_after(quay.site.id, OWNER, "all")
    begun = quay.choices.begin_write(quay.site.id, "key_ci", KeyKind.ONE_OFF)
    quay.choices.end_write(begun, quay.site.id, "key_ci", KeyKind.ONE_OFF)
    with closing(quay.publisher()) as publisher:
        publisher.start()
        again = quay.ended(job)
    assert (again.state, again.release, again.attempts) == ("done", 2, 1)
    assert (store.numbers(), store.pointer().live) == ([2, 1], 2)
    lines = [line.text for line in read_report(quay.folders.work(quay.site.id), job.number).lines]
    assert lines[-2:] == ["The service had ended when release 2 was made", "Readers have release 2"]
    assert quay.database.read("SELECT site FROM unpublished_writes") == [(quay.site.id,)], "it is yet to come"


def test_a_job_that_another_process_is_at_is_left_to_it(quay: Quay) -> None:
    asked = quay.jobs.ask(quay.site.id, OWNER)
    with publish_lock(quay.folders.work(quay.site.id)) as ours, closing(quay.publisher()) as publisher:
        assert ours
        quay.jobs.begin(asked.number)
        publisher.start()
        time.sleep(0.6)
        assert quay.jobs.get(quay.site.id, asked.number).state == "running"


@BOTH
def test_two_publishers_publish_each_job_once(quay: Quay) -> None:
    others = [quay.sites.create(quay.site.account, f"boats-{number}", OWNER) for number in range(2)]
    for other in others:
        write_site(quay.root(other.id), SITE)
    with closing(quay.publisher()) as one, closing(quay.publisher()) as other_one:
        one.start()
        other_one.start()
        asked = [quay.jobs.ask(site.id, OWNER) for site in (quay.site, *others)]
        assert [quay.ended(job).release for job in asked] == [1, 1, 1]
    assert [quay.folders.releases(job.site).numbers() for job in asked] == [[1], [1], [1]]


def test_two_sites_are_published_at_once_and_a_third_waits(quay: Quay) -> None:
    pages = {f"docs/page-{number}.md": "# Boats\n" for number in range(150)}
    sites = [quay.site, *(quay.sites.create(quay.site.account, f"boats-{one}", OWNER) for one in range(2))]
    for site in sites:
        write_site(quay.root(site.id), {**SITE, **pages})
    asked = [quay.jobs.ask(site.id, OWNER) for site in sites]
    with closing(quay.publisher()) as publisher:
        publisher.start()
        until(lambda: len(quay.jobs.under_way("running")) == 2)
        assert [quay.jobs.get(job.site, job.number).state for job in asked].count("waiting") == 1
        assert [quay.ended(job).release for job in asked] == [1, 1, 1]


@pytest.mark.slow
def test_one_changed_page_of_a_thousand_is_live_within_two_seconds(running: Quay) -> None:
    text = "".join(
        f"## Part {number}\n\nThe **harbour** has [berths](./page-7.md).\n\n" for number in range(5)
    )
    running.write({f"docs/page-{number}.md": f"# Page {number}\n\n{text}" for number in range(1_000)})
    running.publish()
    took = []
    for turn in range(3):  # the quickest: other tests may run beside it
        running.write({"docs/page-3.md": f"# Page 3\n\nTurn {turn}\n"})
        began = time.monotonic()
        running.publish()
        took.append(time.monotonic() - began)
        assert f"Turn {turn}" in (running.read("docs/page-3.html") or "")
    assert min(took) < 2, took


@BOTH
def test_an_owner_rolls_back_returns_and_unpublishes(running: Quay) -> None:
    quay = running
    releases = SiteReleases(quay.database, quay.folders)
    quay.publish()
    quay.write({"docs/index.md": "# Boats\n\nNew words\n"})
    quay.publish()
    releases.roll_back(quay.site, 1, OWNER)
    assert "harbour" in (quay.read("docs/index.html") or "")
    assert quay.publish().release == 3
    assert (releases.pointer(quay.site).live, releases.pointer(quay.site).pinned) == (1, True)
    releases.return_to_latest(quay.site, OWNER)
    assert "New words" in (quay.read("docs/index.html") or "")
    releases.unpublish(quay.site, OWNER)
    assert quay.read("docs/index.html") is None
    assert [record.number for record in releases.list(quay.site)] == [3, 2, 1]
    assert releases.list(quay.site)[0].by == OWNER.actor


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda made: [path.unlink() for path in made.iterdir()], id="objects are gone"),
        pytest.param(
            lambda made: [path.write_bytes(b"TPO1") for path in made.iterdir()], id="objects are cut"
        ),
    ],
)
def test_objects_that_a_failed_build_has_left_are_made_again(
    running: Quay, change: Callable[[Path], object]
) -> None:
    quay = running
    quay.write(BROKEN)
    assert quay.publish().state == "failed"
    change(quay.folders.work(quay.site.id) / "made")
    quay.write({"docs/a.md": "Mended\n"})
    assert quay.publish().release == 1
    assert "Mended" in (quay.read("docs/a.html") or "")
    assert "harbour" in (quay.read("docs/index.html") or "")


@pytest.mark.slow
def test_a_failure_that_cannot_be_noted_yet_is_noted_later(quay: Quay) -> None:
    quay.write(BROKEN)
    with closing(quay.publisher()) as publisher:
        publisher.start()
        asked = quay.jobs.ask(quay.site.id, OWNER)
        until(lambda: quay.jobs.get(asked.site, asked.number).state == "running")
        with quay.database.change():
            until(lambda: any("cannot be noted yet" in each for each in quay.told))
        failed = quay.ended(asked)
    assert (failed.state, failed.attempts) == ("failed", 1)
    assert not any("had ended" in each for each in quay.told)


def test_a_publish_without_its_store_fails_and_the_next_one_takes_what_was_built(
    tmp_path: Path, s3: SmallS3
) -> None:
    stores = BucketSites(open_bucket(bucket_address(ADDRESS), StorePatience(tries=1, in_all=1.0)))
    with closing(ControlDatabase(tmp_path / "control.sqlite3")) as database:
        sites = HostedSites(database)
        site = sites.create(account(database).id, "boats", OWNER)
        folders = PublishedFolders(tmp_path, stores)
        quay = Quay(tmp_path, database, sites, site, PublishJobs(database), folders)
        quay.write(SITE)
        with closing(quay.publisher()) as publisher:
            publisher.start()
            s3.status = 503
            failed = quay.publish()
            assert failed.state == "failed"
            assert "does not answer" in failed.said
            s3.status = 0
            assert quay.read("docs/index.html") is None
            assert quay.publish().state == "done"
            assert "<strong>harbour</strong>" in (quay.read("docs/index.html") or "")
            s3.put = lambda _: setattr(s3, "status", 503)
            quay.write({"docs/index.md": "# Boats\n\nThe harbour is closed.\n"})
            assert quay.publish().state == "failed"
            s3.put, s3.status = None, 0
            assert "<strong>harbour</strong>" in (quay.read("docs/index.html") or "")
            assert quay.publish().state == "done"
            assert "is closed" in (quay.read("docs/index.html") or "")


def test_jobs_that_cannot_be_looked_at_are_told_once(quay: Quay) -> None:
    with quay.database.change() as transaction:
        transaction.write("ALTER TABLE publish_jobs RENAME TO publish_jobs_away")
    with closing(quay.publisher()) as publisher:
        publisher.start()
        until(lambda: quay.told)
        for _ in range(20):
            publisher.nudge()
            time.sleep(0.02)
    assert [line.partition(":")[0] for line in quay.told] == ["Looking for what is to be published failed"]
