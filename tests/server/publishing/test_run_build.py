"""The process that builds a site, from the side of the service."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from server.publishing import run_build
from server.publishing.build_order import BuildOrder
from server.publishing.run_build import BuildFailed, Stop


class _Slow(Stop):
    """A stop that has taken its time: the process is gone when it has its order."""

    def attach(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the end."""
        super().attach(process)
        while Path(f"/proc/{process.pid}/fd/0").exists():
            pass


def test_a_build_that_is_stopped_before_it_has_its_order_says_why() -> None:
    stop = _Slow()
    stop.ask("it was stopped")
    order = BuildOrder("/nowhere", "free", "http://boats.localhost", 0)
    with pytest.raises(BuildFailed, match="it was stopped"):
        run_build.run_build(order, lambda _: None, stop, 10.0)
