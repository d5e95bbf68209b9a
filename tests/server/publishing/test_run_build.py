"""The process that builds a site, from the side of the service."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from server.publishing import run_build
from server.publishing.build_order import MADE, SITE, BuildLimits, BuildOrder
from server.publishing.run_build import BuildFailed, Stop
from tests.sites import write_site


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


def test_a_build_to_which_the_file_system_refuses_a_file_says_so(tmp_path: Path) -> None:
    write_site(tmp_path / SITE, {"site.yml": "title: Boats\n", "docs/index.md": "# Boats\n"})
    (tmp_path / MADE).write_text("in the way\n")
    order = BuildOrder(str(tmp_path), "free", "http://boats.localhost", BuildLimits().memory)
    with pytest.raises(BuildFailed, match="the file system refuses: File exists"):
        run_build.run_build(order, lambda _: None, Stop(), 60.0)
