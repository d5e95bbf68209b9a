"""Read a form into a typed struct, as bodies of the APIs are; errors stand beside their fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, get_type_hints
from urllib.parse import parse_qsl

import msgspec
from aiohttp import web

from server.dashboard.bodies import whole_body
from server.http.limits import BodyLimits

LIMITS = BodyLimits(body_bytes=64 * 1024)
"""Of forms, but for those with a page."""
MOST_FIELDS = 100
T = TypeVar("T", bound=msgspec.Struct)


class FormError(Exception):
    """The form cannot be taken: `errors` says why, by field; "" is the form as a whole.

    `given` is what was typed, so that nothing of it is lost.
    """

    def __init__(self, errors: Mapping[str, str], given: Mapping[str, str] | None = None) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors
        self.given = given or {}


async def form(request: web.Request, kind: type[T], limits: BodyLimits = LIMITS) -> T:
    """Return the form that a request has sent. Raises FormError, and Failure for a body that is none.

    A field of the struct that is `bool` is a box: ticked when it is sent. Fields that the struct does not
    have are refused: a form of ours sends none.
    """
    given = await _fields(request, limits)
    known = _fields_of(kind)
    if unknown := sorted(given.keys() - known.keys()):
        raise FormError({"": f"there is no field `{unknown[0][:80]}` here"}, given)
    ticks = {name: name in given for name, hint in known.items() if hint is bool}
    try:
        return msgspec.convert({**given, **ticks}, kind, strict=False)
    except msgspec.ValidationError as error:
        raise FormError(_said(str(error)), given) from None


@cache
def _fields_of(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The types of a form's fields, by their names: to find them out takes longer than to read the form."""
    return get_type_hints(kind)


class _Nothing(msgspec.Struct, frozen=True):
    """A form with a button alone."""


async def pressed(request: web.Request) -> None:
    """Take a form with a button alone. Raises FormError when it has fields."""
    await form(request, _Nothing)


async def _fields(request: web.Request, limits: BodyLimits) -> dict[str, str]:
    if request.content_type != "application/x-www-form-urlencoded":
        raise FormError({"": "this is no form of this page"})
    data = await whole_body(request, limits)
    try:
        # Whatever charset the request names: browsers send ours in UTF-8.
        found = parse_qsl(data.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise FormError({"": "this is no form of this page"}) from None
    fields = dict(found)
    if len(fields) != len(found):
        raise FormError({"": "a field is sent twice"})
    return fields


def _said(message: str) -> Mapping[str, str]:
    """Return what is wrong by field: `Expected ... - at `$.name`` is how msgspec says it."""
    what, _, place = message.partition(" - at `$.")
    if field := place.rstrip("`"):
        return {field: f"{what[0].upper()}{what[1:]}."}
    name = message.partition("`")[2].partition("`")[0]
    return {
        name if "missing" in message else "": "This is needed." if "missing" in message else f"{message}."
    }
