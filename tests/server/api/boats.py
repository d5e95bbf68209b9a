"""Two small APIs as tables: boats and the harbours they lie in, each with keys of its own."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from server.api.describe.table import Endpoint, Example, Group, Parameter
from server.http.error_codes import ALWAYS, OF_BODY, meanings
from tests.server.api.described import Described

Name = Annotated[str, Meta(description="What it is called.")]


class Boat(Struct, frozen=True):
    """A boat."""

    name: Name


class Harbour(Struct, frozen=True):
    """A harbour."""

    name: Name


class Opening(Struct, frozen=True, forbid_unknown_fields=True):
    """A new harbour as a client asks for it."""

    name: Name = "Haven"


_OWN = {
    "BAD_KEY": "This is no key of ours.",
    "KEY_DISABLED": "The key is disabled.",
    "BODY_TOO_LARGE": "The body is too large.",
    "TOO_BUSY": "Come again.",
}
_ID = Parameter("id", "path", "The harbour.", {"type": "string", "pattern": "^[a-z]+$"}, required=True)
_TRY = Parameter("Idempotency-Key", "header", "Makes a second try harmless.", {"type": "string"})
BOATS = Group(
    name="boats",
    base="/boats",
    about="Boats.",
    meaning="All boats.",
    scheme="boat_key",
    keys="A key for boats.",
    endpoints=(Endpoint("boat", "GET", "/boat", "Read the boat", "The one boat.", Boat, headers=("ETag",)),),
    always=ALWAYS,
    meanings=meanings(_OWN),
    examples={"boat": Example(Boat("Ada"))},
    headers={"ETag": {"description": "The boat's state.", "required": True, "schema": {"type": "string"}}},
)
HARBOURS = Group(
    name="harbours",
    base="/coast",
    about="Harbours.",
    meaning="All harbours.",
    scheme="harbour_key",
    keys="A key for harbours.",
    endpoints=(
        Endpoint(
            "harbour",
            "GET",
            "/harbours/{id}",
            "Read a harbour",
            "One of them.",
            Harbour,
            ("NAME_TAKEN",),
            (_ID,),
        ),
        Endpoint(
            "close",
            "DELETE",
            "/harbours/{id}",
            "Close a harbour",
            "Not here.",
            None,
            ("DASHBOARD_ONLY",),
            (_ID,),
            successes={},
        ),
        Endpoint(
            "open",
            "POST",
            "/harbours",
            "Open a harbour",
            "A new one.",
            Harbour,
            OF_BODY,
            (_TRY,),
            body=Opening,
            body_required=False,
            successes={201: "It is there."},
            links={"harbour": {"id": "$response.body#/data/name"}},
        ),
    ),
    always=ALWAYS,
    meanings=meanings(_OWN | {"NAME_TAKEN": "It is taken.", "DASHBOARD_ONLY": "People alone may do this."}),
    examples={
        "harbour": Example(Harbour("haven"), parameters={"id": "haven"}),
        "close": Example(None, 403, {"id": "haven"}),
        "open": Example(Harbour("Haven"), 201, {"Idempotency-Key": "it's one"}),
    },
)
DESCRIBED = Described(BOATS, HARBOURS)
