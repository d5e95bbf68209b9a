"""Folders in memory, where thousands of files come and go quickly."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

MEMORY, ROOM = Path("/dev/shm"), 2 * 1024**3
"""Where the system has a file system in memory, and the bytes that must be free there."""


def new_folder(prefix: str) -> Path:
    """A new folder that all users can come to: in memory where there is room, and else on the disk."""
    made = Path(tempfile.mkdtemp(prefix=prefix, dir=MEMORY if _is_roomy(MEMORY) else None))
    made.chmod(0o755)
    return made


def _is_roomy(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > ROOM
