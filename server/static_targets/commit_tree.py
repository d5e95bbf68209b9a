"""Files of a site as they are in a commit of its repository, written into a folder elsewhere.

Neither the working copy nor the index is touched, and no filter of the repository runs: blobs are read as
they are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from builder.errors import TwinpressError
from builder.plan.ask_git import GitAnswer, ask

_FILES = (b"100644", b"100755", b"100664")
"""Modes; links and submodules are none of the site's."""
_AT_ONCE = 256
"""Blobs that git is asked for in one go."""

Wanted = Callable[[str], bool]


class NoCommit(TwinpressError):
    """Git does not give this commit, or what is in it."""


def write_commit(site: Path, ref: str, folder: Path, wanted: Wanted, read: Wanted | None = None) -> str:
    """Write the `wanted` files of the site in the folder `site` at a commit; return the commit's id.

    With `read`, other files are there without their bytes. Raises NoCommit, and OSError.
    """
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    commit = _output(ref, ask(site, *asked)).decode().strip()
    blobs = dict(_listed(_output(ref, ask(site, "ls-tree", "-r", "-z", commit)), wanted))
    for file in blobs:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    files = [file for file in blobs if read is None or read(file)]
    for start in range(0, len(files), _AT_ONCE):
        part = files[start : start + _AT_ONCE]
        given = "".join(f"{blobs[file]}\n" for file in part).encode()
        _write(folder, part, _output(ref, ask(site, "cat-file", "--batch", given=given)))
    return commit


def _output(ref: str, answer: GitAnswer) -> bytes:
    if answer.fault:
        why = "there is none of this name" if answer.fault == "it failed" else answer.fault
        hint = "name a commit that this clone has; in CI, fetch the whole history"
        raise NoCommit(f"git does not give this commit: {why}", path=ref, hint=hint)
    return answer.output


def _listed(listed: bytes, wanted: Wanted) -> Iterator[tuple[str, str]]:
    """The wanted files in what git has listed, each with the id of its blob."""
    for line in listed.split(b"\0"):
        about, _, name = line.partition(b"\t")
        mode, _, rest = about.partition(b" ")
        file = name.decode("utf-8", "surrogateescape")
        if mode in _FILES and wanted(file):
            yield file, rest.split(b" ")[-1].decode()


def _write(folder: Path, files: Sequence[str], read: bytes) -> None:
    """Write the files of `git cat-file --batch`: `<id> blob <size>`, a line end, the bytes, a line end."""
    place = 0
    for file in files:
        end = read.index(b"\n", place)
        size = int(read[place:end].split(b" ")[-1])
        (folder / file).write_bytes(read[end + 1 : end + 1 + size])
        place = end + 2 + size
