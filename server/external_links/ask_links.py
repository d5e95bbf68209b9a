"""Ask for many links at once: a bounded number of hosts at a time, the links of one host in turn."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable

from yarl import URL

from server.external_links.answer import LinkAnswer
from server.external_links.asker import AskLimits, LinkAsker

HOSTS = 16
"""Hosts that are asked at a time."""

Heard = Callable[[URL, LinkAnswer], None]


def ask_links(urls: Iterable[URL], heard: Heard, limits: AskLimits, *, private: bool) -> None:
    """Ask for addresses, and call `heard` with each answer as it comes.

    Raises KeyboardInterrupt where somebody presses Ctrl+C: what was heard until then is right.
    """
    asyncio.run(_ask(urls, heard, limits, private))


async def _ask(urls: Iterable[URL], heard: Heard, limits: AskLimits, private: bool) -> None:
    by_host: dict[str, list[URL]] = defaultdict(list)
    for url in urls:
        by_host[url.host or ""].append(url)
    asker, room = LinkAsker(limits, HOSTS, private=private), asyncio.Semaphore(HOSTS)

    async def ask_host(links: list[URL]) -> None:
        async with room:
            for url in links:
                heard(url, await asker.ask(url))

    try:
        async with asyncio.TaskGroup() as tasks:
            for links in by_host.values():
                tasks.create_task(ask_host(links))
    finally:
        await asker.close()
