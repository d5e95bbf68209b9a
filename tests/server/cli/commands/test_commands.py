from __future__ import annotations

import pytest

from tests.server.cli.sites import GOOD
from tests.server.commands import twinpress
from tests.sites import write_site


@pytest.mark.parametrize("arguments", [[], ["new"], ["build"], ["check"], ["serve"]])
def test_help_gives_an_example_of_each_command(tmp_path, arguments):
    done = twinpress(*arguments, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert f"  {' '.join(['twinpress', *arguments])} " in done.stdout.replace("Usage: ", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bild"], "No such command 'bild'"),
        (["build", "nowhere"], "'nowhere' does not exist"),
        (["build", "--plan", "gold"], "'gold' is not one of 'free', 'premium'"),
        (["check", "--format", "xml"], "'xml' is not one of 'text', 'json', 'github'"),
        (["build", "-o", "."], "the output folder holds the site itself"),
        (["build", "-o", "docs/out"], "is read as source"),
        (["serve", "--port", "70000"], "70000"),
        (["serve", "--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
    ],
)
def test_wrong_usage_is_explained_and_exits_with_2(tmp_path, arguments, words):
    write_site(tmp_path, GOOD)
    done = twinpress(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
