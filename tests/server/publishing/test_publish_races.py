"""Publishes that something crosses: the owner's other wishes, a store that is away, a disk that is full."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from server.control.hosted_sites import HostedSites
from server.control.notices.events import PublishFailed
from server.control.publish_jobs import GIVEN_UP, PublishJob, PublishJobs
from server.control.unpublished_writes import LONGEST, QUIET
from server.publishing.parts import PublishedFolders
from server.publishing.publisher import Publisher
from server.publishing.site_releases import SiteReleases
from server.releases.bucket import StorePatience, open_bucket
from server.releases.bucket_address import bucket_address
from server.releases.bucket_sites import BucketSites
from tests.server.control.people import account
from tests.server.publishing.test_by_itself import Clock, choose, clock, last, quiet, wrote
from tests.server.publishing.test_publisher import BROKEN, OWNER, Quay, quay, running, stores
from tests.server.releases.small_s3 import ADDRESS, SmallS3
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("forked_builds")

__all__ = ["clock", "quay", "running", "stores"]
Who = Literal["the owner", "a key"]


def publisher(quay: Quay, meanwhile: Callable[[], object]) -> Publisher:
    """A publisher with which something happens between the beginning of a job and its build."""

    def root(site: str) -> Path:
        meanwhile()
        return quay.root(site)

    return quay.publisher(root=root)


def asked(quay: Quay, clock: Clock, who: Who) -> PublishJob:
    """A job that waits, for the owner or after a write by a key."""
    if who == "the owner":
        return quay.jobs.ask(quay.site.id, OWNER)
    wrote(quay, clock)
    assert quay.jobs.ask_by_itself(quay.site.id, online=True)
    return last(quay)


def publish(quay: Quay) -> None:
    with closing(quay.publisher()) as publisher:
        publisher.start()
        quay.publish()


def unpublish(quay: Quay) -> None:
    SiteReleases(quay.database, quay.folders).unpublish(quay.site, OWNER)


WHO = pytest.mark.parametrize("who", ["the owner", "a key"])


@WHO
@pytest.mark.parametrize("moment", ["it waits", "it runs"])
def test_what_was_asked_for_before_does_not_bring_back_what_is_taken_offline(
    quay: Quay, clock: Clock, who: Who, moment: str
) -> None:
    publish(quay)
    choose(quay)
    job = asked(quay, clock, who)
    if moment == "it waits":
        unpublish(quay)
    with closing(publisher(quay, lambda: unpublish(quay) if moment == "it runs" else None)) as made:
        made.start()
        ended = quay.ended(job)
    assert (ended.state, ended.was_stopped) == ("failed", True)
    assert quay.read("docs/index.html") is None
    assert quay.notices == []
    publish(quay)
    assert quay.read("docs/index.html") is not None


@pytest.mark.parametrize("moment", ["it waits", "it runs"])
def test_switching_it_off_stops_what_would_be_published_by_itself(
    quay: Quay, clock: Clock, moment: str
) -> None:
    publish(quay)
    choose(quay)
    job = asked(quay, clock, "a key")
    if moment == "it waits":
        choose(quay, "nothing")
    with closing(publisher(quay, lambda: choose(quay, "nothing") if moment == "it runs" else None)) as made:
        made.start()
        assert quay.ended(job).was_stopped
    assert quay.folders.releases(quay.site.id).numbers() == [1]
    assert quay.notices == []


def test_switching_it_off_leaves_what_the_owner_has_asked_for(quay: Quay) -> None:
    choose(quay)
    job = quay.jobs.ask(quay.site.id, OWNER)
    choose(quay, "nothing")
    assert quay.jobs.get(quay.site.id, job.number) == job


@WHO
def test_a_site_whose_account_is_suspended_meanwhile_is_not_published(
    quay: Quay, clock: Clock, who: Who
) -> None:
    choose(quay)
    job = asked(quay, clock, who)
    quay.database.write("UPDATE accounts SET suspended = 1")
    with closing(quay.publisher()) as made:
        made.start()
        assert quay.ended(job).said == "the account is suspended"
    assert quay.folders.releases(quay.site.id).numbers() == []


def test_a_stop_is_obeyed_until_the_release_is_there(quay: Quay) -> None:
    job = quay.jobs.ask(quay.site.id, OWNER)
    with closing(publisher(quay, lambda: quay.jobs.stop(quay.site.id, job.number, OWNER))) as made:
        made.start()
        assert quay.ended(job).was_stopped
    assert quay.folders.releases(quay.site.id).numbers() == []


def test_writes_wait_while_the_store_is_away(s3: SmallS3, quay: Quay, clock: Clock) -> None:
    soon = StorePatience(connect=0.5, request=0.5, tries=0, in_all=0.5)
    quay.folders = PublishedFolders(quay.folder, BucketSites(open_bucket(bucket_address(ADDRESS), soon)))
    quay.jobs = PublishJobs(quay.database, clock)
    publish(quay)
    choose(quay)
    wrote(quay, clock)
    with closing(quay.publisher()) as made:
        made.start()
        s3.status = 503
        clock.now += QUIET
        until(lambda: quay.told)
        assert quay.jobs.written() == [quay.site.id]
        before, s3.status = last(quay).number, 0
        until(lambda: last(quay).number > before)
        assert quay.ended(last(quay)).state == "done"
    assert len(quay.told) == 1
    assert "is not published after writes yet" in quay.told[0]


def test_a_job_that_has_just_ended_is_not_begun_again(quay: Quay) -> None:
    quay.jobs.ask(quay.site.id, OWNER)
    number = last(quay).number
    stale = quay.jobs.begin(number)
    assert stale is not None
    quay.jobs.done(number, 1)
    with closing(quay.publisher()) as made:
        made._look_after(stale)
    assert last(quay).state == "done"
    assert quay.told == []


def test_what_has_ended_stays_as_it_ended(quay: Quay) -> None:
    number = quay.jobs.ask(quay.site.id, OWNER).number
    quay.jobs.begin(number)
    quay.jobs.done(number, 1)
    quay.jobs.failed(number, "too late")
    assert (last(quay).state, last(quay).said) == ("done", "")


def test_the_owner_is_told_of_a_job_that_is_given_up(quay: Quay) -> None:
    number = quay.jobs.ask(quay.site.id, OWNER).number
    for _ in range(2):
        begun = quay.jobs.begin(number)
        assert begun is not None
        with closing(quay.publisher()) as made:
            made._look_after(begun)
    assert quay.notices == [(quay.site.account, PublishFailed("boats", number, GIVEN_UP))]


def test_a_report_that_cannot_be_written_keeps_nothing_from_readers(quay: Quay) -> None:
    reports = quay.folders.work(quay.site.id) / "reports"
    reports.parent.mkdir(parents=True)
    reports.write_bytes(b"")
    publish(quay)
    assert (last(quay).state, last(quay).release) == ("done", 1)


def test_a_site_that_cannot_be_looked_after_is_in_nobodys_way(quay: Quay) -> None:
    other = quay.sites.create(quay.site.account, "broken", OWNER)
    work = quay.folders.work(other.id)
    work.parent.mkdir(parents=True)
    work.write_bytes(b"")
    quay.jobs.ask(other.id, OWNER)
    publish(quay)
    assert last(quay).state == "done"
    assert len(quay.told) == 1
    assert f"The site {other.id} cannot be published just now" in quay.told[0]


def test_the_same_failure_by_itself_is_told_once(quay: Quay, clock: Clock) -> None:
    quay.jobs = PublishJobs(quay.database, clock)
    with closing(quay.publisher()) as made:
        made.start()
        quay.publish()
        choose(quay)
        quay.write(BROKEN)
        for _ in range(3):
            wrote(quay, clock)
            quiet(quay, clock)
        assert len(quay.notices) == 1
        quay.write({"docs/b.md": "[Nowhere](/docs/nowhere)\n"})
        wrote(quay, clock)
        quiet(quay, clock)
        assert len(quay.notices) == 2, "there is one error more"
        quay.publish()
        assert len(quay.notices) == 3, "the owner has asked for it"


def test_accounts_take_turns(quay: Quay) -> None:
    many = [quay.sites.create(quay.site.account, f"many-{number}", OWNER).id for number in range(3)]
    for site in many:
        quay.jobs.ask(site, OWNER)
    few = HostedSites(quay.database).create(account(quay.database, "few@example.com").id, "few", OWNER).id
    quay.jobs.ask(few, OWNER)
    first = quay.jobs.under_way("waiting")[0]
    quay.jobs.begin(first.number)
    assert [job.site for job in quay.jobs.under_way("waiting")] == [few, *many[1:]]


def test_writes_are_published_though_the_clock_is_set_back(quay: Quay, clock: Clock) -> None:
    choose(quay)
    wrote(quay, clock)
    clock.now -= 10 * LONGEST
    assert PublishJobs(quay.database, clock).written() == [quay.site.id]
    wrote(quay, clock)
    clock.now += LONGEST
    assert PublishJobs(quay.database, clock).written() == [quay.site.id]
