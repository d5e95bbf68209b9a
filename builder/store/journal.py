"""The journal: what a change of several files is about to do, in `.twinpress/state/journal.json`.

    {"steps": [[file, temporary or null, backup or null], ...]}

A step puts the temporary file in the place of `file`, or removes `file` where there is no temporary one.
The backup is the old file under a second name, null where there was none. Both lie beside the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from builder.errors import StorageError
from builder.store import walk

NAME = "journal.json"
_DRAFT = "journal.tmp"
_LIMIT = 1 << 24


@dataclass(frozen=True, slots=True)
class Step:
    """One file of a change; see above. `file` is relative to the site, the others are names beside it."""

    file: str
    temporary: str | None
    backup: str | None


def read(state: int) -> list[Step]:
    """The steps of an unfinished change, none when there is none. Raises StorageError when it is garbled."""
    try:
        data, _ = walk.read_file(state, NAME, _LIMIT)
    except FileNotFoundError:
        return []
    try:
        return [Step(*map(_text, step)) for step in json.loads(data)["steps"]]  # type: ignore[arg-type]
    except (ValueError, TypeError, LookupError):
        raise StorageError(
            "the journal of an unfinished change cannot be read",
            path=f".twinpress/state/{NAME}",
            hint="look at the pages changed last, then delete this file",
        ) from None


def write(state: int, steps: Sequence[Step]) -> None:
    """Make the steps durable; from here on the change will be finished."""
    listed = [[step.file, step.temporary, step.backup] for step in steps]
    descriptor = os.open(
        _DRAFT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=state
    )
    try:
        with os.fdopen(os.dup(descriptor), "wb") as draft:
            draft.write(json.dumps({"steps": listed}).encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(_DRAFT, NAME, src_dir_fd=state, dst_dir_fd=state)
    os.fsync(state)


def clear(state: int) -> None:
    """The change is done, or taken back. Durable, as an old journal must never be followed again."""
    try:
        os.unlink(NAME, dir_fd=state)
    except FileNotFoundError:
        return
    os.fsync(state)


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(value)
    return value
