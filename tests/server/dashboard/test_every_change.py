"""Every route that changes something, found in the table: who may not use it changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import cast

import pytest
from msgspec import Struct

from builder.store import ChangeNote
from server.control.audit import By
from server.control.keys.key_text import KeyKind
from server.dashboard.domain_pages import DOMAIN
from server.dashboard.publish_pages import NUMBER
from server.dashboard.routes import ROUTES
from server.dashboard.visit import DashboardRoute, Need
from tests.server.dashboard.browser import Browser
from tests.server.dashboard.conftest import Dashboard, running
from tests.waiting import until

ANN, BOB = "ann@example.com", "bob@example.com"
CHANGES = [route for route in ROUTES if route.method != "GET"]
OWN = [route for route in CHANGES if route.need != Need.NOTHING]
OWNERS = [route for route in OWN if route.need < Need.OPERATOR]
OPERATORS = [route for route in ROUTES if route.need >= Need.OPERATOR]
FOREIGN: dict[str, dict[str, str]] = {
    "from another site": {"Sec-Fetch-Site": "cross-site"},
    "from a sibling": {"Sec-Fetch-Site": "same-site"},
    "from another origin": {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
    "from nowhere": {},
    "said twice": {"Sec-Fetch-Site": "same-origin, same-origin"},
}


def named(route: DashboardRoute) -> str:
    return f"{route.method} {route.path}"


def path_of(route: DashboardRoute, id: str) -> str:
    """An address of the route; a pattern says which ids it takes."""
    fitting = route.path.replace("{id:db_[a-z2-7]+}", "db_aaaaaaaaaaaaaaaa")
    fitting = fitting.replace("{site:[a-z0-9-]+}", "quay-docs")
    fitting = fitting.replace(NUMBER, "1").replace(DOMAIN, "docs.quayside.example")
    fitting = fitting.replace("{page:/.*}", "/docs/a")
    return fitting.replace("{id}", id).replace("{token}", "A" * 43)


def state(dashboard: Dashboard) -> list[list[tuple[object, ...]]]:
    """All rows that a change could concern."""
    tables = (
        "accounts",
        "management_keys",
        "browser_sessions",
        "one_time_links",
        "shown_once",
        "sites",
        "keys",
        "publish_jobs",
        "domains",
        "domain_claims",
        "site_hosts",
        "site_choices",
        "webhooks",
        "mail_choices",
        "notices",
    )
    hidden = {"browser_sessions": "id, account, digest, stepped_up_until"}
    read = dashboard.desk.database.read
    rows = [list(read(f"SELECT {hidden.get(table, '*')} FROM {table} ORDER BY 1", ())) for table in tables]
    return [*rows, files(dashboard)]


def files(dashboard: Dashboard) -> list[tuple[object, ...]]:
    """All files of all sites with their content, but for what Twinpress notes about them."""
    root = dashboard.desk.sites.opened.root("")
    found = (path for path in root.rglob("*") if path.is_file() and ".twinpress" not in path.parts)
    return [(str(path), path.read_bytes()) for path in sorted(found)]


def owner(dashboard: Dashboard) -> tuple[str, str]:
    """Ann, with a site that has a key; gives the ids of account and site."""
    account = dashboard.account(ANN)
    site = dashboard.desk.sites.create(account.id, "quay-docs", By("the test"))
    dashboard.desk.sites.keys.create(KeyKind.LONG_LIVED, site.id, "laptop")
    dashboard.desk.publishing.domains.claims.add(site.id, "docs.quayside.example", By("the test"))
    return account.id, site.id


class Refused(Struct, frozen=True):
    """A dashboard for all who are refused: as nothing changes in it, each change is seen."""

    dashboard: Dashboard
    ann: Browser
    bob: Browser
    keys: tuple[str, str]

    def path(self, route: DashboardRoute) -> str:
        """An address of the route for what is Ann's."""
        return path_of(route, self.keys["{site" in route.path])


@pytest.fixture(scope="module")
def refused(lasting: Dashboard) -> Refused:
    """Ann with a site, a key of each kind and her browser, and Bob, who has nothing."""
    account, site = owner(lasting)
    lasting.account(BOB)
    management = lasting.desk.keys.create(account, "laptop").record.id
    keys = (management, lasting.desk.sites.keys.list(site)[0].id)
    return Refused(lasting, lasting.signed_in(ANN), lasting.signed_in(BOB), keys)


@pytest.mark.parametrize("route", CHANGES, ids=named)
def test_a_change_that_another_site_asks_for_is_refused(refused: Refused, route: DashboardRoute) -> None:
    browser, path = refused.ann, refused.path(route)
    before = state(refused.dashboard)
    for said, headers in FOREIGN.items():
        page = browser.once(route.method, path, {"name": "x"}, headers)
        assert page.status == 403, said
    two = {"Cookie": "; ".join(f"{name}={text}; {name}={text}" for name, text in browser.cookies.items())}
    answer = browser.once(route.method, path, {}, {"Sec-Fetch-Site": "same-origin", **two})
    assert answer.status == 403
    assert state(refused.dashboard) == before


@pytest.mark.parametrize("route", OWN, ids=named)
def test_a_change_without_a_session_leads_to_the_form(refused: Refused, route: DashboardRoute) -> None:
    before = state(refused.dashboard)
    page = refused.dashboard.browser().post(refused.path(route))
    assert page.path.startswith("/sign-in")
    assert state(refused.dashboard) == before


@pytest.mark.parametrize(
    "route",
    [route for route in OWNERS if "{id" in route.path or "{site" in route.path],
    ids=named,
)
def test_what_is_another_accounts_is_not_there(refused: Refused, route: DashboardRoute) -> None:
    before = state(refused.dashboard)
    typed = route.path.endswith("delete") and not route.path.startswith("/account")
    fields = {"name": "laptop"} if typed else {}
    assert refused.bob.post(refused.path(route), fields).status == 404
    assert state(refused.dashboard) == before


@pytest.mark.parametrize("route", OPERATORS, ids=named)
def test_what_is_the_operators_is_nobody_elses(refused: Refused, route: DashboardRoute) -> None:
    ann = refused.dashboard.desk.accounts.find(ANN)
    before = state(refused.dashboard)
    fields = {"plan": "premium", "operator": "yes", "reason": "x"}
    page = refused.bob.ask(route.method, path_of(route, ann.id), fields, {"Sec-Fetch-Site": "same-origin"})
    assert page.status == 404
    assert ann.email not in page.text
    assert state(refused.dashboard) == before


@pytest.fixture(scope="module")
def suspended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Refused]:
    """The same, with Ann suspended."""
    with running(tmp_path_factory.mktemp("suspended") / "data") as dashboard:
        account, site = owner(dashboard)
        management = dashboard.desk.keys.create(account, "laptop").record.id
        keys = (management, dashboard.desk.sites.keys.list(site)[0].id)
        ann = dashboard.signed_in(ANN)
        dashboard.desk.accounts.suspend(account, reason="The invoice of May is open.")
        yield Refused(dashboard, ann, dashboard.browser(), keys)


@pytest.mark.parametrize("route", OWN, ids=named)
def test_a_suspended_account_changes_nothing(suspended: Refused, route: DashboardRoute) -> None:
    before = state(suspended.dashboard)
    assert suspended.ann.post(suspended.path(route), {"name": "laptop"}).status == 403
    assert "The invoice of May is open." in suspended.ann.get("/databases/keys").words
    assert state(suspended.dashboard) == before


@pytest.fixture(scope="module")
def relieved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Dashboard, Browser]]:
    """A dashboard with Ann, and the browser of Bob, an operator who is suspended."""
    with running(tmp_path_factory.mktemp("relieved") / "data") as dashboard:
        dashboard.account(ANN)
        bob = dashboard.account(BOB, operator=True)
        browser = dashboard.signed_in(BOB)
        dashboard.desk.accounts.suspend(bob.id, reason="The invoice of May is open.")
        yield dashboard, browser


@pytest.mark.parametrize("route", OPERATORS, ids=named)
def test_a_suspended_operator_looks_after_nobody(
    relieved: tuple[Dashboard, Browser], route: DashboardRoute
) -> None:
    dashboard, browser = relieved
    ann, before = dashboard.desk.accounts.find(ANN), state(dashboard)
    fields = {"plan": "premium", "operator": "yes", "reason": "x"}
    page = browser.ask(route.method, path_of(route, ann.id), fields, {"Sec-Fetch-Site": "same-origin"})
    assert page.status == 403
    assert "The invoice of May is open." in page.words
    assert ann.email not in page.text
    assert "/operator" not in browser.get("/account").text
    assert state(dashboard) == before


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_are_refused(dashboard: Dashboard, method: str) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    before = state(dashboard)
    for route in ROUTES:
        page = browser.once(method, path_of(route, "a"), {}, {"Sec-Fetch-Site": "same-origin"})
        assert page.status == 405, route.path
        assert route.method in page.headers["allow"]
    assert state(dashboard) == before


def test_who_asks_for_the_head_of_a_page_is_answered_and_uses_nothing_up(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    made = browser.once("POST", "/databases/keys", {"label": "laptop"}, {"Sec-Fetch-Site": "same-origin"})
    path = made.headers["location"]
    head = browser.once("HEAD", path, None, {})
    assert (head.status, head.text) == (200, "")
    shown = re.compile("svc_db_[0-9A-Za-z]{46}")
    assert shown.search(browser.get(path).text)
    assert not shown.search(browser.get(path).text)


TURNS: dict[str, tuple[str, dict[str, str]]] = {
    "a page is created": ("/sites/quay-docs/pages", {"path": "docs/new"}),
    "a page is deleted": ("/sites/quay-docs/pages/delete", {"path": "docs/index"}),
    "a page is moved": ("/sites/quay-docs/pages/move", {"path": "docs/index", "to": "docs/other"}),
    "a version is restored": ("/sites/quay-docs/pages/restore", {"path": "docs/index", "revision": "FIRST"}),
    "writes are undone": ("/sites/quay-docs/keys/agent/undo", {}),
    "a site is created": ("/sites", {"name": "pier-docs"}),
}


@pytest.mark.parametrize(("path", "form"), TURNS.values(), ids=TURNS)
def test_who_is_suspended_while_waiting_for_a_turn_changes_nothing(
    dashboard: Dashboard, path: str, form: dict[str, str]
) -> None:
    ann = dashboard.account(ANN)
    browser, sites = dashboard.signed_in(ANN), dashboard.desk.sites
    browser.post("/sites", {"name": "quay-docs"})
    go = Event()
    with sites.opened.using(sites.sites.named(ann.id, "quay-docs")) as opened, ThreadPoolExecutor(1) as pool:
        opened.history.catch_up()
        first = opened.history.revisions()[-1].id
        opened.store.write("docs/index", "mdx", "The agent's.\n", note=ChangeNote(key="agent"))
        threads = cast(ThreadPoolExecutor, sites.threads if path == "/sites" else opened.threads)
        waiting = [threads.submit(go.wait) for _ in range(threads._max_workers)]
        try:
            given = {name: first if text == "FIRST" else text for name, text in form.items()}
            answer = pool.submit(browser.post, path, given)
            until(threads._work_queue.qsize)
            before = files(dashboard)
            dashboard.desk.accounts.suspend(ann.id, "operator", "why")
        finally:
            go.set()
        assert (answer.result().status, all(each.result() for each in waiting)) == (403, True)
    assert files(dashboard) == before
