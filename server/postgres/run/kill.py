"""End sessions by force: their processes are killed, and with them ends the whole server.

PostgreSQL gives itself up when one of its processes is killed, as that may have left the common memory in
disorder. It reads its journal at the next start, and has all that was committed.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress

from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from server.postgres.run.stat import stat
from server.postgres.run.stubborn import Computing


def kill(place: ServerFiles, sessions: Iterable[Computing]) -> list[Computing]:
    """Kill the processes of these sessions that are still what they were, and give those.

    The caller has found them on the server of this place in the same moment, and keeps everybody else from
    starting one. Each process is looked at once more right before: it must be the server's child, and
    the one that was seen, as another may have got its number.
    """
    server = running(place)
    if server is None:
        return []
    return [each for each in sessions if _killed(each, server.pid)]


def _killed(session: Computing, server: int) -> bool:
    pid = session.asked.session.process
    now = stat(pid)
    if now is None or (now.parent, now.began) != (server, session.began):
        return False
    with suppress(ProcessLookupError):
        # The server's user is ours, or we are root: so this is always allowed.
        os.kill(pid, signal.SIGKILL)
        return True
    return False
