"""The starter site: the files with which a new site begins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

STARTER = files("server") / "starter"
NAMES = {"gitignore": ".gitignore"}
"""Files that go by another name here, because tools would obey them."""

TITLE = "title: My documentation\n"


def write_starter(folder: Path, title: str = "") -> list[Path]:
    """Write the starter's files into a folder, with a title if one is given; return them.

    Raises FileExistsError for a file that is there, whoever may have put it there meanwhile.
    """
    return [
        _write(folder / name, _titled(data, title) if name == "site.yml" else data)
        for name, data in _files(STARTER, "")
    ]


def title_of(name: str) -> str:
    """A name with hyphens, such as a folder's, as a title; "" when it cannot be one."""
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return words[0].upper() + words[1:] if words and words.isprintable() else ""


def _files(place: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    """All files below `place`, with their paths in the new site."""
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + NAMES.get(entry.name, entry.name), entry.read_bytes()


def _titled(settings: bytes, title: str) -> bytes:
    # JSON's quoting is YAML's too.
    line = f"title: {json.dumps(title, ensure_ascii=False)}\n"
    return settings.replace(TITLE.encode(), line.encode()) if title else settings


def _write(target: Path, data: bytes) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        file.write(data)
    return target
