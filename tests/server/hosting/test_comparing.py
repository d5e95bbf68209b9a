"""Judgements of the server, and what is left for the next look because it changed meanwhile."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.hosting.compare import Comparison, compare
from server.hosting.hosted import Hosted
from server.postgres.tenants.inventory import INVALID, TenantState

ROW = Hosted(
    id="db_a",
    account="ada",
    number=1,
    name="orders",
    wanted="present",
    generation=2,
    applied=2,
    made_from=1,
    lost=False,
    obeyed_suspensions=4,
    password="sealed",
    next_password=None,
    end_sessions=False,
    connection_limit=10,
    size_bytes=None,
    full=False,
    shut_until=None,
    shuts=0,
    shut_size=None,
    shut_why=None,
    forced=0,
    forced_at=None,
    attempts=0,
    next_attempt_at=0,
    last_error=None,
    created_at=1,
    updated_at=1,
    password_rotated_at=None,
    plan="free",
    suspended=False,
    suspensions=4,
)
OPEN = TenantState("db_a", True, True, True, 10, 10, False)
LOCKED = replace(OPEN, login=False, role_limit=0, database_limit=0)
SUSPENDED = replace(ROW, suspended=True, connection_limit=None)
SHUT = replace(ROW, shut_until=9, connection_limit=None)
LOST = replace(ROW, lost=True)
LATE = replace(ROW, suspended=True, suspensions=5)
NOTHING = Comparison((), (), (), ())
WRONG, GONE = replace(NOTHING, wrongly_limited=("db_a",)), replace(NOTHING, lost=("db_a",))
BACK, ORPHAN = replace(NOTHING, back=("db_a",)), replace(NOTHING, orphans=("db_a",))
CASES: dict[str, tuple[Hosted | None, TenantState | None, Hosted | None, Comparison]] = {
    "as it shall be": (ROW, OPEN, ROW, NOTHING),
    "locked, as it shall be": (SUSPENDED, LOCKED, SUSPENDED, NOTHING),
    "shut, as it shall be": (SHUT, LOCKED, SHUT, NOTHING),
    "shut, and opened by somebody": (SHUT, OPEN, SHUT, WRONG),
    "locked by somebody": (ROW, LOCKED, ROW, WRONG),
    "unlocked by somebody": (SUSPENDED, OPEN, SUSPENDED, WRONG),
    "closed by somebody, in the database alone": (ROW, replace(OPEN, database_limit=0), ROW, WRONG),
    "closed by somebody, in the role alone": (ROW, replace(OPEN, role_limit=0), ROW, WRONG),
    "without a limit, in the database": (ROW, replace(OPEN, database_limit=-1), ROW, WRONG),
    "without a limit, in the role": (ROW, replace(OPEN, role_limit=-1), ROW, WRONG),
    "limited as on another plan": (ROW, replace(OPEN, role_limit=50, database_limit=50), ROW, WRONG),
    "locked, but not the database": (SUSPENDED, replace(LOCKED, database_limit=-1), SUSPENDED, WRONG),
    "locked, with a limit of the role that nobody can use": (
        SUSPENDED,
        replace(LOCKED, role_limit=10),
        SUSPENDED,
        NOTHING,
    ),
    "another limit during the look": (ROW, OPEN, replace(ROW, connection_limit=50), NOTHING),
    "suspended during the look": (ROW, LOCKED, replace(SUSPENDED, suspensions=5), NOTHING),
    "cleared during the look": (SUSPENDED, LOCKED, replace(ROW, suspensions=5), NOTHING),
    "settled during the look": (replace(ROW, applied=1), LOCKED, ROW, NOTHING),
    "suspended, not obeyed yet": (LATE, OPEN, LATE, NOTHING),
    "a rotation under way": (replace(ROW, generation=3), LOCKED, replace(ROW, generation=3), NOTHING),
    "nothing left": (ROW, None, ROW, GONE),
    "no database left": (ROW, replace(OPEN, database=False), ROW, GONE),
    "half removed": (ROW, replace(OPEN, database_limit=INVALID), ROW, GONE),
    "no role left": (ROW, replace(OPEN, role=False), ROW, GONE),
    "lost, and known to be": (LOST, None, LOST, NOTHING),
    "there again": (LOST, OPEN, LOST, BACK),
    "there again, and locked": (LOST, LOCKED, LOST, replace(BACK, wrongly_limited=("db_a",))),
    "being made": (replace(ROW, applied=0), None, replace(ROW, applied=0), NOTHING),
    "made during the look": (None, None, ROW, NOTHING),
    "asked for during the look": (None, OPEN, replace(ROW, applied=0), NOTHING),
    "being removed": (replace(ROW, wanted="absent"), None, replace(ROW, wanted="absent"), NOTHING),
    "removed during the look": (ROW, OPEN, None, NOTHING),
    "of nobody": (None, OPEN, None, ORPHAN),
}


@pytest.mark.parametrize("case", CASES)
def test_a_look_at_the_server_judges_what_stayed_as_it_was(case: str) -> None:
    before, found, after, expected = CASES[case]
    rows = [[row] if row else [] for row in (before, after)]
    assert compare(rows[0], {"db_a": found} if found else {}, rows[1]) == expected


def test_orphans_come_in_the_order_of_their_names() -> None:
    found = {name: replace(OPEN, name=name) for name in ("db_c", "db_a", "db_b")}
    assert compare([], found, []).orphans == ("db_a", "db_b", "db_c")
