"""Asks sessions to end that do too much, or for too long. Tenants can lift their own limits, but not these.

- A statement without an end takes a processor.
- An open transaction keeps dead rows of the whole server, and every notification since it began.
- The table of locks is one for all tenants; advisory locks, which cost nothing, fill it.
- So are the numbers of transactions: while somebody keeps old ones in use, with an open transaction or, for
  as long as its session lasts, with a temporary table, PostgreSQL cannot use them again; two thousand million
  later nobody can write any more.
- So are the numbers of groups of transactions that have locked a row together, and files that tell who is in
  which are kept for all tenants as long as one of these or a temporary table may ask for them.
- So is the queue of notifications: it keeps what one listener has not fetched, which is in a transaction, or
  whose client reads nothing. When it is full, nobody's transaction with a NOTIFY can be committed.
- `temp_file_limit` is for each session alone, and the sorts and hashes of many sessions of one tenant fill
  the disk together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct
from psycopg import Connection

from server.postgres.statements import Row
from server.postgres.tenant_names import PATTERN
from server.postgres.tenants.ending_sessions import LOOK, Session
from server.postgres.tenants.multixacts import NOW, Multixacts
from server.postgres.tenants.tenant_settings import TenantSettings

# A tenant may catch the cancellation of a statement, so the session is ended. Numbers of transactions go
# round: what is half of them away and more has begun since the look. The function `age` counts from where
# this session's transaction began, which is long ago.
_OVERDUE = """
with session as (
    select usename::text as name, pid, state, backend_start,
        extract(epoch from pg_catalog.clock_timestamp() - query_start)::float8 as statement,
        extract(epoch from pg_catalog.clock_timestamp() - state_change)::float8 as idle,
        extract(epoch from pg_catalog.clock_timestamp() - xact_start)::float8 as transaction,
        extract(epoch from pg_catalog.clock_timestamp() - backend_start)::float8 as lasts,
        (next - backend_xid::text::int8 + 4294967296) %% 4294967296 as own,
        (next - backend_xmin::text::int8 + 4294967296) %% 4294967296 as seen,
        (next - datfrozenxid::text::int8 + 4294967296) %% 4294967296 as kept,
        xact_start, pg_catalog.mxid_age(datminmxid) as groups
    from pg_catalog.pg_stat_activity left join pg_catalog.pg_database d on d.oid = datid, pg_catalog.mod(
        pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::numeric, 4294967296
    ) as next
    where usename::text ~ %(pattern)s and usename::text <> all (%(spare)s)
    and backend_type = 'client backend'
), overdue as (
    select name, pid, backend_start, 'statement' as why, statement as seconds from session
    where state in ('active', 'fastpath function call') and statement > %(statement)s
    union all
    select name, pid, backend_start, 'idle in transaction', idle from session
    where state like 'idle in transaction%%' and idle > %(idle)s
    union all
    select name, pid, backend_start, 'transaction', transaction from session
    where transaction > %(transaction)s
    union all
    select name, pid, backend_start, 'age', lasts from session
    where own between %(age)s and 2147483648 or seen between %(age)s and 2147483648
        or kept between 2 * %(age)s and 2147483648 and lasts > %(idle)s
    union all
    select name, pid, backend_start, 'groups', lasts from session
    where xact_start < %(began)s::timestamptz
        or backend_start < %(older)s::timestamptz and groups >= 2 * %(groups)s and lasts > %(idle)s
), ended as (
    select distinct on (pid) name, pid, backend_start, why, seconds from overdue order by pid, seconds desc
)
select name, pid, backend_start, why, seconds from ended where pg_catalog.pg_terminate_backend(pid)"""

# In steps: within one condition the planner ends sessions first and looks at their numbers then.
_GREEDY = """
with held as materialized (
    select a.usename::text as name, a.pid, a.backend_start, count(*) as locks,
        sum(count(*)) over (partition by a.usename) as total
    from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where a.usename::text ~ %(pattern)s and a.usename::text <> all (%(spare)s) and not l.fastpath
    group by a.usename, a.pid, a.backend_start
), greedy as materialized (
    select name, pid, backend_start from held where total > %(locks)s and locks > %(few)s
)
select name, pid, backend_start, 'locks', 0.0::float8 from greedy
where pg_catalog.pg_terminate_backend(pid)"""

# To ask for it has the server forget what all have fetched. Who cannot send for want of room does not.
_QUEUE = "select pg_catalog.pg_notification_queue_usage()"

# Which of them listens cannot be seen. A session whose client reads nothing is idle, and in a transaction.
_UNHEARD = """
select usename::text, pid, backend_start, 'notifications',
    extract(epoch from pg_catalog.clock_timestamp() - xact_start)::float8
from pg_catalog.pg_stat_activity
where usename::text ~ %(pattern)s and usename::text <> all (%(spare)s)
and backend_type = 'client backend'
and xact_start < pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => %(young)s)
order by state like 'idle%%' desc, xact_start limit 1"""
_END = "select pg_catalog.pg_terminate_backend(%s)"

_YOUNG = 1.0
"""Seconds in which a transaction cannot have kept many notifications."""
_FEW = 64
"""Locks that a session may have in any case: as many sessions as a tenant has do no harm with them."""

_NOBODY = "^$"
_AT_HAND = (
    "begin",
    "select pg_catalog.pg_has_role(current_user, 'pg_signal_backend', 'usage')",
    "select pg_catalog.pg_terminate_backend(0)",
    _QUEUE,
)


class AskedToEnd(Struct, frozen=True):
    """A session of a tenant that was asked to end, and for what; `seconds` is how long that had lasted."""

    session: Session
    why: Literal[
        "statement",
        "idle in transaction",
        "transaction",
        "locks",
        "notifications",
        "age",
        "groups",
        "temporary files",
    ]
    seconds: float

    @property
    def name(self) -> str:
        """The tenant."""
        return self.session.name

    @property
    def process(self) -> int:
        """The number of the session's process."""
        return self.session.process


def stand_by(connection: Connection[Any], settings: TenantSettings) -> None:
    """Make a session ready to look when the table of locks is full, as one tenant can fill it for all.

    What the queries need locks for is locked now, and stays so in a transaction that never ends. It keeps no
    row alive: in between it has no snapshot.
    """
    connection.execute(_AT_HAND[0])
    for statement in _AT_HAND[1:]:
        connection.execute(statement)
    for query in (_OVERDUE, _GREEDY, _UNHEARD):
        connection.execute(query, _limits(settings, ()) | {"pattern": _NOBODY})
    connection.execute(NOW)
    _end_spilled(connection, {})
    connection.execute(LOOK, {"processes": []})


def enforce(
    connection: Connection[Any],
    settings: TenantSettings,
    multixacts: Multixacts,
    spare: Sequence[str] = (),
    room: Mapping[str, int] | None = None,
) -> Sequence[AskedToEnd]:
    """Ask sessions of tenants that are over a limit to end, and give them; those of `spare` go on.

    `room` is how many bytes the temporary files of a tenant may have, where they are limited.

    The session is one that stands by, which remembers what it has seen unless it is told not to.
    """
    connection.execute("select pg_catalog.pg_stat_clear_snapshot()")
    multixacts.look(connection)
    limits = _limits(settings, spare) | {"began": multixacts.before(), "older": multixacts.before(2)}
    ended = [row for query in (_OVERDUE, _GREEDY) for row in connection.execute(query, limits).fetchall()]
    asked = (*ended, *_end_spilled(connection, room or {}, spare), *_unheard(connection, settings, limits))
    return [AskedToEnd(Session(*row[:3]), *row[3:]) for row in asked]


def _unheard(connection: Connection[Any], settings: TenantSettings, limits: dict[str, Any]) -> Sequence[Row]:
    """Ask the session to end that seems to keep the queue of notifications."""
    slow = connection.execute(_UNHEARD, limits).fetchall()
    # Asked after the look: who is ended lets go of the queue first, and is not to be seen afterwards. So an
    # innocent one is not taken for a culprit that has just gone.
    (used,) = connection.execute(_QUEUE).fetchone() or (0.0,)
    if used <= settings.most_notifications:
        return []
    return [row for row in slow if connection.execute(_END, [row[1]]).fetchone() == (True,)]


def _limits(settings: TenantSettings, spare: Sequence[str]) -> dict[str, Any]:
    return {
        "spare": list(spare),
        "pattern": PATTERN,
        "statement": settings.longest_statement_seconds,
        "idle": settings.longest_idle_seconds,
        "transaction": settings.longest_transaction_seconds,
        "locks": settings.most_locks,
        "age": settings.most_transactions,
        "groups": settings.most_multixacts,
        "began": None,
        "older": None,
        "few": _FEW,
        "young": _YOUNG,
    }


_MAY_LOOK = "select pg_catalog.has_function_privilege('pg_catalog.pg_ls_tmpdir()', 'execute')"

# Those with the smallest files stay, as many as there is room for. In steps, as above.
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


def _end_spilled(
    connection: Connection[Any], room: Mapping[str, int], spare: Sequence[str] = ()
) -> Sequence[Row]:
    """Ask sessions to end until those that go on have at most so many bytes for each tenant; give them.

    Does nothing where the administrator of somebody else's server may not look at these files.
    """
    if connection.execute(_MAY_LOOK).fetchone() != (True,):
        return []
    names = {"names": list(room), "room": list(room.values())}
    return connection.execute(_SPILLED, {"pattern": PATTERN, "spare": list(spare), **names}).fetchall()
