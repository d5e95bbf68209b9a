"""The one tree of errors that the builder raises; everything a person can mend carries a place and a hint.

Content never raises: a fault in a page, a category or a link is a `Diagnostic`. An error is raised only
where the caller asked for something that cannot be done.

    TwinpressError
    ├── ConfigError          site.yml cannot be read at all
    ├── InvalidPath          not a content path
    ├── PageNotFound         no such page (or category)
    ├── PathConflict         the path is taken by something else
    ├── PageTooLarge         over the size limit
    ├── PageLimitReached     the site has as many pages as it may have
    ├── RevisionMismatch     the page is not the one the caller read
    ├── StorageError         the file system refused; the old content is intact
    │   └── StorageBusy      somebody else writes to the site, and does not stop
    ├── ThemeError           a file of the site's own theme cannot be used
    └── OutputError          the output folder cannot be used
"""

from __future__ import annotations

from typing import ClassVar


class TwinpressError(Exception):
    """Something a person can mend: `message` says what, `path` where, `hint` the way out."""

    code: ClassVar[str] = ""
    """What programs know this kind of error by, where they are told."""

    def __init__(self, message: str, *, path: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint

    def __str__(self) -> str:
        """One line: place, message, hint."""
        place = f"{self.path}: " if self.path else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{hint}"


class ConfigError(TwinpressError):
    """`site.yml` cannot be read at all."""


class InvalidPath(TwinpressError):
    """The text is no content path; the message names the rule it breaks."""


class PageNotFound(TwinpressError):
    """There is no page, or no category, at this content path."""


class PathConflict(TwinpressError):
    """The path is taken: by another spelling, by a folder, or by something that is no page."""


class PageTooLarge(TwinpressError):
    """The source is over the size limit."""


class PageLimitReached(TwinpressError):
    """The site has as many pages as it may have."""


class RevisionMismatch(TwinpressError):
    """The page changed since the caller read it, or exists where it must not."""


class StorageError(TwinpressError):
    """The file system refused (full, read-only, broken); the old content is intact."""


class NotAFile(StorageError):
    """Something else stands where a file is looked for: a symbolic link, a folder, a device."""


class StorageBusy(StorageError):
    """Somebody else has been writing to the site for longer than one waits; nothing was changed."""


class ThemeError(TwinpressError):
    """A file of the site's own theme cannot be used: `path` names it, with the line of a template."""


class OutputError(TwinpressError):
    """The output folder cannot be used."""
