"""Addresses and anchors that a build would lose, as diagnostics, and the lines of `site.yml` against it.

A page has another address when its file was renamed, when its `slug` is another, or when the settings are:
`docs_at`, or the extra `slug`. As far as git knows that, the new address is proposed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from builder import config, paths
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.moves.redirect_plan import SiteAnswers, chains
from builder.paths import PAGE_SUFFIXES, TWIN_SUFFIX
from builder.plan.addresses import Addresses
from builder.plan.ask_git import ask
from builder.plan.likeness import found_again
from builder.plan.redirects import encoded
from builder.plan.vanished import Vanished, VanishedAddress, VanishedAnchor, vanished, vanished_addresses
from builder.site import CONFIG_FILE, address_of, has_slugs, load, place_alike
from builder.store import ContentStore, Source
from builder.store.names import other_fault
from server.static_targets.former_site import FormerSite, page_texts

_MOST_READ = 1_000
"""Pages whose former text git is asked for."""
_LONGEST = 1024 * 1024


def moved_since(site: Path, commit: str) -> Mapping[str, str]:
    """Return where pages are now that had another address at the commit."""
    changed = _changed(site, commit)
    before = config.load(ask(site, "show", f"{commit}:./{CONFIG_FILE}").output)[0]
    now = config.load(_read(site / CONFIG_FILE).encode())[0]
    pairs = dict(changed)
    if place_alike(before, now):
        pairs = {old: new for old, new in pairs.items() if old != new}
    else:
        pairs = {file: file for file in _same(site, commit)} | pairs
    found: dict[str, str] = {}
    asked = 0
    for old, file in pairs.items():
        text = _read(site / file) if has_slugs(before) or has_slugs(now) else ""
        former = text
        if has_slugs(before) and old in changed and asked < _MOST_READ:
            asked += 1
            former = ask(site, "show", f"{commit}:./{old}").text
        one, other = _address(old, former, before), _address(file, text, now)
        if one and other and one != other:
            found[encoded(one)] = encoded(other)
    return found


def _address(file: str, text: str, settings: SiteConfig) -> str:
    """Return the address of a page's file or of one that is copied, with these settings; "" for any other."""
    if "/" in file and not other_fault(file):
        return f"/{paths.moved(file.removeprefix('static/'), settings.docs_at)}"
    suffix = next((each for each in PAGE_SUFFIXES if file.endswith(each)), "")
    if not suffix or file.endswith(TWIN_SUFFIX):
        return ""
    path = file.removesuffix(suffix)
    return address_of(Source(path, PAGE_SUFFIXES[suffix], text, None, "", file), settings)


def _changed(site: Path, commit: str) -> dict[str, str]:
    """Return the files that were changed or renamed since the commit, with what each is called now."""
    asked = ("diff-tree", "-r", "--name-status", "--relative", "--diff-filter=MR", "-M", "-z", commit, "HEAD")
    parts = iter(ask(site, *asked).text.split("\0"))
    found: dict[str, str] = {}
    for status in parts:
        if status:
            old = next(parts, "")
            found[old] = next(parts, "") if status.startswith("R") else old
    return found


def _same(site: Path, commit: str) -> Iterator[str]:
    """Yield the pages of the commit that are still there."""
    for file in ask(site, "ls-tree", "-r", "-z", "--name-only", commit, "docs", "pages").text.split("\0"):
        if file.endswith(tuple(PAGE_SUFFIXES)) and (site / file).is_file():
            yield file


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""


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
