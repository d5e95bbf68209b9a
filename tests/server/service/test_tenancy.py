"""Two accounts with one of everything: what the one tries with ids of the other, on every route there is.

No page but the one that shows a secret once has it, and neither has a file of the service or its backup.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from server.api.describe.table import Endpoint, Group
from server.authoring.group import GROUP as PAGES
from server.dashboard.routes import ROUTES
from server.dashboard.visit import DashboardRoute, Need
from server.databases.database_group import GROUP as DATABASES
from tests.server.api.exchange import Reply, exchange
from tests.server.service.hosting import administer, hosting
from tests.server.service.owner import Owner
from tests.server.service.place import data_folder

OWN = [route for route in ROUTES if route.need != Need.NOTHING]
SHOWN = [
    route
    for route in OWN
    if route.method == "GET" and route.need < Need.OPERATOR and not route.path.endswith("}/export")
]
"""Pages of an owner; what a zip of a site has is a matter of its own tests."""
TYPED: Mapping[str, dict[str, str]] = {
    "/databases/{id:db_[a-z2-7]+}/delete": {"name": "annika_orders"},
    "/databases/keys/{id}/delete": {"name": "annika nightly"},
    "/sites/{site:[a-z0-9-]+}/keys/{id}/delete": {"name": "annika ci"},
    "/sites/{site:[a-z0-9-]+}/delete": {"name": "annika-docs"},
    "/sites/{site:[a-z0-9-]+}/rename": {"name": "pier-docs"},
    "/sites/{site:[a-z0-9-]+}/pages/delete": {"path": "docs/berths"},
    "/operator/accounts/{id}/plan": {"plan": "premium"},
    "/operator/accounts/{id}/rights": {"operator": "yes"},
}
"""Forms that would succeed for their owner."""
TABLES = {
    "accounts": "*",
    "sites": "*",
    "keys": "id, site, label, disabled",
    "management_keys": "id, account, label, disabled",
    "databases": "id, account, wanted, password_rotated_at",
    "browser_sessions": "id, account, digest, stepped_up_until",
    "one_time_links": "*",
    "time_codes": "account, secret",
    "recovery_codes": "*",
    "passkeys": "id, account, label",
}
"""All rows in which a change of an account would be seen, and the columns that no reader changes."""


class Tenants:
    """The two, and what is known of all accounts."""

    def __init__(self, ann: Owner, bob: Owner) -> None:
        self.ann, self.bob = ann, bob

    def state(self) -> dict[str, object]:
        """All rows, and all files of sites but for what is noted about them."""
        read, data = self.ann.service.database.read, self.ann.service.data
        rows = {
            name: list(read(f"SELECT {what} FROM {name} ORDER BY 1", ())) for name, what in TABLES.items()
        }
        files = (path for path in (data / "sites").rglob("*") if path.is_file())
        return {**rows, **{str(path): path.read_bytes() for path in files if ".twinpress" not in path.parts}}

    def nothing_of_ann(self, text: str, asked: str = "") -> None:
        """Nothing in a text tells of Ann, but what was `asked` for by its name."""
        for told in (self.ann.told, *self.ann.names.values(), *self.ann.secrets):
            assert told in asked or told not in text


@pytest.fixture(scope="module")
def tenants() -> Iterator[Tenants]:
    with data_folder() as data, hosting(data) as service:
        yield Tenants(Owner(service, "annika"), Owner(service, "boris"))


def named(route: DashboardRoute) -> str:
    return f"{route.method} {route.path}"


def has_id(route: DashboardRoute) -> bool:
    return "{" in route.path


@pytest.mark.parametrize("route", [route for route in OWN if has_id(route)], ids=named)
def test_with_an_id_of_another_account_there_is_nothing(tenants: Tenants, route: DashboardRoute) -> None:
    before = tenants.state()
    headers = {"Sec-Fetch-Site": "same-origin"}
    form = TYPED.get(route.path, {}) if route.method == "POST" else None
    path = tenants.ann.path(route.path)
    page = tenants.bob.browser.ask(route.method, path, form, headers)
    assert page.status == 404
    tenants.nothing_of_ann(page.text, path)
    assert tenants.state() == before


@pytest.mark.parametrize("route", [route for route in SHOWN if not has_id(route)], ids=named)
def test_pages_of_an_account_tell_of_no_other(tenants: Tenants, route: DashboardRoute) -> None:
    page = tenants.bob.browser.get(route.path)
    assert page.status == 200
    tenants.nothing_of_ann(page.text)


@pytest.mark.parametrize("route", OWN, ids=named)
def test_a_key_opens_no_page_of_the_dashboard(tenants: Tenants, route: DashboardRoute) -> None:
    before, ann = tenants.state(), tenants.ann
    for key in ann.keys.values():
        headers = {"Authorization": f"Bearer {key}", "Sec-Fetch-Site": "same-origin", "Cookie": ""}
        form = TYPED.get(route.path, {}) if route.method == "POST" else None
        page = ann.browser.once(route.method, ann.path(route.path), form, headers)
        assert (page.status, page.headers["location"].partition("?")[0]) == (303, "/sign-in")
        assert not [each for each in ann.secrets if each in page.text]
    assert tenants.state() == before


@pytest.mark.parametrize("kind", ["one-off", "long-lived", "management"])
@pytest.mark.parametrize("group", [PAGES, DATABASES], ids=lambda group: group.name)
def test_an_endpoint_gives_a_key_nothing_of_another_account(
    tenants: Tenants, group: Group, kind: str
) -> None:
    before, own = tenants.state(), (group is DATABASES) == (kind == "management")
    for endpoint in group.endpoints:
        if own and endpoint.method != "GET" and "{id}" not in endpoint.path:
            continue  # it has no id, and changes what is Bob's
        reply = asked(tenants, group, endpoint, tenants.bob.keys[kind])
        tenants.nothing_of_ann(reply.body.decode(), tenants.ann.names["database"])
        if not own:
            assert (reply.status, reply.code) == (401, "BAD_KEY")
        elif "{id}" in endpoint.path:
            assert reply.code == ("DASHBOARD_ONLY" if endpoint.method == "DELETE" else "DATABASE_NOT_FOUND")
    assert tenants.state() == before


@pytest.mark.parametrize("group", [PAGES, DATABASES], ids=lambda group: group.name)
def test_a_session_opens_no_endpoint(tenants: Tenants, group: Group) -> None:
    before = tenants.state()
    cookie = f"twinpress={tenants.ann.browser.cookies['twinpress']}"
    for endpoint in group.endpoints:
        reply = asked(tenants, group, endpoint, "", Cookie=cookie)
        assert (reply.status, reply.code) == (401, "MISSING_KEY")
    assert tenants.state() == before


def asked(tenants: Tenants, group: Group, endpoint: Endpoint, key: str, **headers: str) -> Reply:
    """An answer about what Ann has."""
    path = group.address + endpoint.path.replace("{id}", tenants.ann.names["database"])
    query = "?path=docs/berths" if endpoint.path == "/ai/page" and endpoint.method != "PUT" else ""
    return exchange(tenants.bob.browser.port, endpoint.method, path + query, key, **headers)


@pytest.mark.parametrize("route", SHOWN, ids=named)
def test_no_page_has_a_secret_and_none_changes_anything(tenants: Tenants, route: DashboardRoute) -> None:
    before, ann = tenants.state(), tenants.ann
    page = ann.browser.once("GET", ann.path(route.path), None, {})
    assert page.status in {200, 303}
    assert not [each for each in ann.secrets if each in page.text]
    assert page.headers["cache-control"] == "no-store"
    assert tenants.state() == before


def test_no_file_of_the_service_has_a_secret_and_neither_has_a_backup(
    tenants: Tenants, tmp_path: Path
) -> None:
    service, backup = tenants.ann.service, tmp_path / "backup.tar"
    administer(service, "backup", str(backup))
    files = [path for path in service.data.rglob("*") if path.is_file() and "postgres" not in path.parts]
    assert service.data / "control.sqlite3" in files
    for file in (backup, *files):
        found = file.read_bytes()
        for secret in (*tenants.ann.secrets, *tenants.bob.secrets):
            assert secret.encode() not in found, file.name
