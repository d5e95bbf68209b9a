from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.control import ControlDatabase
from server.control.errors import InvalidMasterKeys, SealBroken, SecretError, WrongMasterKey
from server.control.sealing import Keyring, password_of
from server.control.sealing.environment import EnvironmentKeys
from server.control.sealing.key_file import KeyFile
from server.control.sealing.keyring import MISSING
from server.control.sealing.master_key import MasterKey, generate, parse, written
from server.control.sealing.seal import NONCE, TAG, key_id
from tests.server.control.hosted import fill, opened

KEYS = st.builds(
    MasterKey, st.from_regex(r"[0-9A-Za-z_-]{1,32}", fullmatch=True), st.binary(min_size=32, max_size=32)
)
PLACES = st.one_of(st.text(), st.sampled_from(["databases:a:password", "settings:sealed:a"]))
RING = Keyring(EnvironmentKeys(written([generate(), generate()])))


def ring(*keys: MasterKey) -> Keyring:
    return Keyring(EnvironmentKeys(written(keys)))


@given(KEYS, st.text(), PLACES)
def test_what_was_sealed_opens_with_its_key_at_its_place(key: MasterKey, text: str, place: str) -> None:
    sealed = ring(key).seal(text, place)
    assert ring(key).open(sealed, place) == text
    assert key_id(sealed, place) == key.id


@given(st.text(), PLACES, PLACES)
def test_it_opens_at_no_other_place(text: str, place: str, other: str) -> None:
    sealed = RING.seal(text, place)
    if other != place:
        with pytest.raises(SealBroken):
            RING.open(sealed, other)


@given(st.text(), st.data())
def test_a_text_of_which_one_character_was_changed_does_not_open(text: str, data: st.DataObject) -> None:
    sealed = RING.seal(text, "place")
    place = data.draw(st.integers(0, len(sealed) - 1))
    other = data.draw(st.one_of(st.characters(max_codepoint=127), st.characters()))
    changed = sealed[:place] + other + sealed[place + 1 :]
    if changed != sealed:
        with pytest.raises(SecretError):
            RING.open(changed, "place")


def test_other_letters_for_the_same_bytes_do_not_open() -> None:
    """The last letter before `=` has bits that stand for nothing."""
    sealed = next(text for length in range(3) if (text := RING.seal("x" * length, "place")).endswith("="))
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    end = len(sealed.rstrip("="))
    other = sealed[: end - 1] + letters[letters.index(sealed[end - 1]) + 1] + sealed[end:]
    assert base64.b64decode(other) == base64.b64decode(sealed)
    assert RING.open(sealed, "place").strip("x") == ""
    with pytest.raises(SealBroken):
        RING.open(other, "place")


@given(st.one_of(st.text(), st.binary().map(base64.b64encode).map(bytes.decode)))
def test_any_other_text_is_broken_and_not_repeated(text: str) -> None:
    with pytest.raises(SealBroken) as refused:
        RING.open(text, "place")
    assert refused.value.message == "the sealed secret does not belong to this place"
    assert "restore a copy" in refused.value.hint


@given(st.binary(min_size=NONCE + TAG))
def test_what_names_a_key_that_is_not_there_is_refused_and_not_repeated(data: bytes) -> None:
    with pytest.raises(WrongMasterKey) as refused:
        RING.open(base64.b64encode(b"\x01\x03abc" + data).decode(), "place")
    assert refused.value.message == "the master key `abc` is missing, with which this was sealed"
    assert refused.value.hint == MISSING


@given(KEYS, KEYS, st.text())
def test_another_key_does_not_open_it_whatever_its_id(key: MasterKey, other: MasterKey, text: str) -> None:
    if other.key != key.key:
        sealed = ring(key).seal(text, "place")
        with pytest.raises(SecretError):
            ring(MasterKey(key.id, other.key)).open(sealed, "place")
        if other.id != key.id:
            with pytest.raises(WrongMasterKey, match="missing"):
                ring(other).open(sealed, "place")


@given(st.text(), st.lists(KEYS, min_size=1, max_size=4, unique_by=lambda key: key.id))
def test_a_ring_opens_what_any_of_its_keys_has_sealed_and_seals_with_the_first(
    text: str, keys: list[MasterKey]
) -> None:
    whole = ring(*keys)
    assert whole.newest == keys[0].id
    for key in keys:
        assert whole.open(ring(key).seal(text, "place"), "place") == text
    assert ring(keys[0]).open(whole.seal(text, "place"), "place") == text


@given(
    st.lists(KEYS, min_size=1, max_size=4, unique_by=lambda key: key.id),
    st.sampled_from([",", "\n", " , \n"]),
)
def test_keys_are_read_as_they_are_written(keys: list[MasterKey], separator: str) -> None:
    assert parse(f"# of ours, a:b\n{written(keys, separator)}\n", "here") == tuple(keys)


def test_the_same_text_is_never_sealed_alike() -> None:
    assert len({RING.seal("text", "place") for _ in range(1000)}) == 1000


GOOD = base64.b64encode(bytes(range(32))).decode()
BAD = ["", " ", "#", GOOD, f":{GOOD}", f"a b:{GOOD}", f"{'a' * 33}:{GOOD}", "a:", f"a:{GOOD[:-4]}",
       f"a:{GOOD}AAAA", f"a:{GOOD[:-3]}!!=", f"a:{GOOD},b:x", f"a:{GOOD},a:{GOOD}", f"\u00e9:{GOOD}",
       "a:\udc80"]  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_master_keys_that_cannot_be_read_are_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InvalidMasterKeys) as refused:
        EnvironmentKeys(text)
    assert (refused.value.path, bool(refused.value.hint)) == ("TWINPRESS_MASTER_KEYS", True)
    assert GOOD[:8] not in str(refused.value)


def test_no_key_is_in_a_representation() -> None:
    key = generate()
    for each in (key, RING, vars(ring(key))):
        assert repr(key.key) not in repr(each)
        assert written([key]) not in repr(each)


def test_a_secret_that_is_moved_to_another_row_is_refused(tmp_path: Path) -> None:
    with ControlDatabase(tmp_path / "control.sqlite3") as database:
        fill(database, RING, 3)
        database.write("UPDATE databases SET password = (SELECT password FROM databases WHERE id = 'db_0')")
        for number, moved in (("0", False), ("1", True), ("2", True)):
            place = password_of(f"db_{number}")
            ((sealed,),) = database.read("SELECT password FROM databases WHERE id = ?", (f"db_{number}",))
            if moved:
                with pytest.raises(SealBroken) as refused:
                    RING.open(str(sealed), place)
                assert refused.value.path == place
                assert str(sealed) not in str(refused.value)
            else:
                assert RING.open(str(sealed), place) == "password 0"


def test_the_next_password_becomes_the_present_one_by_a_copy(tmp_path: Path) -> None:
    with ControlDatabase(tmp_path / "control.sqlite3") as database:
        fill(database, RING, 2)
        database.write(
            "UPDATE databases SET password = next_password, next_password = NULL WHERE id = 'db_1'"
        )
        assert opened(database, RING)["db_1 password"] == "next 1"


def test_a_running_program_finds_a_key_that_was_added_and_keeps_those_that_went(tmp_path: Path) -> None:
    first, second, third = (generate() for _ in range(3))
    file = KeyFile(tmp_path / "master.keys")
    file.make([first])
    running = Keyring(file)
    old = running.seal("old", "place")
    file.store([first, second])
    assert running.open(ring(second).seal("new", "place"), "place") == "new"
    assert running.newest == first.id
    file.store([third, second])
    assert key_id(running.seal("newest", "place"), "place") == third.id
    assert running.open(old, "place") == "old"  # read before the key went
    with pytest.raises(WrongMasterKey):
        Keyring(file).open(old, "place")


def test_a_running_program_refuses_a_key_that_became_another_one(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "master.keys")
    file.make([generate()])
    running = Keyring(file)
    file.store([MasterKey(running.newest, bytes(32))])
    with pytest.raises(WrongMasterKey, match="has changed"):
        running.seal("text", "place")
