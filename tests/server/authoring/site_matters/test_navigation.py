"""Header, footer and sidebar over HTTP: read, checked, and changed only with a key that may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.control.keys.key_text import KeyKind
from tests.server.api.exchange import Reply
from tests.server.authoring.client import BASE, Client, authoring
from tests.server.authoring.many_sites import OWNER, many_sites
from tests.server.commands import twinpress
from tests.sites import write_site

SETTINGS = """# Ours
title: T   # the name
nav:
  - {label: A, href: /docs/a}   # first
footer:
  text: © T
sidebar: sidebar.yml
# the end
plan: free
"""
SIDEBAR = "# In this order\n- docs/a   # begin\n- label: More\n  items: [docs/b]\n"
FILES = {"site.yml": SETTINGS, "sidebar.yml": SIDEBAR, "docs/a.md": "# A\n", "docs/b.md": "# B\n"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    site = write_site(tmp_path_factory.mktemp("site"), FILES)
    with authoring(site, "--requests", "0") as client:
        yield client, site


@pytest.fixture
def site(served: tuple[Client, Path]) -> Path:
    return write_site(served[1], FILES)


@pytest.fixture
def client(served: tuple[Client, Path], site: Path) -> Client:
    assert site
    return served[0]


def change(client: Client, query: str = "", **body: Any) -> Reply:
    return client.ask("PUT", f"{BASE}/ai/navigation{query}", body)


def read(client: Client) -> Any:
    reply = client.ask("GET", f"{BASE}/ai/navigation")
    assert reply.status == 200
    return reply.data


def test_the_navigation_is_given_as_it_is_written(client: Client) -> None:
    found = read(client)
    assert found["nav"] == [{"label": "A", "href": "/docs/a"}]
    assert found["footer"] == {"text": "© T"}
    assert found["sidebar"] == ["docs/a", {"label": "More", "items": ["docs/b"]}]
    assert (found["sidebar_file"], found["may_change"], found["diagnostics"]) == ("sidebar.yml", True, [])


def test_what_is_given_is_set_and_every_other_line_stays(client: Client, site: Path) -> None:
    nav = [{"label": "B", "href": "/docs/b"}, {"label": "More", "items": [{"label": "A", "href": "/docs/a"}]}]
    sent = {"nav": nav, "if_match": read(client)["revision"]}
    rehearsed = change(client, "?dry_run=true", **sent)
    assert (site / "site.yml").read_text() == SETTINGS
    changed = change(client, **sent)
    assert (changed.status, changed.data) == (200, {**rehearsed.data, "applied": True})
    assert (changed.data["files"], changed.data["diagnostics"]) == (["site.yml"], [])
    text = (site / "site.yml").read_text()
    assert text.startswith("# Ours\ntitle: T   # the name\nnav:\n")
    assert text.endswith("footer:\n  text: © T\nsidebar: sidebar.yml\n# the end\nplan: free\n")
    assert (read(client)["nav"], read(client)["revision"]) == (nav, changed.data["revision"])
    assert (change(client, **sent).status, (site / "sidebar.yml").read_text()) == (412, SIDEBAR)


def test_a_field_that_is_null_goes(client: Client, site: Path) -> None:
    assert change(client, footer=None).data["files"] == ["site.yml"]
    assert (site / "site.yml").read_text() == SETTINGS.replace("footer:\n  text: © T\n", "")


def test_the_sidebar_is_written_where_the_site_has_it(client: Client, site: Path) -> None:
    changed = change(client, sidebar=[{"label": "All", "items": ["docs/b"]}]).data
    assert (changed["files"], changed["left_out"]) == (["sidebar.yml"], ["docs/a"])
    assert (site / "sidebar.yml").read_text() == "# In this order\n- label: All\n  items:\n  - docs/b\n"
    assert read(client)["left_out"] == ["docs/a"]
    (site / "site.yml").write_text("title: T\nsidebar:\n  - docs/a # one\nplan: free\n")
    assert change(client, sidebar=["docs/b"]).data["files"] == ["site.yml"]
    assert (site / "site.yml").read_text() == "title: T\nsidebar:\n- docs/b # one\nplan: free\n"


def test_a_sidebar_that_follows_the_folders_is_not_replaced(client: Client, site: Path) -> None:
    (site / "site.yml").write_text("title: T\n")
    refused = change(client, sidebar=["docs/a"])
    assert (refused.status, refused.json["code"]) == (409, "PATH_CONFLICT")
    assert (site / "site.yml").read_text() == "title: T\n"


def test_a_link_that_leads_nowhere_is_told_at_its_place(client: Client) -> None:
    sent = {"nav": [{"label": "X", "href": "/docs/x"}], "sidebar": ["docs/a", "docs/gone"]}
    found = change(client, **sent).data["diagnostics"]
    places = [(one["code"], one["file"], one["line"]) for one in found]
    assert ("broken-link", "site.yml", 5) in places, found
    assert ("sidebar-invalid", "sidebar.yml", 3) in places, found
    assert read(client)["diagnostics"] == found


SCRIPT = "javascript:alert(1)"
REFUSED = [
    {"nav": [{"label": "X", "href": SCRIPT}]},
    {"nav": [{"label": "X", "href": "\tjava\nscript:alert(1)"}]},
    {"nav": [{"label": "X", "items": [{"label": "Y", "href": "data:text/html,x"}]}]},
    {"nav": [{"label": "X", "href": "//evil.example"}]},
    {"nav": [{"label": "X"}]},
    {"nav": [{"label": "X", "href": "/docs/a", "items": [{"label": "Y", "href": "/docs/a"}]}]},
    {"footer": {"links": [{"label": "X", "href": SCRIPT}]}},
    {"footer": {"columns": [{"label": "X", "items": [{"label": "Y", "href": SCRIPT}]}]}},
    {"footer": {"columns": [{"label": "X", "items": []}]}},
    {"footer": {"social": {"github": SCRIPT}}},
    {"footer": {"social": {"nowhere": "https://a.example"}}},
    {"sidebar": [{"label": "X", "href": SCRIPT}]},
    {"sidebar": [{"nonsense": 1}]},
    {"sidebar": [{"label": "X", "items": [{"nonsense": 1}]}]},
    {"sidebar": [{"label": "X", "items": [{"label": "Y", "href": SCRIPT}]}]},
    {"nav": [{"label": "X", "href": "/docs/a", "primary": "yes"}]},
    {"nav": {}},
    {"title": "Mine"},
]


@pytest.mark.parametrize("body", REFUSED)
def test_what_the_settings_would_not_take_is_refused_and_nothing_changes(
    client: Client, site: Path, body: dict[str, Any]
) -> None:
    refused = change(client, **body)
    assert (refused.status, refused.json["code"]) == (400, "INVALID_BODY")
    assert (site / "site.yml").read_text() + (site / "sidebar.yml").read_text() == SETTINGS + SIDEBAR


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "a: b\n# c", "{{ x }}", "'\"&<", "-  "]
)
def test_texts_are_texts_in_the_file_and_on_the_page(client: Client, text: str) -> None:
    nav = [{"label": text, "href": "/docs/a"}]
    assert change(client, nav=nav).status in {200, 400}
    assert read(client)["nav"] in (nav, [{"label": "A", "href": "/docs/a"}])
    assert "<script>alert" not in client.preview.get("/docs/a").text


def test_settings_that_cannot_be_read_stay(client: Client, site: Path) -> None:
    (site / "site.yml").write_text("title: [\n")
    assert client.ask("GET", f"{BASE}/ai/navigation").json["code"] == "PATH_CONFLICT"
    assert change(client, nav=[]).json["code"] == "PATH_CONFLICT"
    assert (site / "site.yml").read_text() == "title: [\n"


def test_settings_with_anchors_are_changed_whole_or_not_at_all(client: Client, site: Path) -> None:
    text = "nav: &a\n  - {label: A, href: /docs/a}\nfooter:\n  links: *a\n"
    (site / "site.yml").write_text(text)
    assert change(client, nav=[]).status == 409
    assert (site / "site.yml").read_text() == text


def test_a_key_that_may_not_reads_alone(served: tuple[Client, Path], site: Path) -> None:
    made = twinpress("key", "create", "--kind", "one-off", "--no-navigation", cwd=site)
    plain = Client(served[0].preview, made.stdout.strip())
    assert read(plain)["may_change"] is False
    for query in ("", "?dry_run=true"):
        refused = change(plain, query, nav=[])
        assert (refused.status, refused.json["code"]) == (403, "OWNER_ONLY")
        assert "May change the navigation" in refused.json["error"]
    assert (site / "site.yml").read_text() == SETTINGS


def test_hosted_keys_change_the_navigation_of_their_site_where_the_owner_says_so(tmp_path: Path) -> None:
    nav = [{"label": "Ours", "href": "/docs/"}]
    with many_sites(tmp_path) as running:
        (ours, plain), (_, theirs) = running.site(running.ann, "ours"), running.site(running.bob, "theirs")
        keys = running.work.keys
        ticked = keys.create(KeyKind.ONE_OFF, ours.id, "", OWNER, navigation=True).text
        status, before = running.ask("GET", "/ai/navigation", theirs)
        assert (status, before["data"]["may_change"]) == (200, False)
        refused = running.ask("PUT", "/ai/navigation", plain, {"nav": nav})
        assert (refused[0], refused[1]["code"]) == (403, "OWNER_ONLY")
        assert running.ask("PUT", "/ai/navigation", ticked, {"nav": nav})[0] == 200
        assert running.ask("GET", "/ai/navigation", plain)[1]["data"]["nav"] == nav
        assert running.ask("GET", "/ai/navigation", theirs)[1]["data"] == before["data"]
        rotated = keys.rotate(keys.check(ticked).id).text
        assert running.ask("PUT", "/ai/navigation", rotated, {"nav": []})[0] == 200
        keys.disable(keys.check(rotated).id)
        assert running.ask("PUT", "/ai/navigation", rotated, {"nav": nav})[0] == 401
