"""A branch of a git repository to which a site is published: one commit a release, never a forced push.

A host such as GitHub Pages serves the branch. It begins without history of its own, and holds nothing but the
site, so that the repository's other branches stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from builder.errors import OutputError, TwinpressError
from builder.plan.ask_git import ask
from builder.plan.site_files import ADDRESSES
from builder.version import VERSION
from server.releases.live_pointer import HASHED
from server.static_targets.former_site import FormerSite, addresses_in
from server.static_targets.static_output import StaticOutput
from server.static_targets.target_repository import (
    REMOTE,
    TIP,
    Remote,
    TargetRepository,
    target_repository,
    without_password,
)

NEW = "refs/heads/new"
CNAME = "CNAME"
_BESIDE_A_SITE = frozenset({CNAME, ".nojekyll", "README.md", "LICENSE", ".gitignore"})
"""Files that hosts and their users put into a branch before there is a site."""
_IN_A_SITE = frozenset({"index.html", "404.html", ADDRESSES})
"""Files of which each built site has one."""
LISTED = 100
"""Releases of a branch that are listed, and to which one can roll back: the last ones."""
_RELEASE, _SOURCE, _CARRIED = "Twinpress-Release", "Twinpress-Source", "Twinpress-Carried"
_NOBODY = "Twinpress <twinpress@localhost>"
_OVERTAKEN = re.compile(r"\[(remote )?rejected\].*\((fetch first|non-fast-forward|stale info|cannot lock ref|"
                        r"incorrect old value|failed to update ref|reference already exists)")  # fmt: skip
_HOST_OF_PAGES = (".github.io", ".gitlab.io")


class Overtaken(TwinpressError):
    """Somebody else has published to the branch meanwhile; nothing was changed there."""


class BranchTarget(Struct, frozen=True):
    """A branch of a remote."""

    remote: Remote
    branch: str

    def __str__(self) -> str:
        """Return the branch, as messages name it."""
        return f"{self.branch} of {without_password(self.remote.address)}"


class BranchRelease(Struct, frozen=True):
    """A commit of the branch; `number` is 0 for one that somebody else made.

    `carried` are styles and scripts of the release before, for pages that readers have open.
    """

    number: int
    created_at: int
    commit: str
    subject: str
    source: str = ""
    carried: tuple[str, ...] = ()


class PublishedBranch:
    """The branch as it was fetched into a repository of its own."""

    def __init__(self, repository: TargetRepository, target: BranchTarget, tip: str) -> None:
        self._repository = repository
        self._target = target
        self.tip = tip

    def former(self, url: str) -> FormerSite | None:
        """Return what readers have; None where there is no such branch. Raises OutputError, GitFailed."""
        if not self.tip:
            return None
        names = self._names()
        if names.keys() <= _BESIDE_A_SITE:
            return None
        if not names.keys() & _IN_A_SITE:
            hint = "name another branch: what this one holds would be replaced"
            raise OutputError("the branch holds something else than a built site", path=str(self), hint=hint)
        found = addresses_in(self._read, lambda: names, url, str(self))
        return FormerSite(str(self), found, self.releases()[0].source)

    def __str__(self) -> str:
        """The branch, as messages name it."""
        return str(self._target)

    def releases(self) -> list[BranchRelease]:
        """List the commits that were fetched, the newest first."""
        if not self.tip:
            return []
        form = (
            "%x00".join(("%H", "%ct", "%s", _trailer(_RELEASE), _trailer(_SOURCE), _trailer(_CARRIED)))
            + "%x1e"
        )
        said = self._repository.git("log", f"--max-count={LISTED}", f"--format={form}", TIP)
        return [_release(each.strip("\n")) for each in said.decode("utf-8", "replace").split("\x1e")[:-1]]

    def commit(self, output: StaticOutput, url: str, message: str) -> bool:
        """Make the commit of a release; False when it would change nothing. Raises GitFailed."""
        carried = self._former_assets(output.made)
        kept = {**self._kept_cname(output.made, url), **carried}
        message += f"{_CARRIED}: {' '.join(sorted(carried))}\n" if carried else ""
        self._repository.commit(NEW, self.tip, (self._committer, message), output.made, kept)
        return not self.tip or self._own(NEW, carried) != self._own(TIP, self.releases()[0].carried)

    def count_changed(self) -> int:
        """Count the files that came, changed or went with the commit that was made."""
        if not self.tip:
            return len(self._repository.git("ls-tree", "-r", "--name-only", "-z", NEW).split(b"\0")) - 1
        said = self._repository.git("diff-tree", "-r", "--name-only", "-z", "--no-renames", TIP, NEW)
        return len(said.split(b"\0")) - 1

    def return_to(self, number: int | None) -> BranchRelease:
        """Make a commit with the files of a former release, by default the one before. Raises OutputError."""
        known = self.releases()
        if number is None:
            found = next((each for each in known[1:] if self._tree(each.commit) != self._tree(TIP)), None)
        else:
            found = next((each for each in known if each.number == number), None)
        if found is None:
            there = ", ".join(str(each.number) for each in known if each.number) or "none"
            what = (
                "there is no release before this one" if number is None else f"there is no release {number}"
            )
            raise OutputError(what, path=str(self), hint=f"there are: {there}")
        subject = f"Return to release {found.number or found.commit[:10]}"
        said = f"Readers have what they had before, given back by Twinpress {VERSION}."
        message = release_message(self.next_number, found.source, said, subject)
        message += f"{_CARRIED}: {' '.join(found.carried)}\n" if found.carried else ""
        made = self._repository.git(
            *self._who(), "commit-tree", f"{found.commit}^{{tree}}", "-p", TIP, given=message.encode()
        )
        self._repository.git("update-ref", NEW, made.decode().strip())
        return found

    @property
    def work(self) -> Path:
        """The folder in which the site is built."""
        return self._repository.work

    @property
    def next_number(self) -> int:
        """Return the number of the next release. Raises GitFailed."""
        known = self.releases()
        if known and not known[0].number:  # somebody else's commit: the last of ours is further back
            _fetch(self._repository, self._target, LISTED)
            known = self.releases()
        return max((each.number for each in known), default=0) + 1

    def push(self) -> str:
        """Push what was committed, and return the id of the commit. Raises Overtaken and GitFailed."""
        refs = f"{NEW}:refs/heads/{self._target.branch}"
        done, said = self._repository.tries("push", "--porcelain", "--no-verify", REMOTE, refs)
        if not done and _OVERTAKEN.search(said):
            hint = "what is there now was not compared: run the same command again"
            raise Overtaken("somebody else has published meanwhile", path=str(self), hint=hint)
        if not done:
            raise self._repository.failure(said)
        return self._repository.git("rev-parse", NEW).decode().strip()

    def _own(self, commit: str, carried: Iterable[str]) -> Mapping[str, str]:
        """Return the files of a commit but for those that were taken over from the one before."""
        others = frozenset(carried)
        return {name: blob for name, blob in self._names(commit).items() if name not in others}

    def _former_assets(self, made: Path) -> Mapping[str, bytes]:
        """Return the styles and scripts of the release at the tip, for pages that readers have open."""
        if not self.tip:
            return {}
        own = self._own(TIP, self.releases()[0].carried)
        lost = {name: blob for name, blob in own.items() if HASHED.fullmatch(name)}
        return {
            name: self._repository.git("cat-file", "blob", blob)
            for name, blob in lost.items()
            if not (made / name).exists()
        }

    def _names(self, commit: str = TIP) -> Mapping[str, str]:
        """Return the files of a commit, and the ids of their blobs."""
        said = self._repository.git("ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
        lines = (each.partition("\t") for each in said.split("\0") if each)
        return {name: about.split(" ")[2] for about, _, name in lines}

    def _read(self, name: str) -> bytes | None:
        blob = self._names().get(name)
        return self._repository.git("cat-file", "blob", blob) if blob else None

    def _kept_cname(self, made: Path, url: str) -> Mapping[str, bytes]:
        """Return the file that names the host's domain, which is part of no build but of the branch."""
        if not self.tip or (made / CNAME).exists() or is_host_of_pages(url):
            return {}
        data = self._read(CNAME)
        return {} if data is None else {CNAME: data}

    def _tree(self, commit: str) -> bytes:
        return self._repository.git("rev-parse", f"{commit}^{{tree}}")

    @property
    def _committer(self) -> str:
        """Return the person whom git knows, or else our own name, as in CI."""
        name, mail = (self._repository.tries("config", "--get", f"user.{key}") for key in ("name", "email"))
        if not name[0] or not mail[0]:
            return _NOBODY
        clean = [re.sub(r"[<>\n]", "", said).strip() for _, said in (name, mail)]
        return f"{clean[0]} <{clean[1]}>"

    def _who(self) -> tuple[str, ...]:
        name, _, mail = self._committer.rpartition(" <")
        return "-c", f"user.name={name}", "-c", f"user.email={mail.removesuffix('>')}"


def is_host_of_pages(url: str) -> bool:
    """Return whether an address is one that a host of pages gives, for which no file CNAME is wanted."""
    return (urlsplit(url).hostname or "").endswith(_HOST_OF_PAGES)


def release_message(number: int, source: str, said: str, subject: str = "") -> str:
    """Return the message of the commit of a release."""
    trailers = f"{_RELEASE}: {number}\n" + (f"{_SOURCE}: {source}\n" if source else "")
    return f"{subject or f'Publish release {number}'}\n\n{said}\n\n{trailers}"


def source_of(site: Path) -> str:
    """Return the commit that the site's folder is at, "" where git knows none."""
    return ask(site, "rev-parse", "--verify", "--quiet", "HEAD").text.strip()


@contextmanager
def fetched_branch(target: BranchTarget, depth: int = 1) -> Iterator[PublishedBranch]:
    """Fetch the last commits of a branch for the time of the block. Raises GitFailed and OutputError."""
    with target_repository(target.remote) as repository:
        name = f"refs/heads/{target.branch}"
        if not repository.tries("check-ref-format", name)[0]:
            hint = "write a name such as gh-pages"
            raise OutputError(f"`{target.branch}` is no name of a branch", hint=hint)
        tip = ""
        if repository.git("ls-remote", REMOTE, name).strip():
            tip = _fetch(repository, target, depth)
        yield PublishedBranch(repository, target, tip)


def _fetch(repository: TargetRepository, target: BranchTarget, depth: int) -> str:
    """Fetch the last commits, where it can be without their files; return the id of the last."""
    fetch = ("fetch", "--quiet", "--no-tags", f"--depth={depth}", "--filter=blob:none")
    repository.git(*fetch, REMOTE, f"+refs/heads/{target.branch}:{TIP}")
    return repository.git("rev-parse", TIP).decode().strip()


def _trailer(key: str) -> str:
    return f"%(trailers:key={key},valueonly,separator=%x2C)"


def _release(line: str) -> BranchRelease:
    commit, when, subject, number, source, carried = line.split("\0")
    known = int(number) if number.isdecimal() else 0
    return BranchRelease(known, int(when), commit, subject, source, tuple(carried.split()))
