"""Waits until files that a site is made of have changed."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from types import TracebackType
from typing import Protocol

from watchfiles._rust_notify import RustNotify  # documented for direct use; watches from its creation on

from builder.errors import TwinpressError

SOURCES = frozenset({"site.yml", "docs", "pages", "static"})
"""What a site is read from; changes elsewhere in its folder (`dist`, `.git`, `.twinpress`) mean nothing."""

SETTLE = 25
"""Milliseconds without a change after which a batch is complete: an editor's save is several changes."""
LONGEST_BATCH = 400
"""Milliseconds after which a batch is given although changes go on (a checkout, a copy)."""
POLL = 300

# What editors and file managers leave beside the file being edited, for a moment or for good.
_TEMPORARY = re.compile(
    r"""
      .*~                          # Emacs and many more: backups
    | \.\#.* | \#.*\#             # Emacs: locks and auto-saves
    | \..*\.sw[a-z] | 4913         # Vim
    | \.goutputstream-.* | .*\.___jb_(tmp|old|bak)___ | .*\.kate-swp | \..*\.(tmp|part)
    | \.DS_Store | Thumbs\.db
    """,
    re.VERBOSE,
)


class Flag(Protocol):
    """An event of any kind."""

    def is_set(self) -> bool:
        """Whether it has happened."""


class Watcher:
    """Watches from its creation on, so that nothing saved during a build is missed.

    Making one raises TwinpressError when the system has no room for another watch.
    """

    def __init__(self, root: Path) -> None:
        folder = str(root.resolve())
        self._prefix = f"{folder.rstrip('/')}/"
        try:
            self._notify = RustNotify([folder], False, _polling(), POLL, True, True)
        except OSError as error:
            raise TwinpressError(
                f"changes cannot be watched for: {error}",
                path=str(root),
                hint="raise fs.inotify.max_user_watches, or set WATCHFILES_FORCE_POLLING=1",
            ) from None

    def __enter__(self) -> Watcher:
        """Already watching."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching."""
        self._notify.close()

    def wait(self, stop: Flag) -> frozenset[str]:
        """Block until sources have changed; their paths relative to the site, empty when `stop` is set."""
        while not stop.is_set():
            found = self._notify.watch(LONGEST_BATCH, SETTLE, 0, stop)
            if isinstance(found, str):
                continue  # "stop" or "signal"
            changed = frozenset(path for _, name in found if (path := self._source(name)))
            if changed:
                return changed
        return frozenset()

    def _source(self, name: str) -> str:
        """The path relative to the site if it belongs to its sources, else an empty string."""
        below = name.removeprefix(self._prefix)
        return below if below != name and is_source(tuple(below.split("/"))) else ""


def is_source(parts: tuple[str, ...]) -> bool:
    """Whether the path (in parts, relative to the site) is one that a build may read."""
    return bool(parts) and parts[0] in SOURCES and not any(_TEMPORARY.fullmatch(part) for part in parts)


def _polling() -> bool:
    """Whether to look for changes instead of being told: asked for, or on a system that does not tell."""
    asked = os.environ.get("WATCHFILES_FORCE_POLLING", "").lower()
    if asked:
        return asked not in {"false", "disable", "disabled"}
    return "microsoft-standard" in platform.release().lower()
