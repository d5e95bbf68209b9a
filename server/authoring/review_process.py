"""The process that reviews pages: it answers batches of questions until its parent is gone.

It stands apart from `reviewer` as it runs in another process.
"""

from __future__ import annotations

import signal
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


def serve(pipe: Connection, root: Path, plan: Plan | None, include_roots: tuple[str, ...] = ()) -> None:
    """Answer until the parent is gone: each batch of questions with one answer after another."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's
    with ContentStore(root) as store:
        review = Review(root, store, plan, include_roots)
        with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
            while True:
                for answer in _answers(review, pipe.recv()):
                    pipe.send(answer)


def _answers(review: Review, questions: Sequence[Question]) -> Iterator[object]:
    """The whole site is looked at for those questions alone that need it, and once for all of a batch."""
    outline = _or_error(review.outline)
    whole: Site | TwinpressError | None = None
    for question in questions:
        if whole is None and isinstance(outline, Site) and isinstance(question, ReviewQuestion):
            told = _or_error(partial(review.glance, question.source, question.twin_file, outline))
            if told is not None:
                yield told
                continue
        if whole is None:
            whole = _or_error(review.site)
        yield whole if isinstance(whole, Exception) else _or_error(partial(question.answer, review, whole))


def _or_error(ask: Callable[[], T]) -> T | TwinpressError:
    try:
        return ask()
    except TwinpressError as error:
        return TwinpressError(str(error))
    except Exception as error:  # noqa: BLE001 - a fault of ours is told to the one who asked
        return TwinpressError(f"{type(error).__name__}: {error}")
