"""Ends sessions whose sorts and hashes have more on the disk than their database may have there.

`temp_file_limit` is for each session alone, and many sessions of one tenant fill the disk together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg import Connection

from server.postgres.statements import Row
from server.postgres.tenant_names import PATTERN

_MAY = "select pg_catalog.has_function_privilege('pg_catalog.pg_ls_tmpdir()', 'execute')"

# Those with the smallest files stay, as many as there is room for. In steps, as in the reaper.
_SPILLED = """
with file as materialized (
    select pg_catalog.substring(name, '^pgsql_tmp([0-9]+)[.]')::int as pid, size
    from pg_catalog.pg_ls_tmpdir()
), session as materialized (
    select a.usename::text as name, a.pid, a.backend_start, sum(f.size) as bytes
    from file f join pg_catalog.pg_stat_activity a on a.pid = f.pid
    where a.usename::text ~ %(pattern)s and a.usename::text <> all (%(spare)s)
    group by a.usename, a.pid, a.backend_start
), greedy as materialized (
    select s.name, pid, backend_start, r.bytes as most,
        sum(s.bytes) over (partition by s.name order by s.bytes, pid) as total
    from session s join unnest(%(names)s::text[], %(room)s::int8[]) as r (name, bytes) on r.name = s.name
), beyond as materialized (
    select name, pid, backend_start from greedy where total > most
)
select name, pid, backend_start, 'temporary files', 0.0::float8 from beyond
where pg_catalog.pg_terminate_backend(pid)"""


def end(connection: Connection[Any], room: Mapping[str, int], spare: Sequence[str] = ()) -> Sequence[Row]:
    """Ask sessions to end until those that go on have at most so many bytes for each tenant; give them.

    Does nothing where the administrator of somebody else's server may not look at these files.
    """
    if connection.execute(_MAY).fetchone() != (True,):
        return []
    names = {"names": list(room), "room": list(room.values())}
    return connection.execute(_SPILLED, {"pattern": PATTERN, "spare": list(spare), **names}).fetchall()
