"""The checks of pages and their twins, and of how a host answers for them.

The numbers are those of the Agent-Friendly Documentation Spec and of its reference implementation, `afdocs`
0.22.2. That looks at fifty pages of a site, these look at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from server.score.check_result import (
    HOST,
    LONG,
    CheckResult,
    Level,
    of_pages,
    reached,
    read,
    size_status,
    skip,
    twins,
)
from server.score.page_facts import PageFacts, Status
from server.score.parity import FAIL, WARN
from server.score.site_facts import ScoredSite

HEAVY, TOO_HEAVY = 1_000_000, 10_000_000
_DEEP, _LATE = 10, 50
_ENOUGH = 90


def _rated(rows: Sequence[tuple[str, Status]], subject: str, warned: float, *, some: bool) -> CheckResult:
    """Return the result of what nine of ten pages must have."""
    found = of_pages(rows, subject, warned)
    good = sum(status == "pass" for _, status in rows)
    rate = int(100 * good / len(rows) + 0.5) if rows else 0
    level: Level = "pass" if rate >= _ENOUGH else "warn" if some else "fail"
    return CheckResult(level, found.message, found.share, found.pages)


def markdown_urls(site: ScoredSite) -> CheckResult:
    """Look for twins."""
    rows: list[tuple[str, Status]] = [(p.url, "pass" if p.has_twin else "fail") for p in reached(site)]
    return _rated(rows, "markdown at the address plus .md", 0.5, some=bool(twins(site)))


def negotiation(site: ScoredSite) -> CheckResult:
    """Ask for markdown at pages' own addresses."""
    if site.depends:
        return HOST
    levels: dict[str, Status] = {"right": "pass", "wrong": "warn"}
    rows = [(page.url, levels.get(page.negotiated, "fail")) for page in reached(site)]
    some = any(status != "fail" for _, status in rows)
    return _rated(rows, "markdown for who prefers it", 0.75, some=some) if rows else skip("there is no page")


def rendering(site: ScoredSite) -> CheckResult:
    """Look whether pages have their text without scripts."""
    return of_pages([(page.url, page.rendered) for page in read(site)], "text without scripts", 0.5)


def twin_sizes(site: ScoredSite) -> CheckResult:
    """Measure twins."""
    rows = [(page.url, size_status(page.twin_size)) for page in twins(site)]
    return of_pages(rows, f"twins of at most {LONG:,} characters", 0.5)


def html_sizes(site: ScoredSite) -> CheckResult:
    """Measure the text of HTML."""
    rows = [(page.url, size_status(page.converted)) for page in read(site)]
    return of_pages(rows, f"HTML with at most {LONG:,} characters of text", 0.5)


def transfer_sizes(site: ScoredSite) -> CheckResult:
    """Measure HTML as it is sent."""
    rows = [(page.url, size_status(page.size, HEAVY, TOO_HEAVY)) for page in read(site)]
    return of_pages(rows, "HTML of at most 1 MB", 0.5)


def starts(site: ScoredSite) -> CheckResult:
    """Look how far into a page its content begins."""
    rows: list[tuple[str, Status]] = [
        (page.url, "pass" if page.depth <= _DEEP else "warn" if page.depth <= _LATE else "fail")
        for page in read(site)
    ]
    return of_pages(rows, "content within the first tenth of the text", 0.5)


def whole(site: ScoredSite) -> CheckResult:
    """Look for twins that are but a part of something longer."""
    rows: list[tuple[str, Status]] = [(page.url, "fail" if page.window else "pass") for page in twins(site)]
    return of_pages(rows, "the whole page in one answer", 0.6)


def tabs(site: ScoredSite) -> CheckResult:
    """Measure groups of tabs, which agents get one after the other."""
    groups = [(page.url, size_status(sum(page.tabs))) for page in read(site) if page.tabs]
    return (
        of_pages(groups, "tabs that stay short", 0.5)
        if groups
        else CheckResult("pass", "there are no tabs", 1)
    )


def tab_headings(site: ScoredSite) -> CheckResult:
    """Look for tabs, in which headings say the same in each; those within tabs are not judged."""
    if any(page.tabs for page in read(site)):
        return skip("headings within tabs are not judged")
    return CheckResult("pass", "there are no tabs", 1)


def fences(site: ScoredSite) -> CheckResult:
    """Look for code in twins and in `llms.txt` that is never closed."""
    rows: list[tuple[str, Status]] = [(page.url, "fail" if page.unclosed else "pass") for page in twins(site)]
    files = (site.index, *site.parts) if site.index else ()
    rows += [(file.url, "fail" if file.unclosed else "pass") for file in files]
    return of_pages(rows, "code that is closed", 1)


def portable(site: ScoredSite) -> CheckResult:
    """Look whether links of twins work away from the twin."""

    def status(page: PageFacts) -> Status:
        if page.wrong_links or not site.dead.isdisjoint(page.targets):
            return "fail"
        return "warn" if page.root_links else "pass"

    return of_pages([(page.url, status(page)) for page in twins(site)], "links that work anywhere", 0.6)


def bulk(site: ScoredSite) -> CheckResult:
    """Look for data within the text that no agent reads."""
    rows: list[tuple[str, Status]] = [(page.url, "warn" if page.blob else "pass") for page in read(site)]
    return of_pages(rows, "no data in the text", 0.5)


def answered(site: ScoredSite) -> CheckResult:
    """Look whether a host keeps programs away."""
    if site.depends:
        return HOST
    lost = tuple(page.url for page in site.pages if page.hindered)
    if not lost:
        return CheckResult("pass", "no request was kept away", 1)
    rate = len(lost) / len(site.pages)
    level: Level = "fail" if rate >= 0.5 else "warn"
    return CheckResult(level, f"{len(lost)} pages were kept away", 0 if rate >= 0.5 else 1 - rate, lost)


def missing_pages(site: ScoredSite) -> CheckResult:
    """Ask for addresses at which there is nothing."""
    if site.depends:
        return HOST
    rows: list[tuple[str, Status]] = [
        (page.url, "pass" if 400 <= page.missing_status < 500 else "fail")
        for page in site.pages
        if page.missing_status not in {0, 202} and page.missing_status < 500
    ]
    return of_pages(rows, "status 404 for what is not there", 0.5)


def redirects(site: ScoredSite) -> CheckResult:
    """Look where addresses of pages lead."""
    if site.depends:
        return HOST
    rows: list[tuple[str, Status]] = [
        (page.url, "warn" if any(not hop.startswith(site.base) for hop in page.hops) else "pass")
        for page in read(site)
    ]
    return of_pages(rows, "no redirect to another host", 0.6)


def parity(site: ScoredSite) -> CheckResult:
    """Compare pages with their twins."""
    rows: list[tuple[str, Status]] = []
    for page in twins(site):
        percent = page.parity.percent if page.parity else 0
        rows.append((page.url, "fail" if percent >= FAIL else "warn" if percent >= WARN else "pass"))
    return of_pages(rows, "twins that say what HTML says", 0.75)


def caching(site: ScoredSite) -> CheckResult:
    """Look for how long answers may be kept."""
    return HOST if site.depends else of_pages(site.cached.items(), "answers that are asked for anew", 0.5)


def access(site: ScoredSite) -> CheckResult:
    """Look whether pages are open to everybody."""
    return (
        HOST if site.depends else of_pages([(p.url, p.access) for p in site.pages], "open to everybody", 0.5)
    )
