"""The network between a service and its server, which a test cuts: another one may take the lead then."""

from __future__ import annotations

from threading import Event

from server.postgres.errors import EngineUnavailable
from server.postgres.server import DatabaseServer
from server.postgres.tenants.leadership import LEADS
from tests.server.hosting.world import World
from tests.waiting import until


class Network:
    """A provisioner's way to its server; nobody is reached while it is cut."""

    def __init__(self, server: DatabaseServer) -> None:
        self._server = server
        self._cut = Event()
        self.asked = 0
        """The number of times that somebody wanted to reach the server."""

    def __call__(self) -> DatabaseServer:
        """The server. Raises EngineUnavailable."""
        self.asked += 1
        if self._cut.is_set():
            raise EngineUnavailable("the network is cut")
        return self._server

    def cut(self) -> None:
        """Let no session begin. Those that are there go on."""
        self._cut.set()

    def mend(self) -> None:
        """All is as it was."""
        self._cut.clear()


def end_lead(service: World) -> None:
    """End the session with which a service process leads; it has ended when this returns."""
    with service.server.connect() as admin:
        ended = admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s",
            [f"{LEADS} {service.provisioner.service}"],
        ).fetchall()
    assert ended == [(True,)]


def usurp(former: World, network: Network, other: World) -> None:
    """Have another one take the lead, and let the former leader come back."""
    until(other.leader.is_well)
    network.cut()
    end_lead(former)
    assert not former.leader.leads()
    until(other.leader.leads)
    network.mend()
    until(former.leader.follows)
