"""Questions that wait for one process: those of each asker in their order, and the askers in turn.

Who asks much waits for its own questions, and keeps nobody else waiting for more than one of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from threading import Condition
from typing import Any

from msgspec import Struct, field

from server.authoring.review_process import Question
from server.http.failure import Failure

OF_ONE, OF_ALL = 64, 256
"""Questions that wait at most: of one asker, and of all of a site."""
_CROWDED = "so many questions about this site wait that no further one is taken: try again"


class Asked(Struct, frozen=True):
    """A question that waits, by whoever has asked it."""

    question: Question
    asker: str
    answer: Future[Any] = field(default_factory=Future)


class QuestionQueue:
    """The questions about one site. Safe to use from several threads."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Asked]] = {}
        self._changed = Condition()
        self._is_closed = False

    def put(self, asked: Asked) -> None:
        """Have a question wait. Raises Failure (TOO_BUSY) where too many do."""
        with self._changed:
            own = self._waiting.get(asked.asker, ())
            if len(own) >= OF_ONE or sum(map(len, self._waiting.values())) >= OF_ALL:
                raise Failure("TOO_BUSY", _CROWDED, {"Retry-After": "2"})
            self._waiting.setdefault(asked.asker, deque()).append(asked)
            self._changed.notify()

    def put_back(self, left: Iterable[Asked]) -> None:
        """Have questions wait again, before those that came after them."""
        with self._changed:
            for asked in reversed(tuple(left)):
                self._waiting.setdefault(asked.asker, deque()).appendleft(asked)

    def take(self, most: int) -> list[Asked]:
        """Wait for questions, and return so many of them, one of each asker in turn; none at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            taken: list[Asked] = []
            while self._waiting and len(taken) < most:
                asker = next(iter(self._waiting))
                own = self._waiting.pop(asker)
                taken.append(own.popleft())
                if own:
                    self._waiting[asker] = own  # behind the others
            return taken

    def has_others(self, askers: frozenset[str]) -> bool:
        """Return whether a question of somebody else waits."""
        with self._changed:
            return any(asker not in askers for asker in self._waiting)

    def take_all(self) -> list[Asked]:
        """Return all questions that wait, without waiting for one."""
        with self._changed:
            taken = [asked for own in self._waiting.values() for asked in own]
            self._waiting.clear()
            return taken

    def close(self) -> None:
        """End the waiting: `take` gives what is left, and then none."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
