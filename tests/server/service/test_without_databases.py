"""A service without databases: no PostgreSQL, and whoever asks for one is told why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.control.people import PASSWORD
from tests.server.dashboard.browser import Browser
from tests.server.service.process import Host


@pytest.mark.parametrize("address", ["/databases", "/databases/db_aaaaaaaaaaaaaaaa/rotate", "/openapi.json"])
def test_without_databases_the_service_runs_without_postgresql(tmp_path: Path, address: str) -> None:
    host = Host(tmp_path / "data", arguments=("--no-databases",))
    try:
        host.start()
        assert not (host.data / "postgres").exists()
        status, answer = host.ask("GET", f"/api/v1/db{address}", "svc_db_" + "a" * 46)
        assert (status, answer["code"]) == (404, "NOT_FOUND")
        assert "--no-databases" in answer["error"]
    finally:
        assert host.stop() == 0


def test_the_dashboard_says_so(tmp_path: Path) -> None:
    host = Host(tmp_path / "data", arguments=("--no-databases",))
    try:
        host.start()
        assert host.preview
        (line,) = [line for line in host.preview.lines if "/first/" in line]
        browser = Browser(host.port)
        page = browser.post(
            "/first/" + line.rpartition("/")[2].strip(), {"email": "a@b.org", "password": PASSWORD}
        )
        assert page.path == "/sites"
        assert "--no-databases" in browser.get("/databases").words
        assert browser.post("/databases", {"name": "orders"}).status == 404
    finally:
        assert host.stop() == 0
