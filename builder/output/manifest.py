"""The list of files that a build wrote into its folder, so that the next one removes nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from builder.errors import OutputError

MANIFEST = "_tp/manifest.json"


class Manifest(msgspec.Struct, forbid_unknown_fields=True):
    """`complete` is false while a build runs, so that an interrupted one may be written over."""

    complete: bool
    files: list[str]


def read(folder: Path) -> tuple[bool, frozenset[str]]:
    """Whether the earlier build ended, and what it wrote; raises OutputError for a broken list."""
    file = folder / MANIFEST
    try:
        manifest = msgspec.json.decode(file.read_bytes(), type=Manifest)
    except FileNotFoundError:
        return True, frozenset()
    except (OSError, msgspec.DecodeError) as error:
        raise OutputError(
            f"the list of files of the earlier build cannot be read: {error}",
            path=str(file),
            hint="delete the output folder and build again",
        ) from None
    return manifest.complete, frozenset(path for path in manifest.files if _inside(path))


def encode(files: Iterable[str], *, complete: bool) -> bytes:
    """The manifest as bytes, the same for the same files."""
    return msgspec.json.encode(Manifest(complete, sorted(files)))


def _inside(path: str) -> bool:
    """Whether a manifest's path stays in the folder: the file may have been tampered with."""
    parts = path.split("/")
    return bool(path) and not path.startswith("/") and "\\" not in path and not {"", ".", ".."} & set(parts)
