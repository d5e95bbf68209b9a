"""Questions to the process that reads pages: loading, limits, and askers in turn."""

from __future__ import annotations

import time
from concurrent.futures import wait
from pathlib import Path

import pytest
from msgspec import Struct

from builder.review import Review
from builder.site import Site
from server.authoring import reviewer as reviewing
from server.authoring.question_queue import OF_ONE, Asked, QuestionQueue
from server.authoring.reviewer import Reviewer, ReviewTooLong, SiteLoading
from server.http.failure import Failure
from tests.sites import write_site
from tests.waiting import PATIENCE

SITE = {"site.yml": "title: T\n", "docs/a.md": "# A\n"}


class Work(Struct, frozen=True):
    """A question that keeps a processor busy for so many seconds; its answer tells when it was given."""

    seconds: float

    def answer(self, review: Review, site: Site) -> float:
        """Return the time by the clock that all processes share."""
        until = time.process_time() + self.seconds
        while time.process_time() < until:
            pass
        return time.monotonic()


class Pages(Struct, frozen=True):
    """A question about the number of pages."""

    def answer(self, review: Review, site: Site) -> int:
        """Return it."""
        return len(site.pages)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a site, whose first look is waited for however busy the machine is."""
    monkeypatch.setattr(reviewing, "PATIENCE", PATIENCE)
    return write_site(tmp_path / "site", SITE)


def test_a_question_that_takes_too_long_is_given_up_and_the_next_is_answered(root: Path) -> None:
    reviewer = Reviewer(root, seconds=1)
    try:
        slow, quick = reviewer.ask(Work(600), "a"), reviewer.ask(Pages(), "b")
        assert isinstance(slow.exception(PATIENCE), ReviewTooLong)
        assert quick.result(PATIENCE) == 1
    finally:
        reviewer.close()


def test_the_first_look_has_a_limit_of_its_own_and_what_was_read_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {f"docs/p{n}.md": f"# P{n}\n\n[a](./p0.md)\n" for n in range(600)}
    root = write_site(tmp_path / "site", {"site.yml": "title: T\n", **pages})
    monkeypatch.setattr(reviewing, "PATIENCE", 0.01)
    reviewer = Reviewer(root, seconds=PATIENCE)
    try:
        assert isinstance(reviewer.ask(Pages()).exception(PATIENCE), SiteLoading)
        until = time.monotonic() + PATIENCE
        while isinstance(error := (asked := reviewer.ask(Pages())).exception(PATIENCE), SiteLoading):
            assert time.monotonic() < until
            time.sleep(0.1)
        assert error is None
        assert asked.result() == 600
    finally:
        reviewer.close()


def test_askers_have_their_turns(root: Path) -> None:
    reviewer = Reviewer(root)
    try:
        reviewer.ask(Pages()).result(PATIENCE)
        many = [reviewer.ask(Work(0.3), "a") for _ in range(10)]
        wait(many[:1], PATIENCE)
        others = [reviewer.ask(Work(0), "b").result(PATIENCE) for _ in range(3)]
        done = [one.result(PATIENCE) for one in many]
        assert [sum(one < other for one in done) <= 3 * turn for turn, other in enumerate(others, 1)] == [
            True
        ] * 3
    finally:
        reviewer.close()


def test_a_queue_takes_one_of_each_asker_in_turn_and_refuses_a_crowd() -> None:
    queue = QuestionQueue()
    for asker in "aaabbc":
        queue.put(Asked(Pages(), asker))
    taken = queue.take(5)
    assert [one.asker for one in taken] == ["a", "b", "c", "a", "b"]
    assert queue.has_others(frozenset("bc"))
    assert not queue.has_others(frozenset("a"))
    queue.put_back(taken[3:])
    assert [one.asker for one in queue.take(9)] == ["a", "b", "a"]
    for _ in range(OF_ONE):
        queue.put(Asked(Pages(), "a"))
    with pytest.raises(Failure) as refused:
        queue.put(Asked(Pages(), "a"))
    assert (refused.value.code, refused.value.headers["Retry-After"]) == ("TOO_BUSY", "2")
    queue.put(Asked(Pages(), "b"))
    queue.close()
    assert len(queue.take(1000)) == OF_ONE + 1
    assert queue.take(1) == []
