"""The verdict on a page whose time may grow faster than the page."""

from __future__ import annotations

from msgspec import Struct

from builder.paths import Format
from tests.builder.fuzz.places import PLACES
from tests.builder.fuzz.worker import LIMIT, Worker

SIZES = 20_000, 60_000, 200_000
"""Bytes of the pages that are compared."""

SECONDS = 2.0
"""Of the processor, for a page of any of these sizes, on a machine that does nothing else."""

GROWTH = 2.0
"""The factor by which the time of a page may grow faster than its size from the first size to another."""

QUIET = 3.5
"""The factor by which the second size may take longer, so that the last one is not looked at."""

FLOOR = 0.03
"""Seconds that a page is taken to need at least: what is less is mostly noise."""

AGAIN = 2
"""The number of times that a suspect is measured again; the least counts."""


class Case(Struct, frozen=True):
    """A piece, repeated at a place of a page of that format; with `then`, that in the second half."""

    piece: str
    place: str
    form: Format
    then: str = ""

    def text(self, size: int) -> str:
        """The page of about so many bytes."""
        return PLACES[self.place].text(self.piece, size, self.then)


class Finding(Struct, frozen=True):
    """A case and its seconds, by size."""

    case: Case
    seconds: tuple[float, ...]

    @property
    def growth(self) -> float:
        """The factor by which the time of the page grows faster than its size, at most."""
        first = max(FLOOR, self.seconds[0])
        return max(
            taken / first / (size / SIZES[0]) for taken, size in zip(self.seconds[1:], SIZES[1:], strict=True)
        )

    @property
    def is_slow(self) -> bool:
        """Return whether this is a fault."""
        return self.growth > GROWTH or max(self.seconds) > SECONDS

    def __str__(self) -> str:
        times = " ".join(f"{taken:.2f}" for taken in self.seconds)
        then = f" and then {self.case.then!r}" if self.case.then else ""
        what = f"{self.case.piece!r}{then} as {self.case.place} of {self.case.form}"
        return f"{what}: {times} s, grows {self.growth:.1f} times as fast"


def judge(case: Case, worker: Worker) -> Finding | None:
    """The finding, if the case is one each time that it is measured."""
    first, second = (worker.seconds(case.text(size), case.form) for size in SIZES[:2])
    if second >= LIMIT:
        return Finding(case, (first, second))
    if second < QUIET * max(FLOOR, first) and second < SECONDS * SIZES[1] / SIZES[2]:
        return None
    seconds = first, second, worker.seconds(case.text(SIZES[2]), case.form)
    for _ in range(AGAIN):
        if not Finding(case, seconds).is_slow:
            return None
        again = (worker.seconds(case.text(size), case.form) for size in SIZES)
        seconds = tuple(min(pair) for pair in zip(seconds, again, strict=True))
    found = Finding(case, seconds)
    return found if found.is_slow else None
