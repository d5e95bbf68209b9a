"""A call of an operation: its caller, and the reply. HTTP and MCP make calls of the same operations."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any
from urllib.parse import quote

from msgspec import Struct, field

from builder.store import ChangeNote
from server.authoring.put_outcome import ChangeAuthor
from server.authoring.site_view import UNPUBLISHED, Published
from server.control.keys.key_record import KeyRecord
from server.http.failure import Failure
from server.screenshots.shot import Picture, Shot

TakePicture = Callable[[Shot], Awaitable[Picture]]
"""Takes a picture of a page, by its path with the base path."""

Changing = Callable[[str], AbstractAsyncContextManager[None]]
"""Gives what surrounds an operation, by its name, that changes the site; it raises Failure to refuse it."""


def _unwatched(_operation: str) -> AbstractAsyncContextManager[None]:
    return nullcontext()


def _unpublished() -> Published:
    return UNPUBLISHED


def _unseen() -> str:
    return ""


_NO_NAVIGATION = (
    "this key may not change the navigation: ask the owner of the site for a key that may (in the dashboard "
    "with the tick `May change the navigation`, else with `twinpress key create --navigation`)"
)


class Caller(Struct, frozen=True):
    """The bearer of a `key`; `permit` raises Failure when it is good no more. Any thread may call it.

    `published` says what readers have of the site, and may wait for the disk. Each operation that changes
    the site, and is no rehearsal, is made within `changing`. `preview_root` gives the address of the site's
    root in a preview that the caller, or the site's owner alone, can open, without a slash at its end, ""
    where there is none; it may read the control data. `picture` takes pictures of pages as that preview has
    them, and raises Failure; None where nobody takes any.
    """

    key: KeyRecord
    permit: Callable[[], None]
    published: Callable[[], Published] = _unpublished
    changing: Changing = _unwatched
    preview_root: Callable[[], str] = _unseen
    picture: TakePicture | None = None

    @property
    def author(self) -> ChangeAuthor:
        """The author of one change, for the history: each time another, as each change has an id."""
        note = ChangeNote(key=self.key.id, label=self.key.label, id=secrets.token_hex(8))
        return ChangeAuthor(note, self.permit)

    def check_navigation(self) -> None:
        """Raise Failure unless the key may change the navigation."""
        if not self.key.navigation:
            raise Failure("OWNER_ONLY", _NO_NAVIGATION)

    def preview(self, url: str) -> str:
        """Return the whole address, percent-encoded, at which a page of the site is seen now.

        `url` is the page's address from the site's root, as `PutResult.url` has it. "" where there is no page
        (`url` is empty), or no preview.
        """
        root = self.preview_root() if url else ""
        return f"{root}{quote(url)}" if root else ""

    def preview_link(self, url: str) -> Mapping[str, str]:
        """Return the header of an answer that leads to the same; none where there is nothing to be seen."""
        address = self.preview(url)
        return {"Link": f'<{address}>; rel="preview"'} if address else {}


class Reply(Struct, frozen=True):
    """The outcome of an operation; over HTTP it has this status and these headers beside the usual ones."""

    result: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
