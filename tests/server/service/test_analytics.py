"""Statistics of a published site: its own choice counts where the operator of the service allows it."""

from __future__ import annotations

import http.client
import re
from pathlib import Path

import pytest

from tests.server.commands import twinpress
from tests.server.control.people import PASSWORD
from tests.server.dashboard.browser import Browser
from tests.server.service.process import Host
from tests.server.service.test_published import SITE, publish
from tests.waiting import PATIENCE, until

PLAUSIBLE = "https://plausible.io"


def _read(port: int, path: str) -> tuple[int, str, str]:
    """Status, policy and text of a page as a reader gets it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Host": f"quay-docs.localhost:{port}"})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Security-Policy", ""), answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("allowed", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_published_page_has_the_script_where_the_operator_allows_it(tmp_path: Path, allowed: bool) -> None:
    found = Host(tmp_path / "data", arguments=("--no-databases", *["--allow-analytics"][: int(allowed)]))
    create = ("admin", "--data", found.data, "account", "create", "a@b.org")
    assert twinpress(*create, cwd=tmp_path, given=f"{PASSWORD}\n").returncode == 0
    found.start()
    try:
        assert found.preview
        port = int(re.findall(r":(\d+)$", found.preview.says("Sites are at "))[0])
        browser = Browser(found.port)
        browser.post("/sign-in", {"email": "a@b.org", "password": PASSWORD})
        browser.post("/sites", {"name": "quay-docs"})
        text = browser.get(f"{SITE}/settings").text
        revision = re.findall(r'name="revision" value="([^"]+)"', text)[-1]
        given = "title: Quay\nanalytics: {plausible: docs.example.com}\n"
        assert browser.post(f"{SITE}/settings/file", {"revision": revision, "text": given}).status == 200
        assert "Readers have release" in publish(browser)
        _, policy, page = until(lambda: one if (one := _read(port, "/docs/"))[0] == 200 else None)
        assert (PLAUSIBLE in policy, f"{PLAUSIBLE}/js/script.js" in page) == (allowed, allowed)
        assert "sandbox" not in policy.split("; ")
        ignored = "does not let pages load scripts"
        until(lambda: (ignored in browser.get(f"{SITE}/problems").words) is not allowed)
    finally:
        found.runs.close()
