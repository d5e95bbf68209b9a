"""`twinpress build --executor dask` and `publish`: what a terminal shows, and Ctrl+C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.cli.terminal.test_terminal import in_terminal, start
from tests.server.commands import twinpress
from tests.server.dask_executor.clusters import SITE
from tests.sites import write_site
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.costly
LARGE = SITE | {f"docs/more/page-{n}.md": "# Title\n\n" + "word *word* `code`\n" * 400 for n in range(150)}
PAGES = sum(path.endswith((".md", ".mdx")) and "_part" not in path for path in LARGE)


def test_a_site_is_published_as_without_a_cluster(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    options = ("-j", "2", "--no-cache", "--despite-errors")  # it has broken links
    first = twinpress("publish", site, "--to", tmp_path / "a", *options, cwd=tmp_path)
    second = twinpress("publish", site, "--to", tmp_path / "b", *options, "--executor", "dask", cwd=tmp_path)
    assert (second.returncode, first.returncode) == (0, 0)
    assert files(tmp_path / "a/current") == files(tmp_path / "b/current")
    done = [
        twinpress(
            "build", site, "-o", tmp_path / name, "--no-cache", "-j", "2", "--executor", where, cwd=tmp_path
        )
        for name, where in (("c", "local"), ("d", "dask"))
    ]
    assert [each.returncode for each in done] == [1, 1]
    assert done[1].stderr == "Written to d\n"
    assert files(tmp_path / "c") == files(tmp_path / "d")


def files(folder: Path) -> dict[str, bytes]:
    """The files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def in_group(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    numbers = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    return [number for number in numbers if is_of(number, group)]


def is_of(number: int, group: int) -> bool:
    try:
        state, _, found = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[:3]
    except OSError:
        return False
    return int(found) == group and state != "Z"


def workers(group: int) -> int:
    """The number of processes of a group that Dask has begun."""
    return sum(b"spawn_main" in command(number) for number in in_group(group))


def command(number: int) -> bytes:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("is_writing", [False, True])
def test_ctrl_c_ends_the_build_and_all_workers_quietly(tmp_path: Path, is_writing: bool) -> None:
    """While workers begin, and while they render."""
    write_site(tmp_path, LARGE)
    (tmp_path / "tmp").mkdir()
    arguments = ["build", "--executor", "dask", "-j", "2", "--no-cache"]
    process = start(arguments, tmp_path, group=0, TMPDIR=str(tmp_path / "tmp"))
    until(lambda: workers(process.pid) >= 2)
    if is_writing:
        until(lambda: list((tmp_path / "dist/docs").glob("*/*.html")))
    os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, said.decode().strip()) == (130, b"", "")
    until(lambda: not in_group(process.pid))
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_build_that_is_killed_leaves_no_worker(tmp_path: Path) -> None:
    write_site(tmp_path, LARGE)
    process = start(["build", "--executor", "dask", "-j", "2", "--no-cache"], tmp_path, group=0)
    until(lambda: list((tmp_path / "dist/docs").glob("*/*.html")))
    process.kill()
    process.communicate(timeout=PATIENCE)
    until(lambda: not in_group(process.pid))


def test_a_terminal_shows_the_progress(tmp_path: Path) -> None:
    write_site(tmp_path, LARGE)
    shown = in_terminal(["build", "--executor", "dask", "-j", "2", "--no-cache"], tmp_path)
    assert "Building" in shown
    assert f"/{PAGES}" in shown
    assert "distributed" not in shown


def test_a_build_without_it_loads_nothing_of_dask(tmp_path: Path) -> None:
    write_site(tmp_path, SITE)
    script = (
        "import sys; from server.cli.main import main; sys.argv[1:] = ['build']; main(); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "builder.build" in loaded
    assert [
        each for each in loaded if each.startswith(("dask", "distributed", "tornado", "server.dask"))
    ] == []
