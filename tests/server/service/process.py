"""`twinpress host` as a process of its own, to be killed and started again."""

from __future__ import annotations

import http.client
import os
import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.ports import free_port
from tests.server.api.exchange import exchange
from tests.server.commands import COMMAND, Preview, running
from tests.waiting import PATIENCE, until


@dataclass(slots=True)
class Host:
    """The service on a data folder, at one port, whether it runs or not."""

    data: Path
    port: int = field(default_factory=free_port)
    arguments: tuple[str, ...] = ("--requests", "0")
    preview: Preview | None = None
    runs: ExitStack = field(default_factory=ExitStack)

    @property
    def postmaster(self) -> int:
        """The process of PostgreSQL that was started last."""
        return int((self.data / "postgres/data/postmaster.pid").read_text().splitlines()[0])

    def start(self) -> float:
        """Start it; gives the seconds until it is ready."""
        began = time.monotonic()
        command = [COMMAND, "host", "--data", self.data, "--port", str(self.port), "--sites-port", "0"]
        self.preview = self.runs.enter_context(running([*command, *self.arguments]))
        until(self.is_ready)
        return time.monotonic() - began

    def is_ready(self) -> bool:
        """Ask `/healthz` whether the service is ready."""
        try:
            return self.ask("GET", "/healthz", "")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def ask(
        self, method: str, path: str, key: str, body: object = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        """One request; gives status and envelope. Raises OSError when nobody answers."""
        reply = exchange(self.port, method, path, key, body, **headers)
        return reply.status, reply.json

    def kill(self, *, with_postgres: bool = False) -> None:
        """SIGKILL, also to PostgreSQL."""
        assert self.preview
        if with_postgres:
            os.kill(self.postmaster, signal.SIGKILL)
        self.preview.process.kill()
        self.preview.process.wait(PATIENCE)
        self.runs.close()

    def stop(self) -> int:
        """SIGINT; gives the exit code."""
        assert self.preview
        code = self.preview.stop()
        self.runs.close()
        return code
