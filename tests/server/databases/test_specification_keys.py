"""The specification's management keys, states and limits, sentence by sentence.

Keys are administered by the command line while the service runs, which obeys at the next request.
"""

from __future__ import annotations

import json
import threading
from typing import Any

import psycopg
import pytest

from tests.server.databases.test_specification import FOUR, NOT_FOR_KEYS
from tests.server.service.hosting import DATABASES, Client, Service, admin, administer, connect, opens


class Owner:
    """The owner of an account at the command line."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.service = client.service
        self.email = client.account.email

    def create(self, label: str = "") -> Client:
        """A client with a new key."""
        made = administer(self.service, "db-key", "create", self.email, "--label", label)
        return self._with(made)

    def rotate(self, id: str) -> Client:
        """A client with a key's new value."""
        return self._with(administer(self.service, "db-key", "rotate", id))

    def do(self, what: str, id: str) -> None:
        """Disable, enable or delete a key."""
        administer(self.service, "db-key", what, id)

    def suspend(self) -> None:
        """Suspend the account."""
        administer(self.service, "account", "suspend", self.email)

    def clear(self) -> None:
        """Clear the suspension."""
        administer(self.service, "account", "clear", self.email)

    def records(self) -> list[dict[str, Any]]:
        """List what is known about the keys."""
        return list(json.loads(administer(self.service, "db-key", "list", self.email, "--json")))

    def statuses(self) -> set[str]:
        """Of the databases."""
        listed = administer(self.service, "database", "list", self.email, "--json")
        return {one["status"] for one in json.loads(listed)}

    def _with(self, printed: str) -> Client:
        (text,) = printed.splitlines()
        self.service.secrets.add(text)
        return self.client.with_key(text)


@pytest.fixture
def owner(service: Service) -> Owner:
    """Of a new account on the free plan, which has one key."""
    return Owner(service.client("free"))


def answers(client: Client) -> set[tuple[int, str]]:
    """Return what a key is told everywhere."""
    found = [client.ask(method, path) for method, path in FOUR + NOT_FOR_KEYS]
    return {(reply.status, reply.code) for reply in found}


def works(client: Client) -> bool:
    """Return whether a key is accepted."""
    return client.ask("GET", DATABASES).status == 200


# Keys are created and administered in the dashboard. / label: Optional. Given at creation. / Shown in full
# only when the key is created.
def test_a_key_is_shown_in_full_only_at_its_creation_and_may_have_a_label(owner: Owner) -> None:
    made, plain = owner.create("backups"), owner.records()
    assert works(made)
    assert [key["label"] for key in plain] == ["", "backups"]
    assert plain[1].keys() == {"id", "label", "state", "created_at", "last_used_at", "last_four"}
    assert plain[1]["last_four"] == made.key[-4:]
    assert made.key not in json.dumps(plain)


# active, Disable: the record is kept, the key stops authenticating, the slot is freed for the tier limit.
# disabled, Re-enable while the number of active keys is below the limit: it authenticates again.
# disabled, Re-enable that would exceed the limit: refused until another key is disabled.
# Limits: active management keys, free tier 2. Disabled keys do not count.
def test_disabling_a_key_frees_its_slot_and_enabling_it_again_needs_one(owner: Owner) -> None:
    first, second = owner.client, owner.create()
    one, two = (key["id"] for key in owner.records())
    assert admin(owner.service.data, "db-key", "create", owner.email).returncode == 2
    owner.do("disable", one)
    assert answers(first) == {(401, "KEY_DISABLED")}
    assert [key["state"] for key in owner.records()] == ["disabled", "active"]
    third = owner.create()
    refused = admin(owner.service.data, "db-key", "enable", one)
    assert (refused.returncode, "allows 2" in refused.stderr) == (2, True)
    assert answers(first) == {(401, "KEY_DISABLED")}
    owner.do("disable", two)
    owner.do("enable", one)
    assert [works(each) for each in (first, second, third)] == [True, False, True]


# active or disabled, Delete: the record is removed entirely. A deleted key no longer exists.
def test_a_deleted_key_is_gone_and_is_a_bad_key_everywhere(owner: Owner) -> None:
    second = owner.create()
    one, two = (key["id"] for key in owner.records())
    owner.do("disable", one)
    for id in (one, two):
        owner.do("delete", id)
    assert owner.records() == []
    assert answers(owner.client) == answers(second) == {(401, "BAD_KEY")}


# Rotating a key replaces the value of the same key record. The record is kept and the old value stops working
# immediately: it fails at once with 401 `BAD_KEY`.
def test_rotating_a_key_keeps_its_record_and_kills_its_old_value_at_once(owner: Owner) -> None:
    made = owner.client.create()
    (before,) = owner.records()
    rotated = owner.rotate(before["id"])
    assert answers(owner.client) == {(401, "BAD_KEY")}
    (after,) = owner.records()
    assert after == before | {"last_four": rotated.key[-4:], "last_used_at": after["last_used_at"]}
    assert rotated.reveal(made["id"])["password"] == made["password"]
    owner.do("disable", before["id"])
    again = owner.rotate(before["id"])
    assert answers(rotated) == {(401, "BAD_KEY")}
    assert answers(again) == {(401, "KEY_DISABLED")}


# When an account is suspended, all of its management keys and all of its databases are disabled.
# Database status becomes `disabled`. Connection users of the databases are locked. During a suspension every
# call returns 401 with `KEY_DISABLED`. Suspension cleared: re-enabling happens automatically.
def test_a_suspension_disables_everything_and_its_end_brings_it_back(owner: Owner) -> None:
    client, second = owner.client, owner.create("rests")
    made = [client.create() for _ in range(2)]
    owner.do("disable", owner.records()[1]["id"])
    with connect(made[0]["connection_uri"]) as session:
        owner.suspend()
        with pytest.raises(psycopg.OperationalError):
            session.execute("SELECT 1")
    assert answers(client) == answers(second) == {(401, "KEY_DISABLED")}
    assert [key["state"] for key in owner.records()] == ["disabled", "disabled"]
    assert owner.statuses() == {"disabled"}
    assert not any(map(opens, made))
    owner.clear()
    assert owner.statuses() == {"active"}
    assert all(map(opens, made))
    assert [works(client), works(second)] == [True, False]
    assert [key["state"] for key in owner.records()] == ["active", "disabled"]
    assert {one["status"] for one in client.list()["databases"]} == {"active"}


def test_keys_are_administered_during_a_suspension_and_are_as_their_owner_left_them_afterwards(
    owner: Owner,
) -> None:
    second = owner.create()
    one, two = (key["id"] for key in owner.records())
    owner.suspend()
    assert admin(owner.service.data, "db-key", "create", owner.email).returncode == 2
    rotated = owner.rotate(one)
    owner.do("disable", two)
    third = owner.create()
    assert answers(owner.client) == {(401, "BAD_KEY")}
    assert answers(rotated) == answers(second) == answers(third) == {(401, "KEY_DISABLED")}
    owner.clear()
    assert [works(each) for each in (rotated, second, third)] == [True, False, True]


# Every path of the API during a suspension, and odd ones.
@pytest.mark.parametrize("state", ["suspended", "disabled"])
def test_a_disabled_key_is_told_so_before_anything_else(service: Service, state: str) -> None:
    client = service.client()
    sql = {
        "suspended": "UPDATE accounts SET suspended = 1 WHERE id = ?",
        "disabled": "UPDATE management_keys SET disabled = 1 WHERE account = ?",
    }
    service.database.write(sql[state], (client.account.id,))
    for method, path, body in ODD:
        reply = client.ask(method, path, body)
        assert (reply.status, reply.code) == (401, "KEY_DISABLED"), (method, path)
        assert reply.json["error"].endswith("; the operator of the service can say why")


ODD = [
    ("GET", "/api", None),
    ("GET", "/api/v1/nothing", None),
    ("GET", "/api/v1/db", None),
    ("PATCH", DATABASES, None),
    ("PUT", f"{DATABASES}/x/y/z", b"{"),
    ("POST", DATABASES, b"no json"),
    ("POST", DATABASES, b"[" * 100),
    ("GET", f"{DATABASES}?limit=many", None),
    ("GET", f"{DATABASES}/%00", None),
    ("POST", "/api/v1/openapi.json", None),
]


# The key comes first on every path, with every method and any body.
@pytest.mark.parametrize(("method", "path", "body"), ODD)
def test_the_key_is_asked_for_first_on_every_path(
    client: Client, method: str, path: str, body: bytes | None
) -> None:
    for key, code in (("", "MISSING_KEY"), ("svc_db_nonsense", "BAD_KEY")):
        reply = client.with_key(key).ask(method, path, body)
        assert (reply.status, reply.code, reply.headers["www-authenticate"]) == (401, code, "Bearer")


# Limits: active management keys, premium tier 10.
def test_a_premium_account_has_ten_active_keys_and_keeps_them_on_a_smaller_plan(service: Service) -> None:
    owner = Owner(service.client("premium"))
    keys = [owner.client, *(owner.client.with_key(service.key(owner.client.account)) for _ in range(9))]
    assert admin(service.data, "db-key", "create", owner.email).returncode == 2
    administer(service, "account", "plan", owner.email, "free")
    assert all(map(works, keys))
    id = owner.records()[0]["id"]
    owner.do("disable", id)
    assert admin(service.data, "db-key", "enable", id).returncode == 2


def test_of_many_clicks_at_once_only_as_many_keys_are_made_as_the_plan_allows(owner: Owner) -> None:
    codes: list[int] = []

    def click() -> None:
        codes.append(admin(owner.service.data, "db-key", "create", owner.email).returncode)

    threads = [threading.Thread(target=click) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [0, 2, 2, 2]
    assert [key["state"] for key in owner.records()] == ["active", "active"]
