"""Master keys are changed while the service runs, and no secret is lost over it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from server.control import ControlDatabase
from server.control.errors import WrongMasterKey
from server.control.sealing import MASTER_KEYS, Keyring, open_keyring, password_of
from server.control.sealing.environment import EnvironmentKeys
from server.control.sealing.master_key import generate, written
from server.control.sealing.opening import source_of
from server.control.sealing.places import sealed_texts
from server.control.sealing.rotation import prune, rewrap, rotate, unneeded
from tests.server.control.hosted import fill, opened

NONE: dict[str, str] = {}
COUNT = 120
"""More than are sealed anew in one change."""


def keys_of(database: ControlDatabase) -> set[str]:
    return {each.key for each in sealed_texts(database)}


def canaries(database: ControlDatabase) -> set[str]:
    rows = database.read("SELECT name FROM settings WHERE name LIKE 'canary:%'")
    return {str(name).removeprefix("canary:") for (name,) in rows}


def test_a_new_key_seals_from_now_on_and_the_old_one_opens_what_it_sealed(
    database: ControlDatabase, data: Path
) -> None:
    running, source = open_keyring(database, data, NONE), source_of(data, NONE)
    old, texts = running.newest, fill(database, running, 3)
    (new,) = rotate(database, source).ids
    assert running.newest == new != old
    assert opened(database, running) == opened(database, open_keyring(database, data, NONE)) == texts
    assert (keys_of(database), canaries(database)) == ({old}, {old, new})
    assert (unneeded(database, source), prune(database, source).ids) == ((), ())


def test_everything_is_sealed_anew_and_then_the_old_key_may_go(database: ControlDatabase, data: Path) -> None:
    running, source = open_keyring(database, data, NONE), source_of(data, NONE)
    old, texts = running.newest, fill(database, running, COUNT)
    (new,) = rotate(database, source).ids
    assert rewrap(database, running) == len(texts) == COUNT + COUNT // 2 + 1
    assert rewrap(database, running) == 0
    assert keys_of(database) == {new}
    assert unneeded(database, source) == prune(database, source).ids == (old,)
    assert [key.id for key in source.load()] == [new]
    assert canaries(database) == {new}
    assert opened(database, running) == opened(database, open_keyring(database, data, NONE)) == texts
    assert prune(database, source).ids == ()


def test_with_the_environment_the_command_says_what_it_has_to_hold(
    database: ControlDatabase, data: Path
) -> None:
    before = {MASTER_KEYS: written([generate()])}
    texts = fill(database, open_keyring(database, data, before), 3)
    made = rotate(database, source_of(data, before))
    assert made.variable is not None
    assert made.variable.endswith(before[MASTER_KEYS])
    assert made.variable not in repr(made)
    between = {MASTER_KEYS: made.variable}
    running = open_keyring(database, data, between)
    assert rewrap(database, running) == len(texts)
    after = prune(database, source_of(data, between)).variable
    assert after == made.variable.partition(",")[0]
    assert opened(database, open_keyring(database, data, {MASTER_KEYS: str(after)})) == texts
    assert not (data / "master.keys").exists()


def test_a_key_that_was_taken_out_by_hand_when_it_was_not_needed_is_not_missed(
    database: ControlDatabase, data: Path
) -> None:
    first, second = generate(), generate()
    texts = fill(database, open_keyring(database, data, {MASTER_KEYS: written([first])}), 3)
    both = open_keyring(database, data, {MASTER_KEYS: written([second, first])})
    assert rewrap(database, both) == len(texts)
    assert opened(database, open_keyring(database, data, {MASTER_KEYS: written([second])})) == texts


def test_a_password_that_is_changed_while_all_is_sealed_anew_is_not_lost(
    database: ControlDatabase, data: Path
) -> None:
    running, source = open_keyring(database, data, NONE), source_of(data, NONE)
    texts = fill(database, running, COUNT)
    ended = Event()

    def change_passwords() -> dict[str, str]:
        """As the service does it: a next password, which becomes the present one."""
        latest, number = {}, 0
        while not (ended.is_set() and number > 200):
            name = f"db_{number % COUNT}"
            with database.change() as change:
                sealed = running.seal(f"changed {number}", password_of(name))
                change.write("UPDATE databases SET next_password = ? WHERE id = ?", (sealed, name))
            with database.change() as change:
                sql = "UPDATE databases SET password = next_password, next_password = NULL WHERE id = ?"
                change.write(sql, (name,))
            latest[f"{name} password"] = f"changed {number}"
            texts.pop(f"{name} next", None)
            number += 1
            time.sleep(0.001)  # SQLite knows no order of those who wait, and the other one waits too
        return latest

    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(change_passwords)
        try:
            for _ in range(5):
                rotate(database, source)
                rewrap(database, Keyring(source))
                prune(database, source)
        finally:
            ended.set()
        texts |= changing.result()
    fresh = open_keyring(database, data, NONE)
    assert opened(database, fresh) == texts
    rewrap(database, fresh)
    prune(database, source)
    assert (len(source.load()), keys_of(database)) == (1, {fresh.newest})


def test_a_secret_that_somebody_else_has_replaced_is_left_to_them(
    database: ControlDatabase, data: Path
) -> None:
    running, source = open_keyring(database, data, NONE), source_of(data, NONE)
    fill(database, running, 2)
    rotate(database, source)
    before = next(each for each in sealed_texts(database) if each.row == "db_0")
    theirs = running.seal("theirs", before.bound_to)
    database.write("UPDATE databases SET password = ? WHERE id = 'db_0'", (theirs,))
    assert database.write(before.replace, ("ours", before.row, before.text)) == 0
    rewrap(database, running)
    assert opened(database, running)["db_0 password"] == "theirs"


def test_rotations_at_once_lose_no_key(database: ControlDatabase, data: Path) -> None:
    running, source = open_keyring(database, data, NONE), source_of(data, NONE)
    texts = fill(database, running, 2)
    with ThreadPoolExecutor(8) as pool:
        made = {
            each for found in pool.map(lambda _: rotate(database, source).ids, range(16)) for each in found
        }
    assert {key.id for key in source.load()} > made
    assert len(source.load()) == 17
    assert opened(database, open_keyring(database, data, NONE)) == texts


def test_what_cannot_be_opened_stops_it_and_is_named(database: ControlDatabase, data: Path) -> None:
    running, source = open_keyring(database, data, NONE), source_of(data, NONE)
    fill(database, running, 2)
    stranger = Keyring(EnvironmentKeys(written([generate()])))
    sealed = stranger.seal("lost", password_of("db_1"))
    database.write("UPDATE databases SET password = ? WHERE id = 'db_1'", (sealed,))
    rotate(database, source)
    with pytest.raises(WrongMasterKey) as refused:
        rewrap(database, running)
    assert refused.value.path == password_of("db_1")
