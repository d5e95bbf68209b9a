"""Counts of the requests of readers, as cheap as can be: each is one of thousands in a second.

They are numbers alone, so that they pass from the process for readers to a service, which need not ask more.
"""

from __future__ import annotations

import resource
from bisect import bisect_left

from msgspec import Struct, field

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Bounds of the times that are counted; one more count is for all longer ones."""


class ReadCounts(Struct):
    """The requests of one process: by status, and by the time until their answer began.

    `connections` are those that are open, `cpu` the seconds of processor time.
    """

    statuses: dict[int, int] = field(default_factory=dict)
    times: list[int] = field(default_factory=lambda: [0] * (len(SECONDS) + 1))
    seconds: float = 0.0
    connections: int = 0
    cpu: float = 0.0

    def note(self, status: int, seconds: float) -> None:
        """Count a request."""
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.times[bisect_left(SECONDS, seconds)] += 1
        self.seconds += seconds

    def measure(self, connections: int) -> None:
        """Take how much this process has used by now."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        self.connections = connections
        self.cpu = used.ru_utime + used.ru_stime
