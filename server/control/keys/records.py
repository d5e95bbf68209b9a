"""What is known about keys; never the keys themselves."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.control.keys.key_text import KeyKind

State = Literal["active", "disabled", "expired"]


class KeyRecord(Struct, frozen=True):
    """One key. Times are whole seconds since 1970, UTC."""

    id: str
    kind: KeyKind
    site: str
    prefix: str
    last_four: str
    label: str
    """What its owner calls it, "" when that is nothing."""
    created_at: int
    expires_at: int | None
    """The first second at which it is not valid any more; None when it lives until it is deleted."""
    last_used_at: int | None
    """When it was last used, give or take a minute; None when it never was."""
    disabled: bool
    """Whether its owner has disabled it."""
    suspended: bool = False
    """Whether the account that its site belongs to is suspended, which disables all keys of the account."""

    def state(self, now: float) -> State:
        """What the key is at the time `now`.

        A one-off key is expired before its creation too: a clock that was set back revives no key.
        """
        if self.expires_at is not None and not self.created_at <= now < self.expires_at:
            return "expired"
        return "disabled" if self.disabled or self.suspended else "active"


class ManagementKey(Struct, frozen=True):
    """A key to the databases of an account. Times are whole seconds since 1970, UTC."""

    id: str
    account: str
    last_four: str
    label: str
    """What its owner calls it, "" when that is nothing."""
    created_at: int
    rotated_at: int | None
    """When it got its present value; None when that is its first."""
    last_used_at: int | None
    """When it was last used, give or take a minute, whichever value it had then; None when it never was."""
    disabled: bool
    """Whether its owner has disabled it."""
    suspended: bool = False
    """Whether its account is suspended, which disables all keys of the account."""

    @property
    def state(self) -> Literal["active", "disabled"]:
        """What the key is. What its owner has disabled is so still when a suspension ends."""
        return "disabled" if self.disabled or self.suspended else "active"
