"""A site on a small disk of its own, in which programs are run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

OWN = ("unshare", "--user", "--map-root-user", "--mount")
MOUNT = 'mount -t tmpfs -o "size=$1" none "$2" && shift 2 && exec "$@"'


def on_small_disk(folder: Path, size: str, command: tuple[str | Path, ...]) -> list[str | Path]:
    """The command, run where an empty disk of this size is in the place of `folder`."""
    if shutil.which("unshare") is None or subprocess.run([*OWN, "true"], check=False).returncode:
        pytest.skip("there are no user namespaces here, so no small disk can be mounted")
    return [*OWN, "sh", "-c", MOUNT, "sh", size, folder, *command]
