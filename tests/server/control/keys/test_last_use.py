from __future__ import annotations

import logging
from pathlib import Path

import pytest

from server.control import ControlDatabase, ExpiredKey, KeyKind, SiteKeys, local_site
from server.control.sqlite import connections
from tests.server.control.clock import START, Clock


def used(path: Path, text: str, now: float) -> int | None:
    """Return the known time of a key's last use when it was used `now`."""
    with ControlDatabase(path) as database:
        keys = SiteKeys(database, Clock(now))
        keys.check(text)
        keys.close()
        return keys.list(local_site(database))[0].last_used_at


def test_the_last_use_is_written_once_a_minute(tmp_path: Path) -> None:
    path = tmp_path / "control.sqlite3"
    with ControlDatabase(path) as database:
        text = SiteKeys(database, Clock()).create(KeyKind.LONG_LIVED, local_site(database)).text
    assert used(path, text, START) == START
    assert used(path, text, START + 59) == START
    assert used(path, text, START + 60.5) == START + 60
    assert used(path, text, START + 30) == START + 60
    assert used(path, text, START + 1000) == START + 1000


def test_a_refused_key_is_not_used(tmp_path: Path) -> None:
    with ControlDatabase(tmp_path / "control.sqlite3") as database:
        clock = Clock()
        keys = SiteKeys(database, clock)
        made = keys.create(KeyKind.ONE_OFF, local_site(database))
        clock.now += 3600
        with pytest.raises(ExpiredKey):
            keys.check(made.text)
        keys.close()
        assert keys.find(made.record.site, made.record.id).last_used_at is None


def test_a_check_does_not_wait_for_somebody_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "control.sqlite3"
    with ControlDatabase(path) as database, ControlDatabase(path) as other:
        clock = Clock()
        keys = SiteKeys(database, clock)
        made = keys.create(KeyKind.LONG_LIVED, local_site(database))
        with other.change() as change:
            change.write("UPDATE keys SET label = 'held'")
            for _ in range(3):
                assert keys.check(made.text).last_used_at is None
                clock.now += 1
        keys.close()
        assert keys.check(made.text).last_used_at == START


def test_a_last_use_that_cannot_be_written_is_logged_and_costs_nobody_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.01)
    path = tmp_path / "control.sqlite3"
    with ControlDatabase(path) as database, ControlDatabase(path) as other:
        keys = SiteKeys(database)
        made = keys.create(KeyKind.LONG_LIVED, local_site(database))
        with caplog.at_level(logging.WARNING), other.change():
            keys.check(made.text)
            keys.close()
        assert made.record.id in caplog.text
        assert made.text not in caplog.text
        assert keys.check(made.text).last_used_at is None
