"""The limits of an account, by its plan. The numbers of keys are the specification's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

PlanName = Literal["free", "premium"]
MIB = 1024 * 1024


class PlanLimits(Struct, frozen=True):
    """The most of each kind. `storage_bytes` is of one database, `connections` of one too.

    `history_bytes` is of the changes of one site, as they are on the disk: keys write no more then.
    """

    sites: int
    active_keys: int
    databases: int
    connections: int
    storage_bytes: int
    history_bytes: int = 2 * 1024 * MIB


Plans = Mapping[PlanName, PlanLimits]


def connections_of(plans: Plans) -> dict[str, int]:
    """The connections that a database may have, by the name of its owner's plan."""
    return {name: limits.connections for name, limits in plans.items()}


PLANS: Plans = {
    "free": PlanLimits(sites=5, active_keys=2, databases=3, connections=10, storage_bytes=512 * MIB),
    "premium": PlanLimits(
        sites=500,
        active_keys=10,
        databases=50,
        connections=50,
        storage_bytes=10 * 1024 * MIB,
        history_bytes=20 * 1024 * MIB,
    ),
}
