"""Sites, as far as keys need them: each has an id, and a key belongs to one of them."""

from __future__ import annotations

import time

from server.control import base62
from server.control.sqlite.database import ControlDatabase

ID_LENGTH = 16


class LocalSite:
    """The site that a database is beside. Its id is kept, until somebody says that it may be another one."""

    def __init__(self, database: ControlDatabase) -> None:
        self._database = database
        self.id = local_site(database)

    def now(self) -> str:
        """The id, looked up anew: it is another one when the database was removed meanwhile."""
        if not self._database.read("SELECT id FROM sites WHERE id = ?", (self.id,)):
            self.id = local_site(self._database)
        return self.id


def local_site(database: ControlDatabase) -> str:
    """The id of the one site that this database is beside; given once, at random, and then kept.

    The id is no address and no name: nothing that a request says can select a site.
    """
    found = database.read("SELECT id FROM sites ORDER BY created_at, id LIMIT 1")
    if found:
        return str(found[0][0])
    with database.change() as change:
        # Another process may have been quicker.
        found = change.read("SELECT id FROM sites ORDER BY created_at, id LIMIT 1")
        if found:
            return str(found[0][0])
        site = base62.random(ID_LENGTH)
        change.write("INSERT INTO sites (id, created_at) VALUES (?, ?)", (site, int(time.time())))
    return site
