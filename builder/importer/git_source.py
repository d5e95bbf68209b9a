"""The git repository that a site is imported from: its files at a commit, the days of their changes, and
commits that lead from the new pages to them.

Blobs are read as they are stored: no filter, hook or other program that the repository may name is run, and
nothing is written into it or fetched for it (`builder.plan.ask_git`).
"""

from __future__ import annotations

import os
import posixpath
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from msgspec import Struct

from builder.importer.source_files import FILE, LINK, ListedFile, ListedFiles, NoSource
from builder.plan.ask_git import GitAnswer, ask, command, environment
from builder.plan.last_changed import LISTING, days_of

_FILES = frozenset({b"100644", b"100755", b"100664"})
_LINK = b"120000"
_CHUNK = 1 << 16
_LONGEST_RECORD = 1 << 16
_HEADER = 256


class _Conversation(Struct, frozen=True):
    """The standard input and output of git as it runs; `end` waits for its end, and gives its exit code."""

    asked: IO[bytes]
    answer: IO[bytes]
    end: Callable[[], int]


@contextmanager
def _conversation(root: Path, *arguments: str) -> Iterator[_Conversation]:
    """Run git in the folder `root` for the time of the block.

    For answers that are long, or of no length that is known. Raises OSError where git cannot be run.
    """
    pipe = subprocess.PIPE
    with tempfile.TemporaryFile() as said:
        running = subprocess.Popen(  # noqa: S603 - the arguments are our own
            command(arguments), cwd=root, env=environment(), stdin=pipe, stdout=pipe, stderr=said
        )
        try:
            assert running.stdin is not None  # noqa: S101 - both are pipes
            assert running.stdout is not None  # noqa: S101
            yield _Conversation(running.stdin, running.stdout, running.wait)
        finally:
            running.kill()
            running.communicate()


class GitSource(Struct, frozen=True):
    """A repository by its folder of objects, and what of it is imported.

    `folder` is where git keeps the repository; `commit` is the full name of one; `top` is the folder of the
    repository below which files may be read, "" for all.
    """

    folder: Path
    commit: str
    top: str = ""

    def files(self) -> ListedFiles:
        """Return the files of the commit."""
        reading = _Reading(self)
        return ListedFiles(reading.begin, reading.end)

    def days(self, paths: Sequence[str]) -> Mapping[str, str]:
        """Return the day of the last commit of each file, named from the repository's top.

        Raises NoSource where git cannot say, and for a shallow clone, all of whose files seem to have come
        with its last commit.
        """
        if not paths:
            return {}
        self._check_whole()
        shared = posixpath.commonpath(paths)
        below = [f":(top,literal){shared}"] if shared else []
        asked = _ask(self.folder, *LISTING, self.commit, "--", *below)
        if asked.fault:
            raise _unread(self.folder, asked.fault)
        return days_of(asked.text)

    def _check_whole(self) -> None:
        if _ask(self.folder, "rev-parse", "--is-shallow-repository").text.strip() == "true":
            hint = "fetch the whole history with `git fetch --unshallow`, or import without `--git`"
            message = "the clone is shallow, so the days of changes are not known"
            raise NoSource(message, path=str(self.folder), hint=hint)


def _ask(folder: Path, *arguments: str) -> GitAnswer:
    return ask(folder, f"--git-dir={folder}", *arguments)


def git_source(folder: Path, ref: str, top: str = "") -> GitSource:
    """Find a commit in a repository. Raises NoSource."""
    named = f"{ref or 'HEAD'}^{{commit}}"
    asked = _ask(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", named)
    if asked.fault or not asked.text.strip():
        hint = "name a branch, a tag or a commit of the repository with `--ref`"
        raise NoSource(f"there is no commit `{ref or 'HEAD'}`", path=str(folder), hint=hint)
    return GitSource(folder, asked.text.strip(), "" if top == "." else top)


def repository_round(place: Path) -> tuple[Path, Path] | None:
    """Return the repository that a place is in: where git keeps it, and the folder of its files.

    The place may be in a work tree, or be or be named below a bare repository. None where there is none.
    """
    for each in (place, *place.parents):
        if (each / ".git").exists():
            found = ask(each, "rev-parse", "--absolute-git-dir")
            if found.fault:
                raise _unread(each, found.fault)
            return Path(os.fsdecode(found.output.rstrip(b"\n"))), each
        if (each / "HEAD").is_file() and (each / "objects").is_dir() and (each / "refs").is_dir():
            return each, each
    return None


def _unread(folder: Path, fault: str) -> NoSource:
    return NoSource(f"git cannot read the repository: {fault}", path=str(folder))


class _Reading:
    """The reading of one commit: the list of its blobs, and a process of git that gives them."""

    def __init__(self, source: GitSource) -> None:
        self._source = source
        self._stack = ExitStack()
        self._git: _Conversation | None = None

    def begin(self) -> Iterator[tuple[str, ListedFile]]:
        """Yield the files."""
        treeish = f"{self._source.commit}:{self._source.top}"
        arguments = ("ls-tree", "-r", "-z", "-l", "--full-tree", treeish)
        with self._talk(*arguments) as git:
            for record in _records(git.answer):
                about, _, path = record.partition(b"\t")
                mode, _, name, size = about.split()
                kind = FILE if mode in _FILES else LINK if mode == _LINK else "a submodule"
                length = int(size) if size.isdigit() else 0
                yield os.fsdecode(path), ListedFile(kind, length, partial(self._blob, name, length))
            if git.end():
                raise _unread(self._source.folder, f"it cannot list the files of {treeish}")

    def _talk(self, *arguments: str) -> AbstractContextManager[_Conversation]:
        folder = self._source.folder
        return _conversation(folder, f"--git-dir={folder}", *arguments)

    def _blob(self, name: bytes, size: int) -> bytes:
        """Return a blob. Raises OSError where it is not there."""
        if self._git is None:
            self._git = self._stack.enter_context(self._talk("cat-file", "--batch"))
        self._git.asked.write(name + b"\n")
        self._git.asked.flush()
        header = self._git.answer.readline(_HEADER).split()
        if len(header) != 3 or header[1] != b"blob" or int(header[2]) != size:
            raise OSError(0, "it is not in the repository")
        data = self._git.answer.read(size + 1)
        if len(data) != size + 1:
            raise OSError(0, "the repository is damaged")
        return data[:-1]

    def end(self) -> None:
        """End git."""
        self._stack.close()


def _records(out: IO[bytes]) -> Iterator[bytes]:
    """Yield the parts of a stream that end with a zero byte."""
    rest = b""
    while chunk := out.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
        if len(rest) > _LONGEST_RECORD:
            return


class MoveCommits(Struct, frozen=True):
    """The repository and branch of the new site, in which an import is two commits that history follows.

    The first has the old pages unchanged at their new paths, the second what the import made of them: so
    `git log --follow` leads from a new page to the old one. `prefix` is the way from the repository's top to
    the new site.
    """

    top: Path
    prefix: str
    branch: str
    committer: str
    source: GitSource

    def commit(self, pages: Mapping[str, str], changed: Sequence[str], deleted: Sequence[str]) -> None:
        """Commit files of the new site that are written already. Raises NoSource.

        `pages` are paths of old pages from the top of their repository, with their files of the new site.
        """
        moves = {self._at(new): blob for new, blob in self._moved(pages).items() if new in {*changed}}
        move = self._commit("Move the pages of the documentation, unchanged", moves, ())
        files = self._stored(changed)
        rewrite = self._commit("Rewrite the documentation for Twinpress", files, map(self._at, deleted))
        stream = [
            f"reset {self.branch}\nfrom {self.branch}^0\n\n".encode(),
            *(move if moves else ()),
            *rewrite,
        ]
        self._told("fast-import", "--quiet", given=b"".join(stream))
        self._told("reset", "--quiet", "--", f":(top,literal){self.prefix or '.'}")

    def _at(self, file: str) -> str:
        return posixpath.join(self.prefix, file)

    def _moved(self, pages: Mapping[str, str]) -> Mapping[str, str]:
        """Return the blob of the old page for each new file that the branch does not have yet."""
        old = dict(self._blobs(self.source.commit))
        now = dict(self._blobs(self.branch))
        return {new: old[page] for page, new in pages.items() if page in old and self._at(new) not in now}

    def _blobs(self, commit: str) -> Iterator[tuple[str, str]]:
        for record in self._told("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            about, _, path = record.partition(b"\t")
            if about.startswith(b"100"):
                yield os.fsdecode(path), about.split()[2].decode()

    def _stored(self, files: Sequence[str]) -> Mapping[str, str]:
        """Store files as blobs, as they are."""
        paths = [str(self.top / self._at(file)) for file in files]
        given = "".join(f"{path}\n" for path in paths).encode()
        found = self._told("hash-object", "-w", "--no-filters", "--stdin-paths", given=given).split()
        return {self._at(file): blob.decode() for file, blob in zip(files, found, strict=True)}

    def _commit(self, message: str, blobs: Mapping[str, str], deleted: Iterable[str]) -> Iterator[bytes]:
        """Yield a commit as `git fast-import` reads it."""
        yield f"commit {self.branch}\ncommitter {self.committer}\ndata {len(message)}\n{message}\n".encode()
        yield from (f"D {_quoted(path)}\n".encode() for path in deleted)
        yield from (f"M 100644 {blob} {_quoted(path)}\n".encode() for path, blob in blobs.items())

    def _told(self, *arguments: str, given: bytes = b"") -> bytes:
        asked = ask(self.top, *arguments, given=given)
        if asked.fault:
            raise _unread(self.top, asked.fault)
        return asked.output


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def move_commits(dest: Path, source: GitSource) -> MoveCommits:
    """Find the repository of the new site. Raises NoSource where an import cannot be committed there."""
    place = dest.resolve()
    found = repository_round(place)
    hint = "clone the repository of SOURCE, and import into a folder of the clone"
    if found is None or found[0] == found[1]:
        raise NoSource(
            "DEST is in no work tree of git, so nothing can be committed", path=str(dest), hint=hint
        )
    top = found[1]
    if ask(top, "merge-base", "--is-ancestor", source.commit, "HEAD").fault:
        raise NoSource("the repository of DEST has not the history of SOURCE", path=str(dest), hint=hint)
    branch = ask(top, "symbolic-ref", "--quiet", "HEAD").text.strip()
    if not branch:
        raise NoSource("no branch is checked out at DEST", path=str(dest), hint="switch to one")
    committer = ask(top, "var", "GIT_COMMITTER_IDENT")
    if committer.fault:
        raise NoSource(
            f"git cannot commit: {committer.fault}", path=str(dest), hint="set user.name and user.email"
        )
    prefix = place.relative_to(top).as_posix()
    return MoveCommits(top, "" if prefix == "." else prefix, branch, committer.text.strip(), source)
