"""A test states its whole site: a mapping of file to text, written to a folder and built."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builder.build import Result, build
from builder.diagnostics import Diagnostic
from builder.output import MemoryOutput
from builder.plan.options import Options

Files = Mapping[str, str | bytes]


@dataclass(frozen=True, slots=True)
class Built:
    """A finished build in memory."""

    output: MemoryOutput
    result: Result

    def text(self, path: str) -> str:
        """The text written at this output path."""
        data = self.output.get(path)
        assert data is not None, f"{path} was not written; there are {sorted(self.output.paths)}"
        return data.decode()

    def twin(self, path: str) -> str:
        """The twin written at this output path, without the line before it that leads to `llms.txt`."""
        pointer, _, twin = self.text(path).partition("\n\n")
        assert "/llms.txt)" in pointer, f"{path} begins with {pointer!r}"
        assert pointer.startswith("> "), f"{path} begins with {pointer!r}"
        return twin

    @property
    def codes(self) -> list[str]:
        """The codes of all diagnostics, in order."""
        return [found.code for found in self.result.diagnostics]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All diagnostics."""
        return self.result.diagnostics


def write_site(folder: Path, files: Files) -> Path:
    """Write the files; text is written as it stands, without any change of line ends."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def build_site(folder: Path, files: Files, options: Options | None = None) -> Built:
    """Write and build a site."""
    write_site(folder, files)
    output = MemoryOutput()
    return Built(output, build(folder, output, options or Options()))


def nest(folder: Path, name: str, levels: int) -> None:
    """Make so many folders of one name within each other; their path is too long to be named at once."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
