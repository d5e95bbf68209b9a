"""Look for functions of PostgreSQL that neither `statement_timeout` nor `pg_terminate_backend` ends.

    nice python -m tests.bench.uninterruptible [--schema public] [--like PATTERN] [--patience 3]

A server of its own, and on it an ordinary role, which calls every function of `pg_proc` that takes something
large, with a limit of one second. Who is still at it a second later is asked to end, and is listed when it
has computed for `patience` seconds more all the same. Its process is killed then, and the server started
again.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import psycopg
from msgspec import Struct

from server.postgres.errors import EngineError
from server.postgres.run.embedded import Engine
from server.postgres.run.processes import stat
from server.postgres.tenants.tenant_settings import EXTENSIONS
from tests.server.postgres.clusters import engine

LIMIT = 1.0
TICKS = os.sysconf("SC_CLK_TCK")
MOST = 36
"""Calls of one function, with different values."""
POINTS = (
    "(select '{0}' || string_agg(format('(%s,%s)', g, {1}), ',') || '{2}' from generate_series(1, 300000) g)"
)
LARGE: Mapping[str, Sequence[str]] = {
    "text": (
        "repeat('a', 4000000)",
        "'b' || repeat('a', 2000000)",
        "repeat('b', 2000000) || 'a'",
        "'NFD'",
        r"repeat(U&'\0301\0327', 400000)",
    ),
    "bytea": (
        "convert_to(repeat('a', 4000000), 'UTF8')",
        "convert_to(repeat('a', 2000000) || 'b', 'UTF8')",
        "convert_to('b' || repeat('a', 2000000), 'UTF8')",
    ),
    "varbit": ("repeat('0', 4000000)::varbit", "(repeat('0', 2000000) || '1')::varbit"),
    "int4[]": (
        "array(select generate_series(1, 400000))",
        "array(select -generate_series(1, 400000))",
        "array_fill(1, array[400000])",
    ),
    "text[]": (
        "array(select md5(g::text) from generate_series(1, 400000) g)",
        "array(select md5('-' || g) from generate_series(1, 400000) g)",
    ),
    "numeric": (
        "repeat('9', 131072)::numeric",
        "('0.' || repeat('7', 16000))::numeric",
        "('3' || repeat('1', 100000) || '.' || repeat('7', 16000))::numeric",
    ),
    "jsonb": (
        "(select jsonb_agg(g) from generate_series(1, 400000) g)",
        "(select jsonb_agg(-g) from generate_series(1, 400000) g)",
        "(select jsonb_object_agg(g, g) from generate_series(1, 300000) g)",
        "(repeat('[', 5000) || repeat(']', 5000))::jsonb",
    ),
    "hstore": (
        "(select hstore(array_agg(g::text), array_agg(g::text)) from generate_series(1, 300000) g)",
        "(select hstore(array_agg((-g)::text), array_agg(g::text)) from generate_series(1, 300000) g)",
    ),
    "ltree": ("(select string_agg('a' || g, '.') from generate_series(1, 60000) g)::ltree",),
    "citext": ("repeat('a', 4000000)::citext", "('b' || repeat('a', 2000000))::citext"),
    "tsvector": (
        "(select array_to_tsvector(array_agg(md5(g::text))) from generate_series(1, 20000) g)",
        "(select string_agg('w:' || g, ' ') from generate_series(1, 16000) g)::tsvector",
    ),
    "tsquery": (
        "(select string_agg(md5(g::text), '&') from generate_series(1, 15000) g)::tsquery",
        "(select string_agg('w', '<->') from generate_series(1, 3000) g)::tsquery",
        "(select string_agg('(a|b)', '<->') from generate_series(1, 3000) g)::tsquery",
    ),
    "path": (f"{POINTS.format('[', '0', ']')}::path", f"{POINTS.format('[', '1', ']')}::path"),
    "polygon": (f"{POINTS.format('(', '0', ')')}::polygon", f"{POINTS.format('(', 'g % 7', ')')}::polygon"),
    "int4multirange": ("(select range_agg(int4range(2*g, 2*g+1)) from generate_series(1, 500000) g)",),
    "cstring": (
        "repeat('(', 300000)",
        "repeat('!', 500000)",
        "repeat('a ', 500000)",
        "'{' || repeat('1,', 300000) || '1}'",
        "'[' || repeat('1,', 300000) || '1]'",
        "repeat('9', 500000)",
        "repeat('a & ', 300000) || 'a'",
    ),
}
PLAIN = "tsquery"
"""The type that no table can hold in large."""
SAME = {
    "json": "jsonb",
    "bit": "varbit",
    "anyarray": "int4[]",
    "anycompatiblearray": "int4[]",
    "anymultirange": "int4multirange",
    "float8[]": "int4[]",
    "int8[]": "int4[]",
    "name[]": "text[]",
    "jsonpath": "cstring",
}
SMALL: Mapping[str, Sequence[str]] = {
    "int4": ("1", "1000000000"),
    "int8": ("1", "1000000000"),
    "bool": ("true",),
    "float8": ("0.5",),
    "name": ("'UTF8'::name",),
    "anyelement": ("1",),
    "anycompatible": ("1",),
    "char": ("'a'::\"char\"",),
    "regconfig": ("'simple'::regconfig",),
    "oid": ("25::oid", "1700::oid"),
    "int2": ("1::int2",),
    "point": ("point(1, 1)",),
}
"""The values that stand beside something large."""
_FUNCTIONS = """
select p.oid::regprocedure::text, p.proname::text, p.proretset,
    array(select format_type(t, null) from unnest(p.proargtypes) with ordinality u(t, n) order by n)
from pg_proc p where p.pronamespace = %s::regnamespace and p.prokind = 'f' and p.pronargs > 0
and p.proname !~ '^(pg_|lo_|gin|gist|spg|brin|ts_stat|query_to|table_to|database_to|schema_to|cursor_to)'
and p.proname::text ~ %s
and p.proname !~ '^(bpchar|varchar|xml|array_to_string|binary_upgrade)'
order by (select count(*) from unnest(p.proargtypes) t where t::regtype::text ~ %s) desc, 1"""
_BIG = "text|bytea|bit|array|numeric|json|tsvector|tsquery|path|polygon|multirange|\\[\\]"
"""Types of which a function that has most is tried first: it compares one large thing with another."""
_SPELT = {
    "character varying": "varchar",
    "bit varying": "varbit",
    "integer[]": "int4[]",
    "integer": "int4",
    "bigint": "int8",
    "boolean": "bool",
    "double precision": "float8",
    '"char"': "char",
    "smallint": "int2",
    "character": "bpchar",
    "double precision[]": "float8[]",
    "bigint[]": "int8[]",
}


class Call(Struct, frozen=True):
    """One function with some values."""

    function: str
    sql: str


def calls(admin: psycopg.Connection[tuple[object, ...]], schema: str, like: str) -> Iterator[Call]:
    """Every function with something large, in some combinations."""
    for signature, name, _, types in admin.execute(_FUNCTIONS, [schema, like, _BIG]).fetchall():
        kinds = [_SPELT.get(each, each) for each in types]  # type: ignore[attr-defined]
        if not any(_large(kind) for kind in kinds):
            continue
        values = [_values(kind) for kind in kinds]
        if all(values):
            given_all = list(itertools.product(*values))
            random.Random(1).shuffle(given_all)
            for given in given_all[:MOST]:
                called = f'{schema}."{name}"({", ".join(given)})'
                yield Call(str(signature), f"select {called} is null")


def _large(kind: str) -> str:
    kind = SAME.get(kind, kind)
    return kind if kind in LARGE else ""


def _values(kind: str) -> Sequence[str]:
    if held := _large(kind):
        cast = f"::{kind}" if kind in SAME and not kind.startswith(("any", "bit")) else ""
        if held == PLAIN:
            return LARGE[held]
        named = f'"{held}"'
        return [f"(select v from large.{named} where n = {n}){cast}" for n in range(len(LARGE[held]))]
    return SMALL.get(kind, ())


def prepare(made: Engine) -> None:
    """The role, and a table of large values for each type."""
    with made.server.connect() as admin:
        admin.execute("create role postgres login password 'tester'")
        admin.execute("grant connect on database postgres to postgres")
        admin.execute("alter role postgres set log_min_messages = panic")
        admin.execute("create schema large")
        held = admin.execute(
            "select name from pg_available_extensions where name = any (%s)", [[*EXTENSIONS]]
        )
        for (name,) in held.fetchall():
            admin.execute(f'create extension if not exists "{name}"'.encode())
        for kind, values in LARGE.items():
            if kind == PLAIN:
                continue
            held = "text" if kind == "cstring" else kind
            admin.execute(f'create table large."{kind}" (n int, v {held} storage external)'.encode())
            for n, value in enumerate(values):
                admin.execute(f'insert into large."{kind}" select {n}, {value}'.encode())
        admin.execute("grant usage on schema large to postgres")
        admin.execute("grant select on all tables in schema large to postgres")


def tried(made: Engine, call: Call, patience: float) -> bool:
    """Make the call and return whether it had to be killed."""
    server = made.server
    with psycopg.connect(
        host=server.host, port=server.port, user="postgres", password="tester", autocommit=True
    ) as session:
        session.execute(f"set statement_timeout = {int(LIMIT * 1000)}".encode())
        done = threading.Event()

        def run() -> None:
            with suppress(psycopg.Error):
                session.execute(call.sql.encode())
            done.set()

        threading.Thread(target=run, daemon=True).start()
        if done.wait(2 * LIMIT):
            return False
        pid = session.info.backend_pid
        with server.connect() as admin:
            admin.execute("select pg_terminate_backend(%s)", [pid])
        if _hears(pid, done, patience):
            return False
        os.kill(pid, signal.SIGKILL)
        done.wait()
    revive(made)
    return True


def _hears(pid: int, done: threading.Event, patience: float) -> bool:
    """Return whether it ends before computing so many seconds more: others may use the processors, too."""
    before = stat(pid)
    while not done.wait(0.05):
        now = stat(pid)
        if before and now and now.computed - before.computed > patience * TICKS:
            return False
    return True


def revive(made: Engine) -> None:
    """Wait until the server is there again."""
    while True:
        with suppress(EngineError):
            if made.ensure():
                made.open()
                return
        time.sleep(0.05)


def main() -> None:
    """Try all of them."""
    options = argparse.ArgumentParser()
    options.add_argument("--like", default=".", help="a regular expression for names of functions")
    options.add_argument("--schema", default="pg_catalog", help="`public` has what extensions bring")
    options.add_argument("--patience", type=float, default=2.0)
    given = options.parse_args()
    with engine() as made:
        prepare(made)
        with made.server.connect() as admin:
            found = list(calls(admin, given.schema, given.like))
        print(f"{len({each.function for each in found})} functions, {len(found)} calls", flush=True)
        killed = set[str]()
        for call in found:
            if call.function in killed:
                continue
            if tried(made, call, given.patience):
                print(f"{call.function}  {call.sql}", flush=True)
                killed.add(call.function)


if __name__ == "__main__":
    main()
