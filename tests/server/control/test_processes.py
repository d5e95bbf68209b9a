"""Keys are the same for all processes, at every moment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.control import ControlDatabase, KeyKind, SiteKeys, local_site
from tests.waiting import PATIENCE

CHECK = """
import sys
from pathlib import Path
from server.control import ControlDatabase, KeyRefused, SiteKeys
keys = SiteKeys(ControlDatabase(Path(sys.argv[1])))
for line in sys.stdin:
    try:
        said = keys.check(line.strip()).kind
    except KeyRefused as refused:
        said = type(refused).__name__
    print(said, flush=True)
"""
CREATE = """
import sys
from pathlib import Path
from server.control import ControlDatabase, KeyKind, SiteKeys, local_site
print("ready", flush=True)
sys.stdin.readline()
with ControlDatabase(Path(sys.argv[1])) as database:
    site, keys = local_site(database), SiteKeys(database)
    for number in range(int(sys.argv[2])):
        print(site, keys.create(KeyKind.LONG_LIVED, site, f"{sys.argv[3]} {number}").text)
"""


class Other:
    """A second process that answers line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, line: str) -> str:
        self.tell(line)
        return self.hear()

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def rest(self) -> list[str]:
        out, _ = self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0
        return out.splitlines()


@contextmanager
def other(code: str, *arguments: object) -> Iterator[Other]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Other(process)
        finally:
            process.kill()


@pytest.mark.parametrize("kind", KeyKind)
def test_what_one_process_does_to_a_key_holds_for_the_next_check_in_another(
    tmp_path: Path, kind: KeyKind
) -> None:
    path = tmp_path / "control.sqlite3"
    with ControlDatabase(path) as database, other(CHECK, path) as process:
        keys = SiteKeys(database)
        assert process.ask("dpk_nothing") == "BadKey"
        made = keys.create(kind, local_site(database))
        assert process.ask(made.text) == kind
        for _ in range(3):
            keys.disable(made.record.id)
            assert process.ask(made.text) == "DisabledKey"
            keys.enable(made.record.id)
            assert process.ask(made.text) == kind
        keys.delete(made.record.id)
        assert process.ask(made.text) == "BadKey"


def test_processes_that_start_at_once_make_one_site_and_lose_no_key(tmp_path: Path) -> None:
    path = tmp_path / "state" / "control.sqlite3"
    with (
        other(CREATE, path, 10, "a") as a,
        other(CREATE, path, 10, "b") as b,
        other(CREATE, path, 10, "c") as c,
    ):
        processes = (a, b, c)
        assert [process.hear() for process in processes] == ["ready"] * 3
        assert not path.exists()
        for process in processes:
            process.tell("go")
        made = [line.split() for process in processes for line in process.rest()]
    with ControlDatabase(path) as database:
        keys, site = SiteKeys(database), local_site(database)
        assert {owner for owner, _ in made} == {site}
        assert len(keys.list(site)) == len(made) == 30
        assert {keys.check(text).label for _, text in made} == {f"{n} {i}" for n in "abc" for i in range(10)}
        keys.close()
