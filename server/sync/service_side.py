"""The service's side: which pages it has, and those that are not as the base knows them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeVar

from msgspec import Struct

from builder.paths import DOCS
from server.authoring.structs import Category, Page
from server.sync.page_content import page_digest
from server.sync.service_client import AT_ONCE, Refusal, ServedPage, ServiceClient, SiteListing
from server.sync.side import PageState, Side, Unread

T = TypeVar("T")
Advance = Callable[[int, int], None]
"""Told how many pages are done, and of how many."""
_GONE = "PAGE_NOT_FOUND"


class ServiceSide(Struct, frozen=True):
    """The site on the service. `given` are the pages that the folder has otherwise, or lacks, by path."""

    side: Side
    given: Mapping[str, Page]


async def read_service(
    client: ServiceClient, listing: SiteListing, known: Mapping[str, PageState], here: Side, advance: Advance
) -> ServiceSide:
    """Read all pages of the list; those that are `known` are asked for only if they have changed.

    A known page that is not in the list is asked for too: it may be there, and too large to be listed.
    """
    listed = {page.path for page in listing.pages}
    wanted = sorted(listed | set(known))
    pages: dict[str, PageState] = {}
    given: dict[str, Page] = {}
    unread: dict[str, str] = {}
    done = 0

    async def read(path: str) -> None:
        nonlocal done
        state = known.get(path)
        try:
            got = await client.page(path, state.revision if state else "")
        except Refusal as refusal:
            if refusal.code != _GONE:
                unread[path] = refusal.message
        else:
            pages[path] = now = state if got is None and state is not None else state_of(got)
            if got is not None and now.content != here.content(path):
                given[path] = got.page
        done += 1
        advance(done, len(wanted))

    await in_turns(wanted, read)
    return ServiceSide(Side(pages, categories_of(listing), Unread(unread)), given)


def categories_of(listing: SiteListing) -> dict[str, Category]:
    """The records of folders; that of `docs` itself does not travel, as there is no path to set it by."""
    return {each.path: each for each in listing.site.categories if each.path != DOCS}


def state_of(got: ServedPage | None) -> PageState:
    """The state of a page that was given."""
    assert got is not None  # noqa: S101 - nothing but a page of a known revision is not given
    return PageState(page_digest(got.page), got.revision)


async def read_one(client: ServiceClient, path: str) -> ServedPage | None:
    """A page as it is now, None where there is none. Raises Refusal."""
    try:
        return await client.page(path)
    except Refusal as refusal:
        if refusal.code == _GONE:
            return None
        raise


async def in_turns(items: Iterable[T], work: Callable[[T], Awaitable[None]]) -> None:
    """Do the work on all items, a few at a time; the first failure ends the others."""
    left = iter(items)

    async def worker() -> None:
        for item in left:
            await work(item)

    tasks = [asyncio.ensure_future(worker()) for _ in range(AT_ONCE)]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
