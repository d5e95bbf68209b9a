"""Modules that a command does not need are not loaded for it: that is most of what a start costs."""

from __future__ import annotations

import importlib.metadata
import subprocess
import time
from pathlib import Path

import pytest

from builder.store import FRESH
from tests.ports import free_port
from tests.server.cli.sites import GOOD
from tests.server.commands import COMMAND
from tests.server.postgres.clusters import open_folder
from tests.sites import write_site

NO_BUILD = frozenset({
    "aiohttp", "asyncio", "dulwich", "http", "ssl", "email", "xml", "importlib.metadata", "watchfiles",
    "rich.progress", "server.preview", "server.authoring", "server.api", "server.history", "jinja2.debug",
    "jinja2.sandbox", "urllib.request", "builder.reference", "sqlite3.dump",
})  # fmt: skip
"""Servers, mail, git, OpenAPI and the progress bar: no build on its own machine needs them."""

OTHER_COMMANDS = frozenset({
    "server.cli.commands.admin", "server.cli.commands.history_commands", "server.cli.commands.host",
    "server.cli.commands.key", "server.cli.commands.score_command", "server.cli.commands.sync_commands",
})  # fmt: skip

NO_EDIT = NO_BUILD | {
    "yaml", "builder.yaml.hints", "builder.category.file", "builder.config.site_yml",
    "builder.frontmatter.read_block", "pygments", "rich", "multiprocessing", "concurrent", "subprocess",
    "ctypes", "components.card", "components.tabs",
}  # fmt: skip
"""Modules that read YAML, colour code, start processes, change files; components that no page has."""

NO_CHANGE = NO_EDIT | {
    "jinja2", "markdown_it", "markdown_it.token", "builder.markdown.body", "json", "tempfile", "secrets",
    "difflib", "html", "base64",
}  # fmt: skip
"""Modules that render."""

NO_HELP = NO_CHANGE | {
    "msgspec", "traceback", "hashlib", "builder.report", "builder.diagnostics", "components", "themes",
    "server.cli.terminal.command_failures", "server.cli.actions",
}  # fmt: skip

HELP = [
    ["--version"], ["--help"],
    *([name, "--help"] for name in ("new", "build", "check", "serve", "key", "history", "restore", "undo")),
    *([name, "--help"] for name in ("mcp", "mv", "redirect")), ["redirect", "add", "--help"],
    *([name, "--help"] for name in ("publish", "pull", "push", "host", "sites", "admin", "db")),
    ["admin", "--help"], ["admin", "account", "create", "--help"], ["admin", "secrets", "rotate", "--help"],
]  # fmt: skip


NO_SERVICE = frozenset({
    "server.preview.serving", "server.preview.builder_thread", "builder.build", "builder.workers.pool",
    "watchfiles", "server.cli.terminal.serve_messages", "server.cli.terminal.progress",
})  # fmt: skip
"""Modules that build and watch sites: other processes do so for the service."""


CODE = "---\ntitle: Code\n---\n\n```python {1}\ndef f(): ...\n```\n"


def loaded(folder: Path, *arguments: str, first: str = "") -> set[str]:
    """The modules that are there when a command has ended; `first` is run before it."""
    script = (
        f"import sys\nfrom server.cli.main import main\nsys.argv = ['twinpress', *{arguments!r}]\n"
        f"{first}\nassert main() == 0\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [COMMAND.with_name("python"), "-c", script], capture_output=True, text=True, check=True, cwd=folder
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", HELP, ids=" ".join)
def test_version_and_help_load_nothing_that_works(tmp_path: Path, arguments: list[str]) -> None:
    found = loaded(tmp_path, *arguments)
    assert "click" in found
    assert sorted(found & NO_HELP) == []


@pytest.mark.parametrize("command", ["build", "check"])
def test_a_build_loads_no_server(tmp_path: Path, command: str) -> None:
    write_site(tmp_path, GOOD)
    found = loaded(tmp_path, command)
    assert "builder.build" in found
    assert sorted(found & (NO_BUILD | OTHER_COMMANDS)) == []


def test_a_build_with_nothing_to_do_loads_nothing_that_renders(tmp_path: Path) -> None:
    write_site(tmp_path, GOOD)
    time.sleep(3 * FRESH / 1e9)  # a younger source is read again
    assert "markdown_it" in loaded(tmp_path, "build")
    found = loaded(tmp_path, "build")
    assert "builder.build" in found
    assert sorted(found & NO_CHANGE) == []


def test_after_an_edit_nothing_is_loaded_for_what_stays(tmp_path: Path) -> None:
    files = {"docs/page.md": "---\ntitle: Page\n---\n\nText.\n", "docs/_category_.yml": "label: All\n"}
    page = write_site(tmp_path, {**GOOD, **files}) / "docs/page.md"
    time.sleep(3 * FRESH / 1e9)
    assert "yaml" in loaded(tmp_path, "build")
    page.write_text("---\ntitle: Page\n---\n\nOther text.\n")
    found = loaded(tmp_path, "build")
    assert "markdown_it" in found
    assert sorted(found & NO_EDIT) == []
    page.write_text("---\ntitle: Other\n---\n\nOther text.\n")
    assert "yaml" in loaded(tmp_path, "build")
    assert "<title>Other" in (tmp_path / "dist/docs/page.html").read_text()


def test_an_edited_page_keeps_the_colours_of_code_that_stays(tmp_path: Path) -> None:
    page = write_site(tmp_path, {**GOOD, "docs/code.md": CODE}) / "docs/code.md"
    assert "pygments.lexers" in loaded(tmp_path, "build")
    coloured = (tmp_path / "dist/docs/code.html").read_text()
    page.write_text(CODE + "\nOne more.\n")
    assert "pygments" not in loaded(tmp_path, "build")
    assert (tmp_path / "dist/docs/code.html").read_text() == coloured.replace(
        "</figure>\n", "</figure>\n<p>One more.</p>\n"
    )
    page.write_text(CODE.replace("def f", "def g"))
    assert "pygments.lexers" in loaded(tmp_path, "build")
    assert '<span class="nf">g</span>' in (tmp_path / "dist/docs/code.html").read_text()


CTRL_C = """
import os, signal, socket, threading, time
def press():
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", {port})) == 0:
                return os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
threading.Thread(target=press, daemon=True).start()
"""
"""Presses Ctrl+C as soon as somebody listens at a port."""


def test_the_service_loads_nothing_of_the_preview() -> None:
    port = free_port()
    with open_folder() as folder:
        arguments = ("host", "--data", "data", "--port", str(port))
        found = loaded(folder, *arguments, first=CTRL_C.format(port=port))
    assert {"server.service.run", "server.http.listening"} <= found
    assert sorted(found & NO_SERVICE) == []


def test_the_version_is_that_of_the_package() -> None:
    said = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"twinpress {importlib.metadata.version('twinpress')}\n"
