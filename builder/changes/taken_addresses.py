"""Refuse a change for its addresses: of redirects that would be hidden, lost, or led elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from builder.changes.broken_links import SiteState
from builder.changes.steps_outcome import RefusedStep
from builder.config import SiteConfig
from builder.errors import PathConflict, TwinpressError
from builder.moves.owners_redirects import (
    OwnersRedirect,
    leads_elsewhere,
    owners_places,
    redirect_in_place,
    redirect_places,
    refuse_in_place_of_owners,
    refuse_owners,
)
from builder.moves.redirect_plan import own_redirects, patterns_of
from builder.site import CONFIG_FILE, Site

Authors = Mapping[str, int]
"""The number of the operation that last changed a file."""


def refuse_taken_addresses(before: SiteState, after: SiteState, authors: Authors) -> None:
    """Raise RefusedStep where a page would come to the address of a redirect."""
    config = after.site.config
    owned, places = owners_places(before.site.config), redirect_places(own_redirects(config))
    for address, file in _new_addresses(before, after) if owned or places else ():
        try:
            refuse_in_place_of_owners(owned, address)
            _refuse_in_place(config, places, address)
        except TwinpressError as refused:
            raise RefusedStep(_author(authors, file), "", refused) from refused


def hidden_by_patterns(before: SiteState, after: SiteState) -> Iterator[str]:
    """Name a page for each redirect for many that matches new ones: not all hosts show these."""
    patterns = tuple(patterns_of(after.site.config.redirects))
    found: dict[str, str] = {}
    for address, _ in _new_addresses(before, after) if patterns else ():
        for pattern in patterns:
            if pattern.match(address) is not None:
                found.setdefault(pattern.source, address)
    for old, address in found.items():
        yield f"`{old}` matches `{address}`: hosts that follow redirects first hide the page"


def refuse_lost_redirects(before: Site, now: Site, authors: Authors) -> None:
    """Raise RefusedStep where one of the owner's redirects would be gone, or would lead to this site."""
    known, own = own_redirects(before.config), own_redirects(now.config)
    lost = {
        old for old, target in known.items() if old not in own or _is_taken_over(before, target, own[old])
    }
    try:
        refuse_owners(before.config, lost)
    except OwnersRedirect as refused:
        raise RefusedStep(authors.get(CONFIG_FILE, -1), "", refused) from refused


def _is_taken_over(before: Site, target: str, now: str) -> bool:
    """Return whether a redirect to another host leads elsewhere; one to a page follows the page."""
    return target != now and leads_elsewhere(before.config, target)


def _new_addresses(before: SiteState, after: SiteState) -> Iterator[tuple[str, str]]:
    """Yield the addresses that readers have not had, and those that drafts have not, each with its file."""
    known = {address for address, _ in _read_addresses(before)}
    yield from ((address, file) for address, file in _read_addresses(after) if address not in known)
    known.update(page.url for page in before.site.drafts)
    yield from ((page.url, page.file) for page in after.site.drafts if page.url not in known)


def _read_addresses(state: SiteState) -> Iterator[tuple[str, str]]:
    """Yield the addresses of pages and of the lists that a build makes, each with its file or folder."""
    yield from ((page.url, page.file) for page in state.site.pages)
    layout = state.around.layout
    yield from ((category.url, f"{category.path}/") for category, _ in (layout.generated if layout else ()))


def _refuse_in_place(config: SiteConfig, places: Mapping[str, Sequence[str]], address: str) -> None:
    if old := redirect_in_place(config, places, address):
        message = f"a redirect leads away from here, to `{config.redirects[old]}`"
        hint = "delete the redirect in the same change, or use another name"
        raise PathConflict(message, path=old, hint=hint)


def _author(authors: Authors, file: str) -> int:
    """The number of the operation that brought a file, or the first one in a folder; -1 for none."""
    if not file.endswith("/"):
        return authors.get(file, -1)
    return min((number for name, number in authors.items() if name.startswith(file)), default=-1)
