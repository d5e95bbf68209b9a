"""Look at the new site as it is built: which old addresses answer, which words went, what is wrong.

The site is built in memory, as readers will have it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from builder.build import Progress, build
from builder.diagnostics import Diagnostic, Level
from builder.importer.loss_report import Address, LossReport
from builder.importer.lost_words import lost_words
from builder.importer.new_settings import DEAD
from builder.importer.new_site import NewSite
from builder.importer.old_site import Loss
from builder.output import MemoryOutput
from builder.plan.addresses import Addresses, read_addresses
from builder.plan.options import Options
from builder.plan.site_files import ADDRESSES
from builder.plan.vanished import vanished_addresses


class CheckedImport(Struct, frozen=True):
    """The report of an import, and the diagnostics of the new site."""

    report: LossReport
    diagnostics: tuple[Diagnostic, ...]


def check_import(new: NewSite, folder: Path, progress: Progress) -> CheckedImport:
    """Build the new site in a folder, and return what there is to tell. Raises as `build`."""
    output = MemoryOutput()
    result = build(folder, output, Options(cache="no"), progress)
    losses = (*new.losses, *_words(new, output))
    addresses = tuple(_addresses(new, (output.get(ADDRESSES) or b"").decode()))
    pages = {old: page.file for old, page in new.placed.pages.items()}
    errors = tuple(
        f"{each.file}:{each.line}: {each.message}" for each in result.diagnostics if each.level is Level.ERROR
    )
    report = LossReport(new.old.system, pages, addresses, losses, errors)
    return CheckedImport(report, result.diagnostics)


def _words(new: NewSite, output: MemoryOutput) -> Iterator[Loss]:
    """Yield the words that went, a loss for each page."""
    told: dict[str, list[Loss]] = defaultdict(list)
    for loss in new.losses:
        told[loss.file].append(loss)
    for file, placed in new.placed.pages.items():
        html = output.get(_output(placed.url))
        gone = lost_words(placed.page, html.decode(), told[file]) if html is not None else None
        if gone is not None:
            yield gone


def _output(url: str) -> str:
    return f"{url.strip('/')}/index.html".lstrip("/") if url.endswith("/") else f"{url.strip('/')}.html"


def _addresses(new: NewSite, listed: str) -> Iterator[Address]:
    """Yield all old addresses, each with whether it answers now."""
    pages = [
        page for page in new.old.pages if not page.is_standalone and page.fields.get("draft") is not True
    ]
    old = [page.address for page in pages]
    dead = {loss.old.partition(" -> ")[0] for loss in new.losses if loss.what == DEAD}
    led = (address for address in new.old.redirects if address not in dead)
    known = dict.fromkeys((*old, *led, *new.old.answered))
    now = read_addresses(listed)
    gone = {
        each.address: each.target or ""
        for each in vanished_addresses(Addresses(dict.fromkeys(known, ()), {}), now)
    }
    for address in known:
        yield Address(address, address not in gone, gone.get(address, ""))
