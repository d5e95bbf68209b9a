"""`twinpress db preflight`."""

from __future__ import annotations

import os

from builder.errors import TwinpressError
from server.cli.terminal import console
from server.postgres.external import external
from server.postgres.preflight import preflight
from server.postgres.remedies import report, script
from server.service.host_settings import DSN


def run(*, advice: bool) -> int:
    """Print what the operator has to run."""
    dsn = os.environ.get(DSN, "")
    if not dsn:
        hint = f"put the address into {DSN}; a PostgreSQL that Twinpress runs by itself needs no preparation"
        raise TwinpressError("no server is named", hint=hint)
    server = external(dsn, public_host="tenants.invalid")
    found = report(preflight(server))
    console.write(script(found.problems + (found.advice if advice else ())))
    place = server.place
    if found.problems:
        console.note(f"{place} is not prepared: its operator has to run this SQL.")
        return 1
    more = "" if advice or not found.advice else " `--advice` prints SQL that is recommended beside that."
    console.note(f"{place} is prepared.{more}")
    return 0
