"""Unpublished pages at an address that only their owner's session knows."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from msgspec import Struct

from builder.markdown.twin.pointer import without_pointer
from server.control.errors import SessionEnded, SiteGone
from server.control.preview_addresses import LIFE
from tests.server.commands import Answer
from tests.server.site_previews.conftest import SITE, Origin, serving
from tests.waiting import until

ENDED = "This preview has ended"


class Shown(Struct):
    """A preview that many tests only look at."""

    origin: Origin
    host: str

    def ask(self, path: str = "/docs/", method: str = "GET", **headers: str) -> Answer:
        return self.origin.ask(self.host, path, method, **headers)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    with serving(tmp_path_factory.mktemp("shown") / "data") as origin:
        yield Shown(origin, origin.preview(files=SITE | {"static/worker.js": "self"}))


def test_the_owner_sees_drafts_and_what_was_saved_a_moment_ago(origin: Origin) -> None:
    root = origin.site("boats")
    host = origin.host(origin.session(), "boats")
    page = origin.ask(host, "/docs/draft")
    assert (page.status, "Not yet." in page.text) == (200, True)
    for number in range(5):
        (root / "docs/draft.md").write_text(f"# Tides\n\nHigh at {number}.\n")
        assert f"High at {number}." in origin.ask(host, "/docs/draft").text
    (root / "docs/new.md").write_text("# New\n")
    assert origin.ask(host, "/docs/new").status == 200
    assert 'href="/docs/new"' in origin.ask(host).text
    (root / "docs/new.md").unlink()
    assert origin.ask(host, "/docs/new").status == 404
    (root / "static/chart.txt").write_text("other depths\n")
    assert origin.ask(host, "/chart.txt").text == "other depths\n"
    assert origin.faults == []


def test_its_lines_in_the_log_tell_pages_from_those_that_are_not_there(origin: Origin) -> None:
    host = origin.preview()
    origin.ask(host)
    origin.ask(host, "/docs/nowhere")
    # An answer is there a little before its line.
    until(lambda: len(origin.lines) == 2)
    assert [(line.path, line.status) for line in origin.lines] == [
        ("(a page)", 200),
        ("(no such page)", 404),
    ]


def test_it_answers_as_a_static_host_does(shown: Shown) -> None:
    twin = shown.ask("/docs/draft", Accept="text/markdown")
    assert (twin.headers["content-type"], twin.headers["vary"]) == ("text/markdown; charset=utf-8", "Accept")
    assert without_pointer(twin.text).startswith("# Tides")
    moved = shown.ask("/docs?q=tides")
    assert (moved.status, moved.headers["location"]) == (308, "/docs/?q=tides")
    missing = shown.ask("/docs/nowhere")
    assert (missing.status, "<!doctype html>" in missing.text.lower()) == (404, True)
    part = shown.ask("/chart.txt", Range="bytes=1-3")
    assert (part.status, part.text, part.headers["content-range"]) == (206, "ept", "bytes 1-3/7")
    head = shown.ask("/chart.txt", "HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "7")
    index = json.loads(shown.ask("/_tp/search.json").text)
    assert index


@pytest.mark.parametrize("path", ["/docs/", "/docs/draft", "/chart.txt", "/nowhere", "/_tp/search.json"])
def test_nothing_of_it_is_kept_listed_or_framed_by_others(shown: Shown, path: str) -> None:
    answer = shown.ask(path, Cookie="twinpress=secret")
    told = answer.headers
    assert told["cache-control"] == "no-store"
    assert told["x-robots-tag"] == "noindex"
    assert told["referrer-policy"] == "no-referrer"
    assert told["content-security-policy"].endswith(f"frame-ancestors {shown.origin.service}")
    assert told["cross-origin-resource-policy"] == "cross-origin"
    assert told["access-control-allow-origin"] == "*"
    assert told["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in told


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_can_be_changed_there(shown: Shown, method: str) -> None:
    answer = shown.ask("/draft", method)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_service_worker_would_outlive_the_preview_and_gets_no_script(shown: Shown) -> None:
    assert shown.ask("/worker.js").status == 200
    assert shown.ask("/worker.js", Service_Worker="script").status == 405


def test_an_address_ends_with_its_session_at_once(origin: Origin) -> None:
    owner = origin.account()
    session, other = origin.session(owner), origin.session(owner)
    origin.site("boats")
    host, still = origin.host(session, "boats"), origin.host(other, "boats")
    assert host != still
    assert origin.ask(host).status == 200
    origin.sessions.end(owner.id, session.id)
    assert (origin.ask(host).status, ENDED in origin.ask(host).text) == (404, True)
    assert origin.ask(still).status == 200
    origin.database.write("DELETE FROM accounts WHERE id = ?", (owner.id,))
    assert origin.ask(still).status == 404
    with pytest.raises(SessionEnded):
        origin.host(session, "boats")


def test_an_address_lives_as_long_as_it_is_asked_for(origin: Origin) -> None:
    origin.site("boats")
    session = origin.session()
    host = origin.host(session, "boats")
    for _ in range(3):
        origin.clock.now += LIFE - 61
        assert origin.ask(host).status == 200
        assert origin.host(session, "boats") == host
    origin.clock.now += LIFE - 61
    assert origin.ask(host).status == 200  # which lengthens nothing
    origin.clock.now += 61
    assert origin.ask(host).status == 404
    assert origin.host(session, "boats") != host
    origin.clock.now += LIFE
    origin.addresses.forget_old()
    assert origin.database.read("SELECT * FROM site_previews") == []


def test_a_deleted_site_is_shown_to_nobody(origin: Origin) -> None:
    host = origin.preview()
    assert origin.ask(host).status == 200
    origin.database.write("DELETE FROM sites")
    assert (origin.ask(host).status, ENDED in origin.ask(host).text) == (404, True)
    with pytest.raises(SiteGone):
        origin.host(origin.session(), "boats")


def test_a_folder_that_is_gone_or_no_site_is_told(origin: Origin) -> None:
    root = origin.site("boats", {"notes.txt": "no site"})
    host = origin.host(origin.session(), "boats")
    answer = origin.ask(host)
    assert (answer.status, "This folder is no site" in answer.text) == (503, True)
    assert str(root) not in answer.text
    (root / "docs").mkdir()
    (root / "docs/index.md").write_text("# Now\n")
    assert origin.ask(host).status == 200
    root.rename(root.with_name("elsewhere"))
    assert (origin.ask(host).status, ENDED in origin.ask(host).text) == (404, True)
    root.with_name("elsewhere").rename(root)
    assert origin.ask(host).status == 200


NAMES = {
    "upper case": (str.upper, 200),
    "a dot at the end": (lambda host: host.replace(":", ".:"), 200),
    "another port": (lambda host: f"{host.rpartition(':')[0]}:1", 200),
    "no port": (lambda host: host.rpartition(":")[0], 200),
    "another token": (lambda _: f"preview-{'a' * 32}.localhost", 404),
    "no token": (lambda host: f"preview-.{host.partition('.')[2]}", 404),
    "more before it": (lambda host: f"a.{host}", 404),
    "another domain": (lambda host: f"{host.partition('.')[0]}.example.org", 404),
    "the domain within another": (lambda host: host.replace(":", ".example.org:"), 404),
    "a longer domain": (lambda host: host.replace(".localhost", ".notlocalhost"), 404),
    "the sites' own": (lambda host: host.partition(".")[2], 404),
    "an address": (lambda _: "127.0.0.1", 404),
    "no name": (lambda _: "", 400),
    "a user": (lambda host: f"a@{host}", 400),
    "two dots": (lambda host: host.replace(":", "..:"), 404),
}


def test_only_the_very_name_opens_it(shown: Shown) -> None:
    found = {case: shown.origin.ask(change(shown.host)).status for case, (change, _) in NAMES.items()}
    assert found == {case: status for case, (_, status) in NAMES.items()}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("preview-x.localhost", f"preview-{'a' * 32}.localhost"), ENDED),
        (("localhost", "boats.localhost", "example.org"), "There is nothing"),
    ],
    ids=["of previews", "of sites"],
)
def test_all_names_that_open_nothing_get_one_answer(
    origin: Origin, names: tuple[str, ...], words: str
) -> None:
    origin.preview()
    answers = [origin.ask(name, path) for name in names for path in ("/", "/docs/", "/healthz")]
    assert {(answer.status, answer.body) for answer in answers} == {(404, answers[0].body)}
    assert words in answers[0].text
    assert origin.running() == {}


def test_a_target_with_a_name_must_have_the_same_one(shown: Shown) -> None:
    origin, host = shown.origin, shown.host
    assert origin.ask(host, f"http://{host}/docs/").status == 200
    assert origin.ask(host, "http://example.org/docs/").status == 400
    assert origin.ask("example.org", f"http://{host}/docs/").status == 400


def test_nothing_in_the_database_opens_a_preview(origin: Origin) -> None:
    host = origin.preview()
    token = host.partition("-")[2].partition(".")[0]
    assert token not in str(origin.database.read("SELECT * FROM site_previews"))
