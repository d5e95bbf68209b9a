"""An answer of an API, read from the bytes of a connection."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer as it came; status 0 for none."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def envelope(self) -> dict[str, object]:
        """The body, which must be an envelope with the headers that each has."""
        value = json.loads(self.body)
        expected = {"ok", "data"} if value["ok"] else {"ok", "error", "code"}
        assert value.keys() == expected
        assert value["ok"] is (self.status < 400)
        assert self.headers["content-type"].startswith("application/json")
        assert self.headers["cache-control"] == "no-store"
        assert self.headers["x-request-id"]
        return dict(value)

    @property
    def code(self) -> str:
        """The failure's code, `ok` for a success."""
        return "ok" if self.envelope["ok"] else str(self.envelope["code"])


def read(connection: socket.socket, *, bodiless: bool = False) -> Raw:
    """The next answer of a connection; one to HEAD tells a length, but has no body."""
    with connection.makefile("rb") as stream:
        first = stream.readline().decode("latin-1").split(" ")
        if len(first) < 2:
            return Raw(0, {}, b"")
        pairs = (line.decode("latin-1").partition(":") for line in iter(stream.readline, b"\r\n"))
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        status = int(first[1])
        size = 0 if bodiless or status < 200 else int(headers.get("content-length", 0))
        return Raw(status, headers, stream.read(size))
