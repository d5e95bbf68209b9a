"""The files of the site that is imported: read alone, and nothing outside of one folder.

Names are opened one at a time by descriptors (`builder.store.walk`), so that no symbolic link is followed,
and `../` ends at the root. What cannot be read is remembered, so that the report can say so.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from builder.errors import TwinpressError
from builder.store import walk

MOST_FILES = 200_000
"""Files that are looked at: the largest documentation trees have some 20,000."""
LONGEST_FILE = 256 * 1024 * 1024
"""Bytes of a file that is copied."""
LONGEST_TEXT = 4 * 1024 * 1024
"""Bytes of a file that is read as text; the longest pages that people write have some 500 KB."""
_DEEPEST = 64
_PASSED_OVER = frozenset({".git", ".hg", ".svn", ".twinpress", ".venv", "node_modules"})


class NoSource(TwinpressError):
    """There is nothing that can be imported."""


class SourceTree:
    """The folder `base` below `root`, "" for the root itself; paths are from `base`, up to the root.

    `refused` says of paths why they were not read. Not safe to use from several threads.
    """

    def __init__(self, root: Path, base: str = "") -> None:
        self.root = root
        self.base = tuple(part for part in base.split("/") if part not in {"", "."})
        self.refused: dict[str, str] = {}
        self._descriptor = -1

    def __enter__(self) -> SourceTree:
        try:
            self._descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            hint = "name the folder with the configuration of the site"
            raise NoSource(f"cannot be read: {error.strerror}", path=str(self.root), hint=hint) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def files(self, folder: str = "") -> tuple[str, ...]:
        """Return the files below a folder, sorted, without those of tools, links and what is no file.

        Raises NoSource where there are more than `MOST_FILES`.
        """
        parts = self._parts(folder)
        if parts is None:
            return ()
        found: list[str] = []
        for name in self._walked(parts, folder.strip("/")):
            found.append(name)
            if len(found) > MOST_FILES:
                hint = "name the folder of the documentation"
                raise NoSource(f"there are more than {MOST_FILES:,} files", path=folder or ".", hint=hint)
        return tuple(sorted(found))

    def has(self, path: str) -> bool:
        """Return whether there is a file at a path that may be read."""
        return self._is(path, stat.S_ISREG)

    def has_folder(self, path: str) -> bool:
        """Return whether there is a folder at a path that may be looked into."""
        return self._is(path, stat.S_ISDIR)

    def text(self, path: str) -> str | None:
        """Return a file as text with line ends of one kind; None where there is none that may be read."""
        data = self.data(path, LONGEST_TEXT)
        if data is None:
            return None
        text = data.decode("utf-8-sig", "replace")
        if "\ufffd" in text and b"\xef\xbf\xbd" not in data:
            text = data.decode("cp1252", "replace")
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")

    def data(self, path: str, most: int = LONGEST_FILE) -> bytes | None:
        """Return the bytes of a file; None where there is none that may be read, which is remembered."""
        if path in self.refused:
            return None
        parts = self._parts(path)
        if not parts:
            return None
        try:
            with walk.folder(self._descriptor, parts[:-1]) as folder:
                return walk.read_file(folder, parts[-1], most)[0]
        except (FileNotFoundError, NotADirectoryError):
            return None
        except walk.Blocked as blocked:
            self.refused[path] = f"it is {blocked.kind}"
        except walk.TooLarge:
            self.refused[path] = f"it has more than {most // 1024 // 1024} MB"
        except OSError as error:
            self.refused[path] = f"it cannot be read: {error.strerror}"
        return None

    def _parts(self, path: str) -> Sequence[str] | None:
        """The names from the root to a path; None, and a note, for one outside."""
        way = list(self.base) if not path.startswith("//") else []
        for part in path.split("/"):
            if part in {"", "."}:
                continue
            if part != "..":
                way.append(part)
            elif way:
                way.pop()
            else:
                self.refused[path] = "it is outside of the folder that may be read (`--root`)"
                return None
        return way

    def _is(self, path: str, wanted: Callable[[int], bool]) -> bool:
        parts = self._parts(path)
        if not parts:
            return parts is not None and wanted(stat.S_IFDIR)
        try:
            with walk.folder(self._descriptor, parts[:-1]) as folder:
                found = walk.look(folder, parts[-1])
        except (OSError, walk.Blocked):
            return False
        return found is not None and wanted(found.st_mode)

    def _walked(self, parts: Sequence[str], name: str) -> Iterator[str]:
        """Yield the files below a folder; a link or something else that is no file is remembered."""
        try:
            with walk.folder(self._descriptor, parts) as folder, os.scandir(folder) as entries:
                listed = [(each.name, each.stat(follow_symlinks=False).st_mode) for each in entries]
        except FileNotFoundError:
            return
        except (OSError, walk.Blocked) as error:
            if name:
                self.refused[name] = f"it cannot be read: {error}"
            return
        for each, mode in sorted(listed):
            path = f"{name}/{each}" if name else each
            if stat.S_ISREG(mode):
                yield path
            elif not stat.S_ISDIR(mode):
                self.refused[path] = f"it is {walk.kind_of(mode)}"
            elif each not in _PASSED_OVER and len(parts) < _DEEPEST:
                yield from self._walked([*parts, each], path)
