"""The base that a commit is: the site's pages and categories as they were there, read by git itself.

The files are read as git keeps them; no filter that the repository names is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from builder.paths import DOCS, PAGES
from builder.plan.ask_git import GitAnswer, ask
from builder.store import ContentStore
from builder.store.names import is_content
from server.sync.errors import SyncError
from server.sync.folder_side import read_folder
from server.sync.side import PageState, Side

_FILES = (b"100644", b"100755", b"100664")
"""Modes; links and submodules are none of the site's."""


def read_commit(site: Path, ref: str) -> Side:
    """The pages and categories of the site in the folder `site` at a commit. Raises SyncError."""
    commit = _asked(ref, ask(site, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}"))
    listed = _asked(ref, ask(site, "ls-tree", "-r", "-z", commit.decode().strip(), "--", DOCS, PAGES))
    blobs = dict(_content(listed))
    given = "".join(f"{blob}\n" for blob in blobs.values()).encode()
    read = _asked(ref, ask(site, "cat-file", "--batch", given=given))
    with TemporaryDirectory(prefix="twinpress-base-") as folder:
        _write(Path(folder), blobs, read)
        with ContentStore(Path(folder)) as store:
            side = read_folder(store).side
    pages = {path: PageState(state.content) for path, state in side.pages.items()}
    return Side(pages, side.categories)


def _asked(ref: str, answer: GitAnswer) -> bytes:
    if answer.fault:
        hint = "name a commit that this clone has; in CI, fetch the whole history"
        raise SyncError(f"git does not give this commit: {answer.fault}", path=f"--base {ref}", hint=hint)
    return answer.output


def _content(listed: bytes) -> Iterator[tuple[str, str]]:
    """The pages, twins and category files in what git has listed, each with the id of its blob."""
    for line in listed.split(b"\0"):
        about, _, name = line.partition(b"\t")
        mode, _, rest = about.partition(b" ")
        file = name.decode("utf-8", "surrogateescape")
        if mode in _FILES and is_content(file):
            yield file, rest.split(b" ")[-1].decode()


def _write(folder: Path, blobs: Mapping[str, str], read: bytes) -> None:
    """Write the files of `git cat-file --batch`: `<id> blob <size>`, a line end, the bytes, a line end."""
    place = 0
    for file in blobs:
        end = read.index(b"\n", place)
        size = int(read[place:end].split(b" ")[-1])
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(read[end + 1 : end + 1 + size])
        place = end + 2 + size
