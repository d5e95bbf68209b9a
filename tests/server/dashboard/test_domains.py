"""Domains of a site in the dashboard: each state is told, and what the owner chooses is done."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import expect

from server.control.accounts.account import Account
from server.control.audit import By
from server.domains.domain_look import DomainLook, Routing, TxtAnswer, proof
from server.domains.domain_verdicts import DomainVerdicts
from tests.server.dashboard.browser import Browser
from tests.server.dashboard.conftest import TARGET, Dashboard
from tests.server.dashboard.publishing import ended, site_of

ANN, BOB = "ann@example.com", "bob@example.com"
SITE = "/sites/quay-docs"
PAGE = f"{SITE}/domains"
DOCS, OTHER = "docs.quayside.example", "help.quayside.example"


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    """A browser of an owner with a site."""
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    return browser


def owner(dashboard: Dashboard, email: str = ANN) -> Account:
    return dashboard.desk.accounts.find(email)


def seen(
    dashboard: Dashboard,
    name: str,
    *values: str,
    routing: Routing = "missing",
    found: str = "",
    alias: str = "",
    fault: str = "",
) -> None:
    """Have a look at a domain find this at its server."""
    database = dashboard.desk.database
    database.write("UPDATE domains SET next_at = 0 WHERE name = ?", (name,))
    verdicts = DomainVerdicts(database)
    lease = verdicts.lease(name)
    assert lease
    answer = TxtAnswer("ns1.quayside.example", values, alias, fault)
    assert verdicts.give(lease, DomainLook((answer,), "", routing, found))


def value(dashboard: Dashboard, name: str = DOCS, email: str = ANN) -> str:
    return proof(owner(dashboard, email).id, name)


def taken_by_bob(dashboard: Dashboard, name: str) -> None:
    """Have Bob's site have a domain."""
    account = dashboard.account(BOB)
    site = dashboard.desk.sites.create(account.id, "reef-docs", By("the test"))
    dashboard.desk.publishing.domains.claims.add(site.id, name, By("the test"))
    seen(dashboard, name, value(dashboard, name, BOB))


def test_a_new_domain_needs_two_records_that_can_be_copied(dashboard: Dashboard, ann: Browser) -> None:
    assert "You get two records for its DNS" in ann.get(PAGE).words
    page = ann.post(PAGE, {"domain": " https://Docs.Quayside.Example./"})
    assert (page.status, page.path.partition("?")[0]) == (200, PAGE)
    for text in (f"_twinpress.{DOCS}", value(dashboard), DOCS, TARGET):
        (id,) = re.findall(rf'<code id="([a-z0-9-]+)">{re.escape(text)}</code>', page.text)
        assert f'data-copy="{id}"' in page.text
    assert "Waiting for both" in page.words
    assert "CNAME: leads readers here" in page.words
    assert "Looked at every 20 seconds until" in page.words
    assert "Readers find nothing there yet The site is not published." in page.words


def test_a_registered_name_gets_an_alias_and_addresses_and_its_companion(ann: Browser) -> None:
    page = ann.post(PAGE, {"domain": "quayside.example", "both": "on"})
    assert "quayside.example and www.quayside.example: now set" in page.words
    assert "ALIAS, or A where your provider has none" in page.words
    assert ">192.0.2.40</code>" in page.text
    assert page.text.count("CNAME: leads readers here") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "This is no name of a domain: write it like docs.example.com."),
        ("co.uk", "`co.uk` is an ending under which names are registered"),
        ("127.0.0.1", "`127.0.0.1` is an address, and no name of a domain: write it like docs.example.com."),
        (f"quay-docs.{TARGET}", f"`quay-docs.{TARGET}` belongs to this service"),
        ("https://quayside.example/x", "`https://quayside.example/x` is no name of a domain"),
        ("<b>.example", "`<b>.example` is no name of a domain"),
    ],
)
def test_what_cannot_be_a_domain_is_said_beside_the_field(ann: Browser, text: str, said: str) -> None:
    page = ann.post(PAGE, {"domain": text})
    assert page.status == 422
    assert said.replace("`", "") in page.words
    assert 'aria-invalid="true"' in page.text
    assert "<b>" not in page.text


def test_a_domain_too_many_and_one_twice_are_refused(dashboard: Dashboard, ann: Browser) -> None:
    for number in range(5):
        ann.post(PAGE, {"domain": f"d{number}.quayside.example"})
    assert "the free plan has 5 domains" in (page := ann.post(PAGE, {"domain": DOCS})).words.replace("T", "t")
    assert page.status == 422
    assert "is a domain of this site already" in ann.post(PAGE, {"domain": "d0.quayside.example"}).words


def test_every_state_is_told(dashboard: Dashboard, ann: Browser) -> None:
    ann.post(PAGE, {"domain": DOCS})
    mine = value(dashboard)
    seen(
        dashboard, DOCS, "twinpress=old", routing="wrong", found="`CNAME old.example.net` at `ns1.x.example`"
    )
    words = ann.get(PAGE).words
    assert "Found twinpress=old at ns1.quayside.example. Change that record" in words
    assert "Found CNAME old.example.net at ns1.x.example." in words
    seen(
        dashboard, DOCS, alias="proof.elsewhere.example", routing="failed", found="it did not answer in time"
    )
    words = ann.get(PAGE).words
    assert "Found CNAME proof.elsewhere.example at ns1.quayside.example" in words
    assert "It did not answer in time." in words
    seen(dashboard, DOCS, fault="it answered SERVFAIL", routing="right")
    words = ann.get(PAGE).words
    assert "ns1.quayside.example: it answered SERVFAIL." in words
    assert "One of two records right" in words
    seen(dashboard, DOCS, mine)
    words = ann.get(PAGE).words
    assert "One of two records right" in words
    assert "Proved today" in words
    assert "have the site at http://docs.quayside.example:8081" in words
    seen(dashboard, DOCS, mine, routing="right")
    words = ann.get(PAGE).words
    assert "Serving" in words
    assert "Main host" in words
    assert f"Redirects to {DOCS}." in words
    seen(dashboard, DOCS, routing="right")
    words = ann.get(PAGE).words
    assert "TXT not found" in words
    assert "Readers still have the site here" in words


def test_a_domain_of_another_account_is_told(dashboard: Dashboard, ann: Browser) -> None:
    taken_by_bob(dashboard, DOCS)
    ann.post(PAGE, {"domain": DOCS})
    seen(dashboard, DOCS, value(dashboard), value(dashboard, DOCS, BOB), routing="right")
    words = ann.get(PAGE).words
    assert "Another account has it" in words
    assert f"Remove the other TXT record at _twinpress.{DOCS}" in words
    assert BOB not in words
    assert "Make this the main host" not in words
    seen(dashboard, DOCS, value(dashboard), routing="right")
    assert "Serving" in ann.get(PAGE).words


def test_values_of_strangers_are_text(dashboard: Dashboard, ann: Browser) -> None:
    ann.post(PAGE, {"domain": DOCS})
    seen(dashboard, DOCS, "<script>alert(1)</script>`", "x" * 5000)
    page = ann.get(PAGE)
    assert "<script>alert" not in page.text
    assert "x" * 100 not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text


def test_the_owner_chooses_the_main_host_and_publishes_again(dashboard: Dashboard, ann: Browser) -> None:
    assert "Readers have release" in ended(ann, ann.post(f"{SITE}/publish")).words
    for name in (DOCS, OTHER):
        ann.post(PAGE, {"domain": name})
        seen(dashboard, name, value(dashboard, name), routing="right")
    words = ann.get(PAGE).words
    assert "Publish again" in words
    assert f"The main host is http://{DOCS}:8081 now" in words
    assert "Publish again" in ann.get("/sites").words
    assert "Publish again" in ann.get(f"{SITE}/publish").words
    assert f"are led to {DOCS}" in words
    ended(ann, ann.post(f"{SITE}/publish"))
    assert "Publish again" not in ann.get(PAGE).words
    store = dashboard.desk.publishing.releases.folders.releases(site_of(dashboard).id)
    assert store.get(store.pointer().live).url == f"http://{DOCS}:8081"
    page = ann.post(f"{PAGE}/main", {"host": OTHER})
    assert f"{OTHER} is the main host. Publish again: until then" in page.words
    page = ann.post(f"{PAGE}/leads", {"host": DOCS})
    assert f"{DOCS} shows the site itself." in page.words
    page = ann.post(f"{PAGE}/leads", {"host": ""})
    assert f"Shows the site, too; pages name {OTHER} as theirs." in page.words
    page = ann.post(f"{PAGE}/leads", {"host": "", "leads": "on"})
    assert f"Redirects to {OTHER}." in page.words
    assert "Pages name it as the address of the site." in ann.post(f"{PAGE}/main", {"host": ""}).words
    assert ann.post(f"{PAGE}/main", {"host": "no.quayside.example"}).status == 404
    said = ann.get("/activity?kind=domain").words
    assert "Main host changed" in said
    assert "Domain verified" in said


def test_a_domain_that_is_not_verified_cannot_be_the_main_host(ann: Browser) -> None:
    ann.post(PAGE, {"domain": DOCS})
    assert ann.post(f"{PAGE}/main", {"host": DOCS}).status == 404


def test_a_domain_is_removed_when_its_name_is_typed(dashboard: Dashboard, ann: Browser) -> None:
    ann.post(PAGE, {"domain": DOCS})
    seen(dashboard, DOCS, value(dashboard), routing="right")
    page = ann.get(f"{PAGE}/{DOCS}/remove")
    assert "Readers who come by it get nothing" in page.words
    assert ann.post(f"{PAGE}/{DOCS}/remove", {"name": OTHER}).status == 422
    page = ann.post(f"{PAGE}/{DOCS}/remove", {"name": f" {DOCS} "})
    assert f"{DOCS} is no domain of this site any more." in page.words
    assert dashboard.desk.publishing.domains.claims.every() == []
    assert ann.get(f"{PAGE}/{DOCS}/remove").status == 404


def test_a_look_is_asked_for_with_a_button(dashboard: Dashboard, ann: Browser) -> None:
    ann.post(PAGE, {"domain": DOCS})
    seen(dashboard, DOCS)
    dashboard.desk.database.write("UPDATE domains SET quick_until = 0, looked_at = 0, next_at = 9999999999")
    assert "Looked at once an hour" in ann.get(PAGE).words
    assert "are being looked at" in ann.post(f"{PAGE}/{DOCS}/look").words
    assert [*DomainVerdicts(dashboard.desk.database).due(5)] == [DOCS]


def test_a_suspended_account_keeps_its_domains_and_changes_none(dashboard: Dashboard, ann: Browser) -> None:
    ann.post(PAGE, {"domain": DOCS})
    seen(dashboard, DOCS, value(dashboard), routing="right")
    dashboard.desk.accounts.suspend(owner(dashboard).id)
    assert "Serving" in ann.get(PAGE).words
    for path, given in (("", {"domain": OTHER}), (f"/{DOCS}/look", {}), (f"/{DOCS}/remove", {"name": DOCS})):
        assert ann.post(f"{PAGE}{path}", given).status == 403
    site = site_of(dashboard).id
    assert list(dashboard.desk.publishing.domains.claims.hosts()[site].domains) == [DOCS]


@pytest.mark.browser
def test_the_page_renews_itself_and_keeps_what_is_typed(
    dashboard: Dashboard, ann: Browser, browser: Chromium
) -> None:
    ann.post(PAGE, {"domain": DOCS})
    context = browser.new_context(base_url=ann.origin)
    context.add_cookies(
        [{"name": name, "value": text, "url": ann.origin} for name, text in ann.cookies.items()]
    )
    tab, complaints = context.new_page(), list[str]()
    tab.on("console", lambda said: complaints.append(said.text))
    tab.goto(PAGE)
    tab.get_by_role("button", name="Add a domain").click()
    tab.get_by_label("Domain", exact=True).fill("help.quay")
    seen(
        dashboard, DOCS, "twinpress=old", routing="wrong", found="`CNAME old.example.net` at `ns1.x.example`"
    )
    expect(tab.get_by_text("CNAME old.example.net")).to_be_attached()
    expect(tab.get_by_label("Domain", exact=True)).to_have_value("help.quay")
    expect(tab.get_by_label("Domain", exact=True)).to_be_focused()
    tab.get_by_role("button", name="Cancel").click()
    seen(dashboard, DOCS, value(dashboard), routing="right")
    expect(tab.get_by_text("Serving")).to_be_visible()
    expect(tab.get_by_text(f"Redirects to {DOCS}.")).to_be_visible()
    assert complaints == []
    context.close()
