"""Read files that pages include: parts, own components, code. One is read anew each time that it is another.

Folders are walked by descriptors (see `walk`), so that no link leads anywhere. A name that begins with a dot
is never read, nor what a build has written, nor what is outside: of the site's folder, or of a folder that
whoever runs Twinpress has named.
"""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.errors import InvalidPath
from builder.store import walk
from builder.store.limits import PAGE_LIMIT
from builder.store.page_reader import decode
from builder.store.records import FRESH, FileState, state_of

WRITTEN = "_tp/manifest.json"
"""The list that a build leaves in the folder it writes to."""


SUFFIXES = (".mdx", ".md")
NO_PART = "it is no part"
MOST_KNOWN = 200
"""Files that are kept in memory."""


class PartFile(Struct, frozen=True):
    """A file as text, with line ends as `\\n`. Without one, `problem` says why; it may be `is_missing`.

    `near` is then the way of the file that differs from it by case alone, if there is one. `found` says what
    in it is no text.
    """

    text: str
    problem: str = ""
    is_missing: bool = False
    near: str = ""
    found: tuple[Diagnostic, ...] = ()


_MISSING = PartFile("", "there is no such file", is_missing=True)
OUTSIDE = PartFile("", "it is outside of the site's folder")


class PartFiles:
    """The files below the folder `root`, and below other folders `more`, by their way from `root`."""

    __slots__ = ("_known", "more", "root")

    def __init__(self, root: str | Path, more: tuple[str, ...] = ()) -> None:
        self.root = os.path.abspath(root)  # noqa: PTH100 - as the folder is called, links and all
        self.more = more
        self._known: dict[str, tuple[FileState, PartFile]] = {}

    def __reduce__(self) -> tuple[type[PartFiles], tuple[str, tuple[str, ...]]]:
        """Travel to other processes without what is known."""
        return PartFiles, (self.root, self.more)

    def read(self, file: str) -> PartFile:
        """The file at a normalised way. Total."""
        top, parts = self._way(file)
        if not top:
            return OUTSIDE
        if any(part.startswith(".") for part in parts):
            return PartFile("", "a name in it begins with a dot")
        try:
            return self._found(file, top, parts)
        except walk.Blocked as blocked:
            return PartFile("", f"there is {blocked.kind} on the way to it")
        except walk.TooLarge:
            return PartFile("", f"it has more than {PAGE_LIMIT:,} bytes")
        except FileNotFoundError:
            near = self._near(parts) if top == self.root else ""
            return replace(_MISSING, near=near) if near else _MISSING
        except ValueError:
            return _MISSING
        except InvalidPath as error:
            return PartFile("", error.message)
        except OSError as error:
            return PartFile("", f"it cannot be read: {error.strerror}")

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, sorted; none when it cannot be read."""
        try:
            here = os.open(self.root, walk.FLAGS & ~os.O_NOFOLLOW | os.O_DIRECTORY)
        except OSError:
            return []
        try:
            with walk.folder(here, folder.split("/")) as inner, os.scandir(inner) as listed:
                return sorted(each.name for each in listed if each.is_file(follow_symlinks=False))
        except (OSError, walk.Blocked):
            return []
        finally:
            os.close(here)

    def _way(self, file: str) -> tuple[str, list[str]]:
        """Return the folder that a file is looked for in, and the names from there; "" when there is none."""
        if not file.startswith(("/", "../")) and file not in {"..", ".", ""}:
            return self.root, file.split("/")
        if not self.more:
            return "", []
        whole = posixpath.normpath(posixpath.join(os.path.realpath(self.root), file))
        for folder in self.more:
            if whole.startswith(f"{folder.rstrip('/')}/"):
                return folder, whole[len(folder.rstrip("/")) + 1 :].split("/")
        return "", []

    def _found(self, file: str, top: str, parts: list[str]) -> PartFile:
        here = os.open(top, walk.FLAGS & ~os.O_NOFOLLOW | os.O_DIRECTORY)
        try:
            for part in parts[:-1]:
                _check_case(here, part)
                inner = walk.open_folder(here, part)
                os.close(here)
                here = inner
                _check_written(here)
            return self._text(file, here, parts[-1])
        finally:
            os.close(here)

    def _near(self, parts: list[str]) -> str:
        """The way of the file that differs from this one by case alone, or ""."""
        found: list[str] = []
        here = os.open(self.root, walk.FLAGS & ~os.O_NOFOLLOW | os.O_DIRECTORY)
        try:
            for part in parts:
                names = {walk.nfc(name): name for name in _listed(here)}
                alike = (name for name in names if name.casefold() == part.casefold())
                near = min(alike, key=lambda name: (name != part, name), default="")
                if not near:
                    return ""
                found.append(near)
                if len(found) < len(parts):
                    inner = walk.open_folder(here, names[near])
                    os.close(here)
                    here = inner
            return "/".join(found)
        except (OSError, walk.Blocked):
            return ""
        finally:
            os.close(here)

    def _text(self, file: str, folder: int, name: str) -> PartFile:
        _check_case(folder, name)
        name = walk.actual(folder, name) or name
        known, now = self._known.get(file), walk.look(folder, name)
        if known is not None and now is not None and known[0] == state_of(now):
            return known[1]
        data, about = walk.read_file(folder, name, PAGE_LIMIT)
        decoded, wrong = decode(data, file)
        text = decoded.removeprefix("\ufeff").replace("\0", "\ufffd")
        found = PartFile(text.replace("\r\n", "\n").replace("\r", "\n"), found=wrong)
        state = state_of(about)
        if time.time_ns() - state.youngest > FRESH:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[file] = state, found
        return found


def _check_case(folder: int, name: str) -> None:
    """Raise FileNotFoundError where a system that knows no case finds a name that is written otherwise."""
    other = name.swapcase()
    here = walk.look(folder, name) if other != name else None
    there = walk.look(folder, other) if here is not None else None
    if here is None or there is None or here.st_ino != there.st_ino:
        return
    if not is_written_so(name, _listed(folder)):
        raise FileNotFoundError(name)


def _listed(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [each.name for each in entries]


def is_written_so(name: str, names: Iterable[str]) -> bool:
    """Return whether a name is among others, in whatever form of Unicode."""
    return any(walk.nfc(each) == walk.nfc(name) for each in names)


def _check_written(folder: int) -> None:
    """Raise InvalidPath for a folder that a build has written."""
    try:
        os.stat(WRITTEN, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return
    raise InvalidPath("it is in a folder that a build has written")


def way(file: str, src: str) -> str:
    """The way from the site's folder to what is asked for in `file`."""
    src = walk.nfc(src)
    if src.startswith("/"):
        return posixpath.normpath(src.lstrip("/") or ".")
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), src))


def base(file: str) -> str:
    """The content path that links of a part are seen from."""
    return file.removesuffix(".mdx").removesuffix(".md")


def refusal(file: str, *, is_part: bool) -> str:
    """Return the reason why a file is none that may be asked for by its name, or ""."""
    if "\\" in file or "\0" in file:
        return "its name has a character that no way may have"
    names = file.split("/")
    if any(name.startswith(".") and name != ".." for name in names):
        return "a name in it begins with a dot"
    is_hidden = any(name.startswith("_") for name in names)
    if is_part:
        return "" if is_hidden and file.endswith(SUFFIXES) else NO_PART
    plain = file.lower()  # as systems that know no case would find it
    is_page = plain.startswith(("docs/", "pages/")) and plain.endswith(SUFFIXES) and not is_hidden
    return "it is a page" if is_page else ""
