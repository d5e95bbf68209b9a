"""Sessions of browsers: how long they live, what ends them, and what the database knows of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from server.control import ControlDatabase
from server.control.accounts.account import Account
from server.control.audit import events
from server.control.errors import SessionEnded
from server.control.sign_in.browser_sessions import IDLE, LIFE, STEP_UP, BrowserSessions
from tests.server.control.clock import START, Clock
from tests.server.control.people import account


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(database: ControlDatabase, clock: Clock) -> Iterator[BrowserSessions]:
    opened = BrowserSessions(database, clock)
    yield opened
    opened.close()


def test_a_session_is_found_by_its_token_alone(sessions: BrowserSessions, owner: Account) -> None:
    made = sessions.begin(owner.id, "Firefox on Linux", "192.0.2.7")
    assert sessions.check(made.token) == made.session
    assert (made.session.account, made.session.client, made.session.address) == (
        owner.id,
        "Firefox on Linux",
        "192.0.2.7",
    )
    for text in ("", made.session.id, made.token[:-1], made.token + "A", "é" * 43, made.token.swapcase()):
        with pytest.raises(SessionEnded) as ended:
            sessions.check(text)
        assert ended.value.hint


def test_neither_the_database_nor_a_repr_holds_the_token(
    sessions: BrowserSessions, database: ControlDatabase, owner: Account
) -> None:
    made = sessions.begin(owner.id)
    assert made.token not in repr(made)
    assert made.token not in str(database.read("SELECT * FROM browser_sessions"))


@pytest.mark.parametrize(
    ("used_every", "goes_on", "ended"),
    [(LIFE, IDLE - 1, IDLE), (IDLE - 1, LIFE - 1, LIFE)],
    ids=["unused", "used"],
)
def test_a_session_ends_by_itself(
    sessions: BrowserSessions, clock: Clock, owner: Account, used_every: int, goes_on: int, ended: int
) -> None:
    made = sessions.begin(owner.id)
    for now in range(used_every, goes_on, used_every):
        clock.now = START + now
        sessions.check(made.token)
        sessions.close()  # which writes when it was used
        sessions = BrowserSessions(sessions._database, clock)
    clock.now = START + goes_on
    assert [session.id for session in sessions.of(owner.id)] == [made.session.id]
    clock.now = START + ended
    assert sessions.of(owner.id) == ()
    with pytest.raises(SessionEnded):
        sessions.check(made.token)


def test_stepping_up_gives_a_new_token_for_ten_minutes(
    sessions: BrowserSessions, clock: Clock, owner: Account
) -> None:
    made = sessions.begin(owner.id)
    assert sessions.is_stepped_up(made.session)  # who signs in has just been authenticated
    clock.now += STEP_UP
    assert not sessions.is_stepped_up(sessions.check(made.token))
    new = sessions.step_up(made.token)
    # When it was last used is written down a little later.
    assert replace(sessions.check(new.token), last_used_at=0) == replace(new.session, last_used_at=0)
    assert (new.session.id, sessions.is_stepped_up(new.session)) == (made.session.id, True)
    for stale in (sessions.check, sessions.step_up):
        with pytest.raises(SessionEnded):
            stale(made.token)
    clock.now += STEP_UP
    assert not sessions.is_stepped_up(sessions.check(new.token))


def test_an_owner_ends_sessions_of_theirs_alone(
    sessions: BrowserSessions, database: ControlDatabase, owner: Account
) -> None:
    other = account(database, "other@example.com")
    mine, second, third = (sessions.begin(owner.id) for _ in range(3))
    theirs = sessions.begin(other.id)
    assert not sessions.end(owner.id, theirs.session.id)
    assert sessions.end(owner.id, second.session.id)
    assert not sessions.end(owner.id, second.session.id)
    assert sessions.end_others(owner.id, but=mine.session.id) == 1
    for ended in (second, third):
        with pytest.raises(SessionEnded):
            sessions.check(ended.token)
    assert sessions.of(owner.id) == (sessions.check(mine.token),)
    assert sessions.check(theirs.token) == theirs.session
    assert sessions.end_others(owner.id) == 1
    assert sessions.of(owner.id) == ()


def test_another_process_sees_the_end_at_once(
    sessions: BrowserSessions, database: ControlDatabase, owner: Account, clock: Clock
) -> None:
    elsewhere = BrowserSessions(database, clock)
    made = sessions.begin(owner.id)
    elsewhere.check(made.token)
    sessions.end(owner.id, made.session.id)
    with pytest.raises(SessionEnded):
        elsewhere.check(made.token)
    elsewhere.close()


def test_old_rows_are_forgotten(
    sessions: BrowserSessions, database: ControlDatabase, owner: Account, clock: Clock
) -> None:
    sessions.begin(owner.id)
    clock.now += IDLE
    kept = sessions.begin(owner.id)
    sessions.forget_old()
    assert database.read("SELECT id FROM browser_sessions") == [(kept.session.id,)]


def test_what_happened_is_told_to_the_owner(
    sessions: BrowserSessions, database: ControlDatabase, owner: Account
) -> None:
    made = sessions.begin(owner.id)
    sessions.step_up(made.token)
    sessions.end(owner.id, made.session.id)
    told = [(event.action, event.actor, event.subject) for event in events(database, owner.id, 3)]
    assert told == [(f"session.{act}", owner.id, made.session.id) for act in ("end", "step_up", "begin")]
