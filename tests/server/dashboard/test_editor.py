"""Pages in the dashboard: the tree, the editor, conflicts, history, and where pages are."""

from __future__ import annotations

import http.client
import json
import re

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import expect

from builder.store import ChangeNote
from server.authoring.open_sites import OpenSites
from server.control.hosted_sites import HostedSite
from server.dashboard import tree_pages
from tests.server.dashboard.browser import Browser, form_of
from tests.server.dashboard.conftest import PASSWORD, Dashboard
from tests.waiting import PATIENCE

ANN = "ann@example.com"
SITE = "/sites/quay-docs"
PAGE = "---\ntitle: Berths\n---\n\nTwo are free.\n\nAsk at the gate.\n"


@pytest.fixture
def ann(dashboard: Dashboard) -> Browser:
    """A browser of an account with a site, which has a page of its own."""
    dashboard.account(ANN)
    found = dashboard.signed_in(ANN)
    found.post("/sites", {"name": "quay-docs"})
    write(dashboard, PAGE)
    return found


def site(dashboard: Dashboard) -> HostedSite:
    (found,) = dashboard.desk.sites.sites.list(dashboard.desk.accounts.list()[0].id)
    return found


def opened(dashboard: Dashboard) -> OpenSites:
    return dashboard.desk.sites.opened


def write(dashboard: Dashboard, text: str, path: str = "docs/berths", key: str = "agent") -> None:
    """Somebody else writes."""
    with opened(dashboard).using(site(dashboard)) as found:
        found.store.write(path, "mdx", text, note=ChangeNote(key=key))


def text(dashboard: Dashboard, path: str = "docs/berths") -> str:
    with opened(dashboard).using(site(dashboard)) as found:
        return found.store.read(path).text


def edited(ann: Browser, old: str, new: str, path: str = "docs/berths") -> dict[str, str]:
    """The form with a change."""
    found = form_of(ann.get(f"{SITE}/pages/edit?path={path}"))
    return {**found, "text": found["text"].replace(old, new)}


def test_the_tree_is_that_of_the_sidebar(dashboard: Dashboard, ann: Browser) -> None:
    write(dashboard, "---\ntitle: Plans\ndraft: true\n---\n", "docs/plans")
    words = ann.get(f"{SITE}/pages").words
    places = [
        words.index(each) for each in ("Introduction", "Guide 3 pages", "Write a page", "Reference", "Berths")
    ]
    assert places == sorted(places)

    assert re.search(r"Plans mdx Draft a deleted key , \d+ \w+", words)
    assert "Standalone" in words


@pytest.mark.parametrize(
    ("query", "expected"),
    [("q=BERTH", ["Berths"]), ("q=docs/guide", ["Write a page", "Put it in order", "Publish it"]),
     ("show=drafts", ["Plans"]), ("show=keys", ["Berths", "Plans"]), ("show=wrong", []), ("q=none", [])],
)  # fmt: skip
def test_pages_are_found(dashboard: Dashboard, ann: Browser, query: str, expected: list[str]) -> None:
    write(dashboard, "---\ntitle: Plans\ndraft: true\n---\n", "docs/plans")
    page = ann.get(f"{SITE}/pages?{query}")
    found = re.findall(r'<a href="[^"]*/pages/edit[^"]*">(.*?)</a>', page.text)
    assert found == expected
    assert f"{len(expected)} page" in page.words


def test_of_a_large_tree_folders_are_shown_one_by_one(
    dashboard: Dashboard, ann: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_pages, "MOST_ROWS", 5)
    page = ann.get(f"{SITE}/pages")
    assert "Write a page" not in page.words
    inner = ann.get(f"{SITE}/pages?folder=docs/guide")
    assert "Write a page" in inner.words
    assert "Reference" not in inner.words
    assert "In the sidebar" in ann.get(f"{SITE}/pages?folder=docs/none").words


def test_a_page_is_created_with_a_title_and_opened(dashboard: Dashboard, ann: Browser) -> None:
    page = ann.post(f"{SITE}/pages", {"path": "docs/harbour-fees", "format": "mdx"})
    assert page.path == f"{SITE}/pages/edit?path=docs/harbour-fees"
    assert text(dashboard, "docs/harbour-fees") == "---\ntitle: Harbour fees\n---\n\n"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("berths", "begins with docs/"),
        ("docs/a b", "cannot have"),
        ("docs/berths", "There is a page at this path already"),
        ("docs/Berths", "berths"),
    ],
)
def test_a_path_that_cannot_be_is_said_beside_its_field(ann: Browser, path: str, why: str) -> None:
    page = ann.post(f"{SITE}/pages", {"path": path, "format": "md"})
    assert page.status == 422
    assert why in page.words
    assert f'value="{path}"' in page.text


def test_the_title_is_the_one_that_readers_see(dashboard: Dashboard, ann: Browser) -> None:
    with opened(dashboard).using(site(dashboard)) as found:
        (found.store.root / "site.yml").write_text("title: T\nextras: [keys]\nvariables: {quay: North}\n")
    write(dashboard, "# ++ctrl+s++ at %{quay}\n")
    assert "<h1>Ctrl+S at North</h1>" in ann.get(f"{SITE}/pages/edit?path=docs/berths").text


def test_a_page_is_saved_as_it_was_typed(dashboard: Dashboard, ann: Browser) -> None:
    page = ann.post(f"{SITE}/pages/edit", edited(ann, "Two", "Three"))
    assert "Saved." in page.words
    assert "Review and publish" in page.words
    assert "Review and publish" not in ann.get(f"{SITE}/pages/edit?path=docs/berths").words
    assert "Nothing is wrong" in page.words
    assert text(dashboard) == PAGE.replace("Two", "Three")
    assert "by you" in page.words


@pytest.mark.parametrize(
    "content", ["\n\nBegins empty.\n", "a\r\nb\r\n", "no end", "<b>&amp;</b> </textarea>\n"]
)
def test_what_was_not_changed_stays_byte_for_byte(dashboard: Dashboard, ann: Browser, content: str) -> None:
    write(dashboard, content)
    assert "Saved." in ann.post(f"{SITE}/pages/edit", edited(ann, "", "")).words
    assert text(dashboard) == content


def test_what_is_wrong_is_told_with_its_line(dashboard: Dashboard, ann: Browser) -> None:
    page = ann.post(f"{SITE}/pages/edit", edited(ann, "Two are free.", "<Nope />"))
    assert re.search(r"Warning Line 5 .*Nope", page.words)
    sent = {"path": "docs/berths", "format": "mdx", "text": "[x](./none.mdx)\n"}
    answer = checked(ann, sent)
    assert [(one["line"], one["level"]) for one in answer] == [(1, "error")], answer
    assert text(dashboard).count("Nope") == 1


def checked(ann: Browser, sent: dict[str, str]) -> list[dict[str, object]]:
    """Return what the editor's script is told."""
    connection = http.client.HTTPConnection("127.0.0.1", ann.port, timeout=PATIENCE)
    cookies = "; ".join(f"{name}={value}" for name, value in ann.cookies.items())
    headers = {
        "Host": f"localhost:{ann.port}",
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
        "Cookie": cookies,
    }
    connection.request("POST", f"{SITE}/pages/check", json.dumps(sent), headers)
    answer = connection.getresponse()
    status, data = answer.status, answer.read()
    connection.close()
    assert status == 200, data
    found: dict[str, list[dict[str, object]]] = json.loads(data)
    return found["wrong"]


def test_a_conflict_shows_both_sides_and_loses_nothing(dashboard: Dashboard, ann: Browser) -> None:
    mine = edited(ann, "Two", "Three")
    theirs = PAGE.replace("Two", "Five").replace("gate", "tower")
    write(dashboard, theirs)
    page = ann.post(f"{SITE}/pages/edit", mine)
    assert page.status == 409
    assert text(dashboard) == theirs
    together = form_of(page)["text"].replace("\r\n", "\n")
    assert together == (
        "---\ntitle: Berths\n---\n\n<<<<<<< yours\nThree are free.\n=======\nFive are free.\n>>>>>>> theirs\n"
        "\nAsk at the tower.\n"
    )
    settled = {**form_of(page), "text": theirs.replace("Five", "Eight").replace("\n", "\r\n")}
    assert "Saved." in ann.post(f"{SITE}/pages/edit", settled).words
    assert text(dashboard) == theirs.replace("Five", "Eight")


def test_a_page_that_is_saved_twice_at_once_is_no_conflict(dashboard: Dashboard, ann: Browser) -> None:
    mine = edited(ann, "Two", "Three")
    assert "Saved." in ann.post(f"{SITE}/pages/edit", mine).words
    again = ann.post(f"{SITE}/pages/edit", mine)
    assert (again.status, "Saved." in again.words) == (200, True)
    assert text(dashboard) == PAGE.replace("Two", "Three")


def test_what_does_not_touch_is_joined(dashboard: Dashboard, ann: Browser) -> None:
    mine = edited(ann, "Two", "Three")
    write(dashboard, PAGE.replace("gate", "tower"))
    page = ann.post(f"{SITE}/pages/edit", mine)
    assert "All changes are joined" in page.words
    ann.post(f"{SITE}/pages/edit", form_of(page))
    assert text(dashboard) == PAGE.replace("Two", "Three").replace("gate", "tower")


def test_a_page_that_was_deleted_meanwhile_can_be_saved_again(dashboard: Dashboard, ann: Browser) -> None:
    mine = edited(ann, "Two", "Three")
    ann.post(f"{SITE}/pages/delete", {"path": "docs/berths"})
    page = ann.post(f"{SITE}/pages/edit", mine)
    assert "was deleted while you wrote" in page.words
    assert re.search(r"It was deleted today, \S+ UTC by you", page.words)
    assert "Leave it deleted, drop mine" in page.words
    assert form_of(page)["text"] == mine["text"]
    assert "Saved." in ann.post(f"{SITE}/pages/edit", form_of(page)).words
    assert text(dashboard) == PAGE.replace("Two", "Three")


def test_a_page_that_is_too_large_is_not_saved_and_not_lost(dashboard: Dashboard, ann: Browser) -> None:
    large = "x" * 1024 * 1024 + "\n"
    page = ann.post(f"{SITE}/pages/edit", edited(ann, "Two", large))
    assert "What you typed is below" in page.words
    assert "x" * 1024 in form_of(page)["text"]
    assert text(dashboard) == PAGE


def test_a_page_of_very_many_lines_is_no_larger_page_here(dashboard: Dashboard, ann: Browser) -> None:
    write(dashboard, "\n" * 500_000 + "x")
    page = ann.get(f"{SITE}/pages/edit?path=docs/berths")
    assert (page.status, len(page.text) < 3_000_000) == (200, True)
    assert form_of(page)["text"].endswith("x")


def test_a_conflict_of_very_many_lines_is_shown_in_part(dashboard: Dashboard, ann: Browser) -> None:
    write(dashboard, "c\n" * 100_000)
    mine = {"path": "docs/berths", "format": "mdx", "text": "a\n" * 100_000, "original": "b\n" * 100_000}
    page = ann.post(f"{SITE}/pages/edit", {**mine, "revision": "0" * 32})
    assert (page.status, len(page.text) < 4_000_000) == (409, True)
    assert "+100000" in page.words
    together = form_of(page)["text"]
    assert (together.count("a\r\n"), together.count("c\r\n")) == (100_000, 100_000)


def test_a_page_moves_with_its_twin(dashboard: Dashboard, ann: Browser) -> None:
    with opened(dashboard).using(site(dashboard)) as found:
        found.store.write("docs/berths", "mdx", PAGE, "For agents.\n")
    taken = ann.post(f"{SITE}/pages/move", {"path": "docs/berths", "to": "docs/index"})
    assert (taken.status, "There is a page at this path already" in taken.words) == (422, True)
    page = ann.post(f"{SITE}/pages/move", {"path": "docs/berths", "to": "docs/quays/berths"})
    assert page.path.startswith(f"{SITE}/pages/edit?path=docs/quays/berths")
    with opened(dashboard).using(site(dashboard)) as found:
        source = found.store.read("docs/quays/berths")
        assert (source.text, source.twin) == (PAGE, "For agents.\n")
    assert ann.get(f"{SITE}/pages/edit?path=docs/berths").status == 404


def test_a_page_is_deleted_when_it_was_asked_what_links_to_it(dashboard: Dashboard, ann: Browser) -> None:
    write(dashboard, "[Berths](./berths.mdx)\n", "docs/quays")
    page = ann.get(f"{SITE}/pages/delete?path=docs/berths")
    assert "1 link leads here" in page.words
    assert "docs/quays.mdx:1" in page.words
    assert f'href="{SITE}/pages/edit?path=docs/quays#line-1"' in page.text
    write(dashboard, "[Berths](./berths.mdx)\n" * 22, "docs/quays")
    for act in ("delete", "move"):
        assert "and 2 more" in ann.get(f"{SITE}/pages/{act}?path=docs/berths").words
    ann.post(f"{SITE}/pages/delete", {"path": "docs/berths"})
    assert ann.get(f"{SITE}/pages/edit?path=docs/berths").status == 404


def test_versions_are_shown_and_restored(dashboard: Dashboard, ann: Browser) -> None:
    ann.post(f"{SITE}/pages/edit", edited(ann, "Two", "Three"))
    page = ann.get(f"{SITE}/pages/history?path=docs/berths")
    assert "Two are free. 5 + added Three are free." in page.words
    assert "changed by you" in page.words
    (first,) = re.findall(r"revision=(\w+)", page.text)
    older = ann.get(f"{SITE}/pages/history?path=docs/berths&revision={first}")
    assert "created by a deleted key" in older.words
    ann.post(f"{SITE}/pages/restore", {"path": "docs/berths", "revision": first})
    assert text(dashboard) == PAGE
    gone = ann.post(f"{SITE}/pages/restore", {"path": "docs/berths", "revision": f"{first}^"})
    assert "is gone again" in gone.words
    assert ann.post(f"{SITE}/pages/restore", {"path": "docs/berths", "revision": "0000"}).status == 404


def test_the_history_of_a_deleted_page_leads_to_the_pages(ann: Browser) -> None:
    history, back = f"{SITE}/pages/history?path=docs/berths", f'href="{SITE}/pages/edit?path=docs/berths"'
    assert back in ann.get(history).text
    ann.post(f"{SITE}/pages/delete", {"path": "docs/berths"})
    page = ann.get(history)
    assert (back in page.text, "Back to the pages" in page.words) == (False, True)


def test_a_folder_gets_label_and_place(dashboard: Dashboard, ann: Browser) -> None:
    path = f"{SITE}/pages/category"
    assert ann.post(path, {"path": "docs/guide", "position": "first"}).status == 422
    ann.post(path, {"path": "docs/guide", "label": "How to", "position": "9.5000001", "collapsed": "yes"})
    assert "How to" in ann.get(f"{SITE}/pages").words
    page = ann.get(f"{path}?path=docs/guide")
    assert ('value="How to"' in page.text, 'value="9.5000001"' in page.text) == (True, True)
    assert ann.get(f"{path}?path=pages/x").status == 400


@pytest.mark.parametrize("position", ["first", "nan", "1e400", "9" * 30])
def test_a_place_that_is_no_number_is_said_beside_its_field(ann: Browser, position: str) -> None:
    page = ann.post(f"{SITE}/pages/category", {"path": "docs/guide", "position": position})
    assert page.status == 422
    assert 'id="position-error">Write a number, such as 2 or 2.5.' in page.text


def test_a_folder_that_changed_meanwhile_is_not_overwritten(dashboard: Dashboard, ann: Browser) -> None:
    path = f"{SITE}/pages/category"
    ann.post(path, {"path": "docs/guide", "label": "How to", "position": "2"})
    mine = {**form_of(ann.get(f"{path}?path=docs/guide")), "label": "How to", "position": "7"}
    ann.post(path, {"path": "docs/guide", "label": "Recipes", "position": "3", "collapsed": "yes"})
    page = ann.post(path, mine)
    assert page.status == 409
    assert "It is called Recipes now, has place 3, and is collapsed for readers." in page.words
    assert ('value="How to"' in page.text, 'value="7"' in page.text) == (True, True)
    assert "Recipes" in ann.get(f"{SITE}/pages").words
    again = {**mine, **form_of(page)}
    assert "How to is saved." in ann.post(path, again).words
    assert "How to is saved." in ann.post(path, again).words, "sent twice"


def test_with_script_it_is_told_as_one_types(dashboard: Dashboard, ann: Browser, browser: Chromium) -> None:
    context = browser.new_context()
    context.add_cookies(
        [{"name": name, "value": value, "url": ann.origin} for name, value in ann.cookies.items()]
    )
    page = context.new_page()
    page.goto(f"{ann.origin}{SITE}/pages/edit?path=docs/berths")
    expect(page.locator("#findings-title")).to_have_text("Nothing is wrong")
    page.fill("#source", PAGE + "\n<Nope />\n")
    expect(page.locator("#findings-list li")).to_have_count(1)
    expect(page.locator("#findings-title")).to_have_text("1 warning")
    expect(page.locator("#findings-list code")).to_have_text("Nope")
    expect(page.locator("#numbers li.at")).to_have_text("9")
    page.locator("#findings-list a").click()
    assert page.evaluate("getSelection().toString()") == "<Nope />"
    page.keyboard.press("Control+s")
    expect(page.locator("[role=status]")).to_have_text("Saved.")
    assert text(dashboard) == PAGE + "\n<Nope />\n"
    context.close()


def test_who_is_signed_out_while_typing_keeps_the_text(
    dashboard: Dashboard, ann: Browser, browser: Chromium
) -> None:
    context = browser.new_context()
    context.add_cookies(
        [{"name": name, "value": value, "url": ann.origin} for name, value in ann.cookies.items()]
    )
    page = context.new_page()
    page.goto(f"{ann.origin}{SITE}/pages/edit?path=docs/berths")
    page.fill("#source", PAGE + "\nLong words.\n")
    dashboard.desk.sessions.end_others(dashboard.desk.accounts.find(ANN).id)
    for _ in range(2):
        page.get_by_role("button", name="Save this page").click()
        expect(page.get_by_role("alert")).to_contain_text("you are signed out")
    assert page.input_value("#source") == PAGE + "\nLong words.\n"
    other = context.new_page()
    other.goto(f"{ann.origin}/sign-in")
    other.fill("[name=email]", ANN)
    other.fill("[name=password]", PASSWORD)
    other.keyboard.press("Enter")
    expect(other.get_by_role("heading", name="Sites")).to_be_visible()
    page.get_by_role("button", name="Save this page").click()
    expect(page.locator("[role=status]")).to_have_text("Saved.")
    assert text(dashboard) == PAGE + "\nLong words.\n"
    context.close()


def test_the_overview_leads_to_the_line_that_is_wrong(dashboard: Dashboard, ann: Browser) -> None:
    write(dashboard, "---\ntitle: [\n---\n")
    place = re.escape(f"{SITE}/pages/edit?path=docs/berths")
    (found,) = re.findall(rf'href="({place}#line-\d+)"><code>docs/berths', ann.get(SITE).text)
    address, _, line = found.partition("#")
    assert f'id="{line}"' in ann.get(address).text


def test_the_overview_leads_to_settings_that_are_wrong(dashboard: Dashboard, ann: Browser) -> None:
    (opened(dashboard).root(site(dashboard).id) / "site.yml").write_text("title: [\n")
    assert f'href="{SITE}/settings#file"><code>site.yml' in ann.get(SITE).text
    assert 'id="file"' in ann.get(f"{SITE}/settings").text


def test_without_previews_none_is_offered(ann: Browser) -> None:
    assert "Preview" not in ann.get(SITE).words


def test_the_editor_leads_back_to_the_pages(ann: Browser) -> None:
    page = ann.get(f"{SITE}/pages/edit?path=docs/berths")
    (back,) = re.findall(r'href="([^"]+)">Back to the pages', page.text)
    assert "Berths" in ann.get(back).words
