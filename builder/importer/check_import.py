"""Look at the new site as it is built: which old addresses answer, which words went, what is wrong.

The site is built in memory, as readers will have it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from urllib.parse import unquote

from msgspec import Struct

from builder.build import Progress, build
from builder.diagnostics import Diagnostic, Level
from builder.importer.loss_report import Address, LossReport
from builder.importer.lost_words import lost_words
from builder.importer.new_settings import DEAD, without_dead_anchors
from builder.importer.new_site import NewSite
from builder.importer.old_site import Loss, OldPage, State
from builder.importer.write_site import put
from builder.output import MemoryOutput
from builder.plan.addresses import Addresses, read_addresses
from builder.plan.options import Options
from builder.plan.redirects import encoded
from builder.plan.site_files import ADDRESSES
from builder.plan.vanished import vanished_addresses
from builder.site import CONFIG_FILE

_DROPPING = frozenset({"html-dropped", "attribute-unknown", "component-misplaced"})
"""Diagnostics that say what readers do not get."""
_WITH_CONTENT = re.compile(r"content$|what is in it$|<(?:form|input|button|select)>")
_PART = re.compile(r"\(in `[^`]*`, line \d+")
"""The place of what stands in a part, which is told for each page that includes it."""


class CheckedImport(Struct, frozen=True):
    """The report of an import, and the diagnostics of the new site."""

    report: LossReport
    diagnostics: tuple[Diagnostic, ...]


def check_import(
    new: NewSite, folder: Path, progress: Progress, files: Mapping[str, str] = MappingProxyType({})
) -> CheckedImport:
    """Build the new site in a folder, and return what there is to tell. Raises as `build`.

    `files` are the digests of what was written. Redirects to anchors that are not there are written anew, as
    they would be errors; the report has the digests then.
    """
    output = MemoryOutput()
    result = build(folder, output, Options(cache="no"), progress)
    now = read_addresses((output.get(ADDRESSES) or b"").decode())
    settings, dead = without_dead_anchors(new.texts[CONFIG_FILE], now)
    if dead:
        files = {**files, CONFIG_FILE: put(folder / CONFIG_FILE, settings.encode(), mode="wb")}
    losses = (*new.losses, *dead, *_words(new, output), *_left_out(new, result.diagnostics))
    addresses = tuple(_addresses(new, now))
    pages = {old: page.file for old, page in new.placed.pages.items()}
    errors = tuple(
        f"{each.file}:{each.line}: {each.message}"
        for each in result.diagnostics
        if each.level is Level.ERROR and not (dead and _is_dead_anchor(each))
    )
    report = LossReport(new.old.system, pages, addresses, losses, errors, files)
    return CheckedImport(report, result.diagnostics)


def _is_dead_anchor(diagnostic: Diagnostic) -> bool:
    return diagnostic.file == CONFIG_FILE and diagnostic.code == "broken-anchor"


def _words(new: NewSite, output: MemoryOutput) -> Iterator[Loss]:
    """Yield the words that went, a loss for each page."""
    told: dict[str, list[Loss]] = defaultdict(list)
    for loss in new.losses:
        told[loss.file].append(loss)
    for file, placed in new.placed.pages.items():
        html = output.get(_output(placed.url))
        gone = lost_words(placed.page, _content(html.decode()), told[file]) if html is not None else None
        if gone is not None:
            yield gone


def _left_out(new: NewSite, diagnostics: Iterable[Diagnostic]) -> Iterator[Loss]:
    """Yield what the build leaves out of pages, each with the line of the old page that has it."""
    olds = {placed.file: placed.page for placed in new.placed.pages.values()}
    for each in diagnostics:
        if each.code in _DROPPING and each.file in olds and not _PART.search(each.message):
            page, line = olds[each.file], _line(new.texts.get(each.file, ""), each.line)
            state: State = "lost" if _WITH_CONTENT.search(each.message) else "changed"
            now = "" if state == "lost" else "left out, what it held stays"
            yield Loss(
                each.message.replace("`", ""), page.file, _old_line(page, line), line.strip(), now, state
            )


def _line(text: str, number: int) -> str:
    return next(iter(text.split("\n")[number - 1 : number]), "")


def _old_line(page: OldPage, line: str) -> int:
    """Return the line of the old page that is the same, or begins the same way; 0 for none."""
    wanted = line.strip()
    lines = [each.strip() for each in page.body.split("\n")]
    return page.first_line + lines.index(wanted) if wanted in lines else 0


def _content(html: str) -> str:
    """Return the head of a page and its content: what stands around is the same on all pages."""
    head, start, end = html.find("<body"), html.find("<main "), html.rfind("</main>")
    return html[:head] + html[start:end] if 0 <= head < start < end else html


def _output(url: str) -> str:
    return f"{url.strip('/')}/index.html".lstrip("/") if url.endswith("/") else f"{url.strip('/')}.html"


def _addresses(new: NewSite, now: Addresses) -> Iterator[Address]:
    """Yield all old addresses, each with whether it answers now."""
    pages = [
        page for page in new.old.pages if not page.is_standalone and page.fields.get("draft") is not True
    ]
    old = [page.address for page in pages]
    dead = {loss.old.partition(" -> ")[0] for loss in new.losses if loss.what == DEAD}
    led = (address for address in new.old.redirects if address not in dead)
    known = {address: encoded(unquote(address)) for address in (*old, *led, *new.old.answered)}
    gone = {
        each.address: each.target or ""
        for each in vanished_addresses(Addresses(dict.fromkeys(known.values(), ()), {}), now)
    }
    for address, asked in known.items():
        yield Address(address, asked not in gone, gone.get(asked, ""))
