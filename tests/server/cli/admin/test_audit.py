from __future__ import annotations

import json

import pytest

from server.control import ControlDatabase, audit
from server.control.accounts.accounts import Accounts
from server.control.audit import Event
from tests.server.cli.admin.operator import EMAIL, Run

REVEALS = 1200
ALL = REVEALS + 1


@pytest.fixture
def revealed(database: ControlDatabase) -> ControlDatabase:
    """An account whose key has revealed a password very often since the account was made."""
    me = Accounts(database).find(EMAIL).id
    with database.change() as change:
        for number in range(REVEALS):
            audit.note(change, Event(2_000_000_000 + number, me, "key", "database.reveal", f"db_{number}"))
    return database


LIMITS = [((), 1000), (("--limit", "3"), 3), (("--limit", "0"), ALL), (("--limit", "5000"), ALL)]


@pytest.mark.usefixtures("revealed")
@pytest.mark.parametrize(("words", "count"), LIMITS)
def test_as_many_events_are_shown_as_are_asked_for_the_last_first(
    run: Run, words: tuple[str, ...], count: int
) -> None:
    found = json.loads(run("audit", EMAIL, "--json", *words).stdout)
    assert (len(found), found[0]["subject"]) == (count, f"db_{REVEALS - 1}")
    done = run("audit", EMAIL, *words)
    assert len(done.stdout.splitlines()) == count + 1
    assert ("older events: `--limit 0` shows all" in done.stderr) is (count < ALL)
    assert ("account.create" in done.stdout) is (count == ALL)


@pytest.mark.parametrize("limit", ["-1", "many", str(10**30)])
def test_a_limit_that_is_none_is_wrong_usage(run: Run, me: str, limit: str) -> None:
    done = run("audit", me, "--limit", limit)
    assert (done.returncode, "--limit" in done.stderr, "Traceback" in done.stderr) == (2, True, False)


def test_repeats_are_one_event_with_how_often_and_when_last(
    run: Run, me: str, database: ControlDatabase
) -> None:
    own = Accounts(database).find(me).id
    for at in (2_000_000_000, 2_000_000_001, 2_000_000_030):
        with database.change() as change:
            audit.note(change, Event(at, own, "key", "database.reveal", "db_a"))
    first, before = json.loads(run("audit", me, "--json").stdout)[:2]
    assert (first["at"], first["count"], first["last_at"]) == (
        "2033-05-18T03:33:20Z",
        3,
        "2033-05-18T03:33:50Z",
    )
    assert (before["count"], before["last_at"]) == (1, before["at"])
    head, shown, *_ = run("audit", me).stdout.splitlines()
    assert (head.split()[-1], shown.split()[-1]) == ("TIMES", "3")
