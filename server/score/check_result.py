"""The result of a check: what it gives, and how results of many pages are one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from server.score.page_facts import PageFacts, Status
from server.score.site_facts import ScoredSite

Level = Literal["pass", "warn", "fail", "skip"]
LONG, TOO_LONG = 50_000, 100_000
"""Characters of a page or an index: what the smaller of agents' tools cut off, and what all do."""


class CheckResult(Struct, frozen=True):
    """The answer of a check. `share` is the part of its points that it gives; `pages` have a finding.

    With `by_host` it depends on the host, and does not count.
    """

    level: Level
    message: str
    share: float = 0
    pages: tuple[str, ...] = ()
    by_host: bool = False


Check = Callable[[ScoredSite], CheckResult]
_SHARES = {"pass": 1.0, "fail": 0.0}
HOST = CheckResult("skip", "the host decides", by_host=True)


def skip(reason: str) -> CheckResult:
    """Return the result of a check that there is nothing for."""
    return CheckResult("skip", reason)


def single(level: Level, message: str, warned: float, pages: Sequence[str] = ()) -> CheckResult:
    """Return the result of what a site has once; `warned` is the share of a warning."""
    return CheckResult(level, message, _SHARES.get(level, warned), tuple(pages))


def of_pages(
    found: Iterable[tuple[str, Status]], subject: str, warned: float, *, level: Level | None = None
) -> CheckResult:
    """Return the result of what each page has: the worst level, unless another one is given."""
    rows = list(found)
    if not rows:
        return skip("there is no page to look at")
    bad = [(url, status) for url, status in rows if status != "pass"]
    worst: Level = "fail" if any(status == "fail" for _, status in bad) else "warn" if bad else "pass"
    share = sum(1.0 if status == "pass" else warned if status == "warn" else 0.0 for _, status in rows) / len(
        rows
    )
    said = f"{subject}: {len(rows) - len(bad)} of {len(rows)} pages are as they should be"
    return CheckResult(level or worst, said, share, tuple(url for url, _ in bad))


def read(site: ScoredSite) -> list[PageFacts]:
    """The pages that could be read."""
    return [page for page in site.pages if page.is_read]


def reached(site: ScoredSite) -> list[PageFacts]:
    """The pages but for dead links of `llms.txt`, which another check tells of."""
    return [page for page in site.pages if page.is_read or page.url not in site.listed]


def twins(site: ScoredSite) -> list[PageFacts]:
    """The pages that have a twin."""
    return [page for page in read(site) if page.has_twin]


def size_status(size: int, long: int = LONG, too_long: int = TOO_LONG) -> Status:
    """Judge a size."""
    return "pass" if size <= long else "warn" if size <= too_long else "fail"
