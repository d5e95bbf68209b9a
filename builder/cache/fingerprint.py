"""Fingerprint of the engine: its own files, and the versions of the libraries that make pages."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

LIBRARIES = (
    "jinja2", "markdown-it-py", "markupsafe", "math-core", "mdit-py-plugins", "mdurl", "merman", "msgspec",
    "nh3", "pygments", "python-frontmatter", "pyyaml", "rjsmin",
)  # fmt: skip
PACKAGES = ("builder", "components", "themes")


@cache
def fingerprint() -> bytes:
    """The same for engines that make the same pages: a digest of 16 bytes.

    The files themselves are read, as their times say nothing after an installation, and versions nothing
    while somebody works on them.
    """
    root = str(Path(__file__).parents[2])
    found = hashlib.blake2b(f"{sys.version} {platform.machine()}".encode(), digest_size=16)
    for package in PACKAGES:
        for folder, folders, names in os.walk(f"{root}/{package}"):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                with open(f"{folder}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - half as long
                    data = file.read()
                found.update(f"{folder.removeprefix(root)}/{name} {len(data)}\0".encode())
                found.update(data)
    installed = _installed()
    for library in LIBRARIES:
        found.update(f"{library} {installed.get(library, '')}\0".encode())
    return found.digest()


def _installed() -> dict[str, str]:
    """The version of each library that is found, from the names of the folders that tell of them.

    `importlib.metadata` reads these folders too, with half of what Python knows about mail.
    """
    found: dict[str, str] = {}
    for folder in sys.path:
        with suppress(OSError):
            for name in os.listdir(folder or os.curdir):  # noqa: PTH208 - as `sys.path` has them
                stem, ending = os.path.splitext(name)  # noqa: PTH122
                if ending in {".dist-info", ".egg-info"}:
                    library, _, version = stem.partition("-")
                    found.setdefault(library.lower().replace("_", "-").replace(".", "-"), version)
    return found
