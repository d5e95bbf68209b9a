"""The limit of active keys holds however many ask at once, in threads and in processes."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier

import pytest

from server.control import ControlDatabase
from server.control.errors import KeyLimitReached
from server.control.keys.management_keys import ManagementKeys
from server.control.plans import PLANS, PlanName
from tests.server.control.people import account
from tests.server.control.test_processes import other

AT_ONCE = 50
WORK = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from server.control import ControlDatabase
from server.control.errors import KeyLimitReached
from server.control.keys.management_keys import ManagementKeys
path, act, *names = sys.argv[1:]
def do(name):
    try:
        getattr(keys, act)(name)
    except KeyLimitReached:
        return "refused"
    return "done"
with ControlDatabase(Path(path)) as database, ThreadPoolExecutor(len(names)) as pool:
    keys = ManagementKeys(database)
    print("ready", flush=True)
    sys.stdin.readline()
    print(*pool.map(do, names), sep="\\n")
"""
PROCESSES = 5


def _disabled(keys: ManagementKeys, owner: str) -> list[str]:
    made = []
    for _ in range(AT_ONCE):
        record = keys.create(owner).record
        keys.disable(record.id)
        made.append(record.id)
    return made


def _active(keys: ManagementKeys, owner: str) -> int:
    return sum(each.state == "active" for each in keys.list(owner))


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("act", ["create", "enable", "both"])
def test_fifty_threads_at_once_end_with_exactly_the_limit(tmp_path: Path, act: str, plan: PlanName) -> None:
    with ControlDatabase(tmp_path / "control.sqlite3") as database:
        owner, keys = account(database, plan=plan), ManagementKeys(database)
        kept = [] if act == "create" else _disabled(keys, owner.id)
        start = Barrier(AT_ONCE)

        def click(number: int) -> str:
            start.wait()
            try:
                if act == "create" or (act == "both" and number % 2):
                    keys.create(owner.id)
                else:
                    keys.enable(kept[number])
            except KeyLimitReached:
                return "refused"
            return "done"

        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = Counter(pool.map(click, range(AT_ONCE)))
        limit = PLANS[plan].active_keys
        assert answers == {"done": limit, "refused": AT_ONCE - limit}
        assert _active(keys, owner.id) == limit


@pytest.mark.parametrize("act", ["create", "enable"])
def test_so_do_fifty_of_five_processes(tmp_path: Path, act: str) -> None:
    path = tmp_path / "control.sqlite3"
    with ControlDatabase(path) as database:
        owner, keys = account(database, plan="premium"), ManagementKeys(database)
        names = [owner.id] * AT_ONCE if act == "create" else _disabled(keys, owner.id)
        with ExitStack() as stack:
            parts = [names[number::PROCESSES] for number in range(PROCESSES)]
            processes = [stack.enter_context(other(WORK, path, act, *part)) for part in parts]
            assert [process.hear() for process in processes] == ["ready"] * PROCESSES
            for process in processes:
                process.tell("go")
            answers = Counter(line for process in processes for line in process.rest())
        limit = PLANS["premium"].active_keys
        assert answers == {"done": limit, "refused": AT_ONCE - limit}
        assert _active(keys, owner.id) == limit
