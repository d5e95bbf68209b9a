"""Publish into a folder of releases in a child process that is killed at its nth step on the file system.

A process of its own, with one thread, so that it may fork: each line of the standard input is an act, and
each line of the standard output says how its child ended.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STEPS = frozenset(
    f"{'os.' if name != 'open' else ''}{name}"
    for name in ("open", "rename", "link", "symlink", "mkdir", "remove", "rmdir", "listdir", "scandir")
)
"""The calls that Python tells its audit hooks of before they are done."""
DONE, KILLED = 0, -signal.SIGKILL


class KilledPublisher:
    """Has acts done; each is killed at a step, or comes to its end."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def act(self, folder: Path, site: Path, step: int, **act: Any) -> int:
        """Do one thing; return DONE or KILLED."""
        assert self._process.stdin
        assert self._process.stdout
        line = json.dumps({"folder": str(folder), "site": str(site), "step": step, **act})
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def killed_publisher() -> Iterator[KilledPublisher]:
    """Run the process for the time of the block."""
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield KilledPublisher(process)
        assert process.stdin
        process.stdin.close()


def main() -> None:
    """Do what is asked, one act after the other."""
    import server.static_targets.release_folder  # noqa: F401, PLC0415 - loaded once, for all children

    for line in sys.stdin:
        child = os.fork()
        if not child:
            _do(json.loads(line))
            os._exit(DONE)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()


def _do(act: Mapping[str, Any]) -> None:
    from server.static_targets.release_folder import ReleaseFolder  # noqa: PLC0415 - it is loaded already

    folder = ReleaseFolder(Path(act["folder"]))
    _kill_at(act["step"])
    with folder.locked(Path(act["site"])):
        if act["files"] is None:
            known = folder.numbers()
            if known:
                folder.roll_back(known[act["back"] % len(known)])
            return
        with folder.staged() as output:
            for path, text in act["files"].items():
                output.write(path, text.encode())
            folder.publish(output, len(act["files"]), "")
            folder.delete_old(act["keep"])


def _kill_at(step: int) -> None:
    left = step

    def look(event: str, _arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in STEPS:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)


if __name__ == "__main__":
    main()
