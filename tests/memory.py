"""Folders in memory, where thousands of files come and go quickly."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

MEMORY, ROOM = Path("/dev/shm"), 2 * 1024**3
"""The place of the system's file system in memory, and the bytes that must be free there."""


def new_folder(prefix: str) -> Path:
    """A new folder that all users can come to: in memory where there is room, and else on the disk."""
    made = Path(tempfile.mkdtemp(prefix=prefix, dir=MEMORY if is_roomy() else None))
    made.chmod(0o755)
    return made


def is_roomy() -> bool:
    """Return whether there is such a file system, and room in it."""
    return MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
