"""Files that an import or an export leaves out, each with the reason; whole folders are one line."""

from __future__ import annotations

from msgspec import Struct, field

from server.sites.archive_limits import shown

MOST = 100
"""Lines that are kept; the files of all others are counted."""


class Omission(Struct, frozen=True):
    """A file, or a folder with a slash at its end, that had so many `files`; `path` can be printed."""

    path: str
    why: str
    files: int = 1


class Omissions(Struct):
    """Collects them; `count` is the number of all files."""

    count: int = 0
    lines: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, path: str, why: str) -> None:
        """Note one file, in the line of `path`."""
        line = shown(path), why
        self.count += 1
        if line in self.lines or len(self.lines) < MOST:
            self.lines[line] = self.lines.get(line, 0) + 1

    def listed(self) -> tuple[Omission, ...]:
        """The lines, in the order of the archive."""
        return tuple(Omission(path, why, files) for (path, why), files in self.lines.items())
