from __future__ import annotations

import time
from pathlib import Path

import pytest

from server.control import ControlDatabase
from server.control.accounts.accounts import Accounts
from server.control.audit import OPERATOR
from server.control.plans import PLANS
from server.control.sealing import open_keyring
from server.hosting import compare, hosted
from server.hosting.idempotency import Ask
from server.hosting.intents import Intents
from tests.server.cli.admin.operator import EMAIL, Run
from tests.server.cli.admin.terminal import typed


def _made(database: ControlDatabase, data: Path, name: str | None = "orders") -> str:
    """A database that the server has yet to make; gives its id."""
    intents = Intents(database, open_keyring(database, data), PLANS, time.time)
    return intents.create(Ask(Accounts(database).find(EMAIL).id, OPERATOR), name).id


def _is_wanted(database: ControlDatabase, id: str) -> bool:
    row = hosted.one(database, id)
    return row is not None and row.wanted == "present"


def test_what_belongs_to_nobody_is_told_with_the_time_when_it_was_first_seen(
    run: Run, database: ControlDatabase
) -> None:
    compare.keep_orphans(database, ["db_aaaaaaaaaaaaaaaa"], 1_700_000_000)
    done = run("database", "list", TZ="UTC")
    said = "belongs to no account, as was first seen 2023-11-14 22:13; it is left alone"
    assert (done.stdout, done.stderr) == ("", f"db_aaaaaaaaaaaaaaaa is on the server and {said}.\n")


ANSWERS = [("y\n", True), ("yes\n", True), ("\n", False), ("n\n", False), ("what\nn\n", False)]


@pytest.mark.parametrize(("answer", "agreed"), ANSWERS)
def test_in_a_terminal_a_database_is_deleted_only_when_somebody_agrees(
    data: Path, database: ControlDatabase, answer: str, agreed: bool
) -> None:
    id = _made(database, data)
    code, result, seen = typed("admin", "--data", data, "database", "delete", id, answer=answer)
    assert f"Delete the database `orders` ({id}) of {EMAIL} for good? [y/N]: " in seen
    assert (code, result, _is_wanted(database, id)) == ((0 if agreed else 2), "", not agreed)
    assert ("Nothing was deleted." in seen) is not agreed


def test_ctrl_d_at_the_question_deletes_nothing(data: Path, database: ControlDatabase) -> None:
    id = _made(database, data)
    code, _, seen = typed("admin", "--data", data, "database", "delete", id, answer="\x04")
    assert (code, _is_wanted(database, id), "Traceback" in seen) == (130, True, False)


def test_with_yes_and_where_nobody_can_answer_it_is_not_asked(
    run: Run, data: Path, database: ControlDatabase
) -> None:
    one, another = _made(database, data), _made(database, data, None)
    code, _, seen = typed("admin", "--data", data, "database", "delete", "--yes", one, answer="")
    done = run("database", "delete", another)
    said = "is deleted; the server drops it as soon as it can.\n"
    assert (code, seen) == (0, f"The database `orders` ({one}) of {EMAIL} {said}")
    assert (done.returncode, done.stdout, done.stderr) == (
        0, "", f"The database `{another}` of {EMAIL} {said}"
    )  # fmt: skip
    assert not _is_wanted(database, one)
    assert not _is_wanted(database, another)


def test_what_is_deleted_already_is_told_without_a_question(
    data: Path, database: ControlDatabase, run: Run
) -> None:
    id = _made(database, data)
    run("database", "delete", id)
    code, _, seen = typed("admin", "--data", data, "database", "delete", id, answer="")
    assert (code, "there is no database" in seen, "[y/N]" in seen) == (2, True, False)
