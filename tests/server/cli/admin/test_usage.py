from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from server.cli.commands.admin import admin
from tests.server.cli.admin.operator import EMAIL, Run
from tests.server.commands import COMMAND, environment, twinpress


def _commands(group: click.Group, *above: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*above, name)
        if isinstance(command, click.Group):
            yield from _commands(command, *above, name)


@pytest.mark.parametrize("words", list(_commands(admin)), ids=" ".join)
def test_help_gives_an_example_of_each_command_and_asks_for_no_folder(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = twinpress("admin", *words, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert f"  twinpress admin --data DIR {' '.join(words)}" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["account", "plan", EMAIL, "gold"], "'gold' is not one of 'free', 'premium'"),
        (["account", "suspend", "nobody@example.com"], "there is no account `nobody@example.com`"),
        (["account", "clear", "nobody@example.com"], "there is no account"),
        (["account", "plan", "nobody@example.com", "free"], "there is no account"),
        (["db-key", "create", "nobody@example.com"], "there is no account"),
        (["db-key", "list", "nobody@example.com"], "there is no account"),
        (["db-key", "create", EMAIL, "--label", "x" * 81], "80 characters"),
        (["db-key", "rotate"], "Missing argument 'ID'"),
        (["db-key", "rotate", "svc_db_Abc0123"], "there is no key with the id `svc_db_...`"),
        (["nothing"], "No such command 'nothing'"),
    ],
)
def test_wrong_usage_is_explained(run: Run, me: str, words: list[str], said: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [("account", "list"), ("account", "suspend", EMAIL), ("db-key", "list", EMAIL), ("db-key", "delete", "x"),
     ("secrets", "rotate"), ("secrets", "rewrap")],
)  # fmt: skip
def test_a_mistyped_folder_is_not_made(run: Run, data: Path, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.returncode, "there is no data" in done.stderr, data.exists()) == (2, True, False)


def test_the_folder_is_asked_for(tmp_path: Path) -> None:
    done = twinpress("admin", "account", "list", cwd=tmp_path)
    assert (done.returncode, "Missing option '--data'" in done.stderr) == (2, True)


def test_an_argument_that_is_no_text_is_no_account_and_no_key(data: Path, me: str) -> None:
    for words in (["account", "suspend", b"\xff@example.com"], ["db-key", "disable", b"\xff"]):
        done = subprocess.run(
            [COMMAND, "admin", "--data", data, *words], capture_output=True, env=environment(), check=False
        )
        assert (done.returncode, b"there is no" in done.stderr) == (2, True), done.stderr
