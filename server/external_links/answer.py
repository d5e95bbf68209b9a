"""The answer to the question for an external link, the diagnostic that an author gets of it, and its memory.

The answers of the last seven days are kept in a site's `.twinpress/cache`, so that no host is asked daily.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from yarl import URL

from builder.diagnostics import Diagnostic
from builder.produce.external_links import ExternalLink

Outcome = Literal["fine", "broken", "unsure", "unasked"]
CODES = {"broken": "external-broken", "unsure": "external-unsure", "unasked": "external-unasked"}
MOVED = "external-moved"


class LinkAnswer(Struct, frozen=True):
    """An `outcome` with what was `said`, in words.

    `moved` is the address to which permanent redirects led, `status` the last one, 0 for none.
    """

    outcome: Outcome
    said: str = ""
    status: int = 0
    moved: str = ""

    @property
    def is_sure(self) -> bool:
        """True if a server has said so, and will say the same for a while."""
        return self.outcome == "fine" or (self.outcome == "broken" and self.status > 0)


def asked_url(text: str) -> URL | None:
    """Return what is asked for a link: without its fragment, and without a name and password in it."""
    try:
        url = URL(text).with_fragment(None).with_user(None)
    except ValueError:
        return None
    return url if url.host and url.scheme in {"http", "https"} else None


def diagnostic(link: ExternalLink, answer: LinkAnswer) -> Diagnostic | None:
    """Return what an author is told of a link, None where there is nothing to say."""
    place = link.file, link.line, link.column
    if answer.outcome != "fine":
        message = f"`{link.url}`: {answer.said}"
        hint = f"it moved for good to {answer.moved}" if answer.moved else ""
        return Diagnostic(*place, CODES[answer.outcome], message, hint)
    if answer.moved:
        return Diagnostic(*place, MOVED, f"`{link.url}` moved for good", f"link to {_whole(link, answer)}")
    return None


def record(link: ExternalLink, answer: LinkAnswer) -> dict[str, object] | None:
    """Return the same for a program, with the whole address; None where there is nothing to say."""
    told = diagnostic(link, answer)
    if told is None:
        return None
    return {
        "code": told.code,
        "level": told.level.value,
        "file": link.file,
        "line": link.line,
        "column": link.column,
        "message": told.message,
        "hint": told.hint,
        "url": link.url,
        "status": answer.status or None,
        "moved_to": _whole(link, answer) if answer.moved else None,
    }


def _whole(link: ExternalLink, answer: LinkAnswer) -> str:
    """The new address with the fragment that the link has."""
    _, mark, fragment = link.url.partition("#")
    return answer.moved if "#" in answer.moved else f"{answer.moved}{mark}{fragment}"


NAME = "external-links.json"
DAYS = 7
_SECONDS = DAYS * 24 * 3600
_MARGIN = 300
"""Seconds by which a clock may be ahead of the one that kept an answer."""


class _Kept(Struct, frozen=True):
    """An answer, and when it came: seconds since 1970."""

    answer: LinkAnswer
    at: float


class _File(Struct, frozen=True):
    """All that the file has."""

    answers: dict[str, _Kept]
    version: int = 1


class KeptAnswers:
    """Answers by address. Those that are not sure are not kept, and a damaged file is one without answers."""

    def __init__(self, root: Path) -> None:
        self._folder = root / ".twinpress" / "cache"
        self._answers = self._read()

    def find(self, url: str) -> LinkAnswer | None:
        """Return the answer that is kept for an address, if any."""
        kept = self._answers.get(url)
        return kept.answer if kept else None

    def keep(self, url: str, answer: LinkAnswer) -> None:
        """Take an answer; one that is not sure takes the place of none, and removes the former."""
        self._answers.pop(url, None)
        if answer.is_sure:
            self._answers[url] = _Kept(answer, time.time())

    def save(self) -> None:
        """Write the file anew. Raises OSError."""
        if self._leads_away():
            raise OSError(f"{self._folder} is a symbolic link")
        self._folder.mkdir(parents=True, exist_ok=True)
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")
        draft = self._folder / f"{NAME}.{os.getpid()}"
        draft.write_bytes(msgspec.json.encode(_File(self._answers)))
        draft.replace(self._folder / NAME)

    def _read(self) -> dict[str, _Kept]:
        if self._leads_away():
            return {}
        try:
            found = msgspec.json.decode((self._folder / NAME).read_bytes(), type=_File)
        except (OSError, msgspec.MsgspecError, ValueError):
            return {}
        now = time.time()
        kept = found.answers if found.version == 1 else {}
        return {url: one for url, one in kept.items() if now - _SECONDS < one.at <= now + _MARGIN}

    def _leads_away(self) -> bool:
        return self._folder.is_symlink() or self._folder.parent.is_symlink()
