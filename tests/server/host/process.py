"""`twinpress host` as a process of its own, to be killed and started again."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.server.commands import COMMAND, environment
from tests.server.engine.clusters import free_port

PATIENCE = 60.0


@dataclass(slots=True)
class Host:
    """The service on a data folder, at one port, whether it runs or not."""

    data: Path
    port: int = field(default_factory=free_port)
    arguments: tuple[str, ...] = ("--requests", "0")
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """What it says."""
        return self.data.with_name(f"{self.data.name}.log")

    @property
    def postmaster(self) -> int:
        """The process of PostgreSQL that was started last."""
        return int((self.data / "postgres/data/postmaster.pid").read_text().splitlines()[0])

    def start(self) -> float:
        """Start it; gives the seconds until it is ready."""
        began = time.monotonic()
        with self.log.open("ab") as log:
            command = [COMMAND, "host", "--data", self.data, "--port", str(self.port), *self.arguments]
            self.process = subprocess.Popen(command, env=environment(), stdout=log, stderr=log)
        while not self.is_ready():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < began + PATIENCE, self.log.read_text()
            time.sleep(0.02)
        return time.monotonic() - began

    def is_ready(self) -> bool:
        """What `/healthz` says."""
        try:
            return self.ask("GET", "/healthz", "")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def ask(
        self, method: str, path: str, key: str, body: object = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        """One request; gives status and envelope. Raises OSError when nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent |= {"Authorization": f"Bearer {key}"} if key else {}
        data = None if body is None else json.dumps(body)
        sent |= {"Content-Type": "application/json"} if data is not None else {}
        try:
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def kill(self, *, with_postgres: bool = False) -> None:
        """SIGKILL, also to PostgreSQL."""
        assert self.process
        if with_postgres:
            os.kill(self.postmaster, signal.SIGKILL)
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> int:
        """SIGINT; gives the exit code."""
        assert self.process
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)
