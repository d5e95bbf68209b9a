"""The installation of Twinpress that a server belongs to: the template's comment says it.

Names and locks know no second installation. Two on one server would each report the other's databases as
nobody's, remove the other's template, and only one of them would ever be obeyed.
"""

from __future__ import annotations

from typing import Any

from psycopg import Connection

from server.postgres.errors import EngineRefused
from server.postgres.server import DatabaseServer
from server.postgres.statements import statement

TEMPLATES = "twinpress_template_"
"""What names of templates begin with."""
_MARK = "twinpress: "
_COMMENTS = """
select datname::text, pg_catalog.shobj_description(oid, 'pg_database')
from pg_catalog.pg_database where starts_with(datname::text, %s)"""


def check_owner(connection: Connection[Any], server: DatabaseServer, owner: str) -> None:
    """Raise EngineRefused when the server belongs to another installation than `owner`."""
    for name, comment in connection.execute(_COMMENTS, [TEMPLATES]).fetchall():
        if comment is not None and comment.startswith(_MARK) and comment != _MARK + owner:
            raise EngineRefused(
                "the PostgreSQL server belongs to another data folder of Twinpress",
                path=server.place,
                hint="use a server of its own for each; if that folder is gone for good, "
                f"run COMMENT ON DATABASE {name} IS NULL there as `{server.user}`",
            )


def claim(connection: Connection[Any], name: str, owner: str) -> None:
    """Have the server belong to an installation, from its template of this name on."""
    connection.execute(statement("comment on database {} is {mark}", name, mark=_MARK + owner))
