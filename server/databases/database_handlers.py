"""The endpoints: parse, one call, answer."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from concurrent.futures import Executor

import msgspec
from aiohttp import web
from msgspec import Struct

from server.api.authentication import PASS, Handler
from server.api.request import body, query
from server.databases.authenticate_account import KEY
from server.databases.database_endpoints import IDEMPOTENCY_KEY, MOST
from server.databases.database_structs import CreateDatabase, DatabaseList, RotatePassword
from server.databases.database_work import DatabaseWork
from server.hosting.idempotency import Ask, Once
from server.http import envelope, request_id
from server.http.failure import Failure
from server.http.limits import BodyLimits

_NOTHING = b"{}"
_LIMITS = BodyLimits(body_bytes=16 * 1024, body_seconds=10.0)
_KEY_FORM = re.compile(str(IDEMPOTENCY_KEY.schema["pattern"]))
_CURSOR = "databases:"
_DIGITS = 18
"""More than any number has, and less than the control database can compare."""


def _page(request: web.Request) -> tuple[int, int]:
    """Return how many databases are wanted, and behind which number. Raises Failure."""
    given = query(request, "limit", "cursor")
    text = given.get("limit", str(MOST))
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= MOST):
        raise Failure("INVALID_QUERY", f"limit: expected a whole number from 1 to {MOST}")
    return int(text), _decode_cursor(given["cursor"]) if "cursor" in given else 0


def encode_cursor(number: int) -> str:
    """The cursor that stands behind the database with this number."""
    return base64.urlsafe_b64encode(f"{_CURSOR}{number}".encode()).decode().rstrip("=")


def _decode_cursor(cursor: str) -> int:
    """The number. Raises Failure for what is no cursor of ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        text = ""
    number = text.removeprefix(_CURSOR)
    if text == number or not number.isdecimal() or len(number) > _DIGITS:
        raise Failure("INVALID_QUERY", "cursor: this is no `next_cursor` of this list")
    return int(number)


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
    """The endpoints, for any account: whose it is follows from the key. Bodies are read in `readers`."""

    work: DatabaseWork
    readers: Executor

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
        # One more than wanted: whether there is a next page is known without another question.
        found = await self.work.list(request[KEY].account, limit + 1, behind)
        last = found[limit - 1] if len(found) > limit else None
        cursor = encode_cursor(last.number) if last else None
        return envelope.success(DatabaseList([self.work.record(row) for row in found[:limit]], cursor))

    async def create_database(self, request: web.Request) -> web.Response:
        """`POST /databases`."""
        query(request)
        given = await body(request, CreateDatabase, _LIMITS, self.readers, _NOTHING)
        ask = _ask(request, _idempotency_key(request, given))
        return envelope.success(await self.work.create(ask, given.name), 201)

    async def reveal_database(self, request: web.Request) -> web.Response:
        """`GET /databases/:id`."""
        query(request)
        return envelope.success(await self.work.reveal(_ask(request), request.match_info["id"]))

    async def rotate_database(self, request: web.Request) -> web.Response:
        """`POST /databases/:id/rotate`."""
        query(request)
        given = await body(request, RotatePassword, _LIMITS, self.readers, _NOTHING)
        ask, id = _ask(request, _idempotency_key(request, given)), request.match_info["id"]
        return envelope.success(await self.work.rotate(ask, id, end_sessions=given.terminate_sessions))

    async def _refuse(self, request: web.Request) -> web.Response:
        asked = f"{request.method} {request.path[:200]}"
        message = f"a management key cannot do this ({asked}): use the dashboard, or ask the operator"
        raise Failure("DASHBOARD_ONLY", message)


def _ask(request: web.Request, once: Once | None = None) -> Ask:
    key = request[KEY]
    return Ask(key.account, key.id, request[request_id.REQUEST], once, request[PASS].check)
