"""Remedies for a server that is not fit, as SQL that a superuser runs with psql."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from server.postgres.preflight import ServerFacts

HOME = "postgres"
SHARED = frozenset({HOME, "template1"})
GRANTED = 16
"""The first version where roles belong to a role."""


class Remedy(Struct, frozen=True):
    """A fault, and the statements that mend it: all of them in the database `postgres`.

    There are none where only the server's packages can be changed.
    """

    message: str
    sql: tuple[str, ...]


class Report(Struct, frozen=True):
    """The faults to mend before the server is used, and those that should be."""

    problems: tuple[Remedy, ...]
    advice: tuple[Remedy, ...]


def report(facts: ServerFacts) -> Report:
    """Report what the operator has to do for this server."""
    return Report((*_rights(facts), *_isolation(facts)), tuple(_advice(facts)))


def script(remedies: Sequence[Remedy]) -> str:
    """The statements for psql, each under what it is for."""
    # A role may be called by what ends a comment.
    blocks = ("\n".join((f"-- {' '.join(each.message.split())}", *each.sql)) for each in remedies)
    return "\n\n".join(blocks) + "\n" if remedies else ""


def _rights(facts: ServerFacts) -> Iterator[Remedy]:
    """Yield the remedies for missing rights of the administrator. A superuser may do all of it."""
    if facts.superuser:
        return
    admin = _name(facts.admin)
    if not (facts.creates_databases and facts.creates_roles):
        message = f"{admin} creates a database and a role for each tenant"
        yield Remedy(message, (f"ALTER ROLE {admin} CREATEDB CREATEROLE;",))
    if not facts.ends_sessions:
        message = f"{admin} ends the sessions of tenants that are locked"
        yield Remedy(message, _granted("pg_signal_backend", facts))
    if not facts.sees_sessions:
        message = f"{admin} sees how long a tenant's statement runs, and how large its database is"
        yield Remedy(message, _granted("pg_read_all_stats", facts))
    if facts.version // 10000 >= GRANTED and facts.foreign_tenants:
        message = f"{admin} changes roles that another role has created"
        option = f" TO {admin} WITH ADMIN TRUE, INHERIT TRUE, SET TRUE;"
        yield Remedy(message, tuple(f"GRANT {_name(each)}{option}" for each in facts.foreign_tenants))


def _isolation(facts: ServerFacts) -> Iterator[Remedy]:
    """Yield the remedies for databases that every tenant could connect to."""
    shared = [each for each in facts.open_databases if each in SHARED]
    if shared:
        keep = () if facts.superuser else (f"GRANT CONNECT ON DATABASE {HOME} TO {_name(facts.admin)};",)
        yield Remedy("tenants can connect only to their own databases", (*keep, *map(_revoked, shared)))
    if facts.prepared_transactions:
        message = "a prepared transaction of a tenant keeps its role from being locked: restart after this"
        yield Remedy(message, _changed("max_prepared_transactions", "0"))


def _advice(facts: ServerFacts) -> Iterator[Remedy]:
    others = [each for each in facts.open_databases if each not in SHARED]
    if others:
        message = "tenants can connect to these databases too; first grant CONNECT to the roles that use them"
        yield Remedy(message, tuple(map(_revoked, others)))
    if not facts.reads_verifiers:
        message = "so that a password that a tenant has changed by itself is noticed without a login"
        columns = "GRANT SELECT (rolname, rolpassword) ON pg_catalog.pg_authid"
        yield Remedy(message, (f"{columns} TO {_name(facts.admin)};",))
    if not facts.superuser and facts.version // 10000 >= GRANTED and not _takes_all(facts.self_grant):
        message = "so that the administrator may act as each tenant that it creates, without a grant for each"
        setting = "SET createrole_self_grant = 'set, inherit'"
        yield Remedy(message, (f"ALTER ROLE {_name(facts.admin)} {setting};",))
    if facts.unsettable:
        message = "so that a tenant's temporary files and log lines cannot fill the disk; for new databases"
        granted = f"GRANT SET ON PARAMETER {', '.join(facts.unsettable)} TO {_name(facts.admin)};"
        yield Remedy(message, (granted,))
    if facts.foreign_extensions:
        names = ", ".join(facts.foreign_extensions)
        yield Remedy(f"tenants can install {names}: only removing the packages of the server prevents it", ())
    if facts.harmful_functions:
        names = ", ".join(facts.harmful_functions)
        message = (
            "tenants can call functions that cannot be interrupted, or that fill the disk: "
            "in each of their databases, a superuser "
        )
        yield Remedy(f"{message}can run REVOKE EXECUTE ON FUNCTION {names} FROM PUBLIC", ())
    yield from _settings(facts)


def _settings(facts: ServerFacts) -> Iterator[Remedy]:
    """Yield the remedies for settings of the whole server."""
    if facts.trusting:
        methods = ", ".join(facts.trusting)
        message = f"pg_hba.conf has lines with `{methods}`: use scram-sha-256 there, then run this"
        yield Remedy(message, (RELOAD,))
    if facts.password_encryption != "scram-sha-256":  # noqa: S105 - the name of a method
        message = "a password that a tenant chooses by itself is kept in a weaker form"
        yield Remedy(message, _changed("password_encryption", "scram-sha-256"))
    if facts.log_statement != "none":
        message = "statements are logged, and with them passwords that tenants choose by themselves"
        yield Remedy(message, _changed("log_statement", "none"))
    if facts.temp_file_limit == "-1":
        message = "one query can fill the disk with temporary files"
        yield Remedy(message, _changed("temp_file_limit", "256MB"))
    if not (facts.tls or facts.local):
        message = "connections are not encrypted: give the server a certificate and a key first"
        yield Remedy(message, _changed("ssl", "on"))


RELOAD = "SELECT pg_reload_conf();"


def _granted(role: str, facts: ServerFacts) -> tuple[str, ...]:
    """A membership that counts without SET ROLE, which depends on the role before version 16."""
    admin = _name(facts.admin)
    if facts.version // 10000 >= GRANTED:
        return (f"GRANT {role} TO {admin} WITH INHERIT TRUE;",)
    return (f"ALTER ROLE {admin} INHERIT;", f"GRANT {role} TO {admin};")


def _takes_all(self_grant: str) -> bool:
    return {"set", "inherit"} <= {each.strip() for each in self_grant.split(",")}


def _revoked(database: str) -> str:
    return f"REVOKE CONNECT ON DATABASE {_name(database)} FROM PUBLIC;"


def _changed(setting: str, value: str) -> tuple[str, ...]:
    return (f"ALTER SYSTEM SET {setting} = '{value}';", RELOAD)


def _name(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
