"""The command `twinpress`, telling how long its event loop was blocked.

    python -m tests.bench.watched FILE serve ...

Each time between two looks at the sockets that is longer than SHORT becomes a line in FILE: when it ended,
by the clock that all processes share (`time.monotonic`), and its seconds.
"""

from __future__ import annotations

import selectors
import sys
import time
from typing import TextIO

SHORT = 0.005
"""Seconds."""


def watch(log: TextIO) -> None:
    """Have every event loop that is made from now on tell `log`."""

    class Watched(selectors.DefaultSelector):  # type: ignore[misc]
        """Knows when it was left and when it is entered again."""

        left = time.monotonic()

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            now = time.monotonic()
            if now - self.left > SHORT:
                log.write(f"{now} {now - self.left}\n")
            found = super().select(timeout)
            self.left = time.monotonic()
            return found

    selectors.DefaultSelector = Watched  # type: ignore[misc]


if __name__ == "__main__":
    watch(open(sys.argv.pop(1), "a", buffering=1))  # noqa: SIM115, PTH123 - for as long as the process lives
    from server.cli.main import main

    sys.exit(main())
