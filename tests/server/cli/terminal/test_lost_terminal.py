"""A service goes on when its terminal is gone, or its log lies on a full disk."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from builder.report import Problem
from server.cli.actions import run_host
from server.cli.terminal.progress import Bar
from server.cli.terminal.serve_messages import ServeMessages
from server.cli.terminal.service_log import TextLog
from server.preview.snapshot import Snapshot
from server.service.host_settings import HostSettings


@contextmanager
def terminal_that_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every line fails, as on a full disk."""
    full = Path("/dev/full").open("w", buffering=1, encoding="utf-8")  # noqa: SIM115 - closed below
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", full)
        yield
    with pytest.raises(OSError, match="No space left"):
        full.close()


def test_the_preview_goes_on_without_its_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    narrator = ServeMessages(tmp_path, Bar("Building"), browser=False)
    problem = Problem("error", "BROKEN_LINK", "It leads nowhere.", file="docs/a.md", line=1)
    snapshot = Snapshot(complete=True, problems=(problem,), notice="Not run.")
    with terminal_that_takes_nothing(monkeypatch):
        narrator.listening("127.0.0.1", 4001, 4000)
        narrator.fault("It failed.")
        narrator.earlier(1, counts=True)
        narrator.built(snapshot, frozenset())
        narrator.built(snapshot, frozenset({"docs/a.md"}))


def test_the_service_goes_on_without_its_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    narrator = run_host.HostNarrator(HostSettings(tmp_path, sites_port=4001), TextLog())
    with terminal_that_takes_nothing(monkeypatch):
        narrator.listening("service", "127.0.0.1", 4000)
        narrator.fault("It failed.")
