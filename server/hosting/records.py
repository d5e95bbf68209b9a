"""What is known about a hosted database; its passwords are sealed."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.control.plans import PlanLimits, PlanName, Plans

Status = Literal["creating", "active", "disabled", "deleting", "error"]
Wanted = Literal["present", "absent"]

TRIES = 3
"""Failed attempts after which a database is said to be in error; it is tried on all the same."""

LOST = "whoever runs the service can recreate it, and restore a dump"
"""What is said of one that somebody else has removed."""


class Hosted(Struct, frozen=True):
    """A row of `databases`, with what its account says. Times are whole seconds since 1970, UTC."""

    id: str
    account: str
    number: int
    name: str
    wanted: Wanted
    generation: int
    applied: int
    made_from: int
    lost: bool
    obeyed_suspensions: int
    password: str | None
    next_password: str | None
    end_sessions: bool
    connection_limit: int | None
    size_bytes: int | None
    full: bool
    shut_until: int | None
    shuts: int
    shut_size: int | None
    shut_why: Literal["storage", "session", "settings"] | None
    forced: int
    forced_at: int | None
    attempts: int
    next_attempt_at: int
    last_error: str | None
    created_at: int
    updated_at: int
    password_rotated_at: int | None
    plan: PlanName
    suspended: bool
    suspensions: int

    @property
    def status(self) -> Status:
        """What it is to its owner. An account's suspension counts before the server obeys it."""
        if self.wanted == "absent":
            return "deleting"
        if self.suspended:
            return "disabled"
        failing = self.attempts >= TRIES or (self.last_error and self.is_there)
        if self.lost or failing or self.shut_until is not None:
            return "error"
        return "active" if self.is_there else "creating"

    @property
    def is_there(self) -> bool:
        """Whether it has been made on the server."""
        return self.applied >= self.made_from

    @property
    def is_in_use(self) -> bool:
        """Whether somebody may be connected to it, and shall be able to."""
        return self.is_there and self.wanted == "present"

    @property
    def is_locked(self) -> bool:
        """Whether nobody may log in: its account is suspended, or it is shut."""
        return self.suspended or self.shut_until is not None

    @property
    def is_late(self) -> bool:
        """Whether the server has yet to lock or unlock it, as its account and its size ask for."""
        return self.obeyed_suspensions != self.suspensions

    def limits(self, plans: Plans) -> PlanLimits:
        """What it may have now."""
        return plans[self.plan]

    def is_settled(self, plans: Plans) -> bool:
        """Whether the server has all that is wanted; sizes apart, which are looked at regularly."""
        return (
            self.applied == self.generation
            and not self.is_late
            and (self.is_locked or self.connection_limit == self.limits(plans).connections)
        )
