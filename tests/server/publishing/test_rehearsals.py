"""A site is built before it is published: readers notice nothing, and its owner sees what would be wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from builder.plan.vanished import VanishedAnchor
from builder.store import ContentStore
from server.control import ControlDatabase
from server.control.audit import By
from server.control.hosted_sites import HostedSite, HostedSites
from server.control.publish_jobs import PublishJobs
from server.publishing.build_order import BuildLimits
from server.publishing.make_release import ReleaseMaker, ReleaseNews, ReleaseOrder
from server.publishing.parts import PublishedFolders, PublishingParts
from server.publishing.publish_lock import publish_lock
from server.publishing.rehearsals import LIMITS, MOST_ANCHORS, MOST_KNOWN, Rehearsal, Rehearsals
from server.publishing.run_build import Stop
from tests.server.control.people import account
from tests.sites import write_site
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("forked_builds")

SITE = {"site.yml": "title: Boats\n", "docs/index.md": "# Boats\n\n## Fees\n", "docs/a.md": "# A\n"}
QUIET = ReleaseNews(*[lambda _: None] * 4)


class Quay(Struct):
    """A site with its folders."""

    data: Path
    site: HostedSite
    jobs: PublishJobs
    told: list[str] = field(default_factory=list)

    @property
    def folders(self) -> PublishedFolders:
        """The folders of published sites."""
        return PublishedFolders(self.data)

    @property
    def root(self) -> Path:
        """The folder of the site."""
        return self.data / "sites" / self.site.id

    def rehearsals(self, limits: BuildLimits = LIMITS) -> closing[Rehearsals]:
        """Rehearsals in this service."""
        return closing(
            Rehearsals(
                PublishingParts(
                    self.jobs,
                    self.folders,
                    lambda _: self.root,
                    lambda _: "http://boats.localhost",
                    self.told.append,
                ),
                limits,
            )
        )

    def publish(self) -> None:
        """Make a release."""
        with ContentStore(self.root) as store:
            work, releases = self.folders.work(self.site.id), self.folders.releases(self.site.id)
            maker = ReleaseMaker(store, work, releases, lambda: 1000.0)
            maker.make(ReleaseOrder("free", "http://boats.localhost", "me"), QUIET, Stop())

    def rehearsed(self, rehearsals: Rehearsals, mark: str = "1") -> Rehearsal:
        """The rehearsal when it has ended."""
        until(lambda: rehearsals.ask(self.site, mark, {"/docs/a": "/docs/b"}).state != "running")
        return rehearsals.ask(self.site, mark, {})


@pytest.fixture
def quay(tmp_path: Path) -> Iterator[Quay]:
    with closing(ControlDatabase(tmp_path / "control.sqlite3")) as database:
        site = HostedSites(database).create(account(database).id, "boats", By("session abc"))
        found = Quay(tmp_path, site, PublishJobs(database))
        write_site(found.root, SITE)
        yield found
        assert found.told == []


def test_what_would_vanish_and_what_is_wrong_is_told_and_nothing_is_published(quay: Quay) -> None:
    quay.publish()
    releases = quay.folders.releases(quay.site.id)
    objects = set(releases.objects.keys("objects"))
    (quay.root / "docs/a.md").rename(quay.root / "docs/b.md")
    write_site(quay.root, {"docs/index.md": "# Boats\n\n## Fee\n\n[Nowhere](/nowhere)\n"})
    with quay.rehearsals() as rehearsals:
        found = quay.rehearsed(rehearsals)
    assert found.state == "done"
    assert found.anchors == tuple(VanishedAnchor(address, "fees", "fee") for address in ("/", "/docs/"))
    assert (found.lost, found.errors) == (2, 1)
    assert releases.numbers() == [1]
    assert set(releases.objects.keys("objects")) == objects


def test_a_release_is_made_of_what_was_rehearsed(quay: Quay) -> None:
    with quay.rehearsals() as rehearsals:
        assert quay.rehearsed(rehearsals).lost == 0
    quay.publish()
    releases = quay.folders.releases(quay.site.id)
    assert all(releases.has(file.digest) for file in releases.files(1).values())
    with quay.rehearsals() as rehearsals:  # what has not changed lies in the release alone by now
        assert quay.rehearsed(rehearsals).state == "done"


def test_another_state_is_rehearsed_anew_and_the_same_one_is_not(quay: Quay) -> None:
    with quay.rehearsals() as rehearsals:
        first = quay.rehearsed(rehearsals)
        assert rehearsals.ask(quay.site, "1", {}) is first
        assert rehearsals.ask(quay.site, "2", {}).state == "running"
        assert quay.rehearsed(rehearsals, "2").mark == "2"


def test_while_the_site_is_published_its_rehearsal_waits(quay: Quay) -> None:
    with quay.rehearsals() as rehearsals:
        with publish_lock(quay.folders.work(quay.site.id)) as ours:
            assert ours
            for _ in range(5):
                assert rehearsals.ask(quay.site, "1", {}).state == "running"
                time.sleep(0.05)
        assert quay.rehearsed(rehearsals).state == "done"


def test_who_publishes_does_not_wait_for_a_rehearsal(quay: Quay) -> None:
    write_site(quay.root, {f"docs/p{number}.md": "# Page\n\n" + "Text. " * 5_000 for number in range(300)})
    with quay.rehearsals() as rehearsals:
        rehearsals.ask(quay.site, "1", {})
        until(lambda: not _is_free(quay.folders.work(quay.site.id)))
        job = quay.jobs.ask(quay.site.id, By("session abc"))
        until(lambda: _is_free(quay.folders.work(quay.site.id)))
        until(lambda: rehearsals.known(quay.site.id).state == "failed")
        known = rehearsals.known(quay.site.id)
        assert known is not None
        assert (known.mark, known.said) == (None, "the site is being published")
        quay.jobs.failed(job.number, "")
        assert quay.rehearsed(rehearsals).state == "done"


def _is_free(work: Path) -> bool:
    with publish_lock(work) as ours:
        return ours


def test_a_rehearsal_that_takes_too_long_is_given_up(quay: Quay) -> None:
    with quay.rehearsals(BuildLimits(seconds=0.01)) as rehearsals:
        assert "longer than 0.01 seconds" in quay.rehearsed(rehearsals).said


def test_one_is_rehearsed_at_a_time_and_of_many_the_last_are_known(quay: Quay) -> None:
    sites = [replace(quay.site, id=f"site{number}") for number in range(MOST_KNOWN + 2)]
    with publish_lock(quay.folders.work(quay.site.id)), quay.rehearsals() as rehearsals:
        for site in sites:
            rehearsals.ask(site, "1", {})
        assert [rehearsals.known(site.id) for site in sites[:2]] == [None, None]
        assert all(rehearsals.known(site.id) for site in sites[2:])
        assert sum(thread.name.startswith("twinpress-rehearsals") for thread in threading.enumerate()) == 1


def test_only_the_first_places_are_kept(quay: Quay) -> None:
    headings = "\n\n".join(f"## Heading {number}" for number in range(MOST_ANCHORS + 20))
    write_site(quay.root, {"docs/a.md": f"# A\n\n{headings}\n"})
    quay.publish()
    write_site(quay.root, {"docs/a.md": "# A\n"})
    with quay.rehearsals() as rehearsals:
        found = quay.rehearsed(rehearsals)
    assert (len(found.anchors), found.lost) == (MOST_ANCHORS, MOST_ANCHORS + 20)
