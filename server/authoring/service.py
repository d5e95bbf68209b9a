"""The actions on the pages of one site, without requests and answers. Every call may wait for the disk.

What goes wrong is a Failure, with the code that an answer has.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from msgspec.structs import replace

from builder import paths
from builder.errors import (
    PageNotFound,
    RevisionMismatch,
    StorageError,
    TwinpressError,
)
from builder.site import Plan
from builder.store import PAGE_LIMIT, ContentStore, Replacement, Source, Written
from server.authoring.compose import compose
from server.authoring.conditions import Conditions
from server.authoring.put_outcome import ChangeAuthor, PreparedWrite, PutOutcome, PutRequest
from server.authoring.reviewer import Reviewer
from server.authoring.site_key_limits import ClientLimits, RoomCheck
from server.authoring.site_view import Mark, SiteIdentity, SiteView, category_of
from server.authoring.store_failures import failure_of
from server.authoring.structs import Category, PutCategory, PutPage
from server.http.failure import Failure

_POLITE = 5
"""After so many tries, who has set no condition writes over what others save all the time, or removes it."""

_TRIES = 50
"""How often a change is tried again when others change the same page at the same moment."""


class PagesService:
    """The pages of the site `site` in `store`, `limits.pages` at most.

    What is written is reviewed by `reviewer`. Safe to use from several threads. Raises Failure.
    """

    def __init__(
        self,
        root: Path,
        store: ContentStore,
        site: SiteIdentity,
        limits: ClientLimits,
        reviewer: Reviewer,
        *,
        room: RoomCheck,
        plan: Plan | None = None,
        mark: Mark | None = None,
    ) -> None:
        self.view = SiteView(root, store, site, limits, plan=plan, mark=mark)
        self._store = store
        self._limits = limits
        self._reviewer = reviewer
        self._room = room

    def source(self, path: str, *, any_size: bool = False) -> Source:
        """A page as it is stored; with `any_size` one that is too large, without its text."""
        try:
            return self._store.read(path, any_size=any_size)
        except TwinpressError as error:
            raise failure_of(error) from error

    def put(self, asked: PutRequest) -> PutOutcome:
        """Write a page over what is there, and have it reviewed at the same time.

        A condition of the client's that does not hold is a Failure. Where others change the page while it is
        prepared, it is prepared again.
        """
        asked.writer.permit()
        self.take_room(len(asked.sent.body) + len(asked.sent.llmBody or ""), asked.writer)
        for tries in range(_TRIES):
            outcome = self._put(asked, insists=_insists(tries, asked.conditions))
            if outcome is not None:
                return outcome
        raise _restless(asked.sent.path)

    def _put(self, asked: PutRequest, *, insists: bool) -> PutOutcome | None:
        """One try; None when what is there is not any more what the page was prepared for."""
        page = self._prepare(asked.sent)
        review = self._reviewer.page(page.as_source(), page.twin_file, asked.writer.note.key)
        try:
            written = self._write(page, asked, insists=insists)
        except BaseException:
            review.cancel()
            raise
        if written is None:
            review.cancel()
            return None
        return PutOutcome(page, written, review, self.view.address(page.as_source()))

    def _prepare(self, put: PutPage) -> PreparedWrite:
        """Make a page ready to be written over what is there now."""
        try:
            put = replace(put, path=paths.parse(put.path))
            previous = self._previous(put.path)
            unseen = beginning(self._store, previous) if previous else ""
        except TwinpressError as error:
            raise failure_of(error) from error
        return PreparedWrite(put, compose(put, previous, unseen), previous)

    def _write(self, page: PreparedWrite, asked: PutRequest, *, insists: bool) -> Written | None:
        """Write or rehearse; who `insists` writes over what others save."""
        now, put = page.previous.revision if page.previous else None, page.put
        asked.conditions.check(put.path, now)
        write = partial(self._store.write, note=asked.writer.note, permit=asked.writer.permit)
        make = self._store.rehearse if asked.rehearsal else write
        try:
            return make(
                put.path,
                put.format,
                page.composed.text,
                put.llmBody,
                if_match=None if insists else now,
                create_only=now is None and not insists,
                most=self._limits.pages,
            )
        except RevisionMismatch:
            return None
        except TwinpressError as error:
            if _moved(error):
                return None
            raise failure_of(error) from error

    def delete(self, path: str, conditions: Conditions, writer: ChangeAuthor) -> None:
        """Remove a page; tried again where others change it at the same moment."""
        writer.permit()
        for tries in range(_TRIES):
            if self._delete(path, conditions, writer, insists=_insists(tries, conditions)):
                return
        raise _restless(path)

    def _delete(self, path: str, conditions: Conditions, writer: ChangeAuthor, *, insists: bool) -> bool:
        """One try; False when the page changed in this very moment."""
        try:
            now = self._store.read(path, any_size=True).revision
            conditions.check(path, now)
            revision = None if insists else now
            self._store.delete(path, if_match=revision, note=writer.note, permit=writer.permit)
        except RevisionMismatch:
            return False
        except TwinpressError as error:
            if _moved(error):
                return False
            raise failure_of(error) from error
        return True

    def category(self, put: PutCategory, writer: ChangeAuthor) -> Category:
        """Change what the sidebar says about a folder."""
        writer.permit()
        self.take_room(0, writer)
        try:
            note, permit = writer.note, writer.permit
            return category_of(self._store.set_category(put.path, put.given, note=note, permit=permit))
        except ValueError as error:
            raise Failure("INVALID_BODY", str(error)) from error
        except TwinpressError as error:
            raise failure_of(error) from error

    def category_record(self, path: str) -> Category:
        """Return what is said about a folder."""
        try:
            return category_of(self._store.category(path))
        except TwinpressError as error:
            raise failure_of(error) from error

    def delete_category(self, path: str, writer: ChangeAuthor) -> Category:
        """Remove what is said about a folder, and return what it was."""
        try:
            return category_of(self._store.delete_category(path, note=writer.note, permit=writer.permit))
        except TwinpressError as error:
            raise failure_of(error) from error

    def replace(self, replacement: Replacement, writer: ChangeAuthor) -> bool:
        """Make a change of many files, whole or not at all; False where one of them is another by now."""
        writer.permit()
        self.take_room(sum(len(data) for data in replacement.wanted.values() if data), writer)
        try:
            note, permit = writer.note, writer.permit
            self._store.put_back(replacement, most=self._limits.pages, note=note, permit=permit)
        except RevisionMismatch:
            return False
        except TwinpressError as error:
            if _moved(error):
                return False
            raise failure_of(error) from error
        return True

    def take_room(self, size: int, writer: ChangeAuthor) -> None:
        """Raise Failure where the site has no room for so many bytes of a key, or of its owner."""
        take = self._room.take if writer.note.key else self._room.take_as_owner
        try:
            take(size)
        except StorageError as error:
            raise failure_of(error) from error

    def _previous(self, path: str) -> Source | None:
        try:
            return self._store.read(path, any_size=True)
        except PageNotFound:
            return None


def _insists(tries: int, conditions: Conditions) -> bool:
    """Return whether a change is made over what others save: it has been tried, and has no condition."""
    return tries >= _POLITE and conditions.none


def _restless(path: str) -> Failure:
    return Failure("REVISION_MISMATCH", f"{path}: others change the page all the time")


def _moved(error: TwinpressError) -> bool:
    """Return whether a file went during its change: an editor has just saved another in its place."""
    return isinstance(error, StorageError) and isinstance(error.__cause__, FileNotFoundError)


def beginning(store: ContentStore, page: Source) -> str:
    """As much of its text as another page may have, empty for a page that was read. Raises StorageError."""
    if page.text:
        return ""
    try:
        with store.open_file(page.file) as file:
            return file.read(PAGE_LIMIT).decode(errors="replace")
    except FileNotFoundError:
        return ""  # it has gone in this very moment, which the write will see
