"""What tells one engine from another: its own files, and the versions of the libraries that make pages."""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from functools import cache
from pathlib import Path

LIBRARIES = (
    "jinja2", "markdown-it-py", "markupsafe", "mdit-py-plugins", "msgspec", "nh3", "pygments",
    "pyyaml",
)  # fmt: skip
PACKAGES = ("builder", "components", "themes")


@cache
def fingerprint() -> bytes:
    """The same for engines that make the same pages: a digest of 16 bytes.

    The files themselves are read, as their times say nothing after an installation, and versions nothing
    while somebody works on them.
    """
    root = Path(__file__).parents[2]
    found = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix != ".pyc" and path.is_file():
                found.update(f"{path.relative_to(root)}\0".encode())
                found.update(hashlib.blake2b(path.read_bytes(), digest_size=16).digest())
    for library in LIBRARIES:
        found.update(f"{library} {_version(library)}\0".encode())
    return found.digest()


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return ""
