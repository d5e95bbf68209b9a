"""The checks of the Agent-Friendly Documentation Spec, each a judgement of what was found of a site.

The numbers are those of the specification and of its reference implementation, `afdocs` 0.22.2. That looks at
fifty pages of a site, these look at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from server.score.page_facts import PageFacts, Status
from server.score.parity import FAIL, WARN
from server.score.site_facts import IndexFacts, ScoredSite, page_of

Level = Literal["pass", "warn", "fail", "skip"]
LONG, TOO_LONG = 50_000, 100_000
"""Characters of a page or an index: what the smaller of agents' tools cut off, and what all do."""
HEAVY, TOO_HEAVY = 1_000_000, 10_000_000
_DEEP, _LATE = 10, 50
_ENOUGH, _COVERED, _PARTLY = 90, 95, 80
_UNLISTED = re.compile(
    r"^/(?:blog|pricing|about|careers?|jobs?|contact|legal|privacy|terms|login|sign-?up|sign-in|register"
    r"|404|500)(?:/|$)"
)


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


def index_exists(site: ScoredSite) -> CheckResult:
    """Look for `llms.txt`."""
    if site.index is None:
        return CheckResult("fail", "there is no llms.txt")
    return CheckResult("pass", f"found at {site.index.url}", 1)


def _with_index(check: Callable[[ScoredSite, IndexFacts], CheckResult]) -> Check:
    """Return the check for sites that have an index."""
    return lambda site: check(site, site.index) if site.index else skip("there is no llms.txt")


@_with_index
def index_valid(_: ScoredSite, index: IndexFacts) -> CheckResult:
    """Look at the form of `llms.txt`."""
    lacks = [
        word
        for word, has in (
            ("title", index.has_title),
            ("summary", index.has_summary),
            ("sections", index.has_sections),
            ("links", bool(index.links)),
        )
        if not has
    ]
    if not index.links:
        return CheckResult("fail", "it has no links")
    if not lacks:
        return CheckResult("pass", "it has title, summary, sections and links", 1)
    share = 1.0 if index.has_title and index.has_summary else 0.75
    return CheckResult("warn", f"it lacks: {', '.join(lacks)}", share)


@_with_index
def index_size(_: ScoredSite, index: IndexFacts) -> CheckResult:
    """Measure `llms.txt`."""
    return single(size_status(index.size), f"it has {index.size:,} characters", 0.5)


@_with_index
def index_links(site: ScoredSite, index: IndexFacts) -> CheckResult:
    """Follow the links of `llms.txt`."""
    own = [link for link in index.links if link.startswith(f"{site.base}/")]
    if not own:
        return skip("it has no links to this site")
    rate = (len(own) - len(site.broken)) / len(own)
    level: Level = "pass" if rate == 1 else "warn" if rate > 0.9 else "fail"
    message = f"{len(own) - len(site.broken)} of {len(own)} links lead somewhere"
    return CheckResult(level, message, int(100 * rate + 0.5) / 100, site.broken)


@_with_index
def index_links_markdown(site: ScoredSite, index: IndexFacts) -> CheckResult:
    """Look whether links of `llms.txt` lead to markdown."""
    own = [link for link in index.links if link.startswith(f"{site.base}/")]
    if not own:
        return skip("it has no links to this site")
    rate = (len(own) - len(site.html)) / len(own)
    has_twins = any(page.has_twin for page in site.pages)
    level: Level = "pass" if rate >= 0.9 else "warn" if has_twins else "fail"
    return CheckResult(
        level,
        f"{len(own) - len(site.html)} of {len(own)} links lead to markdown",
        int(100 * rate + 0.5) / 100,
        site.html,
    )


def _pointers(found: Sequence[tuple[str, float | None]]) -> CheckResult:
    """Judge where the way to `llms.txt` is said."""
    if not found:
        return skip("there is no page to look at")
    places = [place for _, place in found if place is not None]
    missing = [url for url, place in found if place is None]
    is_late = any(place > 0.5 for place in places) and not any(place <= 0.1 for place in places)
    level: Level = "fail" if not places else "warn" if is_late or missing else "pass"
    share = len(places) / len(found)
    said = f"{len(places)} of {len(found)} pages name llms.txt" + (", but late" if is_late else "")
    late = [url for url, place in found if place is not None and place > 0.5]
    return CheckResult(level, said, share, (*missing, *late))


def pointer_html(site: ScoredSite) -> CheckResult:
    """Look for the way to `llms.txt` in HTML."""
    return _pointers([(page.url, page.pointer) for page in read(site)])


def pointer_markdown(site: ScoredSite) -> CheckResult:
    """Look for the way to `llms.txt` in twins."""
    if not twins(site):
        return CheckResult("fail", "there is no markdown")
    return _pointers([(page.url, page.twin_pointer) for page in twins(site)])


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
    if site.index:
        rows.append((site.index.url, "fail" if site.index.unclosed else "pass"))
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


def _normal(url: str, base: str) -> str:
    path = page_of(url).removeprefix("/".join(base.split("/")[:3])).removesuffix(".html")
    return (path.rstrip("/") or "/").lower()


@_with_index
def coverage(site: ScoredSite, _: IndexFacts) -> CheckResult:
    """Compare `llms.txt` with the sitemap."""
    if not site.listed:
        return skip("llms.txt lists no pages")
    if site.sitemap is None:
        return skip("there is no sitemap to compare it with")
    listed = {_normal(url, site.base) for url in site.listed}
    every = {_normal(url, site.base): url for url in site.sitemap}
    every = {path: url for path, url in every.items() if not _UNLISTED.match(path)}
    missing = [url for path, url in every.items() if path not in listed]
    rate = 1 - len(missing) / len(every) if every else 1.0
    level: Level = "pass" if 100 * rate >= _COVERED else "warn" if 100 * rate >= _PARTLY else "fail"
    message = f"{len(every) - len(missing)} of {len(every)} pages of the sitemap are in llms.txt"
    return CheckResult(level, message, int(100 * rate + 0.5) / 100, tuple(missing))


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
