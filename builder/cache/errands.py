"""Questions to a store far away, several at a time, of which none is waited for too long.

The threads are daemons: one that hangs, as in the look-up of a name, holds up neither a build nor its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from queue import Empty, Queue, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from builder.errors import StorageError

AT_ONCE = 8
FIRST = 2.0
"""Seconds for the first answer: a store that is not there costs no more."""
NEXT = 5.0
"""Seconds for each further answer."""
ENDING = 0.05
"""Seconds in which a thread is gone that has no more to do; one that hangs is left behind."""
A_PACK = 1.0
"""Seconds for each question that all answers together may take: rendering the pages does not take longer, so
that a store which answers drop by drop is not worth the wait."""

T = TypeVar("T")


class StoreSilent(StorageError):
    """The store has not answered in time."""


class StoreRefused(StorageError):
    """The store is there, but does not let this credential do what it was asked for."""


class Patience:
    """The seconds that are left to wait for so many answers, of which the first comes within `first`."""

    def __init__(self, questions: int, first: float) -> None:
        self._next = first
        self._left = first + A_PACK * questions

    def wait(self, done: Queue[T]) -> T:
        """Return what comes next. Raises StoreSilent."""
        seconds, started = min(self._next, self._left), time.monotonic()
        try:
            return done.get(timeout=max(0.0, seconds))
        except Empty:
            raise StoreSilent(f"there was no answer within {seconds:.3g} s") from None
        finally:
            self._left -= time.monotonic() - started
            self._next = NEXT


def answers(
    ask: Callable[[str], T], names: Sequence[str], *, first: float = FIRST
) -> Iterator[tuple[str, T]]:
    """Ask about each name, and yield the answers as they come, the first one within `first` seconds.

    One question goes alone, so that a store which is slow to begin has it easy, and one which is away holds
    one thread. Only a few answers wait in memory. Raises StoreSilent where none comes in time, and what `ask`
    raises; then the rest is not asked any more.
    """
    todo, done, stop = SimpleQueue[str](), Queue[tuple[str, T] | BaseException](AT_ONCE), Event()
    for name in names:
        todo.put(name)
    threads = [Thread(target=_work, args=(ask, todo, done, stop), daemon=True) for _ in names[:AT_ONCE]]
    patience, waiting = Patience(len(names), first), iter(threads)
    try:
        _start(waiting, 1)
        for _ in names:
            found = patience.wait(done)
            if isinstance(found, BaseException):
                raise found
            _start(waiting, AT_ONCE)
            yield found
    finally:
        stop.set()
        _drain(done)
        _await(threads)


def _start(threads: Iterator[Thread], most: int) -> None:
    for thread in islice(threads, most):
        thread.start()


def _await(threads: Sequence[Thread]) -> None:
    """Let threads end that are about to: while there are others, processes that render cannot be forked."""
    for thread in threads:
        if thread.ident is not None:
            thread.join(ENDING)


def _drain(done: Queue[T]) -> None:
    """Let go of threads that wait until there is room for an answer: each has one more at most."""
    try:
        while True:
            done.get_nowait()
    except Empty:
        return


def _work(
    ask: Callable[[str], T],
    todo: SimpleQueue[str],
    done: Queue[tuple[str, T] | BaseException],
    stop: Event,
) -> None:
    while not stop.is_set():
        try:
            name = todo.get_nowait()
        except Empty:
            return
        try:
            done.put((name, ask(name)))
        except BaseException as error:  # noqa: BLE001 - whoever waits for the answer raises it
            done.put(error)
