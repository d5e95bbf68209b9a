"""Fork commands as they are ordered: `tests/server/forked_command.py` orders them.

    python -m tests.server.fork_commands DESCRIPTOR

waits for orders at a socket. For each, it forks a keeper, which forks the command, and writes the command's
number and its exit code into a pipe.
"""

from __future__ import annotations

import gc
import io
import json
import os
import pkgutil
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import server.cli.main  # noqa: F401 - all commands need it
from server import cli
from server.cli import actions
from server.control.accounts import passwords
from tests.server import strike
from tests.server.control.people import QUICK
from tests.sites import build_site

_ORDER = 1024 * 1024
"""Bytes of the longest order; arguments and environments are far shorter."""
_WORKERS = ("server.findings.look_worker", "server.publishing.build_worker")
_PAGE = """---
title: Quay
---

A [place](index.mdx) for `boats`, **new**:

:::note

| Berth | Free |
| --- | --- |
| 1 | *yes* |

:::

```python title="berths.py"
print("one")
```
"""


def serve(orders: socket.socket) -> NoReturn:
    """Fork a command for each order, until nobody is there to give one."""
    _load()
    while True:
        order, streams, *_ = socket.recv_fds(orders, _ORDER, 4)
        if not order:
            os._exit(0)
        if os.fork() == 0:
            orders.close()
            _keep(json.loads(order), streams)
        for stream in streams:
            os.close(stream)
        _forget_ended()


def _load() -> None:
    """Load all that any command may need; it stays, so nobody looks for what could be freed in it.

    Passwords are hashed as quickly as argon2 can, as in all tests: each takes a fifth of a second otherwise.
    `tests/server/control/accounts/test_accounts.py` holds the parameters of a service's own.
    """
    for each in pkgutil.iter_modules(actions.__path__, f"{actions.__name__}."):
        import_module(each.name)
    passwords.PasswordHasher = lambda: QUICK  # type: ignore[misc,assignment]
    for worker in _WORKERS:
        import_module(worker)
    _build_one()
    gc.freeze()


def _build_one() -> None:
    """Build a page in memory: what is compiled at first use is there for all that are forked."""
    with TemporaryDirectory() as folder:
        build_site(Path(folder), {"site.yml": "title: Quay\n", "docs/index.mdx": _PAGE})


def _forget_ended() -> None:
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return


def _keep(order: Mapping[str, object], streams: Sequence[int]) -> NoReturn:
    """Start the command, and tell how it ends."""
    *standard, tell = streams
    pid = os.fork()
    if pid == 0:
        os.close(tell)
        _become(order, standard)
    if order["worker"]:
        os.setpgid(pid, pid)  # before its number is told: whoever has that may end the group
    for stream in standard:
        os.close(stream)
    # The keeper is none of a terminal's: it has to tell of the end, whatever ends the command.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.write(tell, f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.write(tell, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(order: Mapping[str, object], standard: Sequence[int]) -> NoReturn:
    for number, stream in enumerate(standard):
        os.dup2(stream, number)
        os.close(stream)
    argv, env = order["argv"], order["env"]
    assert isinstance(argv, list)
    assert isinstance(env, dict)
    os.chdir(str(order["cwd"]))
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.argv = argv
    sys.stdin, sys.stdout, sys.stderr = (_stream(number, env) for number in range(3))
    strike.obey(env)
    if order["worker"]:
        _work(argv[0])
    cli.run()


def _work(module: str) -> NoReturn:
    """Be a module that works on the files of one site; it ends with its keeper."""
    sys.argv = [module, str(os.getppid())]
    import_module(module).main()
    sys.exit()


def _stream(number: int, env: Mapping[str, str]) -> io.TextIOWrapper:
    """A standard stream as Python makes it."""
    if number == 0:
        return open(0, encoding="utf-8", closefd=False)
    lines = number == 2 or os.isatty(number)
    straight = "PYTHONUNBUFFERED" in env
    raw = open(number, "wb", 0 if straight else -1, closefd=False)  # noqa: SIM115 - until the end
    return io.TextIOWrapper(raw, encoding="utf-8", line_buffering=lines, write_through=straight)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
