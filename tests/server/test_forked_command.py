"""A command that is forked is the command that users start."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.server.commands import COMMAND, environment, running, twinpress
from tests.server.forked_command import ForkedCommand
from tests.sites import write_site
from tests.waiting import PATIENCE

SITE = {"docs/index.md": "# Start\n\n[Nowhere](nowhere.md)\n", "site.yml": "title: Ünï\n"}
CASES: dict[str, tuple[list[str], str, dict[str, str]]] = {
    "its version": (["--version"], "", {}),
    "its help": (["--help"], "", {"COLUMNS": "60"}),
    "no command": (["bild"], "", {}),
    "an error in a page": (["check"], "", {}),
    "colours": (["check"], "", {"FORCE_COLOR": "1"}),
    "another language": (["check"], "", {"LC_ALL": "C"}),
    "input": (["admin", "--data", "data", "account", "create", "ann@example.org"], "short\n", {}),
}


def timeless(said: str) -> str:
    """The same without how long it took."""
    return re.sub(r"\d+\.\d+ s", "", said)


@pytest.mark.parametrize(("arguments", "given", "extra"), CASES.values(), ids=CASES)
def test_it_says_and_does_the_same(
    tmp_path: Path, arguments: list[str], given: str, extra: dict[str, str]
) -> None:
    one, other = (write_site(tmp_path / name / "site", SITE) for name in ("one", "other"))
    forked = twinpress(*arguments, cwd=one, given=given, **extra)
    started = subprocess.run(
        [COMMAND, *arguments],
        cwd=other,
        env=environment(**extra),
        input=given,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert forked.returncode == started.returncode
    assert timeless(forked.stdout) == timeless(started.stdout)
    assert timeless(forked.stderr) == timeless(started.stderr)
    assert sorted(each.name for each in one.rglob("*")) == sorted(each.name for each in other.rglob("*"))


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_signals_reach_it_and_its_end_is_known(tmp_path: Path, number: int, code: int) -> None:
    site = write_site(tmp_path / "site", SITE)
    with running([COMMAND, "serve", site, "--port", "0", "--no-key"]) as preview:
        assert isinstance(preview.process, ForkedCommand)
        assert (preview.process.poll(), Path(f"/proc/{preview.process.pid}").exists()) == (None, True)
        preview.process.send_signal(number)
        assert (preview.process.wait(PATIENCE), preview.process.poll()) == (code, code)


def test_it_has_no_files_open_of_whoever_asked_for_it(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    with (tmp_path / "mine").open("w"), running([COMMAND, "serve", site, "--port", "0"]) as preview:
        links = Path(f"/proc/{preview.process.pid}/fd").iterdir()
        assert str(tmp_path / "mine") not in [str(each.readlink()) for each in links]
