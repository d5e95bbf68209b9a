"""A bare repository for one push: neither the writer's repository nor its index is touched.

The command `git` does the work, as it knows what people have set up to reach their remotes: credential
helpers, `GIT_ASKPASS`, keys and agents of ssh, proxies, rewritten addresses. What the writer's repository
says of these is passed on (a checkout in CI has its token there); its hooks and filters are not.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from msgspec import Struct

from builder import user_folders
from builder.errors import OutputError, TwinpressError
from builder.plan.ask_git import ELSEWHERE, ask
from builder.store import failures
from server.process.file_lock import try_lock

REMOTE, TIP = "target", "refs/heads/tip"
"""The remote's name in the repository, and the name of the commit at the end of its branch."""
_PASSED_ON = r"^((http|credential|url|ssh|protocol)\.|core\.(sshcommand|askpass)$)"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NAME = re.compile(r"[\w.-]+\Z")
_SCP = re.compile(r"[^/]+:")
_SETTINGS = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("push.recurseSubmodules", "no"),
    ("fetch.recurseSubmodules", "no"),
)


class GitFailed(TwinpressError):
    """Git could not do what it was asked."""


class Remote(Struct, frozen=True):
    """The address of a repository, and what git is told to reach it: pairs of names and values."""

    address: str
    settings: Sequence[tuple[str, str]] = ()


def remote_of(named: str, site: Path, *, is_trusted: bool) -> Remote:
    """Return the remote that is named: by its address, a path, or as the repository of the site calls it.

    A site that is not trusted has no say in it. Raises OutputError.
    """
    settings = _local_settings(site) if is_trusted else ()
    is_name = _NAME.match(named) is not None and not Path(named).exists()
    if is_name:
        address = _configured(site, named) if is_trusted else ""
        if not address:
            hint = "write git:REMOTE#BRANCH, where REMOTE is a name such as origin, a path or an address"
            raise OutputError(f"there is no remote `{named}`", path=str(site), hint=hint)
        named, above = address, _top(site)
    else:
        above = Path.cwd()
    is_path = "://" not in named and not _SCP.match(named)
    return Remote(str((above / named).absolute()) if is_path else named, settings)


def _configured(site: Path, name: str) -> str:
    for key in ("pushurl", "url"):
        found = ask(site, "config", "--get", f"remote.{name}.{key}").text.strip()
        if found:
            return found
    return ""


def _top(site: Path) -> Path:
    return Path(ask(site, "rev-parse", "--show-toplevel").text.strip() or site)


def _local_settings(site: Path) -> Sequence[tuple[str, str]]:
    """Return how the repository that the site lies in reaches its remotes; not what all of the user's do."""
    found = ask(site, "config", "--local", "--includes", "--null", "--get-regexp", _PASSED_ON)
    pairs = (each.partition("\n") for each in found.text.split("\0") if each)
    return [(name, value) for name, _, value in pairs]


class TargetRepository:
    """A bare repository in `folder`, whose one remote is where the site is published."""

    def __init__(self, folder: Path, remote: Remote) -> None:
        self._folder = folder
        self._remote = remote
        self._environment = _environment(remote)
        self.work = folder / "site"
        self.git("init", "--quiet", "--bare", "--template=", str(folder / "repository"), inside=False)

    def git(self, *arguments: str, given: bytes = b"", inside: bool = True) -> bytes:
        """Run git, and return what it says. Raises GitFailed with its own words."""
        done = self._run(arguments, given, inside=inside)
        if done.returncode:
            raise self.failure(done.stderr)
        return done.stdout

    def tries(self, *arguments: str) -> tuple[bool, str]:
        """Run git; return whether it did what it was asked, and all that it said."""
        done = self._run(arguments, b"", inside=True)
        return done.returncode == 0, (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")

    @contextmanager
    def feeding(self, *arguments: str) -> Iterator[IO[bytes]]:
        """Run git while the block writes to its standard input. Raises GitFailed."""
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(  # noqa: S603 - git, with our own arguments
                self._command(arguments, inside=True),
                env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said,
            )  # fmt: skip
            assert process.stdin is not None  # noqa: S101 - it is a pipe
            try:
                with process.stdin:
                    yield process.stdin
            except BrokenPipeError:
                pass  # it has ended, and says why
            except BaseException:
                process.kill()
                raise
            finally:
                process.wait()
            if process.returncode:
                said.seek(0)
                raise self.failure(said.read())

    def commit(
        self, ref: str, parent: str, about: tuple[str, str], folder: Path, more: Mapping[str, bytes]
    ) -> None:
        """Make a commit of the files in a folder and of some more, of nothing else. Raises GitFailed.

        `parent` is the id of the commit before, "" for none; `about` is the committer and the message. No
        index is used: rules of people for their working copies do not count for a finished site.
        """
        with self.feeding("fast-import", "--quiet", "--done", "--date-format=now") as stream:
            stream.write(f"feature done\ncommit {ref}\ncommitter {about[0]} now\n".encode())
            _send(stream, about[1].encode())
            stream.write(f"from {parent}\ndeleteall\n".encode() if parent else b"")
            for path, place in _files(folder):
                _send_file(stream, path, place)
            for path, data in more.items():
                stream.write(f"M 100644 inline {_quoted(path)}\n".encode())
                _send(stream, data)
            stream.write(b"done\n")

    def failure(self, said: bytes | str) -> GitFailed:
        """Return the error for what git said."""
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        told = [line for line in lines if line.startswith(("fatal: ", "error: ", "remote: ", "ERROR: "))]
        hint = "does `git ls-remote` with this address work here? It has to be able to sign in by itself"
        message = "; ".join(told or lines[-3:]) or "it failed without a word"
        return GitFailed(f"git: {without_password(message)}", path=str(self), hint=hint)

    def __str__(self) -> str:
        """The address of the remote, without a password."""
        return without_password(self._remote.address)

    def _run(
        self, arguments: Sequence[str], given: bytes, *, inside: bool
    ) -> subprocess.CompletedProcess[bytes]:
        command = self._command(arguments, inside=inside)
        try:
            return subprocess.run(  # noqa: S603 - git, with our own arguments
                command, env=self._environment, input=given, capture_output=True, check=False
            )
        except FileNotFoundError:
            raise GitFailed("git is not installed", hint="install git, then publish again") from None

    def _command(self, arguments: Sequence[str], *, inside: bool) -> list[str]:
        where = (f"--git-dir={self._folder / 'repository'}",) if inside else ()
        return ["git", *where, *arguments]


def _environment(remote: Remote) -> Mapping[str, str]:
    """Return the environment of git: what may be secret is neither an argument nor on the disk."""
    kept = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    pairs = [*remote.settings, *_SETTINGS, (f"remote.{REMOTE}.url", remote.address)]
    before = int(kept.get("GIT_CONFIG_COUNT", "") or 0)
    for number, (name, value) in enumerate(pairs, before):
        kept[f"GIT_CONFIG_KEY_{number}"], kept[f"GIT_CONFIG_VALUE_{number}"] = name, value
    quiet = {} if sys.stdin is not None and sys.stdin.isatty() else {"GIT_TERMINAL_PROMPT": "0"}
    return {**quiet, **kept, "LC_ALL": "C", "GIT_CONFIG_COUNT": str(before + len(pairs))}


def without_password(text: str) -> str:
    """Return a text without what stands before the @ of an address."""
    return re.sub(r"(\w://)[^/@\s]+@", r"\1", text)


@contextmanager
def target_repository(remote: Remote) -> Iterator[TargetRepository]:
    """Give a repository for the time of the block, in the person's own folder. Raises StorageError.

    What killed processes have left there is removed.
    """
    place = user_folders.state() / "publish"
    with failures.writing(str(place)):
        user_folders.make(place)
        with _opened(place) as whole:
            fcntl.flock(whole, fcntl.LOCK_EX)  # or a folder could be swept before its owner holds it
            _sweep(place)
            folder = Path(tempfile.mkdtemp(dir=place))
            descriptor = os.open(folder, _FOLDER)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield TargetRepository(folder, remote)
    finally:
        os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)  # what stays of it, the next process removes


def _sweep(place: Path) -> None:
    """Remove the folders of processes that have been killed: nobody holds them."""
    for folder in place.iterdir():
        with suppress(FileNotFoundError), _opened(folder) as descriptor:  # its own process may remove it
            if try_lock(descriptor):  # or else somebody is publishing
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            yield path.relative_to(folder).as_posix(), path


def _send_file(stream: IO[bytes], path: str, place: Path) -> None:
    with place.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        stream.write(f"M 100644 inline {_quoted(path)}\ndata {size}\n".encode("utf-8", "surrogateescape"))
        shutil.copyfileobj(file, stream)
    stream.write(b"\n")


def _send(stream: IO[bytes], data: bytes) -> None:
    stream.write(b"data %d\n" % len(data) + data + b"\n")


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
