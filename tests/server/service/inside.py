"""The service without databases, run by the test's own process in a thread, as `twinpress host` runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from msgspec import Struct, field

from server.http.logged_request import LoggedRequest
from server.service import run as running
from server.service.host_settings import HostSettings
from server.service.wiring import Service, service
from tests.server.commands import Answer
from tests.server.http_client import request
from tests.waiting import PATIENCE, until


class Audience(Struct):
    """The record of what the service has said."""

    first: str = ""
    ports: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    requests: list[LoggedRequest] = field(default_factory=list)
    is_started: bool = False

    def dashboard(self, address: str, *, creates: bool) -> None:
        self.first = address

    def listening(self, what: str, host: str, port: int) -> None:
        self.ports[what] = port

    def started(self) -> None:
        self.is_started = True

    def fault(self, text: str) -> None:
        self.faults.append(text)

    def access(self, request: LoggedRequest) -> None:
        self.requests.append(request)


class Inside(Struct):
    """A service that runs."""

    made: Service
    heard: Audience
    port: int

    def ask(self, path: str, method: str = "GET", port: int = 0, **headers: str) -> Answer:
        """One request; header names with `_` for `-`."""
        given = [(name.replace("_", "-"), text) for name, text in headers.items()]
        return Answer(*request(port or self.port, method, path, given))


@contextmanager
def inside(data: Path, *, may_tell: str = "", **settings: Any) -> Iterator[Inside]:
    """A service on a data folder. At the end it may have told no fault without the words `may_tell`."""
    chosen = HostSettings(data=data, port=0, databases=False, sites_process="inside", **settings)
    ports = running._free_ports(chosen)
    chosen = running.replace(chosen, port=ports[running.SERVICE], sites_port=ports[running.SITES])
    heard, loop = Audience(), asyncio.new_event_loop()
    over = loop.create_future()
    with service(chosen, heard.fault) as made:
        serving = running.serve(made, chosen, heard, over)
        thread = Thread(target=loop.run_until_complete, args=(serving,))
        thread.start()
        try:
            until(lambda: "service" in heard.ports or not thread.is_alive())
            yield Inside(made, heard, heard.ports["service"])
        finally:
            loop.call_soon_threadsafe(over.set_result, None)
            thread.join(PATIENCE)
            loop.close()
    assert [each for each in heard.faults if not may_tell or may_tell not in each] == []
