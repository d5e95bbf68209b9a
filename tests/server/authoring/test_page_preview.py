"""`GET /ai/preview`: the outline of a page as it is now, and its picture where there is a browser."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.control.keys.site_keys import SiteKeys
from server.control.sites import local_site
from server.control.sqlite.local_database import local_database
from tests.server.api.exchange import Reply
from tests.server.authoring.client import BASE, Client, authoring
from tests.server.authoring.many_sites import DESK, many_sites
from tests.server.screenshots.pictures import browser, browsers, rows, size
from tests.sites import write_site
from tests.time_bounds import in_time
from tests.waiting import until

SITE = {
    "site.yml": "title: T\nurl: https://t.example/manual\n",
    "docs/index.mdx": "---\ntitle: Start\n---\n\nText.\n",
    "docs/über/ß.mdx": "---\ntitle: S\ndraft: true\n---\n\n## Teil\n\nUnseen.\n",
}
CARDS = """<CardGrid>
<Card title="A">a</Card>
<Card title="B">b</Card>
<Card title="C">c</Card>
</CardGrid>

<Steps>
<Step title="1">one</Step>
<Step title="2">two</Step>
<Step title="3">three</Step>
<Step title="4">four</Step>
</Steps>

## Troubleshooting

It works.
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("site"), SITE)


@pytest.fixture(scope="module")
def blind(root: Path) -> Iterator[Client]:
    """A client of a preview below a base path, on a machine without a browser."""
    with authoring(root, "--requests", "0", TWINPRESS_CHROMIUM="/none") as client:
        client.preview.get("/manual/")
        yield client


@pytest.fixture
def seeing(tmp_path: Path) -> Iterator[Client]:
    """The same with the browser that is there."""
    browser()
    with authoring(write_site(tmp_path / "site", SITE), "--requests", "0") as client:
        yield client


def look(client: Client, path: str, more: str = "", **headers: str) -> Reply:
    """`GET /ai/preview`."""
    return client.ask("GET", f"{BASE}/ai/preview?path={path}{more}", **headers)


def test_an_agent_can_see_that_its_page_is_as_it_was_meant(blind: Client) -> None:
    written = blind.write("docs/guide/cards", CARDS, frontmatter={"title": "Cards"})
    found = look(blind, "docs/guide/cards").data
    outline = found["outline"]
    assert {one["name"]: one["holds"] for one in outline["components"] if not one["depth"]} == {
        "CardGrid": {"Card": 3},
        "Steps": {"Step": 4},
    }
    assert {"level": 2, "text": "Troubleshooting", "id": "troubleshooting"} in outline["headings"]
    assert [one["line"] for one in outline["components"]] == [1, 7]
    full = look(blind, "docs/guide/cards", "&detail=full").data["outline"]
    assert [one["line"] for one in full["components"][:2]] == [1, 2]
    assert (outline["landmarks"], {"role": "main", "label": ""} in full["landmarks"]) == (None, True)
    assert (found["revision"], found["url"]) == (written.data["revision"], "/docs/guide/cards")
    assert (found["image"], found["no_image"]) == (None, "")


def test_several_pages_are_looked_at_in_one_call(blind: Client) -> None:
    blind.write("docs/guide/cards", CARDS, frontmatter={"title": "Cards"})
    asked = "docs/index,%20docs/guide/cards,docs/%C3%BCber/%C3%9F,docs/index"
    found = look(blind, asked, "&image=true").data
    assert (found["path"], "apt install" in found["no_image"]) == ("docs/index", True)
    assert [one["path"] for one in found["others"]] == ["docs/guide/cards", "docs/über/ß"]
    shown = [one["outline"]["headings"][0]["text"] for one in (found, *found["others"])]
    assert shown == ["Start", "Cards", "S"]
    assert "image" not in found["others"][0]


def test_outlines_together_are_bounded_and_what_is_missing_says_so(blind: Client) -> None:
    long = "".join(f"## {'w' * 150} {number}\n\nText.\n\n" for number in range(140))
    pages = [{"op": "write", "path": f"docs/long/p{number}", "body": long} for number in range(4)]
    reply = blind.ask("POST", f"{BASE}/ai/changes", {"changes": pages, "outline": True})
    made = reply.data["pages"]
    found = look(blind, ",".join(one["path"] for one in made)).data
    for looks in ([found, *found["others"]], made):
        assert [one["outline"] is None for one in looks] == [False, False, True, True]
        assert all("100,000 bytes" in one["no_outline"] for one in looks[2:])
    assert "ask for it by itself" in made[2]["no_outline"]
    blind.ask("POST", f"{BASE}/ai/undo", {})


def test_a_draft_is_seen_at_its_address_in_the_preview(blind: Client) -> None:
    reply = look(blind, "docs/%C3%BCber/%C3%9F")
    at = f"http://127.0.0.1:{blind.preview.port}/manual/docs/%C3%BCber/%C3%9F"
    assert reply.data["preview_url"] == at
    assert reply.headers["link"] == f'<{at}>; rel="preview"'
    assert reply.data["outline"]["draft"] is True


def test_without_a_browser_there_is_the_outline_and_the_way_to_a_picture(blind: Client) -> None:
    found = look(blind, "docs/index", "&image=true").data
    assert found["image"] is None
    assert "apt install chromium" in found["no_image"]
    assert [one["text"] for one in found["outline"]["headings"]] == ["Start"]
    refused = look(blind, "docs/index", Accept="image/png")
    assert (refused.status, refused.code) == (404, "SCREENSHOT_UNAVAILABLE")
    assert "apt install chromium" in refused.json["error"]


REFUSED = [
    ("docs/none", "", 404, "PAGE_NOT_FOUND"),
    ("docs/../site.yml", "", 400, "INVALID_PATH"),
    ("/etc/passwd", "", 400, "INVALID_PATH"),
    ("docs/index%00", "", 400, "INVALID_PATH"),
    ("http://127.0.0.1/", "", 400, "INVALID_PATH"),
    ("docs/index", "&width=319", 400, "INVALID_QUERY"),
    ("docs/index", "&width=1921", 400, "INVALID_QUERY"),
    ("docs/index", "&width=wide", 400, "INVALID_QUERY"),
    ("docs/index", "&scheme=sepia", 400, "INVALID_QUERY"),
    ("docs/index", "&full=maybe", 400, "INVALID_QUERY"),
    ("docs/index", f"&section={'x' * 201}", 400, "INVALID_QUERY"),
    ("docs/index,docs/none", "", 404, "PAGE_NOT_FOUND"),
    ("docs/index,", "", 400, "INVALID_PATH"),
    (",".join(f"docs/a{number}" for number in range(21)), "", 400, "INVALID_QUERY"),
    ("docs/index", "&detail=long", 400, "INVALID_QUERY"),
    ("docs/index", "&url=http://127.0.0.1/", 400, "INVALID_QUERY"),
]


@pytest.mark.parametrize(("path", "more", "status", "code"), REFUSED)
@pytest.mark.parametrize("kind", ["application/json", "image/png"])
def test_what_cannot_be_looked_at_is_refused(
    blind: Client, path: str, more: str, status: int, code: str, kind: str
) -> None:
    reply = look(blind, path, more, Accept=kind)
    assert (reply.status, reply.code) == (status, code)


@pytest.mark.browser
def test_a_picture_shows_what_was_just_written(seeing: Client) -> None:
    seeing.write("docs/guide/cards", CARDS, frontmatter={"title": "Cards", "draft": True})
    reply = look(seeing, "docs/guide/cards", "&width=390&scheme=dark&full=true", Accept="image/png")
    assert (reply.status, reply.headers["content-type"]) == (200, "image/png")
    assert size(reply.body)[0] == 390
    assert size(reply.body)[1] > 900
    assert max(rows(reply.body)[400][:3]) < 60
    image = look(seeing, "docs/guide/cards", "&width=390&image=true&section=troubleshooting").data["image"]
    png = base64.b64decode(image["data"])
    assert (image["media_type"], size(png)) == ("image/png", (390, image["height"]))
    assert image["height"] < 300
    assert min(rows(png)[5][:3]) > 200


@pytest.mark.browser
@pytest.mark.slow
def test_a_key_that_is_deleted_during_the_look_gets_no_picture(seeing: Client, tmp_path: Path) -> None:
    answers: list[Reply] = []
    asked = threading.Thread(
        target=lambda: answers.append(look(seeing, "docs/index", "&image=true&full=true"))
    )
    asked.start()
    until(lambda: browsers(seeing.preview.process.pid))
    with local_database(tmp_path / "site") as database:
        keys = SiteKeys(database)
        for key in keys.list(local_site(database)):
            keys.delete(key.id)
    asked.join()
    assert (answers[0].status, answers[0].code) == (401, "BAD_KEY")
    assert browsers(seeing.preview.process.pid) == []


def test_an_outline_costs_milliseconds(blind: Client) -> None:
    look(blind, "docs/index")
    with in_time(2):
        for _ in range(5):
            look(blind, "docs/index")


def test_a_service_gives_the_outline_and_says_who_can_switch_pictures_on(tmp_path: Path) -> None:
    with many_sites(tmp_path / "data") as service:
        _, key = service.site(service.ann, "quay-docs")
        service.ask("PUT", "/ai/page", key, {"path": "docs/cards", "body": CARDS})
        status, answer = service.ask("GET", "/ai/preview?path=docs/cards&image=true", key)
        assert (status, answer["data"]["image"]) == (200, None)
        assert answer["data"]["preview_url"] == f"{DESK}/sites/quay-docs/preview/docs/cards"
        assert "operator" in answer["data"]["no_image"]
        assert answer["data"]["outline"]["components"][0]["holds"] == {"Card": 3}
