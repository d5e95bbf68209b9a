"""As whom the server runs: PostgreSQL refuses root, so root gives its rights away for it."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
from pathlib import Path
from typing import Any

from msgspec import Struct

from server.postgres.errors import EngineError

NAMES = ("twinpress", "postgres", "nobody")
"""Who is taken when nobody is named, whichever exists first."""
USER = ("run_user",)
KEPT = ("PATH", "TZ", "TMPDIR")


class RunAs(Struct, frozen=True):
    """A user. `dropped` says that we are root and become this user for the server's programs."""

    name: str
    uid: int
    gid: int
    dropped: bool

    def options(self) -> dict[str, Any]:
        """For `subprocess`: this user, in `/`, with an environment that tells nothing of ours."""
        # The service's own environment may hold master keys, and messages are read by us: in English.
        environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {"LC_ALL": "C"}
        common: dict[str, Any] = {"cwd": "/", "env": environment, "umask": 0o077}
        if not self.dropped:
            return common
        return common | {"user": self.uid, "group": self.gid, "extra_groups": []}


def choose(data: Path, name: str) -> RunAs:
    """The user for the data directory `data`: the one named, else its owner, else one that there is.

    Raises EngineError when there is no such user, or the data directory belongs to another one.
    """
    owner = _owner(data)
    user = _root_chooses(owner, name) if os.geteuid() == 0 else _oneself(name)
    if owner is not None and owner.uid != user.uid:
        message = f"the data belong to `{owner.name}`, and the server would run as `{user.name}`"
        hint = f"run it as `{owner.name}`, or change the folder's owner"
        raise EngineError(message, path=str(data), hint=hint, settings=USER)
    return user


def _oneself(name: str) -> RunAs:
    uid = os.geteuid()
    user = RunAs(_name_of(uid), uid, os.getegid(), dropped=False)
    if name and name != user.name:
        message = f"only root can run the server as `{name}`; this is `{user.name}`"
        raise EngineError(message, hint="leave the user out, or start as root", settings=USER)
    return user


def _root_chooses(owner: RunAs | None, name: str) -> RunAs:
    if name:
        user = _named(name)
        if user is None:
            hint = f"create it with `useradd --system {name}`, or name another"
            raise EngineError(f"there is no user `{name}`", hint=hint, settings=USER)
    else:
        user = owner or next(filter(None, map(_named, NAMES)), None)
        if user is None:
            hint = "create one with `useradd --system twinpress`, or name another"
            raise EngineError("there is no user to run the server as", hint=hint, settings=USER)
    if user.uid == 0:
        message = "PostgreSQL does not run as root"
        raise EngineError(message, hint="name another user, and let the data belong to it", settings=USER)
    return user


def _named(name: str) -> RunAs | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return RunAs(name, entry.pw_uid, entry.pw_gid, dropped=True)


def _owner(data: Path) -> RunAs | None:
    try:
        about = data.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return RunAs(_name_of(about.st_uid), about.st_uid, about.st_gid, dropped=True)


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:  # usual in containers
        return str(uid)


def check_way(folder: Path, user: RunAs) -> None:
    """Raise EngineError, which names the folder that blocks, when the user cannot come to `folder`."""
    blocking = next((each for each in (*reversed(folder.parents), folder) if not _passes(each, user)), None)
    if blocking is None or _arrives(folder, user):
        return
    message = f"the user `{user.name}`, as whom the server runs, cannot pass through this folder"
    hint = f"chmod o+x {blocking}, or keep the data elsewhere, such as below /var/lib"
    raise EngineError(message, path=str(blocking), hint=hint)


def let_pass(folder: Path, user: RunAs) -> None:
    """Let the user, and nobody else, pass through a folder that is Twinpress's own and closed to all.

    A folder that its owner has opened for a group stays as it is.
    """
    mode = stat.S_IMODE(folder.stat().st_mode)
    if user.dropped and not mode & 0o077:
        os.chown(folder, -1, user.gid)
        folder.chmod(mode | 0o010)


def _passes(folder: Path, user: RunAs) -> bool:
    about = folder.stat()
    if about.st_uid == user.uid:
        return bool(about.st_mode & 0o100)
    return bool(about.st_mode & (0o010 if about.st_gid == user.gid else 0o001))


def _arrives(folder: Path, user: RunAs) -> bool:
    """Modes are not all: an access control list may let the user pass. So it tries."""
    command = ("/bin/sh", "-c", 'cd -- "$1"', "sh", str(folder))
    done = subprocess.run(command, check=False, stderr=subprocess.DEVNULL, **user.options())  # noqa: S603
    return done.returncode == 0
