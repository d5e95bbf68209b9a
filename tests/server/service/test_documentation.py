"""Commands in the pages about hosted databases work as they are written."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.server.commands import COMMAND
from tests.server.postgres.clusters import open_folder
from tests.server.service.process import Host
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "sample-site" / "docs" / "hosting"
SCRIPTS, BEGIN = ((PAGES / name).read_text("utf-8") for name in ("scripts.mdx", "begin.mdx"))
PASSWORD = "a long password of mine"
ANSWERED = [
    r"db_[a-z2-7]{16}\npostgresql://\S+\n",
    r"db_[a-z2-7]{16} orders active\n",
    r"2\n",
    r"20\d\d-\S+\+00:00\n",
    r"4\n",
]
"""The output of the parts of the session on the page about scripts, one behind the other."""

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("curl", "jq", "psql"))), reason="the pages use curl, jq and psql"
)


@pytest.fixture
def host() -> Iterator[Host]:
    """A service on a new folder, beside which the commands are run."""
    with open_folder() as folder:
        made = Host(folder / "data", arguments=("--db-port", str(free_port())))
        made.start()
        try:
            yield made
        finally:
            made.stop()


def _bash(host: Host, commands: str, **environment: str) -> str:
    return _run(host.data.parent, commands, **environment)


def _run(folder: Path, commands: str, **environment: str) -> str:
    path = f"{Path(COMMAND).parent}:/usr/bin:/bin"
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), **environment},
        input=PASSWORD,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def _blocks(text: str, opening: str) -> list[str]:
    return re.findall(rf"^ *{re.escape(opening)}\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)


def _account(host: Host) -> str:
    """A key of a new account."""
    admin = "twinpress admin --data data"
    made = f"{admin} account create me@example.com && {admin} db-key create me@example.com"
    return _bash(host, made).splitlines()[1]


def test_the_session_with_curl_and_python_works(host: Host) -> None:
    (program,) = _blocks(SCRIPTS, '```python title="database.py"')
    (host.data.parent / "database.py").write_text(program, "utf-8")
    session = "".join(_blocks(SCRIPTS, '```sh title="session"'))
    printed = _bash(host, session, BASE=f"http://127.0.0.1:{host.port}/api/v1/db", KEY=_account(host))
    assert re.fullmatch("".join(ANSWERED), printed)


def test_the_first_steps_lead_to_a_table_in_a_database(host: Host) -> None:
    start, *others = [block for block in _commands(BEGIN) if "sudo" not in block and "pip" not in block]
    assert start == "twinpress host --data data\n"
    printed = _bash_with_account(host, "".join(others))
    (shown,) = [block for block in _blocks(BEGIN, "```text") if "CREATE TABLE" in block]
    assert "".join(printed.split()).endswith("".join(shown.split()))
    assert not (host.data.parent / "orders.json").exists()


def test_the_commands_of_the_readme_make_a_database(host: Host) -> None:
    start, script = [
        block for block in _commands((ROOT / "README.md").read_text("utf-8")) if "data data" in block
    ]
    assert start == "pipx install --force '.[host]'\ntwinpress host --data data\n"
    assert '"connection_uri":"postgresql://db_' in _bash_with_account(host, script)


def _commands(text: str) -> list[str]:
    blocks = _blocks(text, "```sh")
    return ["".join(line.strip() + "\n" for line in block.splitlines()) for block in blocks]


def _bash_with_account(host: Host, commands: str) -> str:
    """Run them where the account is that the pages create in a browser."""
    _bash(host, "twinpress admin --data data account create me@example.com --operator")
    return _bash(host, commands.replace("127.0.0.1:8080", f"127.0.0.1:{host.port}"))


def test_the_program_says_why_something_was_refused(host: Host) -> None:
    (program,) = _blocks(SCRIPTS, '```python title="database.py"')
    (host.data.parent / "database.py").write_text(program, "utf-8")
    base = f"http://127.0.0.1:{host.port}/api/v1/db"
    printed = _bash(host, "python3 database.py orders 2>&1 || true", BASE=base, KEY="svc_db_nonsense")
    assert printed.startswith("BAD_KEY: this is no management key")
