"""Have the databases of an account obey a suspension, from the command line: the service may run or not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from server.control.database import Database
from server.control.plans import PLANS
from server.control.sealing import open_keyring
from server.engine.errors import EngineUnavailable
from server.engine.place import Place
from server.engine.provisioning import Provisioner
from server.engine.server import Server
from server.engine.sharing import is_used
from server.host.engine import FOLDER, reached
from server.hosting import obeying, rows
from server.hosting.applying import Applier

Outcome = Literal["obeyed", "stopped", "slow"]
"""Whether the databases obey, will when their server is started, or have not after a long wait."""


SERVICE, RESTART = 2.0, 10.0
"""Seconds in which a service that leads has done it, and one that has to start its server first."""


def obey(data: Path, database: Database, account: str, dsn: str) -> Outcome:
    """Wait until they do. Where no service leads, the work is done here. Raises TwinpressError."""
    # A service that leads needs less than a second. Only where nothing moves is the server itself asked for.
    if not obeying.wait(database, account, _nothing, SERVICE):
        return "obeyed"
    server = _reached(data, database, dsn)
    if server is None and is_used(Place((data / FOLDER).resolve())):
        if not obeying.wait(database, account, _nothing, RESTART):
            return "obeyed"
        server = _reached(data, database, dsn)
    if server is None:
        return "stopped"
    try:
        with _helper(data, database, server, account) as help:
            return "slow" if obeying.wait(database, account, help) else "obeyed"
    except EngineUnavailable:
        return "stopped"


def _reached(data: Path, database: Database, dsn: str) -> Server | None:
    """The server; None where our own does not answer, which is as good as stopped."""
    try:
        return reached(data, database, dsn)
    except EngineUnavailable:
        if dsn:
            raise
        return None


@contextmanager
def _helper(data: Path, database: Database, server: Server, account: str) -> Iterator[Callable[[], None]]:
    """Does the work each time it is called, unless a service leads."""
    with closing(Provisioner(server)) as provisioner:
        lead = provisioner.lead()
        applier = Applier(database, open_keyring(database, data), provisioner, PLANS, time.time)

        def help() -> None:
            if not lead.leads():
                if not lead.try_lead():
                    return
                provisioner.fence()
            mine = [row for row in rows.every(database) if row.account == account]
            applier.lock_and_unlock(mine)

        try:
            yield help
        finally:
            lead.resign()


def _nothing() -> None:
    """It is the service that does the work."""
