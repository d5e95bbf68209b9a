"""The page about the API is the generated one, and the requests on the page about agents work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from server.authoring.error_meanings import MEANINGS
from server.authoring.reference import PAGE, PARTS, main, written
from server.http.error_codes import STATUS
from tests.server.authoring.client import BASE, authoring
from tests.server.authoring.schema import DESCRIBED
from tests.sites import write_site
from tests.waiting import PATIENCE

DOCS = Path(__file__).parents[3] / "sample-site" / "docs"
AGENTS = (DOCS / "writing" / "agents.mdx").read_text("utf-8")
ANSWERED = [
    "Its title is `T`",
    "## Steps and Step",
    '"pages":[]',
    "there is no component `Stepps`",
    '"applied":true',
    '"outline":',
    '"replaced":1',
    '"moved_from":"docs/guide/restore"',
    '"applied":false',
    '"created":false',
]
"""The text that answers each part of the session."""


@pytest.mark.parametrize("file", [PAGE, *PARTS])
def test_the_stored_page_is_the_generated_one(file: str) -> None:
    assert (DOCS / file).read_text("utf-8") == written()[file], "run `make reference`"


@pytest.mark.parametrize("file", [PAGE, *PARTS])
def test_an_agent_reads_a_page_at_once(file: str) -> None:
    assert len(written()[file]) <= 50_000


def test_the_command_writes_the_page_below_its_folder(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert {file: (tmp_path / file).read_text("utf-8") for file in (PAGE, *PARTS)} == written()


def test_the_command_without_a_folder_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage:" in capsys.readouterr().err


def test_the_page_has_every_endpoint_field_and_code() -> None:
    described, text = DESCRIBED.document, "\n".join(written().values())
    for path, methods in described["paths"].items():
        assert all(f'method="{method.upper()}"\n  path="{path}"' in text for method in methods)
    for schema in described["components"]["schemas"].values():
        assert all(
            re.search(rf'name="[^"]*\b{name}"|[`"]{name}[`"]', text) for name in schema.get("properties", ())
        )
    assert [
        code for code in MEANINGS if f"| {STATUS[code]} | `{code}` | {MEANINGS[code]} |" not in text
    ] == []


@pytest.mark.skipif(shutil.which("curl") is None, reason="the session is written with curl")
def test_the_session_for_agents_works_as_it_is_written(tmp_path: Path) -> None:
    session = re.findall(r'^```sh title="session"\n(.*?)^```$', AGENTS, re.DOTALL | re.MULTILINE)
    assert len(session) == len(ANSWERED)
    with authoring(write_site(tmp_path / "site", {"site.yml": "title: T\n"})) as client:
        base = f"http://127.0.0.1:{client.preview.port}{BASE}"
        for commands, answered in zip(session, ANSWERED, strict=True):
            run = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", commands],
                cwd=tmp_path,
                env={"PATH": "/usr/bin:/bin", "BASE": base, "KEY": client.key},
                capture_output=True,
                encoding="utf-8",
                timeout=PATIENCE,
                check=True,
            )
            assert answered in run.stdout
        assert client.page("docs/guide/backup").data["body"] == "Stop the server first.\n"


def test_the_diagnostic_for_agents_is_the_one_that_is_given(tmp_path: Path) -> None:
    shown = next(
        json.loads(one) for one in re.findall(r"^```json\n(.*?)^```$", AGENTS, re.DOTALL | re.MULTILINE)
    )
    with authoring(write_site(tmp_path, {"site.yml": "title: T\n"})) as client:
        body = '<Stepps>\n\n<Step title="Stop">Stop the server.</Step>\n\n</Stepps>\n'
        page = {"path": "docs/guide/backup", "frontmatter": {"title": "B", "description": "D"}, "body": body}
        found = client.put(page, "?dry_run=true").data["diagnostics"]
        wrong = client.put({"path": "docs/a", "frontmatter": {"sidebar_position": "3"}})
    assert [shown.items() <= one.items() for one in found].count(True) == 1
    assert f'"error": {json.dumps(wrong.json["error"])},\n' in AGENTS
