"""Nothing that is secret is in the files of the database, in errors, or in what tracebacks show."""

from __future__ import annotations

import base64
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.errors import TwinpressError
from server.control import ControlDatabase
from server.control.errors import SecretError
from server.control.keys.key_text import MANAGEMENT
from server.control.keys.management_keys import ManagementKeys
from server.control.sealing import MASTER_KEYS, open_keyring, password_of, setting
from server.control.sealing.environment import EnvironmentKeys
from server.control.sealing.opening import source_of
from server.control.sealing.rotation import prune, rewrap, rotate
from server.control.sqlite.data_folder import open_data
from tests.server.control.hosted import INSERT
from tests.server.control.people import PASSWORD, account, accounts

SECRET = "Secret-of-the-database-0123456789"


def test_files_hold_no_password_no_key_and_no_secret(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with open_data(data) as database:
        owner, keys = account(database), ManagementKeys(database)
        made = [keys.create(owner.id, "label to be found") for _ in range(2)]
        values = [each.text for each in made] + [keys.rotate(made[0].record.id).text]
        keys.check(values[-1])
        keys.close()
        keyring, source = open_keyring(database, data, {}), source_of(data, {})
        sealed = keyring.seal(SECRET, password_of("db"))
        database.write(INSERT, ("db", owner.id, 1, "db", "db", sealed, sealed))
        database.write(
            "INSERT INTO settings VALUES ('sealed:a', ?)", (keyring.seal(SECRET, setting("sealed:a")),)
        )
        masters = list(source.load())
        rotate(database, source)
        rewrap(database, keyring)
        masters += source.load()
        prune(database, source)
        for _ in range(2):  # with the log, and folded in
            stored = b"".join(each.read_bytes() for each in data.iterdir() if each.name != "master.keys")
            assert b"label to be found" in stored
            for secret in (
                PASSWORD,
                SECRET,
                SECRET[:12],
                *(text.removeprefix(MANAGEMENT)[:12] for text in values),
            ):
                assert secret.encode() not in stored
                assert base64.b64encode(secret.encode())[:-4] not in stored
            for master in masters:
                assert master.key not in stored
                assert base64.b64encode(master.key) not in stored
            database.close()


def _wrong_password(database: ControlDatabase, data: Path) -> None:
    accounts(database).verify("me@example.com", SECRET)


def _weak_password(database: ControlDatabase, data: Path) -> None:
    accounts(database).create("you@example.com", SECRET * 100)


def _email(database: ControlDatabase, data: Path) -> None:
    accounts(database).create("svc_db_" + SECRET, PASSWORD)


def _label(database: ControlDatabase, data: Path) -> None:
    ManagementKeys(database).create("me", "svc_db_" + SECRET)


def _bad_key(database: ControlDatabase, data: Path) -> None:
    ManagementKeys(database).check("svc_db_" + SECRET)


def _no_key(database: ControlDatabase, data: Path) -> None:
    ManagementKeys(database).rotate("svc_db_" + SECRET)


def _variable(database: ControlDatabase, data: Path) -> None:
    EnvironmentKeys(f"a:{base64.b64encode(SECRET.encode()).decode()},b:{SECRET}")


def _file(database: ControlDatabase, data: Path) -> None:
    (data / "master.keys").write_text(f"a:{SECRET}")
    (data / "master.keys").chmod(0o600)
    open_keyring(database, data, {})


def _sealed(database: ControlDatabase, data: Path) -> None:
    open_keyring(database, data, {MASTER_KEYS: "a:" + "A" * 43 + "="}).open(SECRET, "settings:sealed:a")


def _moved(database: ControlDatabase, data: Path) -> None:
    keyring = open_keyring(database, data, {MASTER_KEYS: "a:" + "A" * 43 + "="})
    keyring.open(keyring.seal(SECRET, "settings:sealed:a"), "settings:sealed:b")


@pytest.mark.parametrize(
    "act",
    [_wrong_password, _weak_password, _email, _label, _bad_key, _no_key, _variable, _file, _sealed, _moved],
)
def test_errors_and_their_tracebacks_hold_no_secret(
    tmp_path: Path, act: Callable[[ControlDatabase, Path], None]
) -> None:
    data = tmp_path / "data"
    with open_data(data) as database:
        account(database)
        with pytest.raises(TwinpressError) as raised:
            act(database, data)
    said = "".join(traceback.format_exception(raised.value))
    for secret in (SECRET, base64.b64encode(SECRET.encode()).decode()[:-4]):
        assert secret not in said
    assert raised.value.hint
    assert isinstance(raised.value, SecretError) == (act in {_variable, _file, _sealed, _moved})
