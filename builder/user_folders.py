"""The folders of whoever runs Twinpress, outside of every site, so that no site brings what lies in them.

As the XDG base directory specification says: `XDG_CONFIG_HOME` for answers, `XDG_STATE_HOME` for records.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "twinpress"
FOLDER, FILE = 0o700, 0o600
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def configuration() -> Path:
    """The folder for what the person has decided. Raises OSError when there is no home folder."""
    return _base("XDG_CONFIG_HOME", ".config") / NAME


def state() -> Path:
    """The folder for what Twinpress has to remember. Raises OSError when there is no home folder."""
    return _base("XDG_STATE_HOME", ".local/state") / NAME


def file_name(path: str) -> str:
    """The name of the one file that is about the folder at an absolute path."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:32]


def make(folder: Path) -> None:
    """Make a folder for its owner alone, unless it is there. Raises OSError."""
    folder.mkdir(FOLDER, parents=True, exist_ok=True)


def keep(path: Path, data: bytes) -> None:
    """Write a file for its owner alone, all of it or nothing of it. Raises OSError.

    After a power cut it may be empty or gone: what is kept here can be asked or found out again.
    """
    with _written(path, data) as aside:
        aside.rename(path)


def make_once(path: Path, data: bytes) -> None:
    """The same, unless there is a file already: of several processes one makes it. Raises OSError."""
    with _written(path, data) as aside:
        with suppress(FileExistsError):
            path.hardlink_to(aside)
        aside.unlink()


@contextmanager
def _written(path: Path, data: bytes) -> Iterator[Path]:
    """A whole file beside its place; it is removed when it cannot be put there."""
    make(path.parent)
    aside = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with os.fdopen(os.open(aside, _NEW, FILE), "wb") as file:
            file.write(data)
        yield aside
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _base(variable: str, usual: str) -> Path:
    named = Path(os.environ.get(variable, ""))
    if named.is_absolute():
        return named  # the specification has relative ones ignored
    try:
        return Path.home() / usual
    except RuntimeError as error:
        raise FileNotFoundError(str(error)) from error
