"""`twinpress mcp`: a site's tools on standard input and output."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from builder.build import build
from builder.output import MemoryOutput
from builder.plan.options import Options
from builder.redaction import redacted
from builder.report import counted
from builder.site import Plan
from server.cli.actions.build_site import options_of
from server.cli.terminal import console
from server.mcp import stdio
from server.mcp.built_site import INDEX, Read
from server.mcp.find import opened
from server.mcp.reading import ReadingService
from server.process.faults import describe

SETTINGS = "site.yml"
LARGEST = 32 * 1024 * 1024
"""Bytes of a file that is read."""
_FOR_AGENTS = (".md", ".txt")
_SEARCH = "_tp/search"

Opened = Callable[[], ReadingService]


def run(*, folder: Path, plan: Plan | None, drafts: bool, safe: bool, include_roots: tuple[Path, ...]) -> int:
    """Answer messages until the input ends."""
    is_built = (folder / INDEX).is_file() and not (folder / SETTINGS).exists()
    if is_built:
        _refuse(folder, {"--drafts": drafts, "--plan": plan, "--include-root": include_roots})
        served = BuiltFolder(folder).service
    else:
        options = options_of(plan, "read", None, safe=safe, drafts=drafts, include_roots=include_roots)
        served = _built(folder, options)
    stdio.serve(served, sys.stdin.buffer, sys.stdout.buffer, _tell)
    return 0


def _refuse(folder: Path, options: Mapping[str, object]) -> None:
    """Refuse options that would change how pages are built, of a folder that is built."""
    given = next((name for name, value in options.items() if value), None)
    if given:
        raise click.UsageError(f"{folder} is built already, so {given} has no effect: give the site's folder")


def _built(folder: Path, options: Options) -> Opened:
    """Build a site in memory, once."""
    output = AgentFiles()
    result = build(folder, output, options)
    console.note(f"{counted(result.pages, 'page')} of {console.nearby(folder)}, as they are now")
    service = _service(output.get)
    return lambda: service


def _tell(error: Exception) -> None:
    console.note(f"Twinpress failed to answer: {redacted(describe(error))}")


def _service(read: Read) -> ReadingService:
    return ReadingService(opened(read))


class AgentFiles(MemoryOutput):
    """Keeps, of all that a build writes, what agents read."""

    def write(self, path: str, data: bytes, key: bytes = b"") -> None:
        """Keep the bytes, if they are for agents."""
        if path.endswith(_FOR_AGENTS) or path.startswith(_SEARCH):
            super().write(path, data, key)


class BuiltFolder:
    """A folder that a build has written, and may write again while it is served."""

    def __init__(self, folder: Path) -> None:
        self._root = folder.resolve()
        self._version: tuple[int, int] | None = None
        self._service = _service(self._read)

    def service(self) -> ReadingService:
        """The tools over the files as they are now."""
        status = (self._root / INDEX).stat() if (self._root / INDEX).exists() else None
        version = (status.st_mtime_ns, status.st_ino) if status else None
        if version != self._version:
            self._version, self._service = version, _service(self._read)
        return self._service

    def _read(self, output: str) -> bytes | None:
        """The bytes of a file in the folder; None for what is elsewhere, no file, or too large."""
        segments = output.split("/")
        if any(each in {"", ".", ".."} or "\0" in each for each in segments):
            return None
        path = self._root.joinpath(*segments)
        try:
            if not path.resolve().is_relative_to(self._root):
                return None
            with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # a pipe gives nothing
                status = os.fstat(file.fileno())
                is_right = stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST
                return file.read() if is_right else None
        except OSError:
            return None
