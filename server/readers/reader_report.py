"""The counts of one site over some days, as its owner sees them."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from msgspec import Struct

from server.readers.audience import MARKDOWN, OTHERS, PROGRAMS
from server.readers.reader_counts import ReaderCounts, Row
from server.readers.tally import DAY

LISTED = 100
"""Pages, addresses and texts that are listed, those with most first."""
SHOWN_SEARCHES = 2
"""How often a text was searched for at least when it is shown: what was typed once may be about somebody."""
AGENT_NAMES: Mapping[str, str] = {
    MARKDOWN: "Others that ask for markdown",
    PROGRAMS: "Programs that are no browsers",
    OTHERS: "Others",
}
_WITHIN = "FROM counts WHERE site = ? AND day >= ?"
_BY_DAY = (
    f"SELECT day, subject, SUM(count) {_WITHIN} AND subject IN ('people', 'agents', 'bots') GROUP BY 1, 2"
)
_BY_NAME = f"""
    SELECT name, SUM(CASE WHEN subject IN ('agents', 'vain_agents', 'agent') THEN 0 ELSE count END) AS people,
        SUM(CASE WHEN subject IN ('agents', 'vain_agents', 'agent') THEN count ELSE 0 END) AS agents
    {_WITHIN} AND subject IN (?, ?) GROUP BY name ORDER BY people + agents DESC, name
"""
_ROWS = f"""
    SELECT day, subject, name, count {_WITHIN} AND (day, subject, name) > (?, ?, ?)
        AND (subject != 'search' OR name = '' OR name IN (
            SELECT name {_WITHIN} AND subject = 'search' GROUP BY name HAVING SUM(count) >= ?
        ))
    ORDER BY day, subject, name LIMIT ?
"""
_CHUNK = 5_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


NAMES = ("day", "counted", "name", "count")
"""What a record tells."""
Record = tuple[str, str, str, int]
"""A day, what is counted, a name, and how often."""


class DayViews(Struct, frozen=True):
    """The views of one day."""

    day: int
    people: int = 0
    agents: int = 0

    @property
    def views(self) -> int:
        """Return all views of the day."""
        return self.people + self.agents

    @property
    def noon(self) -> int:
        """Return a moment of the day, in seconds since 1970."""
        return self.day * DAY + DAY // 2


class NamedCount(Struct, frozen=True):
    """A page, an address, an agent or a text, and how often people and agents asked for it.

    A text has been searched for by people alone. The name OTHERS stands for all that were not told apart.
    """

    name: str
    people: int
    agents: int

    @property
    def count(self) -> int:
        """Return how often it was asked for."""
        return self.people + self.agents


class ReaderReport(Struct, frozen=True):
    """All days of the time, also those without a view, and what was asked for, most first."""

    days: tuple[DayViews, ...]
    bots: int
    pages: tuple[NamedCount, ...]
    agents: tuple[NamedCount, ...]
    vain: tuple[NamedCount, ...]
    searches: tuple[NamedCount, ...]
    rare_searches: int

    @property
    def people(self) -> int:
        """Return the views of people."""
        return sum(day.people for day in self.days)

    @property
    def machines(self) -> int:
        """Return the views of agents."""
        return sum(day.agents for day in self.days)

    @property
    def views(self) -> int:
        """Return all views."""
        return self.people + self.machines

    @property
    def best(self) -> DayViews:
        """Return the day with most views."""
        return max(self.days, key=lambda day: day.views)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing at all was counted."""
        return not (self.views or self.bots or self.vain or self.searches or self.rare_searches)


def reader_report(counts: ReaderCounts, site: str, days: int, now: float | None = None) -> ReaderReport:
    """Return what was counted on the last days, of which today is one. Raises StorageError."""
    today = _today(now)
    first = today - days + 1
    found: dict[int, dict[str, int]] = {}
    for day, subject, count in counts.read(_BY_DAY, (site, first)):
        found.setdefault(_number(day), {})[str(subject)] = _number(count)
    searches = _named(counts, site, first, ("search", "search"))
    shown = tuple(each for each in searches if each.name != OTHERS and each.count >= SHOWN_SEARCHES)
    agents = _named(counts, site, first, ("agent", "agent"))
    return ReaderReport(
        days=tuple(_day(day, found.get(day, {})) for day in range(first, today + 1)),
        bots=sum(each.get("bots", 0) for each in found.values()),
        pages=_named(counts, site, first, ("people", "agents")),
        agents=tuple(NamedCount(AGENT_NAMES.get(one.name, one.name), 0, one.agents) for one in agents),
        vain=_named(counts, site, first, ("vain_people", "vain_agents")),
        searches=shown,
        rare_searches=sum(each.count for each in searches) - sum(each.count for each in shown),
    )


def views(counts: ReaderCounts, site: str, days: int, now: float | None = None) -> int:
    """Return the number of views on the last days. Raises StorageError."""
    rows = counts.read(_BY_DAY, (site, _today(now) - days + 1))
    return sum(_number(count) for _, subject, count in rows if subject != "bots")


def records(counts: ReaderCounts, site: str, days: int, now: float | None = None) -> Iterator[list[Record]]:
    """Yield all counts by day, subject and name, some thousand at a time. Raises StorageError."""
    first = _today(now) - days + 1
    after: Row = (0, "", "")
    while True:
        rows = counts.read(_ROWS, (site, first, *after, site, first, SHOWN_SEARCHES, _CHUNK))
        if not rows:
            return
        yield [
            (_date(_number(day)), str(subject), str(name), _number(count))
            for day, subject, name, count in rows
        ]
        after = rows[-1][:3]


def as_csv(rows: list[Record]) -> str:
    """Return counts as lines of CSV in which no program for tables takes a name for a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    for date, subject, name, count in rows:
        writer.writerow((date, subject, f"'{name}" if name.startswith(_FORMULA) else name, count))
    return text.getvalue()


def _named(counts: ReaderCounts, site: str, first: int, subjects: tuple[str, str]) -> tuple[NamedCount, ...]:
    rows = counts.read(_BY_NAME, (site, first, *subjects))
    return tuple(NamedCount(str(name), _number(people), _number(agents)) for name, people, agents in rows)


def _day(day: int, found: Mapping[str, int]) -> DayViews:
    return DayViews(day, found.get("people", 0), found.get("agents", 0))


def _today(now: float | None) -> int:
    return int(time.time() if now is None else now) // DAY


def _date(day: int) -> str:
    return f"{datetime.fromtimestamp(day * DAY, UTC):%Y-%m-%d}"


def _number(value: object) -> int:
    return int(str(value))
