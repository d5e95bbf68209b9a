"""Counts in memory, bounded whatever is asked for: made-up addresses take the room of some hundred."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple
from urllib.parse import quote

from builder.redaction import REDACT
from server.readers.audience import OTHERS, ReaderKind

Subject = Literal["people", "agents", "bots", "agent", "vain_people", "vain_agents", "search"]
"""Of pages, the views of people and of agents; of agents, their views; of addresses, how often they were
asked for in vain; of texts, how often they were searched for without a result."""
MOST: Mapping[Subject, int] = {
    "people": 5_000,
    "agents": 5_000,
    "bots": 1,
    "agent": 50,
    "vain_people": 200,
    "vain_agents": 200,
    "search": 200,
}
"""Names of a site and a day that are told apart; what comes after them is counted together, as OTHERS."""
MOST_ENTRIES = 100_000
"""Entries of all sites together between two writes."""
LONGEST_ADDRESS, LONGEST_SEARCH = 200, 100
"""Characters; longer addresses are counted together, longer texts of searches not at all."""
DAY = 24 * 3600
_SAFE = "/~!$&'()*+,;=:@"
_NEVER = frozenset(
    {"/favicon.ico", "/robots.txt", "/sitemap.xml", "/ads.txt", "/app-ads.txt", "/security.txt"}
)
_NEVER_BELOW = ("/_tp/", "/.well-known/", "/apple-touch-icon")
"""Addresses that browsers and crawlers try on their own: nobody has followed a link to them."""
_SCANNED = re.compile(r"/\.|/wp-|\.(?:php[0-9]?|aspx?|jsp|cgi|sql|bak|env)(?:/|$)", re.IGNORECASE)
"""Parts of addresses that are asked for by who looks for doors, and by nobody who reads."""
_DIGITS = 7
"""Digits in one text that make it a number of somebody's, such as one of a telephone or a card."""


Group = tuple[str, int, Subject]
"""A site, a day, and what is counted."""


class TallyEntry(NamedTuple):
    """The subject of a count: a site, a day (the number since 1970, UTC), and a name of some kind."""

    site: str
    day: int
    subject: Subject
    name: str

    @property
    def group(self) -> Group:
        """Return the entry without its name."""
        return self.site, self.day, self.subject


Counts = dict[TallyEntry, int]


class Tally:
    """Counts since the last `take`. For one thread."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._views: dict[tuple[str, str, ReaderKind], int] = {}
        self._counts: Counts = {}
        self._names: dict[Group, int] = {}

    def view(self, site: str, page: str, by: ReaderKind) -> None:
        """Count a page that was answered. Every request of a reader comes here, so it is quick."""
        view = site, page, by
        try:
            self._views[view] += 1
        except KeyError:
            if len(self._views) >= MOST_ENTRIES:
                view = site, OTHERS, by
            self._views[view] = self._views.get(view, 0) + 1

    def vain(self, site: str, path: str, by: ReaderKind) -> None:
        """Count an address, given as a decoded path, at which there is nothing."""
        if by.kind == "bots":
            self._add(site, "bots", OTHERS)
        elif path not in _NEVER and not path.startswith(_NEVER_BELOW) and not _SCANNED.search(path):
            self._add(site, "vain_agents" if by.kind == "agents" else "vain_people", vain_address(path))

    def search(self, site: str, text: str) -> None:
        """Count a text that was searched for without a result."""
        if wanted := search_text(text):
            self._add(site, "search", wanted)

    def take(self) -> Counts:
        """Return all counts, and begin anew."""
        views, self._views = self._views, {}
        for (site, page, by), count in views.items():
            self._add_views(site, page, by, count)
        taken, self._counts, self._names = self._counts, {}, {}
        return taken

    def give_back(self, counts: Counts) -> None:
        """Add counts that could not be written, as far as there is room."""
        for entry, count in counts.items():
            self._count(entry, count)

    def _add_views(self, site: str, page: str, by: ReaderKind, count: int) -> None:
        """Add views of one page; of crawlers, only that there were some."""
        if by.kind == "bots":
            self._add(site, "bots", OTHERS, count)
            return
        self._add(site, by.kind, page, count)
        if by.kind == "agents":
            self._add(site, "agent", by.name, count)

    def _add(self, site: str, subject: Subject, name: str, count: int = 1) -> None:
        self._count(TallyEntry(site, int(self._clock()) // DAY, subject, name), count)

    def _count(self, entry: TallyEntry, count: int) -> None:
        if entry not in self._counts and not self._has_room(entry):
            entry = entry._replace(name=OTHERS)
        self._counts[entry] = self._counts.get(entry, 0) + count

    def _has_room(self, entry: TallyEntry) -> bool:
        """Take room for one more name, if there is any."""
        group = entry.group
        names = self._names.get(group, 0)
        if names >= MOST[entry.subject] or len(self._counts) >= MOST_ENTRIES:
            return False
        self._names[group] = names + 1
        return True


def vain_address(path: str) -> str:
    """Return an address as it is kept, percent-encoded; OTHERS for a long one, or one with a key in it."""
    address = quote(path, safe=_SAFE, errors="replace")
    return OTHERS if len(address) > LONGEST_ADDRESS or REDACT.search(address) else address


def search_text(text: str) -> str:
    """Return a text as it is counted, "" for one that may say something of who has typed it.

    Such are long ones, mail addresses, long numbers and keys.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = " ".join("".join(each if each.isprintable() else " " for each in plain).split())
    is_private = "@" in words or REDACT.search(words) or sum(map(str.isdigit, words)) >= _DIGITS
    return "" if is_private or len(words) > LONGEST_SEARCH else words
