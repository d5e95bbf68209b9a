"""Sites are published by themselves after writes by keys, where their owners want that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from builder.plan.site_files import SEARCHES
from server.control import audit
from server.control.accounts.accounts import Accounts
from server.control.keys.key_text import KeyKind
from server.control.keys.site_keys import SiteKeys
from server.control.notices.events import PublishFailed
from server.control.plans import PlanName
from server.control.publish_jobs import PAUSES, PublishJob, PublishJobs
from server.control.site_choices import ChosenForSites, PublishesAfter, SiteChoices
from server.control.unpublished_writes import LONGEST, QUIET, UNENDED
from server.publishing.job_report import read_report
from tests.server.publishing.test_publisher import BROKEN, OWNER, Quay, quay, stores
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("forked_builds")

__all__ = ["quay", "stores"]
KEY = "key_ci"
LONG, ONE_OFF = KeyKind.LONG_LIVED, KeyKind.ONE_OFF


PLANS: list[PlanName] = ["premium", "free"]


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


def add_key(quay: Quay, kind: KeyKind = LONG, key: str = KEY) -> None:
    """A key of the site with an id of our own, if it is not there yet."""
    sql = """
        INSERT INTO keys (id, kind, site, prefix, last_four, label, created_at, disabled, digest)
        VALUES (?, ?, ?, 'p', '1234', ?, 0, 0, ?) ON CONFLICT DO NOTHING
    """
    quay.database.write(sql, (key, kind.value, quay.site.id, key.upper(), key.encode()))


def wrote(quay: Quay, clock: Clock, kind: KeyKind = LONG, key: str = KEY) -> None:
    """A key has written to the site."""
    add_key(quay, kind, key)
    choices = ChosenForSites(quay.database, clock)
    if begun := choices.begin_write(quay.site.id, key, kind):
        choices.end_write(begun, quay.site.id, key, kind)


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
    """Return whether nothing is to be published, now that so much time has passed."""
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


def disable(quay: Quay) -> None:
    SiteKeys(quay.database).disable(KEY)


def forget(quay: Quay) -> None:
    SiteKeys(quay.database).delete(KEY)


WAITS = "look at the changes, and publish the site yourself"
REVOKED: list[tuple[Callable[[Quay], None], str]] = [
    (disable, f"the key KEY_CI, which wrote to it, was disabled: {WAITS}"),
    (forget, f"a key that wrote to it was deleted: {WAITS}"),
]


@pytest.mark.parametrize(("revoke", "said"), REVOKED)
def test_what_a_revoked_key_wrote_waits_for_the_owner(
    started: Quay, clock: Clock, revoke: Callable[[Quay], None], said: str
) -> None:
    choose(started)
    started.write({"docs/index.md": "# Boats\n\nThe harbour is closed.\n"})
    wrote(started, clock)
    revoke(started)
    job = quiet(started, clock)
    assert (job.state, job.by_itself, job.said) == ("failed", True, said)
    wrote(started, clock, key="key_good")
    assert quiet(started, clock).said == said, "another key's writes do not take them along"
    until(lambda: started.notices)
    assert len(started.notices) == 1
    assert "is closed" not in (started.read("docs/index.html") or "")
    assert started.publish().state == "done"
    wrote(started, clock, key="key_good")
    assert quiet(started, clock).state == "done"


def test_what_a_rotated_key_wrote_is_published(started: Quay, clock: Clock) -> None:
    choose(started)
    wrote(started, clock)
    SiteKeys(started.database).rotate(KEY)
    assert quiet(started, clock).state == "done"


def test_what_a_revoked_key_wrote_before_a_failure_is_remembered(started: Quay, clock: Clock) -> None:
    choose(started)
    started.write(BROKEN)
    wrote(started, clock)
    assert quiet(started, clock).said == "the site has 1 error, so it was not published"
    disable(started)
    started.write({"docs/a.md": "# Mended\n"})
    wrote(started, clock, key="key_good")
    assert quiet(started, clock).said == REVOKED[0][1]


def fill_disk(quay: Quay) -> None:
    """Have a folder where the copy of the sources is to be begun."""
    (quay.folders.work(quay.site.id) / "site" / ".new").mkdir()


def mend_disk(quay: Quay) -> None:
    (quay.folders.work(quay.site.id) / "site" / ".new").rmdir()


def put_off(quay: Quay, tries: int) -> None:
    until(lambda: last(quay).tries == tries and last(quay).is_put_off)


def test_what_may_pass_is_tried_again_and_again(quay: Quay, clock: Clock) -> None:
    quay.jobs = PublishJobs(quay.database, clock)
    with closing(quay.publisher()) as publisher:
        publisher.start()
        quay.publish()
        choose(quay)
        fill_disk(quay)
        quay.write({"docs/index.md": "# Boats\n\nThe harbour is closed.\n"})
        wrote(quay, clock)
        clock.now += QUIET
        for tries, pause in enumerate(PAUSES, 1):
            put_off(quay, tries)
            assert quay.jobs.written() == []
            clock.now += pause
        job = quay.ended(last(quay))
        assert (job.state, job.tries) == ("failed", len(PAUSES))
    assert len(quay.told) == len(PAUSES)
    assert "is not published by itself yet, and it is tried again in 30 seconds: " in quay.told[0]
    assert [event.job for _, event in quay.notices if isinstance(event, PublishFailed)] == [job.number]
    lines = [line.text for line in read_report(quay.folders.work(quay.site.id), job.number).lines]
    assert [line.rpartition(", and ")[2] for line in lines if "tried again" in line] == [
        f"it is tried again in {words}" for words in ("30 seconds", "2 minutes", "10 minutes", "60 minutes")
    ]


def test_what_was_tried_again_is_published_and_the_owner_may_be_quicker(quay: Quay, clock: Clock) -> None:
    quay.jobs = PublishJobs(quay.database, clock)
    with closing(quay.publisher()) as publisher:
        publisher.start()
        quay.publish()
        choose(quay)
        for number, ask in enumerate([False, True], 2):
            fill_disk(quay)
            quay.write({"docs/index.md": f"# Boats {number}\n"})
            wrote(quay, clock)
            clock.now += QUIET
            put_off(quay, 1)
            mend_disk(quay)
            if ask:
                quay.publish()
            else:
                clock.now += PAUSES[0]
            job = quay.ended(last(quay))
            assert (job.state, job.release, job.by_itself) == ("done", number, not ask)
        assert quay.database.read("SELECT * FROM unpublished_writes") == []
    assert quay.notices == []


def test_a_retry_waits_no_longer_when_the_clock_is_set_back(quay: Quay, clock: Clock) -> None:
    jobs = PublishJobs(quay.database, clock)
    choose(quay)
    wrote(quay, clock)
    assert jobs.ask_by_itself(quay.site.id, online=True)
    begun = jobs.begin(last(quay).number)
    assert begun
    assert jobs.put_off(begun, "the disk is full")
    assert jobs.under_way("waiting") == []
    clock.now -= 2 * PAUSES[-1]
    assert [job.number for job in jobs.under_way("waiting")] == [begun.number]


def test_a_job_that_somebody_wants_stopped_or_asked_for_again_is_not_put_off(
    quay: Quay, clock: Clock
) -> None:
    jobs = PublishJobs(quay.database, clock)
    choose(quay)
    for cross in (lambda job: jobs.stop(job.site, job.number, OWNER), lambda job: jobs.ask(job.site, OWNER)):
        wrote(quay, clock)
        assert jobs.ask_by_itself(quay.site.id, online=True)
        begun = jobs.begin(last(quay).number)
        assert begun
        cross(begun)
        assert not jobs.put_off(begun, "the disk is full")
        jobs.failed(begun.number, "the disk is full")


def test_a_write_whose_process_is_killed_is_published_all_the_same(quay: Quay, clock: Clock) -> None:
    choices, jobs = ChosenForSites(quay.database, clock), PublishJobs(quay.database, clock)
    choose(quay)
    add_key(quay)
    begun = choices.begin_write(quay.site.id, KEY, LONG)
    assert begun
    choices.end_old_writes()
    clock.now += UNENDED
    assert jobs.written() == []
    choices.end_old_writes()
    clock.now += QUIET
    assert jobs.written() == [quay.site.id]
    choices.end_write(begun, quay.site.id, KEY, LONG)
    assert jobs.written() == [quay.site.id], "who comes late changes nothing"


def test_a_refused_write_is_forgotten(quay: Quay, clock: Clock) -> None:
    choices = ChosenForSites(quay.database, clock)
    choose(quay)
    add_key(quay)
    choices.forget_write(choices.begin_write(quay.site.id, KEY, LONG))
    clock.now += UNENDED + LONGEST
    choices.end_old_writes()
    assert PublishJobs(quay.database, clock).written() == []


@pytest.mark.parametrize("is_running", [False, True])
def test_fewer_keys_publish_from_the_moment_on_when_the_owner_wants_that(
    quay: Quay, clock: Clock, is_running: bool
) -> None:
    jobs = PublishJobs(quay.database, clock)
    for others, left in (([], []), ([(LONG, "key_long")], [quay.site.id])):
        choose(quay, "all")
        for kind, key in (*others, (ONE_OFF, KEY)):
            wrote(quay, clock, kind, key)
        assert jobs.ask_by_itself(quay.site.id, online=True)
        if is_running:
            assert jobs.begin(last(quay).number)
        ChosenForSites(quay.database, clock).publish_after(quay.site.id, OWNER, "long_lived")
        assert last(quay).stop
        jobs.failed(last(quay).number, "it was stopped")
        clock.now += LONGEST
        assert jobs.written() == left


def test_a_release_that_is_pinned_stays_while_newer_ones_come(started: Quay, clock: Clock) -> None:
    choose(started)
    started.write({"docs/index.md": "# Boats\n\nThe harbour is closed.\n"})
    wrote(started, clock)
    assert quiet(started, clock).release == 2
    store = started.folders.releases(started.site.id)
    store.roll_back(1, int(clock.now))
    started.write({"docs/index.md": "# Boats\n\nThe harbour is gone.\n"})
    wrote(started, clock)
    assert quiet(started, clock).release == 3
    pointer = store.pointer()
    assert (pointer.live, pointer.latest, pointer.pinned) == (1, 3, True)
    assert "is open" in (started.read("docs/index.html") or "").replace("<strong>harbour</strong>", "harbour")
    assert started.jobs.written() == []
    store.return_to_latest(int(clock.now))
    assert "is gone" in (started.read("docs/index.html") or "")


def test_another_plan_is_published_with_the_next_write_and_not_before(started: Quay, clock: Clock) -> None:
    """A page that says so asks the owner: nobody's text changes for readers by a change of the plan alone."""
    choose(started)
    accounts, store = Accounts(started.database), started.folders.releases(started.site.id)
    for number, plan in enumerate(PLANS, 2):
        accounts.set_plan(started.site.account, plan)
        clock.now += LONGEST
        assert is_left_alone(started)
        assert store.latest() == number - 1
        started.write({"docs/index.md": f"# Boats {number}\n"})
        wrote(started, clock)
        assert quiet(started, clock).release == number
        assert store.get(number).plan == plan


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
