"""Addresses and anchors that a build would lose, as diagnostics, and the lines of `site.yml` against it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from builder.diagnostics import Diagnostic
from builder.moves.redirect_plan import SiteAnswers, chains
from builder.paths import PAGE_SUFFIXES
from builder.plan.addresses import Addresses
from builder.plan.likeness import found_again
from builder.plan.vanished import Vanished, VanishedAddress, VanishedAnchor, vanished, vanished_addresses
from builder.site import CONFIG_FILE, load
from builder.store import ContentStore
from server.static_targets.former_site import FormerSite, page_texts
from server.static_targets.moved_pages import moved_since

ADDRESS, ANCHOR, CHAIN = "address-vanished", "anchor-vanished", "redirect-chain"
_TOP = "links to it lead to the top of the page"
_PLAIN = re.compile(r"/[\w./~%-]*\Z", re.ASCII)


def vanished_since(before: FormerSite, now: Addresses, site: Path, *, asks_git: bool) -> Vanished:
    """Return what a former site had and this one has not.

    Where a page is now, git may know by its rename; else it is found by its title, or by its text.
    """
    moved = moved_since(site, before.source) if asks_git and before.source else {}
    lost = vanished_addresses(before.addresses, now, moved)
    texts = {each.address: before.text(each.address) for each in lost if each.address not in moved}
    gone = {address: text for address, text in texts.items() if text is not None}
    if gone:
        former = {address: before.text(address) for address in before.addresses.places}
        moved = {**found_again(gone, page_texts(site), former), **moved}
    return vanished(before.addresses, now, moved)


def findings(site: Path, before: FormerSite, found: Vanished) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each address and each anchor that vanished."""
    for lost in found.addresses:
        hint = (
            f"add to `redirects`: `{redirect_line(lost)}`" if lost.target else "redirect it to another page"
        )
        named = f"`{lost.address}`" if lost.address else lost.shown
        message = f"{named} would lead nowhere: {before.name} has it"
        yield Diagnostic(CONFIG_FILE, 0, 0, ADDRESS, message, hint)
    for anchor in found.anchors:
        file = _file_of(site, anchor)
        message = f"`{anchor.address}#{anchor.anchor}` would be gone: {before.name} has it"
        hint = f"did you rename it to `#{anchor.nearest}`?" if anchor.nearest else _TOP
        yield Diagnostic(file, 0, 0, ANCHOR, message, hint)
    yield from _chains(site)


def _chains(site: Path) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each redirect that leads to another one, or in a circle."""
    with ContentStore(site) as store:
        answers = SiteAnswers.of(load(store, drafts=True))
    for old, target, end in chains(answers):
        place = answers.config.redirect_place(old)
        if end is None:
            message = f"redirect from `{old}`: it never arrives: `{target}` leads on, in a circle"
            yield Diagnostic(*place, "redirect-invalid", message, "let one of the circle lead to a page")
        else:
            message = f"redirect from `{old}`: `{target}` leads on to `{end}`"
            yield Diagnostic(*place, CHAIN, message, f"let it lead to `{end}` at once")


def redirect_lines(lost: Iterable[VanishedAddress]) -> list[str]:
    """Return the proposed redirects as lines of `site.yml`, to stand below `redirects:`."""
    return [f"  {redirect_line(each)}" for each in lost if each.target]


def redirect_line(lost: VanishedAddress) -> str:
    """Return the line for one address."""
    return f"{_scalar(lost.address)}: {_scalar(lost.target or '')}"


def _scalar(text: str) -> str:
    return text if _PLAIN.match(text) else json.dumps(text)


def _file_of(site: Path, lost: VanishedAnchor) -> str:
    """Return the file of the page at an address, if it lies at the usual place; else the settings."""
    path = unquote(lost.address).strip("/")
    for stem in (path, f"{path}/index", f"pages/{path}", f"pages/{path}/index"):
        for suffix in PAGE_SUFFIXES:
            if (site / f"{stem}{suffix}".lstrip("/")).is_file():
                return f"{stem}{suffix}".lstrip("/")
    return CONFIG_FILE
