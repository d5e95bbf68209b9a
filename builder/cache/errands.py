"""Questions to a store far away, several at a time, of which none is waited for too long.

The threads are daemons: one that hangs, as in the look-up of a name, holds up neither a build nor its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from builder.errors import StorageError

AT_ONCE = 8
FIRST = 2.0
"""Seconds for the first answer: a store that is not there costs no more."""
NEXT = 20.0
"""Seconds for each further answer."""

T = TypeVar("T")


class StoreSilent(StorageError):
    """The store has not answered in time."""


def answers(
    ask: Callable[[str], T], names: Sequence[str], *, first: float = FIRST
) -> Iterator[tuple[str, T]]:
    """Ask about each name, and yield the answers as they come, the first one within `first` seconds.

    Raises StoreSilent where none comes in time, and what `ask` raises; then the rest is not asked any more.
    """
    todo, done, stop = SimpleQueue[str](), SimpleQueue[tuple[str, T] | BaseException](), Event()
    for name in names:
        todo.put(name)
    for _ in range(min(AT_ONCE, len(names))):
        Thread(target=_work, args=(ask, todo, done, stop), daemon=True, name="twinpress-cache").start()
    try:
        for number in range(len(names)):
            yield _next(done, NEXT if number else first)
    finally:
        stop.set()


def _next(done: SimpleQueue[tuple[str, T] | BaseException], seconds: float) -> tuple[str, T]:
    try:
        found = done.get(timeout=seconds)
    except Empty:
        raise StoreSilent(f"there was no answer within {seconds:g} s") from None
    if isinstance(found, BaseException):
        raise found
    return found


def _work(
    ask: Callable[[str], T],
    todo: SimpleQueue[str],
    done: SimpleQueue[tuple[str, T] | BaseException],
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
