"""The score: what each check counts, and what the lack of something essential costs."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from server.score import index_checks as index
from server.score import page_checks as pages
from server.score.check_result import TOO_LONG, Check, CheckResult
from server.score.site_facts import ScoredSite

FEW_PAGES = 5
"""With fewer pages nothing can be said of pages."""
_INDEX_PARTS = frozenset(
    {"llms-txt-links-resolve", "llms-txt-valid", "llms-txt-coverage", "llms-txt-links-markdown"}
)
_OF_MARKDOWN = frozenset(
    {
        "page-size-markdown",
        "markdown-code-fence-validity",
        "markdown-content-parity",
        "single-fetch-completeness",
        "markdown-link-portability",
    }
)
_OF_HTML = frozenset(
    {
        "page-size-html",
        "content-start-position",
        "tabbed-content-serialization",
        "embedded-data-serialization",
    }
)


class ScoringRule(Struct, frozen=True):
    """A check with its category, its weight, and what to do when it finds something."""

    id: str
    category: str
    weight: int
    check: Check
    advice: str
    of_pages: bool = True


DISCOVERY, MARKDOWN, SIZE = "Discoverability", "Markdown", "Page size"
STRUCTURE, STABILITY, HEALTH, ACCESS = "Structure", "Stable addresses", "Content health", "Access"
RULES = (
    ScoringRule(
        "llms-txt-exists",
        DISCOVERY,
        10,
        index.index_exists,
        "Publish an `llms.txt` at the root of the site.",
        False,
    ),
    ScoringRule(
        "llms-txt-valid",
        DISCOVERY,
        4,
        index.index_valid,
        "Give it `# Title`, `> Summary`, and sections with links; the summary is `description` in "
        "`site.yml`.",
        False,
    ),
    ScoringRule(
        "llms-txt-size",
        DISCOVERY,
        7,
        index.index_size,
        "Part it by section into files below 50,000 characters.",
        False,
    ),
    ScoringRule(
        "llms-txt-links-resolve", DISCOVERY, 7, index.index_links, "Correct or remove these links.", False
    ),
    ScoringRule(
        "llms-txt-links-markdown",
        DISCOVERY,
        7,
        index.index_links_markdown,
        "Let it link to twins (`.md`) in place of HTML.",
        False,
    ),
    ScoringRule(
        "llms-txt-directive-html",
        DISCOVERY,
        7,
        index.pointer_html,
        "Name `/llms.txt` near the top of each page; templates of your own need the line of `header.html`.",
    ),
    ScoringRule(
        "llms-txt-directive-md",
        DISCOVERY,
        4,
        index.pointer_markdown,
        "Begin each twin with a link to `/llms.txt`.",
    ),
    ScoringRule(
        "markdown-url-support",
        MARKDOWN,
        7,
        pages.markdown_urls,
        "Publish the twin of each page at its address plus `.md`.",
    ),
    ScoringRule(
        "content-negotiation",
        MARKDOWN,
        4,
        pages.negotiation,
        "Let the host answer `Accept: text/markdown` with the twin, as `text/markdown`.",
    ),
    ScoringRule(
        "rendering-strategy",
        SIZE,
        10,
        pages.rendering,
        "Put the text into the HTML itself: agents run no scripts.",
    ),
    ScoringRule(
        "page-size-markdown", SIZE, 7, pages.twin_sizes, "Divide these pages: agents cut off what is longer."
    ),
    ScoringRule(
        "page-size-html", SIZE, 7, pages.html_sizes, "Divide these pages: agents cut off what is longer."
    ),
    ScoringRule(
        "page-size-transfer",
        SIZE,
        4,
        pages.transfer_sizes,
        "Move data and inline pictures into files of their own.",
    ),
    ScoringRule(
        "content-start-position",
        SIZE,
        4,
        pages.starts,
        "Put the text before menus in the document, and begin with sentences.",
    ),
    ScoringRule(
        "single-fetch-completeness",
        SIZE,
        4,
        pages.whole,
        "Give the whole list at once, or reword what reads like `1 of 3 pages`.",
    ),
    ScoringRule("tabbed-content-serialization", STRUCTURE, 4, pages.tabs, "Divide the tabs among pages."),
    ScoringRule(
        "section-header-quality",
        STRUCTURE,
        2,
        pages.tab_headings,
        "Name the tab in each heading within it.",
    ),
    ScoringRule(
        "markdown-code-fence-validity", STRUCTURE, 4, pages.fences, "Close each code block in these twins."
    ),
    ScoringRule(
        "markdown-link-portability",
        STRUCTURE,
        4,
        pages.portable,
        "Set `url` in `site.yml`, write whole addresses in hand-written twins, and correct dead links.",
    ),
    ScoringRule(
        "embedded-data-serialization",
        STRUCTURE,
        4,
        pages.bulk,
        "Move the data into a file, and link to it.",
    ),
    ScoringRule(
        "http-status-codes",
        STABILITY,
        7,
        pages.missing_pages,
        "Let the host answer 404 for what is not there, with `404.html`.",
    ),
    ScoringRule(
        "redirect-behavior",
        STABILITY,
        4,
        pages.redirects,
        "Let pages answer at their own addresses, on the same host.",
    ),
    ScoringRule(
        "llms-txt-coverage",
        HEALTH,
        4,
        index.coverage,
        "List these pages in `llms.txt`, or take them out of the sitemap.",
        False,
    ),
    ScoringRule(
        "markdown-content-parity",
        HEALTH,
        4,
        pages.parity,
        "Bring the twins in line with the pages, or delete hand-written ones.",
    ),
    ScoringRule(
        "cache-header-hygiene",
        HEALTH,
        2,
        pages.caching,
        "Let the host send `Cache-Control: no-cache`, or `max-age` of an hour at most, for pages and "
        "`llms.txt`.",
    ),
    ScoringRule(
        "auth-gate-detection",
        ACCESS,
        10,
        pages.access,
        "Open these pages, or give agents another way to their text.",
    ),
    ScoringRule(
        "bot-protection-interference",
        ACCESS,
        7,
        pages.answered,
        "Let the host answer programs, too.",
        False,
    ),
)


class Score(Struct, frozen=True):
    """The score from 0 to 100, that of each category (None where none counts), and what each check says."""

    total: int
    categories: Mapping[str, int | None]
    results: Mapping[str, CheckResult]
    reason: str = ""


def score(site: ScoredSite) -> Score:
    """Judge a site."""
    results = {rule.id: rule.check(site) for rule in RULES}
    counted = [rule for rule in RULES if results[rule.id].level != "skip" and _counts(rule, site)]
    weights = {rule.id: rule.weight * _factor(rule.id, results, site) for rule in counted}
    total = _percent(counted, weights, results)
    cap, reason = _cap(results, site)
    categories = dict.fromkeys(rule.category for rule in RULES)
    by_category: dict[str, int | None] = {}
    for category in categories:
        own = [rule for rule in counted if rule.category == category]
        by_category[category] = _rounded(_percent(own, weights, results)) if own else None
    return Score(_rounded(min(total, cap)), by_category, results, reason if cap < total else "")


def _counts(rule: ScoringRule, site: ScoredSite) -> bool:
    return not rule.of_pages or len(site.pages) >= FEW_PAGES


def _percent(
    rules: list[ScoringRule], weights: Mapping[str, float], results: Mapping[str, CheckResult]
) -> float:
    whole = sum(weights[rule.id] for rule in rules)
    return 100 * sum(weights[rule.id] * results[rule.id].share for rule in rules) / whole if whole else 0.0


def _rounded(value: float) -> int:
    return int(value + 0.5)


def _factor(name: str, results: Mapping[str, CheckResult], site: ScoredSite) -> float:
    """Tell how much of a check's weight counts, as nobody sees what nobody finds."""
    if name in _OF_MARKDOWN:
        return _found(results)
    if name in _OF_HTML:
        return results["rendering-strategy"].share if results["rendering-strategy"].level != "skip" else 1.0
    size = results["llms-txt-size"]
    if name not in _INDEX_PARTS or size.level in {"pass", "skip"} or site.index is None:
        return 1.0
    return 0.8 if size.level == "warn" else min(1.0, TOO_LONG / site.largest_index)


def _found(results: Mapping[str, CheckResult]) -> float:
    """Tell how likely agents find markdown."""
    if results["content-negotiation"].level == "pass":
        return 1.0
    if "pass" in {results["llms-txt-directive-html"].level, results["llms-txt-directive-md"].level}:
        return 0.8
    return 0.5 if results["llms-txt-links-markdown"].level == "pass" else 0.0


def _cap(results: Mapping[str, CheckResult], site: ScoredSite) -> tuple[float, str]:
    """The most that a site can have which lacks something essential, and why."""
    caps: list[tuple[float, str]] = [(100.0, "")]
    if results["llms-txt-exists"].level == "fail":
        caps.append((59.0, "without llms.txt at most 59"))
    for name in ("rendering-strategy", "auth-gate-detection"):
        found = results[name]
        if found.level != "skip" and len(site.pages) >= FEW_PAGES and found.share <= 0.5:
            most = 39.0 if found.share <= 0.25 else 59.0
            caps.append((most, f"with this `{name}` at most {most:.0f}"))
    if len(site.pages) <= 1:
        caps.append((59.0, f"with a single page at most 59{_served_elsewhere(site)}"))
    return min(caps)


def _served_elsewhere(site: ScoredSite) -> str:
    """Return what to do about an index whose links all lead to another address; empty for any other."""
    found = site.index
    if found is None or not found.links or any(each.startswith(f"{site.base}/") for each in found.links):
        return ""
    return (
        ": no link of `llms.txt` leads to the address that was given. "
        "Set `url` in `site.yml` to that address, or give the folder of the build"
    )
