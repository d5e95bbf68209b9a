"""The answers of the last seven days, kept in a site's `.twinpress/cache`, so that no host is asked daily."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from server.external_links.answer import LinkAnswer

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
