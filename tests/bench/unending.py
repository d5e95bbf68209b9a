"""Hosted databases beside an account whose sessions never end: what neighbours notice, and when it is over.

    python -m tests.bench.unending [--sessions 30] [--leave]

One `twinpress host` with its own PostgreSQL. Five neighbours create, rotate, suspend and drop all the time;
a free account runs statements that PostgreSQL cannot interrupt, in three databases, and is suspended after
five seconds. With `--leave` nobody suspends it: it ends as others drop databases.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import closing
from pathlib import Path

from server.control.sqlite.data_folder import open_data
from server.control.sqlite.database import ControlDatabase
from tests.bench.databases import told
from tests.server.service.neighbours import attacked
from tests.server.service.process import Host


def main() -> None:
    """Measure it."""
    options = argparse.ArgumentParser()
    options.add_argument("--sessions", type=int, default=30)
    options.add_argument("--leave", action="store_true", help="suspend nobody")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="tp-bench-") as folder:
        Path(folder).chmod(0o755)
        host = Host(Path(folder) / "data")
        host.start()
        try:
            with closing(open_data(host.data)) as database:
                measure(host, database, given.sessions, suspends=not given.leave)
        finally:
            host.stop()


def measure(host: Host, database: ControlDatabase, count: int, *, suspends: bool) -> None:
    """One attack, and what is to be told of it."""
    attack = attacked(host, database, count, suspends=suspends)
    print(f"{count} sessions gone after {attack.gone:.1f} s, all obey after {attack.obeyed:.1f} s")
    for what, seconds in attack.before.items():
        told(f"{what}, before", seconds)
    for what, seconds in attack.after.items():
        told(f"{what}, from the attack on", seconds)


if __name__ == "__main__":
    main()
