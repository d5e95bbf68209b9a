"""The same site gives the same bytes, whatever machine builds it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.waiting import PATIENCE

SAMPLE = Path(__file__).parents[3] / "sample-site"
BUILD = (
    "import sys; from pathlib import Path; from builder.build import Options, build; "
    "from builder.output import FolderOutput; "
    "result = build(Path(sys.argv[1]), FolderOutput(Path(sys.argv[2])), Options(plan='premium')); "
    "print(*map(ascii, result.diagnostics), sep='\\n')"
)
MORE = {
    "docs/zz/B.md": "[a](/docs/nowhere) [^x] ![i](/no.png)\n\n## S\n\n## S\n",
    "docs/zz/a.mdx": "<Callout color='#abc'>1</Callout>\n<Callout color='#00ff00'>2</Callout>\n<X a b />\n",
    "docs/zz/\u00e9t\u00e9.md": "---\nb: 1\na: 2\nz: 3\ny: {d: 1, c: 2}\n---\n# \u00e9t\u00e9\n",
    "docs/zz/\u0130.md": "I\n",
    "docs/zz/x.png": "x",
    "static/\U0001f680/y.txt": "y",
}


class Machine(NamedTuple):
    """The differences between machines; `backwards` is the order in which files are made."""

    folder: str
    backwards: bool
    umask: int
    environment: dict[str, str]


MACHINES = [
    Machine("a", False, 0o022, {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}),
    Machine("b/c d/\u00e9", True, 0o077, {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "LC_ALL": "C"}),
    Machine("z", True, 0o002, {"PYTHONHASHSEED": "77", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE"}),
]


def copy(site: Path, *, backwards: bool) -> None:
    """The sample site with more in it, its files made in this order, at other times."""
    files = {str(path.relative_to(SAMPLE)): path.read_bytes() for path in _sources()}
    files |= {name: text.encode() for name, text in MORE.items()}
    for number, name in enumerate(sorted(files, reverse=backwards)):
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[name])
        os.utime(path, (number, number * 1000))


def _sources() -> list[Path]:
    roots = (SAMPLE / "docs", SAMPLE / "pages", SAMPLE / "static")
    return [SAMPLE / "site.yml", *(path for root in roots for path in root.rglob("*") if path.is_file())]


def digests(folder: Path) -> dict[str, str]:
    """Every file of a build and the hash of its bytes."""
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def built(machine: Machine, root: Path) -> tuple[dict[str, str], str]:
    """The files of a build on such a machine, and its diagnostics."""
    site, out = root / machine.folder / "site", root / machine.folder / "out"
    copy(site, backwards=machine.backwards)
    command = [sys.executable, "-c", BUILD, "../site", str(out)]
    out.mkdir()
    done = subprocess.run(
        command,
        cwd=out,
        env={**os.environ, **machine.environment},
        umask=machine.umask,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return digests(out), done.stdout.decode()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], str]:
    return built(MACHINES[0], tmp_path_factory.mktemp("first"))


@pytest.mark.parametrize("machine", MACHINES[1:], ids=["strange", "stranger"])
def test_another_machine_builds_the_same_bytes(
    tmp_path: Path, machine: Machine, first: tuple[dict[str, str], str]
) -> None:
    files, said = built(machine, tmp_path)
    assert len(files) > 100
    assert "broken-link" in said
    assert {name for name in files if files[name] != first[0].get(name)} == set()
    assert files.keys() == first[0].keys()
    assert said == first[1]
