"""The parts of an open site that its operations use, and how they ask the process that reviews pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from msgspec import Struct

from builder.errors import TwinpressError
from builder.store import ContentStore
from server.authoring.answer_cache import Recent
from server.authoring.review_process import Question, RefusedQuestion
from server.authoring.reviewer import Reviewer, ReviewTooLong, SiteLoading
from server.authoring.service import PagesService
from server.authoring.site_key_limits import ClientLimits
from server.authoring.write_queue import WriteQueue
from server.history import RecentRevisions
from server.http.failure import Failure

T = TypeVar("T")

Changed = Callable[[str], None]
"""Told of the content path of each page or folder that was changed."""


class AuthoringParts(Struct, frozen=True):
    """The parts of an open site that its operations use.

    Work that waits for the disk is done in the threads of `readers`. Changes have their own, in
    `write_queue`: those that wait for theirs keep nobody from reading.
    """

    service: PagesService
    reviewer: Reviewer
    limits: ClientLimits
    readers: Executor
    write_queue: WriteQueue
    recent: Recent
    changed: Changed
    store: ContentStore
    past: RecentRevisions

    async def read(self, work: Callable[[], T]) -> T:
        """Return what work gives that waits for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self.readers, work)

    async def ask(
        self, question: Question, too_long: Failure, unanswered: str = "", *, asker: str = ""
    ) -> Any:
        """Return an answer of the process that reviews pages; askers, which are keys, have their turns.

        Raises Failure: TOO_BUSY in a crowd, `too_long` where the process has given up, one with the text
        `unanswered` before the error where there was one, or that of a RefusedQuestion.
        """
        try:
            found = await asyncio.wrap_future(self.reviewer.ask(question, asker))
        except SiteLoading:
            message = "the whole site is being read for the first time: try again"
            raise Failure("TOO_BUSY", message, {"Retry-After": "5"}) from None
        except ReviewTooLong:
            raise too_long from None
        except TwinpressError as error:
            raise Failure("INTERNAL", f"{unanswered}{error}") from error
        if isinstance(found, RefusedQuestion):
            raise Failure(found.code, found.message)
        return found
