"""The hour of an agent, with nothing but curl and the prompt that its owner pasted."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.commands import serving, twinpress
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(
    shutil.which("curl") is None and "CI" not in os.environ, reason="curl is not installed"
)

PAGES = json.loads(Path(__file__).with_name("agent_pages.json").read_text())
MISTAKE = '<Crad title="x">\n  Text.\n</Crad>\n\n[gone](/docs/kitchen/ovne)\n'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A new site, as its owner would make one."""
    made = twinpress("new", tmp_path / "site", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    return tmp_path / "site"


@pytest.fixture
def prompt(site: Path) -> Iterator[str]:
    """Make the text that the owner pastes."""
    with serving(site, "--port", "0") as preview:
        preview.says("My task for you:")
        yield "\n".join(preview.results)


def run(command: list[str]) -> str:
    """Run a command and return what curl prints."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines_of(prompt: str) -> list[list[str]]:
    """The commands in the prompt, as a shell would read them."""
    return [shlex.split(line) for line in prompt.splitlines() if line.strip().startswith("curl ")]


def test_an_agent_writes_a_chapter_and_mends_its_mistake(site: Path, prompt: str) -> None:
    (guide,) = lines_of(prompt)
    base, key = re.search(r"Base address: (\S+)", prompt), re.search(r"Key: (\S+)", prompt)
    assert base
    assert key

    def curl(method: str, path: str, body: object = None, *more: str) -> Any:
        data = ["-H", "Content-Type: application/json", "-d", json.dumps(body)] if body is not None else []
        address = [f"{base[1]}{path}", "-H", f"Authorization: Bearer {key[1]}"]
        return json.loads(run(["curl", "-sS", "-X", method, *address, *data, *more]))

    assert "<CardGrid" in run(guide)
    assert {"docs/index", "pages/index"} <= {
        page["path"] for page in curl("GET", "/ai/site")["data"]["pages"]
    }
    for one in PAGES:
        fields = {"title": one["title"], "description": f"About {one['title']}."}
        page = {"path": one["path"], "frontmatter": fields, "body": one["body"]}
        assert curl("PUT", "/ai/page", page)["data"]["created"] is True
    for position, one in enumerate(PAGES, 1):
        page = curl("GET", f"/ai/page?path={one['path']}")["data"]
        page["frontmatter"]["sidebar_position"] = position
        assert curl("PUT", "/ai/page", page)["data"]["diagnostics"] == []
    category = {"path": "docs/kitchen", "label": "The kitchen", "position": 2}
    assert curl("POST", "/ai/category", category)["data"]["label"] == "The kitchen"
    page = curl("GET", "/ai/page?path=docs/kitchen/faq")["data"]
    wrong = curl("PUT", "/ai/page", {**page, "body": page["body"] + MISTAKE})["data"]
    assert [found["hint"] for found in wrong["diagnostics"]] == [
        "did you mean `Card`?",
        "did you mean `/docs/kitchen/oven`?",
    ]
    mended = MISTAKE.replace("Crad", "Card").replace("ovne", "oven")
    tag = ("-H", f'If-Match: "{wrong["revision"]}"')
    assert curl("PUT", "/ai/page", {**page, "body": page["body"] + mended}, *tag)["data"]["diagnostics"] == []
    built = twinpress("build", site, "-o", site.parent / "out", "--strict", cwd=site)
    assert built.returncode == 0, built.stdout
    assert "The kitchen" in (site.parent / "out/docs/kitchen/faq.html").read_text()
