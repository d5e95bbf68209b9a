"""`twinpress host` as a command: its data, its addresses, its signals, and who may run it."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from server.control.preview_addresses import PreviewAddresses
from server.control.sealing import open_keyring
from server.control.sign_in.browser_sessions import BrowserSessions
from tests.ports import free_port
from tests.server.commands import Preview, twinpress
from tests.server.service.hosting import (
    DATABASES,
    Client,
    Service,
    admin,
    administer,
    hosting,
    keys_of,
    opens,
)
from tests.server.service.place import data_folder, postmaster
from tests.sites import write_site


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service."""
    arguments = ("--port", "0", "--sites-port", "0", "--requests", "0")
    with data_folder() as place, hosting(place, *arguments) as running:
        yield running


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_secret_in_the_data_folder_is_for_its_owner_alone(service: Service) -> None:
    root = os.geteuid() == 0
    assert mode(service.data) == (0o711 if root else 0o700)
    files = {path.name for path in service.data.iterdir()}
    assert files >= {"control.sqlite3", "master.keys", "postgres"}
    # Where the server's user cannot come to the programs there are copies, which are everybody's to read.
    programs = service.data / "postgres/programs"
    closed = [path for path in service.data.rglob("*") if path.is_file() and programs not in path.parents]
    assert not [path for path in closed if mode(path) & 0o077]
    assert mode(service.data / "postgres/data") == 0o700


def test_it_says_where_it_is_and_the_health_is_there(service: Service) -> None:
    assert f"The service is at http://127.0.0.1:{service.preview.port}/api/v1" in service.said
    health = service.preview.get("/healthz")
    assert (health.status, health.headers["cache-control"]) == (200, "no-store")
    assert health.text == '{"ok":true,"data":{"ready":true}}'
    assert service.preview.request("HEAD", "/healthz").status == 200
    # The dashboard has the name of the service alone, for its cookies.
    home = service.preview.request("GET", "/")
    assert (home.status, home.headers["location"]) == (307, f"http://localhost:{service.preview.port}/")


def test_sites_have_an_origin_of_their_own_without_the_api(service: Service) -> None:
    line = service.preview.says("Sites are at ")
    found = re.search(r":(\d+)$", line)
    assert found
    assert int(found[1]) != service.preview.port
    sites = Preview(service.process, f"http://127.0.0.1:{found[1]}/")
    key = {"Authorization": f"Bearer {service.client().key}"}
    for path in (DATABASES, "/api/v1/openapi.json", "/healthz", "/"):
        told = sites.request("GET", path, key)
        assert (told.status, '"ok"' in told.text) == (404, False)


def test_a_preview_that_another_process_has_begun_is_shown(service: Service) -> None:
    found = re.search(r":(\d+)$", service.preview.says("Sites are at "))
    assert found
    sites, owner = Preview(service.process, f"http://127.0.0.1:{found[1]}/"), service.account()
    service.database.write(
        "INSERT INTO sites (id, created_at, account, name) VALUES ('boats', 1, ?, 'boats')", (owner.id,)
    )
    write_site(service.data / "sites/boats", {"docs/index.mdx": "# Harbour\n\n<Callout>Deep.</Callout>\n"})
    with closing(BrowserSessions(service.database)) as sessions:
        session = sessions.begin(owner.id).session
        keyring = open_keyring(service.database, service.data)
        label = PreviewAddresses(service.database, keyring).label(session.id, "boats")
        page = sites.get("/docs/", Host=f"{label}.localhost:{found[1]}")
        assert (page.status, "Deep." in page.text) == (200, True)  # the plan of the owner's account
        ancestors = f"frame-ancestors http://localhost:{service.preview.port}"
        assert page.headers["content-security-policy"] == ancestors
        sessions.end(owner.id, session.id)
        assert sites.get("/docs/", Host=f"{label}.localhost:{found[1]}").status == 404


def test_nothing_secret_is_in_the_arguments_and_the_environment_of_any_process(service: Service) -> None:
    client = service.client()
    client.create()
    (master,) = keys_of(service.data)
    secret = [*service.secrets, master, master.partition(":")[2]]
    found = postmaster(service.data)
    assert found
    arguments = subprocess.run(["ps", "axeww"], capture_output=True, text=True, check=True).stdout
    assert str(service.data) in arguments
    assert not [each for each in secret if each in arguments]
    told = Path(f"/proc/{found}/environ").read_bytes().decode()
    assert "TWINPRESS" not in told


def test_a_second_service_on_the_same_port_says_so_and_harms_nothing(service: Service, data: Path) -> None:
    port = str(service.preview.port)
    for place in (service.data, data):
        done = twinpress("host", "--data", place, "--port", port, cwd=service.data)
        assert done.returncode == 2
        assert f"cannot listen on 127.0.0.1, port {port}" in done.stderr
        assert "choose another --host or --port" in done.stderr
    assert not data.exists()  # it is noticed before anything else is begun
    assert opens(service.client().create())


def test_a_taken_port_of_published_sites_is_noticed_at_once(service: Service, data: Path) -> None:
    taken = str(service.preview.port)
    done = twinpress("host", "--data", data, "--port", "0", "--sites-port", taken, cwd=service.data)
    assert (done.returncode, data.exists()) == (2, False)
    assert f"cannot listen on 127.0.0.1, port {taken}" in done.stderr
    assert "choose another --host or --sites-port" in done.stderr


def test_the_port_of_postgres_can_be_chosen_and_a_taken_one_is_told(service: Service, data: Path) -> None:
    taken = service.client().create()["port"]
    done = twinpress("host", "--data", data, "--port", "0", "--db-port", str(taken), cwd=data.parent)
    assert (done.returncode, "the port is used by another program" in done.stderr) == (2, True)
    hint = "choose another port: connection strings hold it, and change with it (--db-port)"
    assert done.stderr.splitlines()[-1] == f"  end that program, or {hint}"
    port = free_port()
    with hosting(data, "--port", "0", "--db-port", str(port)) as chosen:
        made = chosen.client().create()
        assert made["port"] == port
        administer(chosen, "account", "suspend", _email(chosen))
        assert not opens(made)
    with hosting(data) as chosen:  # and is kept
        administer(chosen, "account", "clear", _email(chosen))
        assert opens(made)


def _email(service: Service) -> str:
    ((email,),) = service.database.read("SELECT email FROM accounts")
    return str(email)


def test_the_operators_commands_work_while_the_service_does_not_run(data: Path) -> None:
    assert admin(data, "account", "list").returncode == 2
    assert admin(data, "account", "create", "a@example.org", password="words that are long").returncode == 0
    key = admin(data, "db-key", "create", "a@example.org").stdout.strip()
    with hosting(data) as service:
        (account,) = service.database.read("SELECT id FROM accounts")
        client = Client(service, key, service.account())
        made = client.create()
        assert account
    done = admin(data, "account", "suspend", "a@example.org")
    assert (done.returncode, "does not run" in done.stderr) == (0, True)
    with hosting(data) as service:
        assert Client(service, key, client.account).ask("GET", DATABASES).code == "KEY_DISABLED"
        assert not opens(made)
        administer(service, "account", "clear", "a@example.org")
        assert opens(made)
