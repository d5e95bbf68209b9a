"""`twinpress mcp` as clients start it, and lines that no client of ours writes."""

from __future__ import annotations

import json
import os

import pytest
from mcp import Client

from tests.server.commands import twinpress
from tests.server.mcp.clients import LEGACY, MODERN, call, message, over_stdio
from tests.sites import write_site

SITE = {
    "site.yml": "title: Harbour\n",
    "docs/index.md": "# Start\n",
    "docs/install.md": "---\ntitle: Install\n---\nText.\n\n## Linux\n\nUse apt.\n",
    "docs/draft.md": "---\ntitle: Soon\ndraft: true\n---\nNot yet.\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A site, and in `dist` what was built of it."""
    site = write_site(tmp_path_factory.mktemp("site"), SITE)
    assert twinpress("build", cwd=site).returncode == 0
    return site


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
@pytest.mark.parametrize("what", [".", "dist"])
def test_the_sdk_starts_the_command_and_reads(folder, what, revision):
    async def work(client: Client):
        listed = (await client.call_tool("list", {})).structured_content
        assert [page["path"] for page in listed["pages"]] == ["/docs/", "/docs/install"]
        found = (await client.call_tool("search", {"query": "install"})).structured_content["results"][0]
        read = await client.call_tool("read", {"path": found["path"], "heading": "linux"})
        assert read.structured_content["content"] == "## Linux\n\nUse apt.\n"
        resources = (await client.list_resources()).resources
        assert resources[0].uri == "page:///docs/index.md"
        assert (await client.read_resource(resources[0].uri)).contents[0].text == "# Start\n"

    over_stdio([what], revision, work, folder)


def _said(folder, *lines: bytes | dict, what: str = "dist") -> list[dict]:
    """The messages that the command answers to these lines."""
    given = b"".join(
        (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines
    )
    done = twinpress("mcp", what, cwd=folder, given=given.decode(errors="surrogateescape"))
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_line_but_a_notification_has_one_answer_and_nothing_else_is_said(folder):
    answers = _said(
        folder,
        b"{",
        b"[]",
        b"",
        b"  ",
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        b'{"jsonrpc":"2.0","id":1,"method":"nothing/here"}',
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
        b" " * 1_500_000,
        b'{"jsonrpc":"2.0","id":7,"method":"ping"}',
        message("server/discover", 8),
    )
    codes = [each.get("error", {}).get("code", each.get("id")) for each in answers]
    assert codes == [-32700, -32600, -32601, -32700, -32600, 7, 8]


def test_drafts_are_read_with_the_option_alone(folder):
    given = json.dumps(call("list")) + "\n"
    plain, drafts = (twinpress("mcp", *more, cwd=folder, given=given).stdout for more in ((), ("--drafts",)))
    assert "Soon" not in plain
    assert "Soon" in drafts


@pytest.mark.parametrize("options", [("--drafts",), ("--plan", "premium"), ("--include-root", ".")])
def test_options_that_a_built_folder_cannot_obey_are_refused(folder, options):
    done = twinpress("mcp", "dist", *options, cwd=folder, given="")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"dist is built already, so {options[0]} has no effect" in done.stderr


def test_a_folder_that_is_built_again_is_read_as_it_is(folder, tmp_path):
    site = write_site(tmp_path, SITE)
    assert twinpress("build", cwd=site).returncode == 0

    async def work(client: Client):
        before = (await client.call_tool("list", {})).structured_content["total"]
        write_site(site, {"docs/more.md": "# More\n"})
        assert twinpress("build", cwd=site).returncode == 0
        return before, (await client.call_tool("list", {})).structured_content["total"]

    assert over_stdio(["dist"], MODERN, work, site) == (2, 3)


def test_nothing_is_read_outside_the_folder(folder, tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("SECRET")
    dist = tmp_path / "dist"
    (dist / "docs").mkdir(parents=True)
    names = ["../secret.md", "docs/link.md", "linked/secret.md", "docs/pipe.md", "docs/good.md"]
    (dist / "llms.txt").write_text("# T\n\n" + "".join(f"- [x](/{name})\n" for name in names))
    (dist / "docs/link.md").symlink_to(secret)
    (dist / "linked").symlink_to(tmp_path)
    os.mkfifo(dist / "docs/pipe.md")
    (dist / "docs/good.md").write_text("GOOD")
    calls = [call("read", path=f"/{name}") for name in names]
    results = [each["result"]["content"][0]["text"] for each in _said(tmp_path, *calls)]
    assert ["SECRET" in text for text in results] == [False] * 5
    assert "GOOD" in results[-1]


def test_a_folder_without_a_site_is_told(tmp_path):
    done = twinpress("mcp", "nowhere", cwd=tmp_path)
    assert done.returncode == 2
