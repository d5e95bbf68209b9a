"""Probes: what `/healthz` and `/readyz` say, when the service can be sent requests and when it cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.service import readiness
from tests.server.service.inside import Inside, inside
from tests.waiting import until

READY = {"ok": True, "data": {"ready": True, "control": "ok", "databases": "none", "sites": "ok"}}


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inside]:
    """One whose probes wait for no two seconds."""
    monkeypatch.setattr(readiness, "PATIENCE", 0.2)
    monkeypatch.setattr(readiness, "FRESH", 0.0)
    with inside(tmp_path / "data") as running:
        yield running


@pytest.mark.parametrize(
    ("path", "answer"), [("/healthz", {"ok": True, "data": {"ready": True}}), ("/readyz", READY)]
)
def test_a_service_that_can_work_says_so_without_a_key(service: Inside, path: str, answer: object) -> None:
    told = service.ask(path)
    assert (told.status, json.loads(told.text)) == (200, answer)
    assert told.headers["cache-control"] == "no-store"
    head = service.ask(path, "HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(told.body)))


def test_while_the_control_database_cannot_be_written_no_request_is_to_come(service: Inside) -> None:
    with service.made.desk.database.change():
        told = service.ask("/readyz")
        assert (told.status, json.loads(told.text)["code"]) == (503, "TOO_BUSY")
        assert told.headers["retry-after"] == "1"
        assert "control database" in told.text
        assert service.ask("/healthz").status == 200, "what runs is not to be started anew"
    until(lambda: service.ask("/readyz").status == 200)


def test_a_control_database_that_is_broken_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "FRESH", 0.0)
    other = tmp_path / "other"
    other.write_bytes(b"no database" * 1000)
    with inside(tmp_path / "data", may_tell="is no database") as service:
        for end in ("-wal", "-shm"):
            (tmp_path / f"data/control.sqlite3{end}").unlink()
        other.rename(tmp_path / "data/control.sqlite3")
        told = service.ask("/readyz")
        assert (told.status, "cannot be written" in told.text) == (503, True)


def test_probes_that_come_together_share_one_attempt_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "FRESH", 3600.0)
    with inside(tmp_path / "data") as service:
        database = service.made.desk.database
        assert service.ask("/readyz").status == 200
        database.write("DELETE FROM settings WHERE name = ?", (readiness.WRITTEN,))
        assert [service.ask("/readyz").status for _ in range(20)] == [200] * 20
        assert database.read("SELECT * FROM settings WHERE name = ?", (readiness.WRITTEN,)) == []
