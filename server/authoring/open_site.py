"""A site that is open: its store, its history, and those who read, write and review its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec import Struct

from builder.site import Plan
from builder.store import ContentStore
from server.api.authentication import Handler
from server.authoring.answer_cache import Recent
from server.authoring.authoring_parts import AuthoringParts, Changed
from server.authoring.reviewer import Reviewer
from server.authoring.service import PagesService
from server.authoring.site_key_limits import NO_LIMIT, ClientLimits, RoomCheck, SiteRoom
from server.authoring.site_operations import site_handlers
from server.authoring.site_view import SiteIdentity
from server.authoring.write_queue import WriteQueue
from server.control.sqlite.local_database import OUTER, STATE
from server.history import History, RecentRevisions

READERS, WRITERS, OWNERS = 4, 2, 4
"""Threads for those who have a key, and for the owner in a browser.

Writers take turns anyway: while one waits for the disk, the next one gets its page ready.
"""

PATIENCE = 2.0
"""Seconds that a request waits while others write to the site: less than it gets when the server stops."""


class OpenSite(Struct, frozen=True):
    """The site in the folder `root`, for the time that it is open; `threads` do what its owner asks for.

    `by_operation` has the handler of each operation of the API's table, and of the tools.
    """

    root: Path
    store: ContentStore
    history: History
    reviewer: Reviewer
    service: PagesService
    parts: AuthoringParts
    by_operation: Mapping[str, Handler]
    threads: Executor

    def bytes_of(self, file: str) -> bytes | None:
        """Return the bytes of a file of the site, None where there is none. Raises StorageError."""
        try:
            return self.store.read_file(file)
        except FileNotFoundError:
            return None


def _untold(_path: str) -> None:
    """For a site whose changes nobody waits for."""


@contextmanager
def open_site(
    root: Path,
    site: SiteIdentity,
    limits: ClientLimits,
    changed: Changed = _untold,
    *,
    plan: Plan | None = None,
    shared: bool = False,
    room: SiteRoom = NO_LIMIT,
    include_roots: tuple[str, ...] = (),
) -> Iterator[OpenSite]:
    """Open the site in `root`; `changed` is told of each page or folder that is changed through it.

    What is changed is kept in the site's history, whose `begin` is to be called; keys write as long as there
    is `room`. One of many sites is `shared`: it has no process before one is needed, and nobody but Twinpress
    changes its files. From `include_roots` beside the site its pages may include files. Raises StorageError
    when the folder is not there.
    """
    with (
        History(root / OUTER / STATE) as history,
        ContentStore(root, history, PATIENCE) as store,
        closing(Reviewer(root, plan, shared=shared, include_roots=include_roots)) as reviewer,
        ThreadPoolExecutor(READERS, "twinpress-reads") as readers,
        ThreadPoolExecutor(WRITERS, "twinpress-writes") as writers,
        ThreadPoolExecutor(OWNERS, "twinpress-owners") as owners,
    ):
        mark = history.mark if shared else None
        check = RoomCheck(root, history.size, room)
        service = PagesService(root, store, site, limits, reviewer, room=check, plan=plan, mark=mark)
        of_key = readers, WriteQueue(writers), Recent(root), changed
        parts = AuthoringParts(service, reviewer, limits, *of_key, store, RecentRevisions(history))
        by_operation = site_handlers(parts)
        yield OpenSite(root, store, history, reviewer, service, parts, by_operation, owners)
