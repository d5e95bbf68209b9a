"""The process that reviews pages: it answers batches of questions until its parent is gone.

It stands apart from `reviewer` as it runs in another process.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct

from builder.errors import TwinpressError
from builder.review import Review
from builder.site import Plan, Site
from builder.store import ContentStore, Source

T = TypeVar("T")
_STALE = 1.0
"""Seconds after which the site is looked at again for the next question."""


class Question(Protocol):
    """A question about a site. It, and its answer, travel between processes."""

    def answer(self, review: Review, site: Site) -> object:
        """Return the answer for the whole site as it is now. Raises TwinpressError."""


class RefusedQuestion(Struct, frozen=True):
    """An answer for something that cannot be done: an error's code, and a sentence."""

    code: str
    message: str


class ReviewQuestion(Struct, frozen=True):
    """A review that is asked for: of a page as it would be read, with the name of its twin's file."""

    source: Source
    twin_file: str

    def answer(self, review: Review, site: Site) -> object:
        """Return the diagnostics of the page."""
        return review.page(self.source, self.twin_file, site)


class LinksQuestion(Struct, frozen=True):
    """The links to a path are asked for."""

    path: str

    def answer(self, review: Review, site: Site) -> object:
        """Return the links of other pages."""
        return review.inbound(self.path, site)


class Loaded(Struct, frozen=True):
    """Sent once, before the first answer: the site has been read."""


class Cut(Struct, frozen=True):
    """Sent to the process: it is to leave the rest of its questions, and says so with the same."""


def serve(pipe: Connection, root: Path, plan: Plan | None, include_roots: tuple[str, ...] = ()) -> None:
    """Answer until the parent is gone: each batch of questions with one answer after another."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
    with ContentStore(root) as store:
        review = Review(root, store, plan, include_roots)
        with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
            first: Sequence[Question] | Cut = pipe.recv()
            _or_error(review.outline)
            pipe.send(Loaded())
            while True:
                if not isinstance(first, Cut):  # else it came when all was answered
                    _answer(pipe, review, first)
                first = pipe.recv()


def _answer(pipe: Connection, review: Review, questions: Sequence[Question]) -> None:
    """Send one answer after another, until the rest is not to be answered now."""
    for number, answer in enumerate(_answers(review, questions), 1):
        pipe.send(answer)
        if number < len(questions) and pipe.poll():
            pipe.send(pipe.recv())
            return


def _answers(review: Review, questions: Sequence[Question]) -> Iterator[object]:
    """The whole site is looked at for those questions alone that need it, and again when a while has gone."""
    outline = _or_error(review.outline)
    whole: Site | TwinpressError | None = None
    looked = 0.0
    for question in questions:
        if whole is None and isinstance(outline, Site) and isinstance(question, ReviewQuestion):
            told = _or_error(partial(review.glance, question.source, question.twin_file, outline))
            if told is not None:
                yield told
                continue
        if whole is None or time.monotonic() - looked > _STALE:
            whole = _or_error(review.site)
            looked = time.monotonic()
        yield whole if isinstance(whole, Exception) else _or_error(partial(question.answer, review, whole))


def _or_error(ask: Callable[[], T]) -> T | TwinpressError:
    try:
        return ask()
    except TwinpressError as error:
        return TwinpressError(str(error))
    except Exception as error:  # noqa: BLE001 - a fault of ours is told to the one who asked
        return TwinpressError(f"{type(error).__name__}: {error}")
