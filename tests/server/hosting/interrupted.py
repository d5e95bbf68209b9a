"""A process that is held up between telling the server and noting that it obeys: others go on meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from server.hosting.apply import Applier
from server.postgres.server import DatabaseServer
from server.postgres.tenants.provisioning import Provisioner
from tests.server.hosting.world import World


class Interrupted(Provisioner):
    """A real one. Behind its first change, whether the server made or refused it, `meanwhile` happens."""

    def __init__(
        self, server: DatabaseServer, meanwhile: Callable[[], object], *, needs_lead: bool = True
    ) -> None:
        super().__init__(server, needs_lead=needs_lead)
        self._left = [meanwhile]

    def create(self, name: str, verifier: str, connections: int, *, login: bool = True) -> None:
        """A new database."""
        try:
            super().create(name, verifier, connections, login=login)
        finally:
            self._interrupt()

    def set_password(self, name: str, verifier: str, *, end_sessions: bool = False) -> None:
        """A rotation."""
        try:
            super().set_password(name, verifier, end_sessions=end_sessions)
        finally:
            self._interrupt()

    def lock(self, names: Sequence[str]) -> None:
        """A suspension."""
        try:
            super().lock(names)
        finally:
            self._interrupt()

    def _interrupt(self) -> None:
        if self._left:
            self._left.pop()()


@contextmanager
def interrupted(service: World, meanwhile: Callable[[], object] = lambda: None) -> Iterator[Applier]:
    """Make an applier as another process on the same data has it, which asks nobody whether it leads."""
    with closing(Interrupted(service.server, meanwhile, needs_lead=False)) as provisioner:
        own = service.applier
        yield Applier(own.control, own.keyring, provisioner, own.plans, own.clock)
