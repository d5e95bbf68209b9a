"""Sites are published by themselves after writes by keys, where their owners want that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from builder.plan.site_files import SEARCHES
from server.control import audit
from server.control.keys.key_text import KeyKind
from server.control.notices.events import PublishFailed
from server.control.publish_jobs import LONGEST, QUIET, PublishJob, PublishJobs
from server.control.site_choices import ChosenForSites, PublishesAfter, SiteChoices
from tests.server.publishing.test_publisher import BROKEN, OWNER, Quay, quay, stores
from tests.waiting import until

__all__ = ["quay", "stores"]
KEY = "key_ci"
LONG, ONE_OFF = KeyKind.LONG_LIVED, KeyKind.ONE_OFF


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def started(quay: Quay, clock: Clock) -> Iterator[Quay]:
    """A site that readers have, with a publisher whose jobs go by the clock."""
    quay.jobs = PublishJobs(quay.database, clock)
    with closing(quay.publisher()) as publisher:
        publisher.start()
        quay.publish()
        yield quay
    assert quay.told == []


def wrote(quay: Quay, clock: Clock, kind: KeyKind = LONG) -> None:
    """A key has written to the site."""
    ChosenForSites(quay.database, clock).note_write(quay.site.id, KEY, kind)


def choose(quay: Quay, keys: PublishesAfter = "long_lived") -> None:
    quay.choices.publish_after(quay.site.id, OWNER, keys)


def last(quay: Quay) -> PublishJob:
    found = quay.jobs.last(quay.site.id)
    assert found is not None
    return found


def quiet(quay: Quay, clock: Clock, seconds: float = QUIET) -> PublishJob:
    """The job that comes of writes when there are no more for some seconds."""
    before = last(quay).number
    clock.now += seconds
    until(lambda: last(quay).number > before)
    return quay.ended(last(quay))


def is_left_alone(quay: Quay) -> bool:
    """Whether nothing is to be published, now that so much time has passed."""
    return not quay.jobs.written()


def test_writes_by_a_key_are_published_when_they_have_ended(started: Quay, clock: Clock) -> None:
    choose(started)
    started.write({"docs/index.md": "# Boats\n\nThe harbour is closed.\n"})
    wrote(started, clock)
    job = quiet(started, clock)
    assert (job.state, job.release, job.actor, job.by_itself) == ("done", 2, KEY, True)
    assert "is closed" in (started.read("docs/index.html") or "")
    assert started.jobs.written() == []
    event = audit.events(started.database, started.site.account, 1)[0]
    assert (event.action, event.actor, event.subject) == ("site.publish", KEY, started.site.id)


def test_many_writes_are_published_once_and_not_put_off_for_ever(quay: Quay, clock: Clock) -> None:
    jobs = PublishJobs(quay.database, clock)
    choose(quay)
    for _ in range(LONGEST // 6):
        wrote(quay, clock)
        assert jobs.written() == []
        clock.now += 6
    assert jobs.written() == [quay.site.id]


CHOICES: list[tuple[PublishesAfter, KeyKind, bool]] = [
    ("nothing", LONG, False),
    ("nothing", ONE_OFF, False),
    ("long_lived", LONG, True),
    ("long_lived", ONE_OFF, False),
    ("all", LONG, True),
    ("all", ONE_OFF, True),
]


@pytest.mark.parametrize(("keys", "kind", "published"), CHOICES)
def test_only_keys_that_the_owner_has_chosen_publish(
    quay: Quay, clock: Clock, keys: PublishesAfter, kind: KeyKind, published: bool
) -> None:
    if keys != "nothing":
        choose(quay, keys)
    wrote(quay, clock, kind)
    clock.now += QUIET
    assert bool(PublishJobs(quay.database, clock).written()) == published


def test_nothing_is_switched_on_before_the_owner_does(quay: Quay) -> None:
    assert quay.choices.of(quay.site.id) == SiteChoices(counts_searches=False, publishes_after="nothing")


def test_switching_it_off_forgets_what_waits(quay: Quay, clock: Clock) -> None:
    choose(quay)
    wrote(quay, clock)
    choose(quay, "nothing")
    clock.now += QUIET
    assert PublishJobs(quay.database, clock).written() == []


def test_errors_leave_readers_what_they_have_and_are_told(started: Quay, clock: Clock) -> None:
    choose(started)
    started.write(BROKEN)
    wrote(started, clock)
    job = quiet(started, clock)
    assert (job.state, job.said) == ("failed", "the site has 1 error, so it was not published")
    until(lambda: started.notices)
    assert started.notices == [
        (started.site.account, PublishFailed("boats", job.number, job.said, by_itself=True))
    ]


def test_addresses_that_would_vanish_stop_it_until_they_lead_somewhere(started: Quay, clock: Clock) -> None:
    started.write({"docs/old.md": "# Old\n"})
    started.publish()
    choose(started)
    (started.root(started.site.id) / "docs/old.md").unlink()
    wrote(started, clock)
    job = quiet(started, clock)
    assert job.state == "failed"
    assert job.said == "addresses would lead nowhere: `/docs/old`; add redirects, or publish it yourself"
    assert started.read("docs/old.html") is not None
    started.write({"site.yml": "title: Boats\nredirects:\n  /docs/old: /docs/\n"})
    wrote(started, clock)
    assert quiet(started, clock).state == "done"


def test_the_owner_may_let_addresses_vanish(started: Quay) -> None:
    started.write({"docs/old.md": "# Old\n"})
    started.publish()
    (started.root(started.site.id) / "docs/old.md").unlink()
    assert started.publish().state == "done"


def unpublish(quay: Quay) -> None:
    quay.folders.releases(quay.site.id).unpublish(1)


def delete(quay: Quay) -> None:
    quay.sites.delete(quay.site.id, OWNER)


def suspend(quay: Quay) -> None:
    quay.database.write("UPDATE accounts SET suspended = 1")


@pytest.mark.parametrize("stop", [unpublish, delete, suspend])
def test_a_site_that_its_owner_keeps_from_readers_is_left_alone(
    started: Quay, clock: Clock, stop: Callable[[Quay], None]
) -> None:
    choose(started)
    wrote(started, clock)
    stop(started)
    before = last(started).number
    clock.now += QUIET
    until(lambda: is_left_alone(started))
    assert last(started).number == before


def test_what_the_owner_asks_for_is_not_taken_over(quay: Quay, clock: Clock) -> None:
    jobs = PublishJobs(quay.database, clock)
    asked = jobs.ask(quay.site.id, OWNER, despite_errors=True)
    choose(quay)
    wrote(quay, clock)
    assert jobs.ask_by_itself(quay.site.id, online=True)
    assert jobs.last(quay.site.id) == asked


def test_what_waits_by_itself_becomes_the_owners_own(quay: Quay, clock: Clock) -> None:
    jobs = PublishJobs(quay.database, clock)
    choose(quay)
    wrote(quay, clock)
    assert jobs.ask_by_itself(quay.site.id, online=True)
    asked = jobs.ask(quay.site.id, OWNER)
    assert (asked.by_itself, asked.actor) == (False, OWNER.actor)


def test_a_job_has_all_that_was_written_before_it_began(quay: Quay, clock: Clock) -> None:
    jobs = PublishJobs(quay.database, clock)
    choose(quay)
    wrote(quay, clock)
    assert jobs.begin(jobs.ask(quay.site.id, OWNER).number)
    clock.now += LONGEST
    assert jobs.written() == []


def test_of_two_processes_one_publishes(quay: Quay, clock: Clock) -> None:
    quay.jobs = PublishJobs(quay.database, clock)
    with ExitStack() as opened:
        for _ in range(2):
            opened.enter_context(closing(quay.publisher())).start()
        quay.publish()
        choose(quay)
        for number in range(5):
            quay.write({"docs/index.md": f"# Boats {number}\n"})
            wrote(quay, clock)
            assert quiet(quay, clock).release == number + 2
    assert quay.told == []


def test_a_failure_that_somebody_wanted_is_not_told(quay: Quay) -> None:
    job = quay.jobs.ask(quay.site.id, OWNER)
    quay.jobs.stop(quay.site.id, job.number, OWNER)
    with closing(quay.publisher()) as publisher:
        publisher.start()
        quay.publish()
    assert quay.notices == []


def test_the_search_tells_what_it_does_not_find_where_the_owner_wants_to_know(started: Quay) -> None:
    assert started.read(SEARCHES) is None
    assert "data-unfound" not in (started.read("docs/index.html") or "")
    started.choices.count_searches(started.site.id, OWNER, on=True)
    started.publish()
    assert started.read(SEARCHES)
    assert "data-unfound" in (started.read("docs/index.html") or "")
    started.choices.count_searches(started.site.id, OWNER, on=False)
    started.publish()
    assert started.read(SEARCHES) is None
    assert "data-unfound" not in (started.read("docs/index.html") or "")
