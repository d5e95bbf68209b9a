"""The specification of the databases API, sentence by sentence: databases, endpoints, authentication, errors.

What it says of keys and of suspension is in `test_specification_keys.py`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess

import asyncpg
import psycopg
import pytest

from server.control.keys.key_text import KeyKind, generate, generate_management
from server.control.keys.site_keys import SiteKeys
from tests.server.control.people import site_of
from tests.server.service.hosting import BASE, DATABASES, Client, Service, administer, connect, opens
from tests.waiting import PATIENCE

SOME = "db_aaaaaaaaaaaaaaaa"
FOUR = [
    ("GET", DATABASES),
    ("POST", DATABASES),
    ("GET", f"{DATABASES}/{SOME}"),
    ("POST", f"{DATABASES}/{SOME}/rotate"),
]
"""The four endpoints."""
NOT_FOR_KEYS = [
    ("DELETE", f"{DATABASES}/{SOME}"),
    ("GET", f"{BASE}/keys"),
    ("POST", f"{BASE}/keys"),
    ("DELETE", f"{BASE}/keys/4nXbT0cVzQ9L"),
    ("POST", f"{BASE}/keys/4nXbT0cVzQ9L/rotate"),
    ("POST", f"{BASE}/keys/4nXbT0cVzQ9L/disable"),
    ("POST", f"{BASE}/keys/4nXbT0cVzQ9L/enable"),
]


# The service hosts databases for an account.
def test_the_service_hosts_databases_for_an_account(service: Service, client: Client) -> None:
    mine, other = client.create("mine"), service.client()
    assert other.list()["databases"] == []
    theirs = other.create("mine")
    assert [found["id"] for found in client.list()["databases"]] == [mine["id"]]
    for made, asker in ((mine, other), (theirs, client)):
        assert asker.ask("GET", f"{DATABASES}/{made['id']}").code == "DATABASE_NOT_FOUND"
        assert asker.ask("POST", f"{DATABASES}/{made['id']}/rotate").code == "DATABASE_NOT_FOUND"
    with pytest.raises(psycopg.OperationalError):
        connect(mine["connection_uri"].replace(f"/{mine['id']}?", f"/{theirs['id']}?"))


# A management API lets a script list databases, create a database, reveal a database's current password
# and rotate a database's password.
def test_a_script_lists_creates_reveals_and_rotates(client: Client) -> None:
    made = client.create("orders")
    (listed,) = client.list()["databases"]
    assert listed["id"] == made["id"]
    assert client.reveal(made["id"])["password"] == made["password"]
    rotated = client.rotate(made["id"])
    assert client.reveal(made["id"])["password"] == rotated["password"] != made["password"]


# Deleting a database and managing keys are dashboard operations gated by the user's session. They are not
# available to a management key. / A key cannot: delete a database, or manage keys (create, rotate, disable,
# enable, delete). These need the dashboard session.
@pytest.mark.parametrize(("method", "path"), NOT_FOR_KEYS)
@pytest.mark.parametrize("body", [None, b"{}", b"no json"])
def test_a_key_cannot_delete_a_database_or_manage_keys(
    client: Client, method: str, path: str, body: bytes | None
) -> None:
    reply = client.ask(method, path, body)
    assert (reply.status, reply.code) == (403, "DASHBOARD_ONLY")


def test_a_database_that_a_key_wants_to_delete_stays(client: Client) -> None:
    made = client.create()
    assert client.ask("DELETE", f"{DATABASES}/{made['id']}").code == "DASHBOARD_ONLY"
    assert client.reveal(made["id"])["password"] == made["password"]
    assert opens(made)


# value: Form `svc_db_<random_suffix>`. Used as the bearer credential.
def test_a_key_has_a_prefix_and_a_random_suffix_and_is_sent_as_the_bearer_credential(
    service: Service, client: Client
) -> None:
    keys = {client.key, *(service.key(client.account) for _ in range(5))}
    assert len(keys) == 6
    assert all(re.fullmatch(r"svc_db_[0-9A-Za-z]{46}", key) for key in keys)
    assert client.ask("GET", DATABASES).status == 200
    for scheme in ("bearer", "BEARER", "Bearer "):
        sent = client.with_key("").ask("GET", DATABASES, Authorization=f"{scheme} {client.key}")
        assert sent.status == 200
    for wrong in (client.key, f"Basic {client.key}", f"Bearer{client.key}", "Bearer", "Bearer "):
        assert client.with_key("").ask("GET", DATABASES, Authorization=wrong).code == "MISSING_KEY"
    assert client.with_key("").ask("GET", f"{DATABASES}?key={client.key}").code == "MISSING_KEY"
    assert client.key not in service.said


# id: Path parameter `:id` of the single-database endpoint.
def test_the_id_of_a_database_is_the_path_parameter(client: Client) -> None:
    made = client.create()
    assert re.fullmatch("db_[a-z2-7]{16}", made["id"])
    assert client.ask("GET", f"{DATABASES}/{made['id']}").data["id"] == made["id"]
    assert client.ask("GET", f"{DATABASES}/{SOME}").code == "DATABASE_NOT_FOUND"


# password: Returned by the reveal operation. Replaced by the rotate operation.
def test_the_password_is_returned_by_reveal_and_replaced_by_rotate(client: Client) -> None:
    made = client.create()
    with connect(made["connection_uri"]) as open_session:
        rotated = client.rotate(made["id"])
        assert opens(rotated)
        assert not opens(made)
        assert opens(client.reveal(made["id"]))
        assert open_session.execute("SELECT 1").fetchone() == (1,)
        client.rotate(made["id"], terminate_sessions=True)
        with pytest.raises(psycopg.OperationalError):
            open_session.execute("SELECT 1")


def test_stock_psql_connects_with_the_connection_string(client: Client) -> None:
    made = client.create()
    script = "CREATE TABLE t (n int); INSERT INTO t VALUES (7); SELECT current_user, n FROM t"
    command = ["psql", made["connection_uri"], "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stdout.strip(), done.stderr) == (f"{made['user']}|7", "")
    parts = {
        "PGHOST": made["host"],
        "PGPORT": str(made["port"]),
        "PGUSER": made["user"],
        "PGDATABASE": made["database"],
        "PGPASSWORD": made["password"],
        "PGSSLMODE": made["sslmode"],
    }
    named = subprocess.run(
        ["psql", "-XAtqc", "TABLE t"],
        env=os.environ | parts,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert named.stdout.strip() == "7", named.stderr


def test_psycopg_and_asyncpg_connect_with_the_connection_string(client: Client) -> None:
    uri = client.create()["connection_uri"]
    with connect(uri) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)

    async def ask() -> object:
        connection = await asyncpg.connect(uri)
        try:
            return await connection.fetchval("SELECT 2")
        finally:
            await connection.close()

    assert asyncio.run(ask()) == 2


# All management endpoints sit under `{base_url}/api/v1/db` and require the bearer key.
@pytest.mark.parametrize(("method", "path"), FOUR + NOT_FOR_KEYS)
def test_all_endpoints_require_the_bearer_key(client: Client, method: str, path: str) -> None:
    reply = client.with_key("").ask(method, path)
    assert (reply.status, reply.code) == (401, "MISSING_KEY")
    assert reply.headers["www-authenticate"] == "Bearer"
    # Elsewhere the dashboard answers: it sends readers to its own address, and takes no change from a script.
    elsewhere = client.service.preview.request(method, path.removeprefix("/api/v1/db")).status
    assert elsewhere in ({307, 404} if method == "GET" else {403, 404, 405})


# The document's endpoints are these, with these methods.
def test_the_endpoints_are_those_of_the_specification(client: Client) -> None:
    paths = json.loads(client.service.preview.get("/api/v1/openapi.json").body)["paths"]
    good = {
        (method.upper(), f"/api/v1{path}")
        for path, methods in paths.items()
        if path.startswith("/db/")
        for method, operation in methods.items()
        if any(status < "300" for status in operation["responses"])
    }
    assert good == {(method, path.replace(SOME, "{id}")) for method, path in FOUR}


# A key is a high-value secret. Anyone holding it can read and change database passwords. It must not be
# [...] written to logs.
def test_no_key_and_no_password_is_written_to_logs(service: Service, client: Client) -> None:
    made = client.create()
    rotated = client.rotate(made["id"])
    client.ask("GET", f"{DATABASES}/{client.key}")
    client.ask("GET", f"{DATABASES}?{client.key}={client.key}")
    service.preview.request("GET", f"/{client.key}")
    service.preview.says(f"svc_db_…{client.key[-4:]}")
    log = service.said + (service.data / "postgres/server.log").read_text()
    assert not [one for one in (client.key, made["password"], rotated["password"]) if one in log]


# 401 `BAD_KEY`: The presented value no longer matches a key (rotated or deleted).
@pytest.mark.parametrize(("method", "path"), FOUR + NOT_FOR_KEYS)
def test_what_is_no_key_of_this_api_is_a_bad_key(
    service: Service, client: Client, method: str, path: str
) -> None:
    site = site_of(service.database, service.account())
    keys = SiteKeys(service.database)
    others = [keys.create(kind, site).text for kind in KeyKind]
    never = [generate_management(), *map(generate, KeyKind)]
    odd = [client.key[:-1], client.key[:-1] + ("0" if client.key[-1] != "0" else "1"), "svc_db_", "x"]
    for text in (*others, *never, *odd):
        reply = client.with_key(text).ask(method, path)
        assert (reply.status, reply.code) == (401, "BAD_KEY"), text
        assert reply.headers["www-authenticate"] == "Bearer"


# The API version is carried in the path prefix `/api/v1`.
@pytest.mark.parametrize("path", ["/api/db/databases", "/api/v2/db/databases", "/api/v1/databases"])
def test_the_version_is_carried_in_the_path(client: Client, path: str) -> None:
    assert client.ask("GET", path).code == "NOT_FOUND"


def test_the_audit_log_has_each_reveal_and_each_change_with_the_key_that_asked(
    service: Service, client: Client
) -> None:
    made = client.create()
    client.reveal(made["id"])
    asked = client.ask("POST", f"{DATABASES}/{made['id']}/rotate")
    found = json.loads(administer(service, "audit", client.account.email, "--json"))
    assert [one["action"] for one in found] == [
        *("database.rotate", "database.reveal", "database.create", "key.create", "account.create"),
    ]
    assert found[0]["request"] == asked.headers["x-request-id"]
    key = found[3]["subject"]
    assert [one["actor"] for one in found] == [key, key, key, "operator", "operator"]
    assert {one["subject"] for one in found[:3]} == {made["id"]}
