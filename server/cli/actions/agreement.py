"""Find out, before a site is served, which of its own programs may run; ask when nobody has said so yet.

An agreement of the person at this computer is one small file for each site. It is about the folder of a site
and the very programs in it. One about whatever programs come is also about the folder's inode, so that it is
not for another site that is put into the same place later.
"""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
from msgspec import Struct

from builder import theme, user_folders
from builder.errors import StorageError, ThemeError
from builder.report import visible
from builder.theme import Programs
from server.cli.terminal import console
from server.cli.terminal.question import somebody_is_there
from server.preview.notice import named

FOLDER = "trust"


class Agreement(Struct, frozen=True, omit_defaults=True):
    """`programs` is the digest of those that may run; empty when all may, in the folder with this inode."""

    site: str
    programs: str = ""
    inode: int = 0

    def holds(self, site: Path, digest: str) -> bool:
        """Return whether the programs with this digest may run."""
        if self.site != str(site):
            return False
        return self.programs == digest if self.programs else self.is_for_all(site)

    def is_for_all(self, site: Path) -> bool:
        """Return whether all programs that come into the folder may run."""
        return not self.programs and self.inode == site.stat().st_ino


def known_agreement(site: Path) -> Agreement | None:
    """Return the agreement for the site in a folder whose path is resolved; None without one.

    Raises StorageError when the file is no agreement.
    """
    try:
        path = _place(site)
        data = path.read_bytes()
    except (OSError, StorageError):
        return None  # a home of somebody else, or none at all: then nothing was agreed to
    try:
        return msgspec.json.decode(data, type=Agreement) if data else None
    except msgspec.DecodeError as error:
        message = f"your earlier answer cannot be read: {error}"
        raise StorageError(message, path=str(path), hint="delete the file; you are asked again") from None


def _write(agreed: Agreement) -> None:
    """Keep an agreement in the place of an earlier one. Raises StorageError."""
    path = _place(Path(agreed.site))
    try:
        user_folders.keep(path, msgspec.json.format(msgspec.json.encode(agreed)) + b"\n")
    except OSError as error:
        message = f"your answer cannot be kept: {error.strerror or error}"
        raise StorageError(message, path=str(path), hint="without it you are asked at each start") from None


def _place(site: Path) -> Path:
    try:
        return user_folders.configuration() / FOLDER / f"{user_folders.file_name(str(site))}.json"
    except OSError as error:
        message = f"there is no folder for your answer: {error}"
        raise StorageError(message, hint="set HOME or XDG_CONFIG_HOME, or use --trust") from None


SHOWN = 8
"""Programs that are named when it is asked about them."""
YES, ALWAYS, NO = "yes", "always", "no"
_ANSWERS = {"y": YES, "a": ALWAYS, "n": NO} | {each: each for each in (YES, ALWAYS, NO)}
_QUESTION = "Run them? yes (as they are now), always (whatever they become), no"
NOTHING = ""
"""Agreed to, where there is no program or nobody has agreed to those that there are."""


def agreed(site: Path, *, trust: bool) -> str | None:
    """Give the digest of programs that may run; None when all may, NOTHING when none may.

    Raises StorageError when an earlier answer cannot be read.
    """
    found = _programs(site)
    if trust:
        return _told(found, None, "because of --trust")
    place = site.resolve()
    known = known_agreement(place)
    if known is not None and known.is_for_all(place):
        return _told(found, None, "as you have agreed to, always")
    if not found:
        return NOTHING  # those that come while the site is served are asked about at the next start
    if known is not None and known.holds(place, found.digest):
        return _told(found, found.digest, "as you have agreed to")
    if not somebody_is_there():
        return NOTHING
    return _asked(place, found, changed=known is not None)


def _programs(site: Path) -> Programs:
    """The programs of the site; none where its theme cannot be read, which the build tells."""
    try:
        return theme.programs(theme.of_site(site)[0])
    except (ThemeError, OSError):
        return Programs()


def _told(found: Programs, digest: str | None, why: str) -> str | None:
    if found:
        console.note(f"  Runs the site's own programs ({named(found)}), {why}.")
    return digest


def _asked(site: Path, found: Programs, *, changed: bool) -> str | None:
    other = "other programs of its own than those that you agreed to" if changed else "programs of its own"
    console.note(f"  This site has {other}: {named(found)}.")
    names = [*found.templates, *found.scripts]
    for name in names[:SHOWN]:
        console.note(f"    theme/{name}")
    if len(names) > SHOWN:
        console.note(f"    and {len(names) - SHOWN} more")
    console.note("  They can do all that you can on this computer. Run them only if you know who wrote them.")
    answer = click.prompt(f"  {_QUESTION}", default=NO, value_proc=_answer, err=True)
    if answer == NO:
        return NOTHING
    _keep(Agreement(str(site), found.digest) if answer == YES else Agreement(str(site), "", _inode(site)))
    return found.digest if answer == YES else None


def _answer(text: str) -> str:
    answer = _ANSWERS.get(text.strip().lower())
    if answer is None:
        raise click.BadParameter(f"{visible(text)!r} is none of: yes, always, no.")
    return answer


def _keep(agreement: Agreement) -> None:
    """Keep the answer; where that cannot be, it holds for this time, and that is told."""
    try:
        _write(agreement)
    except StorageError as error:
        console.note(f"  {error}")


def _inode(site: Path) -> int:
    return site.stat().st_ino
