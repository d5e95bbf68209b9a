from __future__ import annotations

from server.control import Database
from server.hosting import orphans
from tests.server.cli.admin.operator import Run


def test_what_belongs_to_nobody_is_told_with_the_time_when_it_was_first_seen(
    run: Run, database: Database
) -> None:
    orphans.keep(database, ["db_aaaaaaaaaaaaaaaa"], 1_700_000_000)
    done = run("database", "list", TZ="UTC")
    said = "belongs to no account, as was first seen 2023-11-14 22:13; it is left alone"
    assert (done.stdout, done.stderr) == ("", f"db_aaaaaaaaaaaaaaaa is on the server and {said}.\n")
