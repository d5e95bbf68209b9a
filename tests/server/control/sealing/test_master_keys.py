"""Sources of master keys, and the keys with which the service does not start."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.control import ControlDatabase, DatabaseError
from server.control.errors import InvalidMasterKeys, SecretError, UnsafeMasterKeys, WrongMasterKey
from server.control.sealing import MASTER_KEYS, open_keyring
from server.control.sealing.environment import MASTER_KEYS_FILE
from server.control.sealing.key_file import KeyFile
from server.control.sealing.master_key import MasterKey, generate, parse, written
from tests.server.control.hosted import fill, opened

NONE: dict[str, str] = {}


@pytest.fixture
def file(data: Path) -> Path:
    return data / "master.keys"


def variable(*keys: MasterKey) -> dict[str, str]:
    return {MASTER_KEYS: written(keys)}


def in_file(file: Path) -> tuple[MasterKey, ...]:
    return parse(file.read_text(), "")


def test_the_first_start_makes_a_file_for_its_owner_alone(
    database: ControlDatabase, data: Path, file: Path
) -> None:
    texts = fill(database, open_keyring(database, data, NONE), 3)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(in_file(file)) == 1
    before = file.read_bytes()
    assert opened(database, open_keyring(database, data, NONE)) == texts
    assert file.read_bytes() == before
    assert {each.name for each in data.iterdir() if "master" in each.name} == {"master.keys"}


def test_starts_at_once_make_one_key(database: ControlDatabase, data: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        rings = list(pool.map(lambda _: open_keyring(database, data, NONE), range(16)))
    assert len({each.newest for each in rings}) == 1


def test_keys_of_the_environment_are_taken_and_no_file_is_made(
    database: ControlDatabase, data: Path, file: Path
) -> None:
    texts = fill(database, open_keyring(database, data, variable(generate())), 1)
    assert not file.exists()
    with pytest.raises(WrongMasterKey) as refused:
        open_keyring(database, data, NONE)
    assert MASTER_KEYS in refused.value.hint
    assert not file.exists()
    assert texts


def test_the_keys_of_the_file_may_move_into_the_environment(
    database: ControlDatabase, data: Path, file: Path
) -> None:
    texts = fill(database, open_keyring(database, data, NONE), 2)
    (key,) = in_file(file)
    file.unlink()
    assert opened(database, open_keyring(database, data, variable(key))) == texts
    assert opened(database, open_keyring(database, data, variable(generate(), key))) == texts


@pytest.mark.parametrize("sealed", [0, 3])
def test_it_does_not_start_when_the_file_is_missing_or_another_one(
    database: ControlDatabase, data: Path, file: Path, sealed: int
) -> None:
    keyring = open_keyring(database, data, NONE)
    texts = fill(database, keyring, sealed) if sealed else {}
    (key,) = in_file(file)
    file.unlink()
    with pytest.raises(WrongMasterKey, match="is missing"):
        open_keyring(database, data, NONE)
    assert not file.exists()
    for wrong in (generate(), MasterKey(key.id, bytes(32))):
        KeyFile(file).make([wrong])
        for given in (NONE, variable(wrong)):
            with pytest.raises(WrongMasterKey) as refused:
                open_keyring(database, data, given)
            assert key.id in refused.value.message
            assert refused.value.hint
        file.unlink()
    KeyFile(file).make([key])
    assert opened(database, open_keyring(database, data, NONE)) == texts


def test_it_does_not_start_without_a_key_that_something_is_sealed_with(
    database: ControlDatabase, data: Path
) -> None:
    first, second = generate(), generate()
    texts = fill(database, open_keyring(database, data, variable(first)), 3)
    open_keyring(database, data, variable(second, first))
    with pytest.raises(WrongMasterKey, match=f"`{first.id}` is missing, with which 5 secrets"):
        open_keyring(database, data, variable(second))
    assert opened(database, open_keyring(database, data, variable(second, first))) == texts


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o700, 0o666])
def test_a_file_that_others_may_use_is_refused(
    database: ControlDatabase, data: Path, file: Path, mode: int
) -> None:
    open_keyring(database, data, NONE)
    file.chmod(mode)
    with pytest.raises(UnsafeMasterKeys, match=f"{mode:04o}") as refused:
        open_keyring(database, data, NONE)
    assert (refused.value.path, "chmod 600" in refused.value.hint) == (str(file), True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_a_file_of_somebody_else_is_refused(database: ControlDatabase, data: Path, file: Path) -> None:
    open_keyring(database, data, NONE)
    os.chown(file, 12345, -1)
    with pytest.raises(UnsafeMasterKeys, match="12345"):
        open_keyring(database, data, NONE)


def test_a_link_or_a_folder_in_its_place_is_refused(
    database: ControlDatabase, data: Path, file: Path
) -> None:
    elsewhere = data / "elsewhere"
    KeyFile(elsewhere).make([generate()])
    file.symlink_to(elsewhere)
    with pytest.raises(UnsafeMasterKeys, match="link"):
        open_keyring(database, data, NONE)
    file.unlink()
    file.symlink_to(data / "nowhere")
    with pytest.raises(UnsafeMasterKeys, match="link"):
        open_keyring(database, data, NONE)
    file.unlink()
    file.mkdir()
    with pytest.raises(DatabaseError):
        open_keyring(database, data, NONE)


@pytest.mark.parametrize("text", ["", "# nothing\n", "no keys\n", "a:AAAA\n"])
def test_a_file_that_cannot_be_read_is_refused_and_stays(
    database: ControlDatabase, data: Path, file: Path, text: str
) -> None:
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(InvalidMasterKeys) as refused:
        open_keyring(database, data, NONE)
    assert refused.value.path == str(file)
    assert file.read_text() == text


def test_a_file_that_others_look_after_is_read_and_left_alone(
    database: ControlDatabase, data: Path, file: Path, tmp_path: Path
) -> None:
    given = tmp_path / "credential"
    given.write_text(f"# of the operator\n{written([generate()])}\n")
    given.chmod(0o440)
    texts = fill(database, open_keyring(database, data, {MASTER_KEYS_FILE: str(given)}), 1)
    assert opened(database, open_keyring(database, data, {MASTER_KEYS: given.read_text()})) == texts
    assert not file.exists()
    assert given.read_text().startswith("# of the operator")


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({MASTER_KEYS_FILE: "/nowhere/at/all"}, "cannot be read"),
        ({MASTER_KEYS_FILE: ""}, "cannot be read"),
        ({MASTER_KEYS_FILE: "/dev/null"}, "no master key"),
        ({MASTER_KEYS_FILE: "/dev/null", MASTER_KEYS: "a:b"}, "both"),
    ],
)
def test_a_file_that_cannot_be_taken_is_an_error_and_no_other_is_made(
    database: ControlDatabase, data: Path, file: Path, environment: dict[str, str], words: str
) -> None:
    with pytest.raises(InvalidMasterKeys, match=words):
        open_keyring(database, data, environment)
    assert not file.exists()


def test_a_variable_that_is_empty_is_an_error_and_makes_no_file(
    database: ControlDatabase, data: Path, file: Path
) -> None:
    with pytest.raises(InvalidMasterKeys):
        open_keyring(database, data, {MASTER_KEYS: ""})
    assert not file.exists()


def test_a_running_program_does_not_seal_when_its_keys_are_gone(
    database: ControlDatabase, data: Path, file: Path
) -> None:
    keyring = open_keyring(database, data, NONE)
    sealed = keyring.seal("text", "place")
    file.unlink()
    with pytest.raises((SecretError, DatabaseError), match=r"master\.keys"):
        keyring.seal("text", "place")
    assert keyring.open(sealed, "place") == "text"


def test_a_pipe_in_its_place_is_refused_and_not_waited_for(
    database: ControlDatabase, data: Path, file: Path
) -> None:
    os.mkfifo(file, 0o600)
    with pytest.raises(UnsafeMasterKeys, match="no ordinary file"):
        open_keyring(database, data, NONE)


def test_keys_are_on_the_disk_before_anything_is_sealed_with_them(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[str, bool]] = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        synced.append((name.partition(".keys.")[0], file.exists() and parse(file.read_text(), "") == now))
        sync(descriptor)

    file.parent.mkdir()
    monkeypatch.setattr(os, "fsync", noted)
    now = (generate(),)
    KeyFile(file).make(now)
    now = (generate(), *now)
    KeyFile(file).store(now)
    assert synced == [("master", False), ("data", True)] * 2


def test_the_first_keys_stay_though_others_are_made(file: Path) -> None:
    file.parent.mkdir()
    first = (generate(),)
    for keys in (first, (generate(),)):
        KeyFile(file).make(keys)
        assert KeyFile(file).load() == first
    assert [each.name for each in file.parent.iterdir()] == [file.name]
