"""The report of an import: what answers where, what is not as it was, and what to do about it.

Losses are ranked by the number of pages that each hits; then each page is told with its lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from builder.importer.old_site import Loss, System

_MOST_NAMED = 5


_SHOWN = 300
"""Characters of an old text on the page of markdown; the record has more."""


class Address(Struct, frozen=True):
    """An old address: whether it answers, and what a redirect or the report says of it."""

    address: str
    answers: bool
    leads_to: str = ""


class LossReport(Struct, frozen=True):
    """All that an import has to tell.

    `pages` are the old files with the new ones: what moved where. `files` are digests of what was written,
    by which the next import sees what somebody has edited since.
    """

    system: System
    pages: Mapping[str, str]
    addresses: tuple[Address, ...]
    losses: tuple[Loss, ...]
    errors: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def answering(self) -> int:
        """The number of old addresses that answer."""
        return sum(each.answers for each in self.addresses)

    @property
    def is_whole(self) -> bool:
        """True if nothing is lost and each old address answers."""
        return not any(loss.state == "lost" for loss in self.losses) and self.answering == len(self.addresses)


class Ranked(Struct, frozen=True):
    """Losses of one kind: how many pages they hit, how often, and where first."""

    what: str
    state: str
    pages: int
    times: int
    first: Loss


def ranked(losses: Sequence[Loss]) -> Sequence[Ranked]:
    """Return the kinds of losses, that which hits most pages first; the lost before the changed."""
    kinds: dict[tuple[str, str], list[Loss]] = defaultdict(list)
    for loss in losses:
        kinds[loss.what, loss.state].append(loss)
    found = [
        Ranked(what, state, len({loss.file for loss in group}), len(group), group[0])
        for (what, state), group in kinds.items()
    ]
    return sorted(found, key=lambda one: (one.state != "lost", -one.pages, -one.times, one.what))


def markdown(report: LossReport) -> str:
    """Return the report as a page of markdown."""
    return "\n".join((*_head(report), *_table(report), *_addresses(report), *_pages(report), ""))


def _head(report: LossReport) -> Iterator[str]:
    lost = {loss.file for loss in report.losses if loss.state == "lost"}
    yield f"# Import from {report.system}"
    yield ""
    yield f"- {len(report.pages):,} pages, {len(lost & report.pages.keys()):,} of them lost something"
    yield f"- {report.answering:,} of {len(report.addresses):,} old addresses answer"
    yield from (f"- error: {error}" for error in report.errors)
    yield ""


def _table(report: LossReport) -> Iterator[str]:
    kinds = ranked(report.losses)
    if not kinds:
        yield "Nothing is lost or changed."
        return
    yield "## What is not as it was"
    yield ""
    yield "| What | | Pages | Times | First at | Was |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for kind in kinds:
        place = f"{kind.first.file}:{kind.first.line}" if kind.first.file else ""
        cells = (kind.what, kind.state, f"{kind.pages:,}", f"{kind.times:,}", place, _code(kind.first.old))
        yield f"| {' | '.join(cells)} |"
    yield ""


def _addresses(report: LossReport) -> Iterator[str]:
    gone = [each for each in report.addresses if not each.answers]
    if gone:
        yield "## Old addresses without an answer"
        yield ""
        yield from (f"- `{each.address}`" for each in gone)
        yield ""


def _pages(report: LossReport) -> Iterator[str]:
    by_file: dict[str, list[Loss]] = defaultdict(list)
    for loss in report.losses:
        by_file[loss.file].append(loss)
    yield "## Pages"
    yield ""
    for old, new in sorted(report.pages.items()):
        losses = by_file.pop(old, [])
        state = "lost" if any(loss.state == "lost" for loss in losses) else "changed" if losses else "done"
        yield f"- {state}: `{old}` is `{new}`"
        yield from (f"  - line {loss.line:,}: {_told(loss)}" for loss in losses)
    others = [loss for _, losses in sorted(by_file.items()) for loss in losses]
    if others:
        yield ""
        yield "## Beside the pages"
        yield ""
        yield from (f"- {f'`{loss.file}`: ' if loss.file else ''}{_told(loss)}" for loss in others)


def _told(loss: Loss) -> str:
    old = f" {_code(loss.old)}" if loss.old else ""
    return f"{loss.what}, {loss.state}:{old}{f' ({loss.now})' if loss.now else ''}"


def _code(text: str) -> str:
    """Return a text as code on one line, which a table can hold."""
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    line = " ".join(text.split()).replace("|", "\\|")
    longest = max((len(run) for run in line.replace("\\|", "|").split() if set(run) == {"`"}), default=0)
    ticks = "`" * (1 + max(longest, 1 if "`" in line else 0))
    return f"{ticks} {line} {ticks}" if "`" in line else f"`{line}`" if line else ""
