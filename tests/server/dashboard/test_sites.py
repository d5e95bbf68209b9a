"""Sites in the dashboard: create, rename, delete and restore them."""

from __future__ import annotations

from tests.server.dashboard.conftest import Dashboard

ANN, BOB = "ann@example.com", "bob@example.com"


def test_the_menu_keeps_the_site_that_was_opened_last(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    keys = "/sites/quay-docs/keys"
    browser.post("/sites", {"name": "quay-docs"})
    assert keys in browser.get("/account").text
    browser.post("/sites/quay-docs/rename", {"name": "berth-docs"})
    assert "/sites/berth-docs/keys" in browser.get("/activity").text
    browser.post("/sites", {"name": "quay-docs"})
    browser.post("/sites/quay-docs/delete", {"name": "quay-docs"})
    assert "/sites/quay-docs/keys" not in browser.get("/account").text


def test_the_site_of_somebody_else_is_in_no_menu(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    dashboard.account("bob@example.com")
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    other = dashboard.signed_in("bob@example.com")
    other.cookies["twinpress-site"] = "quay-docs"
    assert "quay-docs" not in other.get("/account").text
    browser.post("/sign-out")
    assert "twinpress-site" not in browser.cookies


def test_a_first_site_is_one_form_away(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    assert "Create your first site" in browser.get("/").words
    page = browser.post("/sites", {"name": "Quay-Docs"})
    assert (page.status, page.path.partition("?")[0]) == (200, "/sites/quay-docs")
    assert "quay-docs is created" in page.words
    assert page.words.index("Create a page") < page.words.index("Create a one-off key")
    assert "Quay docs" in page.words
    assert "is created" not in browser.get(page.path).words


def test_a_name_that_cannot_be_stays_in_its_field_with_the_reason(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    dashboard.account(BOB)
    browser, other = dashboard.signed_in(ANN), dashboard.signed_in(BOB)
    other.post("/sites", {"name": "pier-docs"})
    for name, why in (
        ("quay docs", "cannot be the name of a site"),
        ("www", "is reserved"),
        ("pier-docs", "is taken"),
        ("", "The name is missing: use 2 to 40"),
    ):
        page = browser.post("/sites", {"name": name})
        assert page.status == 422
        assert f'value="{name}"' in page.text
        assert why in page.words
    assert "Create your first site" in browser.get("/sites").words


def test_the_name_of_a_site_of_ones_own_is_said_to_be_that(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    assert "You have a site called quay-docs" in browser.post("/sites", {"name": "quay-docs"}).words
    browser.post("/sites/quay-docs/delete", {"name": "quay-docs"})
    said = browser.post("/sites", {"name": "quay-docs"}).words
    assert "You have deleted a site called quay-docs: restore it, or use another name." in said


def test_a_plan_has_so_many_sites(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    for number in range(5):
        assert browser.post("/sites", {"name": f"site-{number}"}).status == 200
    full = browser.get("/sites")
    assert "Delete one to create another" in full.words
    assert not any(offer in full.words for offer in ("Create a site", "Import a site", "Create the site"))
    page = browser.post("/sites", {"name": "one-more"})
    assert page.status == 422
    assert "The free plan has 5 sites" in page.words


def test_a_site_gets_another_name(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    page = browser.post("/sites/quay-docs/rename", {"name": "q"})
    assert (page.status, "the one before answers “not found”" in page.words) == (422, True)
    page = browser.post("/sites/quay-docs/rename", {"name": "pier-docs"})
    assert "called pier-docs now" in page.words
    assert browser.get("/sites/quay-docs").status == 404
    assert browser.get("/sites/pier-docs/pages").status == 200


def test_a_site_is_deleted_by_its_typed_name_and_can_be_restored(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    wrong = browser.post("/sites/quay-docs/delete", {"name": "quay"})
    assert (wrong.status, "Type quay-docs to delete" in wrong.words) == (422, True)
    assert "readers get “not found”" in wrong.words
    page = browser.post("/sites/quay-docs/delete", {"name": "quay-docs"})
    assert "quay-docs will be deleted" in page.words
    for path in ("", "/pages", "/keys", "/delete"):
        assert browser.get(f"/sites/quay-docs{path}").status == 404
    assert "with all its keys" in browser.post("/sites/quay-docs/restore").words
    assert browser.get("/sites/quay-docs").status == 200


def test_what_was_done_is_in_the_activity(dashboard: Dashboard) -> None:
    dashboard.account(ANN)
    browser = dashboard.signed_in(ANN)
    browser.post("/sites", {"name": "quay-docs"})
    browser.post("/sites/quay-docs/keys", {"kind": "long-lived", "label": "ci"})
    words = browser.get("/activity").words
    assert "Site created" in words
    assert "Site key created" in words
