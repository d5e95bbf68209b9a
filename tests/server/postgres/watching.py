"""The fate of processes, and what everybody on the machine can see of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

from server.postgres.run.binaries import PostgresPrograms
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles


@contextmanager
def command_lines() -> Iterator[Set[bytes]]:
    """Every command line that is seen during the block, its words divided by NUL."""
    seen: set[bytes] = set()
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(seen, over))
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def _watch(seen: set[bytes], over: threading.Event) -> None:
    while not over.wait(0.001):
        for process in Path("/proc").iterdir():
            if process.name.isdigit():
                try:
                    seen.add((process / "cmdline").read_bytes())
                except (FileNotFoundError, ProcessLookupError):
                    continue


def recording(programs: PostgresPrograms, folder: Path) -> tuple[PostgresPrograms, Path]:
    """The same programs, each of which first writes its command line to a file, and that file.

    A program that is done within milliseconds is not surely seen by `command_lines`.
    """
    written, recorders = folder / "command lines", folder / "recorders"
    recorders.mkdir()
    for program in programs.folder.iterdir():
        recorder = recorders / program.name
        recorder.write_text(f'#!/bin/sh\necho "$0" "$@" >>\'{written}\'\nexec \'{program}\' "$@"\n')
        recorder.chmod(0o755)
    return structs.replace(programs, folder=recorders), written


def pid_of(folder: Path) -> int:
    """Of the server that runs on this folder."""
    found = running(ServerFiles(folder))
    assert found
    return found.pid


def gone(pid: int) -> bool:
    """Return whether the process is gone, or waits to be forgotten."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True
