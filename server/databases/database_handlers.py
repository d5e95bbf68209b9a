"""The endpoints: parse, one call, answer."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import TypeVar

import msgspec
from aiohttp import web
from msgspec import Struct

from builder.errors import TwinpressError
from server.api.authentication import PASS, Handler
from server.api.request import body, query
from server.control.plans import Plans
from server.databases import database_answers, list_cursor
from server.databases.account_slots import Shares
from server.databases.authenticate_account import KEY
from server.databases.database_answers import away, crowded, of_error
from server.databases.database_endpoints import IDEMPOTENCY_KEY, MOST
from server.databases.database_structs import CreateDatabase, DatabaseList, RotatePassword
from server.hosting.hosting_service import Databases, Revealed
from server.hosting.idempotency import Ask, Once
from server.http import envelope, request_id
from server.http.failure import Failure
from server.http.limits import BodyLimits
from server.postgres.server import DatabaseServer

T = TypeVar("T")

PATIENCE = 20.0
"""Seconds that a request waits for the database server: more than the service does, where it can tell why."""
_NOTHING = b"{}"
_LIMITS = BodyLimits(body_bytes=16 * 1024, body_seconds=10.0)
_KEY_FORM = re.compile(str(IDEMPOTENCY_KEY.schema["pattern"]))


def _page(request: web.Request) -> tuple[int, int]:
    """How many databases are wanted, and behind which number. Raises Failure."""
    given = query(request, "limit", "cursor")
    text = given.get("limit", str(MOST))
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= MOST):
        raise Failure("INVALID_QUERY", f"limit: expected a whole number from 1 to {MOST}")
    return int(text), list_cursor.decode(given["cursor"]) if "cursor" in given else 0


def _idempotency_key(request: web.Request, body: Struct) -> Once | None:
    """The `Idempotency-Key`, with a digest of the request. Raises Failure."""
    given = request.headers.getall(IDEMPOTENCY_KEY.name, [])
    if not given:
        return None
    if len(given) > 1 or not _KEY_FORM.fullmatch(given[0]):
        raise Failure(
            "BAD_REQUEST", f"{IDEMPOTENCY_KEY.name}: expected one text of 1 to 255 visible ASCII characters"
        )
    said = msgspec.json.encode([request.method, request.path, body])
    return Once(given[0], hashlib.sha256(said).hexdigest())


class DatabaseHandlers(Struct, frozen=True):
    """The endpoints, for any account: whose it is follows from the key.

    `server` gives the database server as it is now. What waits for it is done in the threads of `shares`,
    and the rest in `quick`, so that it goes on when the server stands still.
    """

    hosting: Databases
    server: Callable[[], DatabaseServer]
    plans: Plans
    shares: Shares
    quick: Executor

    def by_operation(self) -> Mapping[str, Handler]:
        """The handler of each operation of the table."""
        return {
            "databases": self.databases,
            "create_database": self.create_database,
            "reveal_database": self.reveal_database,
            "rotate_database": self.rotate_database,
            "delete_database": self._refuse,
            "list_keys": self._refuse,
            "create_key": self._refuse,
            "delete_key": self._refuse,
            "rotate_key": self._refuse,
            "disable_key": self._refuse,
            "enable_key": self._refuse,
        }

    async def databases(self, request: web.Request) -> web.Response:
        """`GET /databases`."""
        limit, behind = _page(request)
        account = request[KEY].account
        # One more than wanted: whether there is a next page is known without another question.
        loop = asyncio.get_running_loop()
        listing = loop.run_in_executor(self.quick, self.hosting.list, account, limit + 1, behind)
        found = await _until(loop.time() + PATIENCE, listing)
        records = [database_answers.record(row, self.server(), self.plans) for row in found[:limit]]
        last = found[limit - 1] if len(found) > limit else None
        cursor = list_cursor.encode(last.number) if last else None
        return envelope.success(DatabaseList(records, cursor))

    async def create_database(self, request: web.Request) -> web.Response:
        """`POST /databases`."""
        query(request)
        asked = await body(request, CreateDatabase, _LIMITS, self.quick, _NOTHING)
        ask = _ask(request, _idempotency_key(request, asked))
        return await self._revealed(ask, partial(self.hosting.create, ask, asked.name), 201)

    async def reveal_database(self, request: web.Request) -> web.Response:
        """`GET /databases/:id`."""
        query(request)
        ask, id = _ask(request), request.match_info["id"]
        return await self._revealed(ask, partial(self.hosting.reveal, ask, id), 200)

    async def rotate_database(self, request: web.Request) -> web.Response:
        """`POST /databases/:id/rotate`."""
        query(request)
        asked = await body(request, RotatePassword, _LIMITS, self.quick, _NOTHING)
        ask, id = _ask(request, _idempotency_key(request, asked)), request.match_info["id"]
        rotate = partial(self.hosting.rotate, ask, id, end_sessions=asked.terminate_sessions)
        return await self._revealed(ask, rotate, 200)

    async def _refuse(self, request: web.Request) -> web.Response:
        asked = f"{request.method} {request.path[:200]}"
        message = f"a management key cannot do this ({asked}): use the dashboard, or ask the operator"
        raise Failure("DASHBOARD_ONLY", message)

    async def _revealed(self, ask: Ask, work: Callable[[], Revealed], status: int) -> web.Response:
        end = asyncio.get_running_loop().time() + PATIENCE
        try:
            async with asyncio.timeout_at(end):
                doing = await self.shares.begin(ask.account, work)
        except TimeoutError:
            raise crowded() from None
        found = await _until(end, doing)
        return envelope.success(database_answers.revealed(found, self.server(), self.plans), status)


async def _until(end: float, doing: Awaitable[T]) -> T:
    """What a thread gives, in which it goes on when it takes too long to be waited for."""
    try:
        async with asyncio.timeout_at(end):
            return await doing
    except TimeoutError:
        # The server may stand still without refusing anything.
        raise away() from None
    except TwinpressError as error:
        failure = of_error(error)
        if failure is None:
            raise
        raise failure from error


def _ask(request: web.Request, once: Once | None = None) -> Ask:
    key = request[KEY]
    return Ask(key.account, key.id, request[request_id.REQUEST], once, request[PASS].check)
