"""A server has as many connections as it may have files open."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from tests.server.commands import COMMAND, running
from tests.sites import write_site

_, MOST = resource.getrlimit(resource.RLIMIT_NOFILE)


@pytest.mark.parametrize(
    ("limit", "files", "said"),
    [("ulimit -S -n 300", min(4096, MOST), False), ("ulimit -n 300", 300, True)],
    ids=["it may raise the limit", "it may not"],
)
def test_the_limit_of_open_files_is_raised_or_there_are_fewer_connections(
    tmp_path: Path, limit: str, files: int, said: bool
) -> None:
    root = write_site(tmp_path, {"site.yml": "title: T\n", "docs/index.md": "# T\n"})
    script = f'{limit} && exec "$0" serve "$1" --port 0 --no-key'
    with running(["bash", "-c", script, COMMAND, root]) as preview:
        told = Path(f"/proc/{preview.process.pid}/limits").read_text()
        (line,) = [each for each in told.splitlines() if each.startswith("Max open files")]
        assert int(line.split()[3]) == files
        assert preview.get("/docs/").status == 200
        few = "Only 11 connections may be open: the system allows 300 open files (see `ulimit -n`)."
        assert (few in preview.lines) is said
