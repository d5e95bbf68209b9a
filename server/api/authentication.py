"""Let a request into an API: by its key, and by those who know the keys of that API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from aiohttp import hdrs, web
from msgspec import Struct

from server.api.describe.table import Group
from server.http.failure import Failure

R = TypeVar("R")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_SCHEME = "bearer"


class Authentication(Protocol[R]):
    """Knows the keys of one API. A key has a record of the kind R, which the handlers get."""

    @property
    def place(self) -> web.RequestKey[R]:
        """The request's key that holds the record of its API key, once it has passed."""

    def check(self, text: str) -> R:
        """The record of a good key. Raises Failure with status 401."""

    def request(self, record: R) -> AbstractContextManager[None]:
        """Count one request, which is on its way for the time of the block.

        Entering it raises Failure with `RATE_LIMITED` when there were too many, or are at this moment.
        """

    def named(self, record: R) -> str:
        """The key's name in the log, which is no secret."""


class Api(Struct, frozen=True):
    """One API of an application: its table, who may ask, and who answers.

    `handlers` has one for each operation of the group. `protocols` has, by their paths below the group's
    address, those who answer to POST in a form of their own: the document does not describe them.
    """

    group: Group
    authentication: Authentication[Any]
    handlers: Mapping[str, Handler]
    protocols: Mapping[str, Handler] = MappingProxyType({})

    def has(self, path: str) -> bool:
        """Return whether a path is below the address of this API."""
        return f"{path}/".startswith(f"{self.group.address}/")


@dataclass(frozen=True, slots=True)
class Pass:
    """A key that was let in, and that may be taken away before the request is done."""

    authentication: Authentication[Any]
    text: str = field(repr=False)

    def check(self) -> None:
        """Raise Failure with status 401 unless the key is still good. May be called in any thread.

        Wanted before anything is written, and before a secret is told: bodies and servers take their time.
        """
        self.authentication.check(self.text)


PASS = web.RequestKey("pass", Pass)
"""Where a request that was let in has its pass."""


def key_of(request: web.Request) -> str:
    """The text of the key. Raises Failure with `MISSING_KEY`, or `BAD_KEY` when there are several."""
    given = request.headers.getall(hdrs.AUTHORIZATION, [])
    if not given:
        raise Failure("MISSING_KEY", "send the header `Authorization: Bearer <KEY>`")
    scheme, _, text = given[0].strip().partition(" ")
    if scheme.lower() != _SCHEME or not text.strip():
        raise Failure("MISSING_KEY", "send the key as `Authorization: Bearer <KEY>`")
    if len(given) > 1:
        raise Failure("BAD_KEY", "send one `Authorization` header")
    return text.strip()


def opened(apis: Sequence[Api], text: str) -> tuple[Authentication[Any], Any]:
    """The first authentication that knows the key, and its record.

    Raises Failure: that of one which knows the key, if there is one, for the others' says less.
    """
    refused: list[Failure] = []
    for api in apis:
        try:
            return api.authentication, api.authentication.check(text)
        except Failure as failure:
            refused.append(failure)
    raise next((one for one in refused if one.code != "BAD_KEY"), refused[0])
