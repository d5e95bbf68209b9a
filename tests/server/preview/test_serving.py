from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.server.commands import COMMAND, running, serving, twinpress
from tests.sites import write_site
from tests.waiting import PATIENCE, until


def test_pages_are_answered_at_clean_addresses(preview):
    page = preview.get("/docs/x?any=thing")
    assert page.status == 200
    assert "Body of x." in page.text
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "/_tp/reload.js" in page.text


@pytest.mark.parametrize(
    ("path", "location"),
    [("/docs/guide", "/docs/guide/"), ("/docs/guide?a=b&c", "/docs/guide/?a=b&c"), ("/about/", "/about")],
)
def test_the_other_form_of_an_address_leads_to_the_right_one(preview, path, location):
    moved = preview.get(path)
    assert (moved.status, moved.headers["location"]) == (308, location)


def test_pages_of_a_folder_api_lie_beside_the_api(tmp_path):
    pages = {"docs/api/store.md": "# Store\n", "docs/api/index.md": "# All of it\n"}
    with serving(write_site(tmp_path, {"site.yml": "docs_at: /\n", **pages})) as preview:
        assert "<title>Store" in preview.get("/api/store").text
        assert "<title>All of it" in preview.get("/api/").text
        assert preview.get("/api/none").headers["content-type"].startswith("text/html")
        assert preview.get("/api/v1/pages/ai/site").status == 401
        assert preview.get("/api/v2").headers["content-type"].startswith("application/json")


def test_addresses_that_end_with_a_slash_are_reached_without_it(tmp_path):
    settings = {"site.yml": "trailing_slash: true\n"}
    with serving(write_site(tmp_path, {**settings, "docs/tides.md": "# Tides\n"})) as preview:
        moved = preview.get("/docs/tides")
        assert (moved.status, moved.headers["location"]) == (308, "/docs/tides/")
        assert "<title>Tides" in preview.get("/docs/tides/").text


@pytest.mark.parametrize("path", ["/docs/x.md", "/llms/docs/x", "/llms/docs/x.md"])
def test_twins_are_answered_as_markdown(preview, path):
    twin = preview.get(path)
    assert twin.headers["content-type"] == "text/markdown; charset=utf-8"
    assert twin.text.partition("\n\n")[2].startswith("# X\n")


def test_drafts_are_shown(preview):
    assert "Hidden" in preview.get("/docs/draft").text


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/docs/%2e%2e/site.yml",
        "/../site.yml",
        "/site.yml",
        "/docs/x%00",
        "/%ff",
        "/docs%5cx",
        "//docs/x",
    ],
)
def test_what_is_not_there_gets_the_not_found_page(preview, path):
    missing = preview.get(path)
    assert missing.status == 404
    assert "<html" in missing.text
    assert "My site" in missing.text


def test_every_answer_forbids_guessing_its_type_and_keeping_it(preview):
    for path in ("/docs/x", "/hello.txt", "/nowhere", "/docs/guide", "/_tp/reload.js", "/_tp/reload.css"):
        headers = preview.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-cache"
        assert "aiohttp" not in headers["server"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed_over_http(preview, method):
    refused = preview.request(method, "/docs/x")
    assert refused.status == 405
    assert set(refused.headers["allow"].split(",")) == {"GET", "HEAD"}


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "localhost.evil.example", ""])
def test_other_host_names_are_refused(preview, host):
    for path in ("/docs/x", "/_tp/events", "/hello.txt"):
        refused = preview.get(path, Host=host)
        assert refused.status == 403
        assert "Body of x." not in refused.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_the_event_stream_is_for_pages_of_the_preview(preview, headers, status):
    assert preview.request("GET", "/_tp/events?page=/", headers).status == status


def test_a_file_that_has_gone_since_the_build_is_not_found(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n", "static/a/b.txt": "b"})
    with serving(site) as preview:
        (site / "static/a/b.txt").unlink()
        assert preview.get("/a/b.txt").status == 404
        assert preview.get("/docs/").status == 200


def test_a_site_with_a_base_path_is_served_below_it(tmp_path):
    site = write_site(
        tmp_path, {"site.yml": "title: Repo\nurl: https://o.github.io/repo/\n", "docs/index.md": "# Start\n"}
    )
    with serving(site) as preview:
        assert preview.address.endswith("/repo/")
        assert preview.get("/").headers["location"] == "/repo/"
        page = preview.get("/repo/docs/")
        assert page.status == 200
        assert preview.get("/docs/").status == 404
        assert preview.get("/repo/_tp/reload.js").status == 200
        with preview.states("/repo/docs/") as states:
            assert next(states)["page"] == page.headers["etag"].strip('"')


def test_the_next_free_port_is_taken_and_said(preview, tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Other\n"})
    with serving(site, "--port", str(preview.port)) as second:
        assert second.port > preview.port
        second.says(f"Port {preview.port} is in use")
        assert "Other" in second.get("/docs/").text


def test_the_terminal_tells_address_pages_and_how_to_stop(preview):
    assert preview.says("My site is at http://127.0.0.1:")
    assert preview.says("  5 pages, ")  # and what follows tells whether all could be built at once
    assert preview.says("Ctrl+C")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_preview_at_once_although_pages_listen(tmp_path, number):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n"})
    with serving(site) as preview, preview.states() as states:
        next(states)
        assert preview.stop(number) == 0
        assert list(states) == []


def test_ctrl_c_right_after_the_start_is_quiet(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n"})
    # A terminal sends it to all processes, so they are a group of their own; some have just begun then.
    with running(["setsid", COMMAND, "serve", site, "--port", "0"]) as preview:
        os.killpg(preview.process.pid, signal.SIGINT)
        assert preview.process.wait(PATIENCE) == 0


def test_two_signals_at_once_end_it_as_one_does(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n"})
    with serving(site) as preview:
        preview.process.send_signal(signal.SIGSTOP)
        stands = Path(f"/proc/{preview.process.pid}/stat")
        until(lambda: stands.read_text().rpartition(")")[2].split()[0] == "T")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCONT):
            preview.process.send_signal(number)
        assert preview.process.wait(PATIENCE) == 0
    assert "Traceback" not in "\n".join((*preview.lines, *preview.results))


def test_a_port_that_may_not_be_used_is_explained(tmp_path):
    site = write_site(tmp_path, {"docs/index.md": "# Start\n"})
    done = twinpress("serve", "--host", "203.0.113.7", cwd=site)
    assert done.returncode == 2
    assert "cannot listen on 203.0.113.7" in done.stderr


def test_the_browser_is_opened_when_wanted(tmp_path):
    site = write_site(tmp_path / "site", {"docs/index.md": "# Start\n"})
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new && mv {opened}.new {opened} && exec sleep 2\n')
    browser.chmod(0o755)
    with serving(site, "--port", "0", "--open", BROWSER=str(browser)) as preview:
        until(opened.exists)
        assert opened.read_text().strip() == preview.address
        assert preview.get("/docs/").status == 200


def test_a_page_on_which_the_sites_own_template_fails_says_so(tmp_path):
    own = {"theme/templates/footer.html": "{% if p.title == 'B' %}{{ nobody }}{% endif %}"}
    site = write_site(tmp_path, {"site.yml": "", "docs/a.md": "# A\n", "docs/b.md": "# Before\n", **own})
    with serving(site, "--port", "0", "--trust") as preview:
        assert preview.get("/docs/b").status == 200
        write_site(site, {"docs/b.md": "# B\n"})
        preview.says("nobody")
        assert preview.get("/docs/b").status == 200  # as it was before
