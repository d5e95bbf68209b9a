"""The list of files that builds wrote into their folder, so that the next one touches nothing else.

It lies in that folder and can come with it from anybody: `record.py` has what may be removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from builder.errors import OutputError
from builder.output.file_tree import Tree
from builder.store.walk import Blocked, TooLarge
from builder.theme import FOLDER

MANIFEST = f"{FOLDER}/manifest.json"
MAX_BYTES = 64 * 1024 * 1024
"""The list of a site with half a million pages."""


class Manifest(msgspec.Struct):
    """While a build runs, `files` is what the earlier one wrote and what this one is about to write."""

    files: list[str]


def read(tree: Tree, folder: Path) -> frozenset[str]:
    """What the earlier build wrote into `folder`, open as `tree`. Raises OutputError for a broken list."""
    try:
        manifest = msgspec.json.decode(tree.read(MANIFEST, MAX_BYTES), type=Manifest)
    except FileNotFoundError:
        return frozenset()
    except TooLarge:
        raise _unreadable(folder, "it is too large") from None
    except Blocked as blocked:
        raise _unreadable(folder, f"`{blocked.name}` is {blocked.kind}") from None
    except OSError as error:
        raise _unreadable(folder, error.strerror or str(error)) from None
    except msgspec.DecodeError as error:
        raise _unreadable(folder, str(error)) from None
    return frozenset(path for path in manifest.files if _inside(path))


def encode(files: Iterable[str]) -> bytes:
    """The manifest as bytes, the same for the same files."""
    return msgspec.json.encode(Manifest(sorted(files)))


def _unreadable(folder: Path, why: str) -> OutputError:
    return OutputError(
        f"the list of files of the earlier build cannot be read: {why}",
        path=str(folder / MANIFEST),
        hint="delete the output folder and build again",
    )


def _inside(path: str) -> bool:
    """Whether a manifest's path stays in the folder: the file may have been tampered with."""
    way = f"/{path}/"
    return not ("//" in way or "/./" in way or "/../" in way or "\\" in way)
