"""`twinpress score`."""

from __future__ import annotations

from collections.abc import Iterator

import click
import msgspec

from builder.report import counted
from server.cli.terminal.progress import Bar
from server.score.check_result import CheckResult
from server.score.score_target import score_of
from server.score.scoring import RULES, Score, ScoringRule
from server.score.site_facts import ScoredSite

_SHOWN = 3
"""Addresses of pages that are named for each finding."""
_MARKS = {"pass": "ok  ", "warn": "warn", "fail": "FAIL", "skip": "-   "}


def run(*, target: str, least: int, form: str) -> int:
    """Score a site and show it; 1 when it is below `least`, or a check fails."""
    with Bar("Reading pages") as bar:
        site, score = score_of(target, bar.update)
    if form == "json":
        click.echo(_json(site, score))
    else:
        click.echo("\n".join(_card(site, score)))
    return int(score.total < least or _failures(score) > 0)


def _failures(score: Score) -> int:
    return sum(result.level == "fail" for result in score.results.values())


def _card(site: ScoredSite, score: Score) -> Iterator[str]:
    # A check that fails on few of many pages leaves the score at 100, which alone would look like success.
    failures = _failures(score)
    failed = f", {counted(failures, 'check')} failed" if failures else ""
    yield f"{score.total} of 100 for agents{failed} ({counted(len(site.pages), 'page')}, {site.base}/)"
    if score.reason:
        yield score.reason
    for category, points in score.categories.items():
        yield ""
        yield f"{category}: {'not judged' if points is None else points}"
        for rule in RULES:
            if rule.category == category:
                yield from _lines(rule, score.results[rule.id], site)
    if site.depends:
        yield ""
        yield "What the host decides does not count: give the address of a server on this machine for it."


def _lines(rule: ScoringRule, result: CheckResult, site: ScoredSite) -> Iterator[str]:
    yield f"  {_MARKS[result.level]} {rule.id}: {result.message}"
    if result.level not in {"warn", "fail"}:
        return
    for url in result.pages[:_SHOWN]:
        yield f"         {url}{_why(rule, url, site)}"
    if len(result.pages) > _SHOWN:
        yield f"         and {len(result.pages) - _SHOWN:,} more"
    yield f"       {rule.advice}"


def _why(rule: ScoringRule, url: str, site: ScoredSite) -> str:
    """Return the finding of one page, where there is more to say of it."""
    page = next((page for page in site.pages if page.url == url), None)
    if page is None:
        return ""
    if rule.id == "markdown-content-parity" and page.parity and page.parity.missing:
        return f": {page.parity.percent} % missing, as {page.parity.missing[0]!r}"
    if rule.id == "content-start-position":
        return f": after {page.depth} %"
    if rule.id == "markdown-code-fence-validity":
        return f": line {page.unclosed}"
    if rule.id == "single-fetch-completeness":
        return f": {page.window!r}"
    wrong = [*page.wrong_links, *(each for each in page.targets if each in site.dead)]
    return f": {wrong[0]}" if rule.id == "markdown-link-portability" and wrong else ""


def _json(site: ScoredSite, score: Score) -> str:
    checks = [
        {
            "id": rule.id,
            "category": rule.category,
            "level": score.results[rule.id].level,
            "share": round(float(score.results[rule.id].share), 4),
            "by_host": score.results[rule.id].by_host,
            "message": score.results[rule.id].message,
            "pages": score.results[rule.id].pages,
            "advice": rule.advice,
        }
        for rule in RULES
    ]
    found = {
        "score": score.total,
        "reason": score.reason,
        "site": f"{site.base}/",
        "pages": len(site.pages),
        "categories": score.categories,
        "checks": checks,
    }
    return msgspec.json.format(msgspec.json.encode(found)).decode()
