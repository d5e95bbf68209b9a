"""The process that builds a site, from the side of the service."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from server.process.confine import ENVIRONMENT, landlock_version
from server.publishing import run_build
from server.publishing.build_order import MADE, SITE, BuildLimits, BuildOrder
from server.publishing.run_build import BuildFailed, Stop
from tests.sites import write_site


class _Looking(Stop):
    """A stop that looks at what the system says of the process, once it works."""

    said: dict[str, str]

    def attach(self, process: subprocess.Popen[bytes]) -> None:
        """Remember the process."""
        super().attach(process)
        self._folder, self.said = Path(f"/proc/{process.pid}"), {}

    def look(self) -> None:
        """Read its environment, its limits and its state."""
        if not self.said:
            self.said = {name: (self._folder / name).read_text() for name in ("environ", "limits", "status")}


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


def test_a_build_has_nothing_of_the_service_and_bounds_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWINPRESS_MASTER_KEY", "a secret")
    pages = {f"docs/page-{number}.md": "# Boats\n" for number in range(200)}
    write_site(tmp_path / SITE, {"site.yml": "title: Boats\n", **pages})
    memory, stop = BuildLimits().memory, _Looking()
    order = BuildOrder(str(tmp_path), "free", "http://boats.localhost", memory)
    assert run_build.run_build(order, lambda _: stop.look(), stop, 60.0).pages == 200
    found = dict(one.split("=", 1) for one in stop.said["environ"].split("\0") if one)
    assert found == ENVIRONMENT
    limits = stop.said["limits"].splitlines()
    assert next(line.split()[3:5] for line in limits if line.startswith("Max address")) == [str(memory)] * 2
    assert next(line.split()[4:6] for line in limits if line.startswith("Max core")) == ["0", "0"]
    # The kernel takes the rules of Landlock from nobody who could get more rights.
    assert not landlock_version() or "NoNewPrivs:\t1" in stop.said["status"]
