"""The operator's pages: what is done there holds at the next request of the account that it is about."""

from __future__ import annotations

import re
import sys
import time
from html import unescape
from pathlib import Path

import pyotp
import pytest

from builder.version import VERSION
from server.control import audit
from server.control.accounts.account import Account
from server.control.audit import By
from server.dashboard.mails import MailSettings
from server.publishing.publish_lock import publish_lock
from tests.server.dashboard.browser import Browser, Page
from tests.server.dashboard.conftest import PASSWORD, Dashboard, running
from tests.waiting import until

ANN, BOB, NEW = "ann@example.com", "bob@example.com", "new@example.com"


class Staff:
    """Ann, the operator, signed in; and Bob's account."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.ann = dashboard.account(ANN, operator=True)
        self.bob = dashboard.account(BOB)
        self.dashboard, self.browser = dashboard, dashboard.signed_in(ANN)

    def post(self, act: str, of: Account | None = None, **fields: str) -> Page:
        return self.browser.post(f"/operator/accounts/{(of or self.bob).id}/{act}", fields)

    def now(self) -> Account:
        return self.dashboard.desk.accounts.get(self.bob.id)


@pytest.fixture
def staff(dashboard: Dashboard) -> Staff:
    return Staff(dashboard)


def link_in(page: Page, kind: str) -> str:
    """The path of a link that a page shows."""
    (found,) = re.findall(rf"http://localhost:\d+(/{kind}/[\w-]+)", page.text)
    return str(found)


def test_all_accounts_are_listed_and_found_by_their_address(staff: Staff) -> None:
    assert {ANN, BOB} <= set(staff.browser.get("/operator").words.split())
    found = staff.browser.get("/operator?find=BOB").words
    assert (BOB in found, f"{ANN} Operator" in found) == (True, False)
    assert "Show all 2" in staff.browser.get("/operator?find=nobody").words


def test_a_suspension_shows_its_reason_and_ends_again(staff: Staff) -> None:
    bob = staff.dashboard.signed_in(BOB)
    assert f"{BOB} is suspended" in staff.post("suspend", reason="The invoice of May is open.").words
    assert "The invoice of May is open." in bob.get("/account").words
    assert staff.now().suspended
    assert "all works as before" in staff.post("clear").words
    assert not staff.now().suspended
    assert "The operator" in bob.get("/activity").words


def test_the_record_says_which_operator_it_was(staff: Staff) -> None:
    staff.post("plan", plan="premium")
    assert staff.now().plan == "premium"
    (event,) = audit.events(staff.dashboard.desk.database, staff.bob.id)[:1]
    assert (event.action, event.actor) == ("account.plan", f"operator {staff.ann.id}")


@pytest.mark.parametrize(
    ("act", "fields"),
    [("suspend", {}), ("rights", {"operator": "no"}), ("sessions/end", {}), ("codes/off", {})],
)
def test_nobody_locks_out_the_account_that_is_signed_in(
    staff: Staff, act: str, fields: dict[str, str]
) -> None:
    assert "You cannot" in staff.post(act, staff.ann, **fields).words
    assert staff.browser.get("/operator").status == 200


def test_rights_are_given_and_taken(staff: Staff) -> None:
    bob = staff.dashboard.signed_in(BOB)
    assert bob.get("/operator").status == 404
    staff.post("rights", operator="yes")
    assert bob.get("/operator").status == 200
    staff.post("rights", operator="no")
    assert bob.get("/operator").status == 404


@pytest.mark.parametrize(
    ("act", "field", "text"), [("plan", "plan", "gold"), ("rights", "operator", "perhaps"), ("plan", "x", "")]
)
def test_what_no_form_of_ours_sends_changes_nothing(staff: Staff, act: str, field: str, text: str) -> None:
    before = staff.now()
    assert staff.post(act, **{field: text}).status == 400
    assert staff.now() == before


def test_a_reason_that_is_too_long_stays_in_its_field(staff: Staff) -> None:
    page = staff.post("suspend", reason="x" * 501)
    assert page.status == 422
    assert "500 characters or fewer" in page.words
    assert "x" * 501 in page.text
    assert not staff.now().suspended


def test_an_invitation_makes_one_account(tmp_path: Path) -> None:
    with running(tmp_path / "data", sign_up="invite") as dashboard:
        _invites(Staff(dashboard))


def test_a_closed_service_takes_no_invitations(staff: Staff) -> None:
    assert staff.browser.get("/operator/invite").status == 404
    assert staff.browser.post("/operator/invite").status == 404
    made = staff.dashboard.desk.links.create("invite")
    assert staff.dashboard.browser().get(f"/invite/{made}").status == 410


def _invites(staff: Staff) -> None:
    path = link_in(staff.browser.post("/operator/invite"), "invite")
    guest = staff.dashboard.browser()
    assert guest.post(path, {"email": NEW, "password": PASSWORD}).path == "/sites"
    assert not staff.dashboard.desk.accounts.find(NEW).operator
    again = staff.dashboard.browser().post(path, {"email": "two@example.com", "password": PASSWORD})
    assert again.status == 410


def test_a_link_to_a_new_password_is_shown_once_and_works_once(staff: Staff) -> None:
    bob = staff.dashboard.signed_in(BOB)
    page = staff.post("reset")
    path = link_in(page, "reset")
    assert path not in staff.browser.get(page.path).text
    other = Browser(staff.dashboard.port)
    assert other.post(path, {"password": "another long sentence"}).path == "/sites"
    assert bob.get("/account").path.startswith("/sign-in")
    assert staff.dashboard.browser().get(path).status == 410


def lose_codes(staff: Staff) -> None:
    """Bob has codes on, and nothing to make one with."""
    codes = staff.dashboard.desk.codes
    secret = codes.begin(staff.bob.id)
    codes.confirm(staff.bob.id, pyotp.TOTP(secret).now())


def test_who_has_lost_the_app_signs_in_again_when_an_operator_turns_codes_off(staff: Staff) -> None:
    lose_codes(staff)
    assert "Codes of an app are asked for." in staff.browser.get(f"/operator/accounts/{staff.bob.id}").words
    page = staff.post("codes/off")
    assert f"{BOB} is asked for no codes any more." in page.words
    assert "Codes of an app" not in page.words
    activity = staff.dashboard.signed_in(BOB).get("/activity").words
    assert "Codes turned off" in activity
    assert "The operator" in activity
    assert staff.post("codes/off").status == 404


def test_a_mail_tells_the_owner_that_codes_are_off(tmp_path: Path) -> None:
    kept = tmp_path / "mail"
    command = (sys.executable, "-c", f"import sys; open({str(kept)!r}, 'w').write(sys.stdin.read())")
    settings = MailSettings(command, "service@example.com")
    with running(tmp_path / "data", mail=settings) as dashboard:
        staff = Staff(dashboard)
        lose_codes(staff)
        staff.post("codes/off")
        until(lambda: kept.exists() and kept.read_text().endswith("\n"))
    assert f"To: {BOB}" in kept.read_text()
    assert "Subject: Codes are turned off" in kept.read_text()


def test_the_last_operator_cannot_delete_the_account(staff: Staff) -> None:
    page = staff.browser.post("/account/delete", {"email": ANN})
    assert page.status == 422
    assert "make another account an operator first" in page.words
    staff.post("rights", operator="yes")
    assert "will be deleted" in staff.browser.post("/account/delete", {"email": ANN}).words


def test_an_account_is_signed_out_everywhere(staff: Staff) -> None:
    bob = staff.dashboard.signed_in(BOB)
    assert "1 session has ended" in staff.post("sessions/end").words
    assert bob.get("/account").path.startswith("/sign-in")


def test_an_account_that_is_not_there(staff: Staff) -> None:
    assert staff.browser.get("/operator/accounts/nobody").status == 404


def test_the_operator_sees_how_the_service_does(staff: Staff) -> None:
    staff.browser.post("/sites", {"name": "quay-docs"})
    words = staff.browser.get("/operator/health").words
    assert f"Twinpress {VERSION}" in words
    assert re.search(r"Running since (today|yesterday), \d\d:\d\d UTC", words)
    assert re.search(r"Memory [1-9][\d,]* MiB at most since then", words)
    assert re.search(r"Disk (Well|Look|Act) [\d,.]+ of [\d,.]+ GiB are free", words)
    assert "PostgreSQL Not used: the service was started with --no-databases" in words
    assert "To be deleted 0 accounts and 0 sites" in words
    staff.browser.post("/sites/quay-docs/delete", {"name": "quay-docs"})
    assert "To be deleted 0 accounts and 1 site," in staff.browser.get("/operator/health").words
    assert staff.dashboard.signed_in(BOB).get("/operator/health").status == 404


def listed(page: Page) -> list[str]:
    """The addresses in the list of accounts, in their order."""
    return re.findall(r'<a href="/operator/accounts/\w+">([^<]+)</a>', page.text)


def test_accounts_are_listed_with_what_they_use(staff: Staff) -> None:
    bob = staff.dashboard.signed_in(BOB)
    bob.post("/sites", {"name": "quay-docs"})
    assert "which is being measured" in staff.browser.get("/operator").words
    staff.dashboard.desk.usage.measure()
    page = staff.browser.get("/operator?find=bob")
    assert re.search(r"bob@example.com Free 1 0 [\d.]+ KB \d+ \w+ \d+ \w+", page.words), page.words
    assert "measured today" in page.words
    staff.dashboard.account(NEW)
    assert "new@example.com Free 0 0 0 bytes Never" in staff.browser.get("/operator").words


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", [ANN, BOB]),
        ("sort=email", [ANN, BOB]),
        ("sort=email&order=turned", [BOB, ANN]),
        ("sort=sites", [BOB, ANN]),
        ("sort=sites&order=turned", [ANN, BOB]),
        ("sort=used", [BOB, ANN]),
        ("sort=seen&find=bob", [BOB]),
        ("sort=nonsense&page=7", [ANN, BOB]),
        ("show=operators", [ANN]),
        ("show=suspended", []),
        ("show=unseen", [BOB]),
    ],
)
def test_accounts_are_sorted_and_chosen(staff: Staff, query: str, order: list[str]) -> None:
    desk = staff.dashboard.desk
    desk.sites.create(staff.bob.id, "quay-docs", By("test"))
    desk.usage.measure()
    page = staff.browser.get(f"/operator?{query}")
    assert listed(page) == order
    for column in re.findall(r'<a class="sort" href="([^"]+)"', page.text):
        assert staff.browser.get(unescape(column)).status == 200


def test_a_column_that_is_sorted_by_turns_around(staff: Staff) -> None:
    page = staff.browser.get("/operator?sort=email")
    assert 'aria-sort="ascending"' in page.text
    (link,) = re.findall(r'href="([^"]+)">Address', page.text)
    page = staff.browser.get(unescape(link))
    assert (listed(page), 'aria-sort="descending"' in page.text) == ([BOB, ANN], True)
    assert 'href="/operator?sort=email">Address' in page.text


def test_a_thousand_accounts_have_pages(staff: Staff) -> None:
    row = (
        "INSERT INTO accounts (id, email, folded_email, password_hash, plan, created_at)"
        " VALUES (?, ?, ?, 'x', 'free', 1)"
    )
    with staff.dashboard.desk.database.change() as change:
        for number in range(1000):
            email = f"person-{number:04}@example.com"
            change.write(row, (f"account{number}", email, email))
    page = staff.browser.get("/operator?sort=email&order=turned&find=person")
    assert "Page 1 of 10, 1000 accounts" in page.words
    assert listed(page)[0] == "person-0999@example.com"
    (link,) = re.findall(r'<a class="button" href="([^"]+)">Next</a>', page.text)
    assert listed(staff.browser.get(unescape(link)))[0] == "person-0899@example.com"


def test_jobs_of_all_sites_are_shown_by_state(staff: Staff) -> None:
    desk = staff.dashboard.desk
    site = desk.sites.create(staff.bob.id, "quay-docs", By("test"))
    assert "0 running, 0 waiting" in staff.browser.get("/operator").words
    row = (
        "INSERT INTO publish_jobs (site, actor, state, stop, asked_at, ended_at, said)"
        " VALUES (?, 'x', ?, ?, ?, ?, ?)"
    )
    now = int(time.time())
    for state, stop, ended, said in (
        ("failed", 0, now - 60, "the site has 3 errors"),
        ("failed", 1, now - 60, "it was stopped"),
        ("failed", 0, now - 2 * 24 * 3600, "long ago"),
        ("done", 0, now - 60, ""),
    ):
        desk.database.write(row, (site.id, state, stop, now - 90, ended, said))
    words = staff.browser.get("/operator").words
    assert re.search(r"Failed within a day 1 ", words)
    words = staff.browser.get("/operator/jobs").words
    assert f"quay-docs {BOB}" in words
    assert "The site has 3 errors." in words
    assert "it was stopped" not in words.casefold()
    assert "long ago" not in words.casefold()
    assert "Nothing is being published." in words
    work = desk.publishing.releases.folders.work(site.id)
    with publish_lock(work):
        desk.database.write(row, (site.id, "waiting", 0, now, None, ""))
        assert "0 running, 1 waiting" in staff.browser.get("/operator").words
        assert "Next" in staff.browser.get("/operator/jobs").words
    assert staff.dashboard.signed_in(BOB).get("/operator/jobs").status == 404
