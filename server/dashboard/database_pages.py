"""Databases: list and create them, show how they are reached, rotate and delete them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from aiohttp import web
from msgspec import Struct

from server.dashboard.bodies import SENDER
from server.dashboard.forms import FormError, form, pressed
from server.dashboard.pages import see
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.databases.database_structs import DatabaseRecord, RevealedDatabase
from server.databases.database_work import DatabaseWork
from server.hosting.idempotency import Ask
from server.http.failure import Failure

DATABASES = "/databases"
_REFUSED = frozenset({"INVALID_NAME", "NAME_TAKEN", "DATABASE_LIMIT_REACHED"})


class _New(Struct, frozen=True):
    name: str = ""


class _Rotate(Struct, frozen=True):
    end_sessions: bool = False


class _Typed(Struct, frozen=True):
    name: str = ""


async def databases(visit: Visit) -> web.StreamResponse:
    """Show all databases of the account."""
    return await _list(visit)


async def create(visit: Visit) -> web.StreamResponse:
    """Create a database, and show how it is reached."""
    try:
        given = await form(visit.request, _New)
    except FormError as error:
        return await _list(visit, errors=error.errors, given=error.given)
    try:
        made = await _work(visit).create(_ask(visit), given.name.strip() or None)
    except Failure as failure:
        if failure.code not in _REFUSED:
            raise
        return await _list(visit, errors={"name": sentence(failure)}, given={"name": given.name})
    return _shown(visit, made)


async def database(visit: Visit) -> web.StreamResponse:
    """Show one database; behind a form that reveals it, with its password, once."""
    found, shown = await _own(visit), visit.request.query.get("shown", "")
    password = visit.take(shown) if shown else None
    return visit.show(
        "database.html",
        here=DATABASES,
        database=found,
        password=password,
        reached=reached(found, password),
        connections=await _work(visit).connections(visit.who.id, found.id),
    )


async def ask_reveal(visit: Visit) -> web.StreamResponse:
    """Show the button that reveals the password."""
    return visit.show("database-reveal.html", here=DATABASES, database=await _own(visit))


async def reveal(visit: Visit) -> web.StreamResponse:
    """Reveal the password; the page that follows shows it once."""
    await pressed(visit.request)
    return _shown(visit, await _work(visit).reveal(_ask(visit), visit.request.match_info["id"]))


async def ask_rotate(visit: Visit) -> web.StreamResponse:
    """Show the form that replaces the password."""
    return visit.show("database-rotate.html", here=DATABASES, database=await _own(visit))


async def rotate(visit: Visit) -> web.StreamResponse:
    """Give the database a new password; the page that follows shows it once."""
    given, id = await form(visit.request, _Rotate), visit.request.match_info["id"]
    return _shown(visit, await _work(visit).rotate(_ask(visit), id, end_sessions=given.end_sessions))


async def ask_delete(visit: Visit) -> web.StreamResponse:
    """Show the form that deletes a database."""
    return visit.show("database-delete.html", here=DATABASES, database=await _own(visit))


async def delete(visit: Visit) -> web.StreamResponse:
    """Delete a database whose name was typed."""
    found, given = await _own(visit), await form(visit.request, _Typed)
    if given.name.strip() != found.name:
        errors = {"name": f"Type {found.name} to delete this database."}
        return visit.show("database-delete.html", 422, here=DATABASES, database=found, errors=errors)
    await _work(visit).delete(_ask(visit), found.id)
    return visit.did(DATABASES, f"{found.name} is deleted.")


_OF_NODE = {"allow": "disable", "prefer": "disable", "require": "no-verify"}
"""The `sslmode` in the words of node-postgres, which takes `prefer` and `require` for `verify-full`, and
never goes on without TLS. `prefer` is told of servers that have none."""


def reached(database: DatabaseRecord, password: str | None) -> Mapping[str, str]:
    """Return the connection strings of a database, by program; `PASSWORD` stands for a hidden one."""
    secret = "PASSWORD" if password is None else quote(password, safe="")
    host = f"[{database.host}]" if ":" in database.host else database.host
    place = f"{host}:{database.port}/{database.database}"
    uri = f"postgresql://{database.user}:{secret}@{place}?sslmode="
    of_node = _OF_NODE.get(database.sslmode, database.sslmode)
    return {
        "psql": f"psql '{uri}{database.sslmode}'",
        "psycopg": f'psycopg.connect("{uri}{database.sslmode}")',
        "Node": f'new pg.Client({{ connectionString: "{uri}{of_node}" }})',
        "JDBC": f"jdbc:postgresql://{place}?user={database.user}&password={secret}&sslmode={database.sslmode}",
    }


def _work(visit: Visit) -> DatabaseWork:
    """Raises Failure where the service runs without databases."""
    if visit.desk.databases is None:
        raise Failure("NOT_FOUND", "this service has no databases: it was started with --no-databases")
    return visit.desk.databases


def _ask(visit: Visit) -> Ask:
    """A request of this session; what its route needs is checked again when the change is written down."""
    return Ask(visit.who.id, visit.actor, check=visit.request[SENDER].check)


async def _own(visit: Visit) -> DatabaseRecord:
    """The database of the address. Raises Failure, also for those of others."""
    work, id = _work(visit), visit.request.match_info["id"]
    for row in await work.list(visit.who.id):
        if row.id == id and row.wanted == "present":
            return work.record(row)
    raise Failure("DATABASE_NOT_FOUND", "there is no such database here")


def _shown(visit: Visit, made: RevealedDatabase) -> web.Response:
    return see(f"{DATABASES}/{made.id}?shown={visit.keep(made.password)}")


async def _list(visit: Visit, **values: object) -> web.Response:
    work = visit.desk.databases
    rows = await work.list(visit.who.id) if work else ()
    return visit.show(
        "databases.html",
        422 if values.get("errors") else 200,
        here=DATABASES,
        databases=[work.record(row) for row in rows] if work else None,
        used=sum(row.wanted == "present" for row in rows),
        most=visit.desk.plans[visit.who.plan].databases,
        **values,
    )


def _of(act: str) -> str:
    return f"{DATABASES}/{{id:db_[a-z2-7]+}}{act}"


ROUTES = (
    DashboardRoute("GET", DATABASES, Need.SESSION, databases),
    DashboardRoute("POST", DATABASES, Need.SESSION, create),
    DashboardRoute("GET", _of(""), Need.SESSION, database),
    DashboardRoute("GET", _of("/reveal"), Need.STEP_UP, ask_reveal),
    DashboardRoute("POST", _of("/reveal"), Need.STEP_UP, reveal),
    DashboardRoute("GET", _of("/rotate"), Need.STEP_UP, ask_rotate),
    DashboardRoute("POST", _of("/rotate"), Need.STEP_UP, rotate),
    DashboardRoute("GET", _of("/delete"), Need.STEP_UP, ask_delete),
    DashboardRoute("POST", _of("/delete"), Need.STEP_UP, delete),
)
