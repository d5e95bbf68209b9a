"""The files of the site that is imported: read alone, and nothing outside of one folder.

No symbolic link is followed (`source_files`), and `../` ends at the root. What cannot be read is remembered,
so that the report can say so.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from builder.importer.source_files import FILE, FOLDER, MOST_FILES, FolderFiles, NoSource, SourceFiles
from builder.store import walk

__all__ = ["NoSource", "SourceTree"]

LONGEST_FILE = 256 * 1024 * 1024
"""Bytes of a file that is copied."""
LONGEST_TEXT = 4 * 1024 * 1024
"""Bytes of a file that is read as text; the longest pages that people write have some 500 KB."""
MOST_BYTES = 16 * 1024 * 1024 * 1024
"""Bytes that are read altogether."""
_DEEPEST = 64
_PASSED_OVER = frozenset({".git", ".hg", ".svn", ".twinpress", ".venv", "node_modules"})
_KEPT_ELSEWHERE = b"version https://git-lfs.github.com/spec/"
_LONGEST_POINTER = 1024


_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _lines(text: str) -> str:
    """Return a text with line ends of one kind."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class SourceTree:
    """The folder `base` below `root`, "" for the root itself; paths are from `base`, up to the root.

    `refused` says of paths why they were not read. Not safe to use from several threads.
    """

    def __init__(self, root: Path | SourceFiles, base: str = "") -> None:
        self._files: SourceFiles = FolderFiles(root) if isinstance(root, Path) else root
        self.base = tuple(part for part in base.split("/") if part not in {"", "."})
        self.refused: dict[str, str] = {}
        self._left = MOST_BYTES

    def __enter__(self) -> SourceTree:
        self._files.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()

    def below(self, folder: str) -> SourceTree:
        """Return the same files as they are seen from a folder below this one."""
        return SourceTree(self._files, "/".join((*self.base, folder)))

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
        return self._is(path, FILE)

    def has_folder(self, path: str) -> bool:
        """Return whether there is a folder at a path that may be looked into."""
        return self._is(path, FOLDER)

    def text(self, path: str) -> str | None:
        """Return a file as text with line ends of one kind; None where there is none that may be read."""
        data = self.data(path, LONGEST_TEXT)
        if data is None:
            return None
        if data.startswith(_WIDE):
            return _lines(data.decode("utf-16", "replace"))
        text = data.decode("utf-8-sig", "replace")
        if "\ufffd" in text and b"\xef\xbf\xbd" not in data:
            text = data.decode("cp1252", "replace")
        return _lines(text)

    def data(self, path: str, most: int = LONGEST_FILE) -> bytes | None:
        """Return the bytes of a file; None where there is none that may be read, which is remembered."""
        if path in self.refused:
            return None
        parts = self._parts(path)
        if not parts:
            return None
        try:
            data = self._files.read(parts, most)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except walk.Blocked as blocked:
            self.refused[path] = f"it is {blocked.kind}"
        except walk.TooLarge:
            self.refused[path] = f"it has more than {most // 1024 // 1024} MB"
        except OSError as error:
            self.refused[path] = f"it cannot be read: {error.strerror}"
        else:
            return self._taken(path, data)
        return None

    def _taken(self, path: str, data: bytes) -> bytes | None:
        """Return what was read; None for what stands for a file that is kept elsewhere, and is not here."""
        self._left -= len(data)
        if self._left < 0:
            hint = "name the folder of the documentation"
            raise NoSource(f"there are more than {MOST_BYTES >> 30} GB", path=path, hint=hint)
        if len(data) <= _LONGEST_POINTER and data.startswith(_KEPT_ELSEWHERE):
            self.refused[path] = "it is kept by Git LFS, and not here: `git lfs pull` brings it"
            return None
        return data

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

    def _is(self, path: str, wanted: str) -> bool:
        parts = self._parts(path)
        if parts is None:
            return False
        try:
            return self._files.kind(parts) == wanted
        except (OSError, walk.Blocked):
            return False

    def _walked(self, parts: Sequence[str], name: str) -> Iterator[str]:
        """Yield the files below a folder; a link or something else that is no file is remembered."""
        try:
            listed = self._files.entries(parts)
        except FileNotFoundError:
            return
        except (OSError, walk.Blocked) as error:
            if name:
                self.refused[name] = f"it cannot be read: {error}"
            return
        for each, kind in listed:
            path = f"{name}/{each}" if name else each
            if not _is_text(each):
                self.refused[path] = "its name is no UTF-8"
            elif kind == FILE:
                yield path
            elif kind != FOLDER:
                self.refused[path] = f"it is {kind}"
            elif each not in _PASSED_OVER and len(parts) < _DEEPEST:
                yield from self._walked([*parts, each], path)
