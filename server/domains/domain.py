"""A domain of a site as it is known: who wants it, what was found of its records, and what that comes to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from server.control.sqlite.database import Row, record_of
from server.domains.domain_look import Routing, proof
from server.struct_types import prepare

Ownership = Literal["waiting", "missing", "wrong", "found", "failed"]
DomainState = Literal["serving", "unrouted", "failing", "taken", "half", "waiting", "wrong"]


class Domain(Struct, frozen=True):
    """A domain of a site. Times are whole seconds since 1970, UTC.

    With `verified_at` it is this account's; its record is not there for all to see since `failing_since`.
    `held` says that another account has it now. `looked_at` is the last look, `next_at` the next one.
    """

    name: str
    account: str
    site: str
    created_at: int
    verified_at: int | None
    failing_since: int | None
    ownership: Ownership
    ownership_found: str
    leads: bool
    companion: bool
    routing: Routing
    routing_found: str
    looked_at: int | None
    next_at: int
    quick_until: int
    held: bool

    @property
    def proof(self) -> str:
        """Return the value of the record that proves whose it is."""
        return proof(self.account, self.name)

    @property
    def right(self) -> int:
        """Return how many of its two records are right."""
        return int(self.ownership == "found") + int(self.routing == "right")

    @property
    def state(self) -> DomainState:
        """Return its state in one word: what readers have, or else what is in the way."""
        if self.verified_at is not None:
            if self.failing_since is not None:
                return "failing"
            return "serving" if self.routing == "right" else "unrouted"
        if self.held and self.ownership == "found":
            return "taken"
        if self.right:
            return "half"
        return "wrong" if {self.ownership, self.routing} & {"wrong", "failed"} else "waiting"


class SiteHosts(Struct, frozen=True):
    """The hosts of a site: its `main` one, "" for its own below the service's, and whether that one `leads`.

    `domains` has those that are verified, with whether readers are led from them to the main one.
    """

    main: str = ""
    leads: bool = True
    domains: Mapping[str, bool] = {}


prepare(Domain)
SELECT = """
    SELECT domain, account, site, created_at, verified_at, failing_since, ownership, ownership_found, leads,
        companion, routing, routing_found, looked_at, next_at, quick_until, verified_at IS NULL AND EXISTS
        (SELECT 1 FROM domain_claims AS other WHERE other.domain = name AND other.verified_at IS NOT NULL)
    FROM domain_claims JOIN domains ON name = domain
"""


def to_domain(row: Row) -> Domain:
    """Return the domain of a row of SELECT."""
    return record_of(Domain, row)
