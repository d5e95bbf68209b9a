"""Every page that the table of routes has, in four views on a real service: axe finds nothing wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from msgspec import Struct
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect

from server.control.accounts.accounts import Accounts
from server.control.sign_in.browser_sessions import BrowserSessions
from server.control.sign_in.one_time_links import OneTimeLinks, Purpose
from server.dashboard.routes import ROUTES
from server.dashboard.visit import DashboardRoute, Need
from tests.chromium import launched
from tests.server.service.hosting import hosting
from tests.server.service.owner import Owner
from tests.server.service.place import data_folder
from tests.themes.axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.postgres]
OPEN = ("--port", "0", "--requests", "0", "--sign-up", "open", "--mail-command", "true")
DOWNLOADS = ("/activity.json", "}/export", "}/log", "/readers.csv", "/readers.json")
ELSEWHERE = {f"/sites/{{site:[a-z0-9-]+}}/preview{page}" for page in ("", "{page:/.*}")}
SHOWN = [route for route in ROUTES if route.method == "GET" and route.path not in ELSEWHERE]
PAGES = [route for route in SHOWN if not route.path.endswith(DOWNLOADS)]
LINKS: tuple[Purpose, ...] = ("first", "invite", "welcome", "reset", "address")
VIEWS = {"desktop": (1280, 900), "phone": (360, 780)}
WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


class Stage(Struct, frozen=True):
    """A service in which somebody, an operator too, has one of everything."""

    owner: Owner

    def address(self, route: DashboardRoute) -> str:
        """An address at which the route has something to show."""
        if "{token}" not in route.path:
            return self.owner.path(route.path)
        links, account = OneTimeLinks(self.owner.service.database), self.owner.account.id
        (purpose,) = [each for each in LINKS if route.path == f"/{each}/{{token}}"]
        email = "new@example.com" if purpose in {"welcome", "address"} else ""
        needs = account if purpose in {"reset", "address"} else None
        return f"/{purpose}/{links.create(purpose, needs, email)}"

    def sign_in(self, tab: Page) -> None:
        """Begin a session that needs no step up for the next minutes."""
        made = BrowserSessions(self.owner.service.database).begin(self.owner.account.id)
        tab.context.add_cookies(
            [{"name": "twinpress", "value": made.token, "url": self.owner.browser.origin}]
        )


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with data_folder() as data, hosting(data, *OPEN) as service:
        owner = Owner(service, "annika")
        Accounts(service.database).set_operator(owner.account.id, operator=True)
        yield Stage(owner)


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with launched() as started:
        yield started


@pytest.fixture
def tab(browser: Chromium, stage: Stage, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A tab of a view."""
    view, scheme = request.param
    width, height = VIEWS[view]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        base_url=stage.owner.browser.origin,
        reduced_motion="reduce",
    )
    yield context.new_page()
    context.close()


in_four_views = pytest.mark.parametrize(
    "tab",
    [
        ("desktop", "light"),
        ("phone", "dark"),
        # Widths and colours do not depend on each other: these are for nights.
        pytest.param(("desktop", "dark"), marks=pytest.mark.slow),
        pytest.param(("phone", "light"), marks=pytest.mark.slow),
    ],
    ids="-".join,
    indirect=True,
)


def faults(tab: Page) -> list[str]:
    """All that is wrong with the page in the tab."""
    wide = [f"{tab.url} is wider than the screen"] if tab.evaluate(WIDE) else []
    return [*violations(tab, "light"), *wide]


@in_four_views
def test_every_page_is_for_everybody(tab: Page, stage: Stage) -> None:
    found: dict[str, list[str]] = {}
    for route in sorted(PAGES, key=lambda route: route.need != Need.NOTHING):
        if route.need != Need.NOTHING:
            stage.sign_in(tab)
        answer = tab.goto(stage.address(route))
        assert answer, route.path
        assert answer.status == 200, f"{route.path}: {answer.status}"
        assert route.path == "/step-up" or "/step-up" not in tab.url, route.path
        if wrong := faults(tab):
            found[route.path] = wrong
    assert found == {}


def _key_made(tab: Page) -> None:
    tab.goto("/sites/annika-docs/keys")
    tab.get_by_role("button", name="Create a one-off key").click()
    expect(tab.locator("#prompt")).to_be_visible()


def _revealed(tab: Page) -> None:
    tab.goto("/databases")
    tab.get_by_role("link", name="Reveal").click()
    tab.get_by_role("button", name="Reveal").click()
    expect(tab.locator("#password")).to_be_visible()


def _refused(tab: Page) -> None:
    tab.goto("/databases/keys")
    for _ in "12":
        tab.get_by_role("button", name="Create the key").click()
    expect(tab.get_by_role("alert")).to_contain_text("The key was not created")


def _conflict(tab: Page) -> None:
    tab.goto("/sites/annika-docs/pages/edit?path=docs/index")
    tab.get_by_label("Source", exact=True).fill("# Mine\n")
    tab.locator("[name=revision]").evaluate("field => { field.value = 'an-old-one'; }")
    tab.get_by_role("button", name="Save this page").click()
    expect(tab.get_by_role("alert")).to_contain_text("the page changed while you wrote")


def _recovery(tab: Page) -> None:
    tab.goto("/account")
    tab.get_by_role("button", name="New recovery codes").click()
    expect(tab.get_by_role("heading", level=1)).to_be_visible()


def _wrong(tab: Page) -> None:
    tab.goto("/sites/annika-docs/rename")
    tab.get_by_label("Name").fill("admin")
    tab.get_by_role("button").last.click()
    expect(tab.get_by_text("is reserved")).to_be_visible()


STATES: dict[str, Callable[[Page], None]] = {
    "a key is made": _key_made,
    "a password is revealed": _revealed,
    "a key is refused": _refused,
    "a conflict": _conflict,
    "recovery codes": _recovery,
    "an error beside its field": _wrong,
}


@in_four_views
def test_so_is_what_a_form_answers(tab: Page, stage: Stage) -> None:
    stage.sign_in(tab)
    found: dict[str, list[str]] = {}
    for name, come in STATES.items():
        come(tab)
        if wrong := faults(tab):
            found[name] = wrong
    assert found == {}
