"""One request to a server in another process, and its answer with the envelope."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.server.http_client import request


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with its envelope read; a body that is no JSON has none."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The envelope."""
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        """Return the data of a success."""
        assert self.json["ok"] is True, self.body
        assert self.json.keys() == {"ok", "data"}
        return self.json["data"]

    @property
    def code(self) -> str:
        """Return the code of a failure."""
        assert self.json["ok"] is False, self.body
        assert self.json.keys() == {"ok", "error", "code"}
        return str(self.json["code"])

    @property
    def codes(self) -> set[str]:
        """The codes of a PUT's diagnostics that are errors or warnings."""
        return {str(found["code"]) for found in self.data["diagnostics"] if found["level"] != "info"}


def exchange(port: int, method: str, path: str, key: str, body: object = None, **headers: str) -> Reply:
    """Ask with a key, or with "" for none; header names have `_` for `-`.

    A body that is no bytes is sent as JSON. Raises OSError when nobody answers.
    """
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json"} if data is not None else {}
    sent |= {"Authorization": f"Bearer {key}"} if key else {}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(*request(port, method, path, sent.items(), data))
