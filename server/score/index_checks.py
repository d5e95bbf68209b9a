"""The checks of `llms.txt`: its form and size, its links, the ways that lead to it, and what it lists.

The numbers are those of the Agent-Friendly Documentation Spec and of its reference implementation, `afdocs`
0.22.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from server.score.check_result import Check, CheckResult, Level, read, single, size_status, skip, twins
from server.score.index_facts import IndexFacts
from server.score.site_facts import ScoredSite, page_of

_COVERED, _PARTLY = 95, 80
_UNLISTED = re.compile(
    r"^/(?:blog|pricing|about|careers?|jobs?|contact|legal|privacy|terms|login|sign-?up|sign-in|register"
    r"|404|500)(?:/|$)"
)


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
def index_size(site: ScoredSite, index: IndexFacts) -> CheckResult:
    """Measure `llms.txt` and its parts."""
    if not site.parts:
        return single(size_status(index.size), f"it has {index.size:,} characters", 0.5)
    files = (index, *site.parts)
    large = [file.url for file in files if size_status(file.size) != "pass"]
    size = site.largest_index
    return single(size_status(size), f"the largest of {len(files)} files has {size:,} characters", 0.5, large)


@_with_index
def index_links(site: ScoredSite, _: IndexFacts) -> CheckResult:
    """Follow the links of `llms.txt` and of its parts."""
    own = [link for link in site.links if link.startswith(f"{site.base}/")]
    if not own:
        return skip("it has no links to this site")
    rate = (len(own) - len(site.broken)) / len(own)
    level: Level = "pass" if rate == 1 else "warn" if rate > 0.9 else "fail"
    message = f"{len(own) - len(site.broken)} of {len(own)} links lead somewhere"
    return CheckResult(level, message, int(100 * rate + 0.5) / 100, site.broken)


@_with_index
def index_links_markdown(site: ScoredSite, _: IndexFacts) -> CheckResult:
    """Look whether links of `llms.txt` and of its parts lead to markdown."""
    own = [link for link in site.links if link.startswith(f"{site.base}/")]
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


def _normal(url: str, base: str) -> str:
    path = page_of(url).removeprefix("/".join(base.split("/")[:3])).removesuffix(".html")
    return (path.rstrip("/") or "/").lower()


@_with_index
def coverage(site: ScoredSite, _: IndexFacts) -> CheckResult:
    """Compare `llms.txt` and its parts with the sitemap."""
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
