"""One request over HTTP, on a connection of its own: what all clients of tests ask with.

Only tests of what stands on the wire write to a socket themselves.
"""

from __future__ import annotations

import http.client
from collections.abc import Iterable

from tests.waiting import PATIENCE

WITH_BODY = {"PATCH", "POST", "PUT"}


def request(
    port: int,
    method: str,
    path: str,
    headers: Iterable[tuple[str, str | bytes]] = (),
    body: bytes | None = None,
    *,
    source: str = "",
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers by their names in small letters, and body of the answer; the path is sent as it is.

    With `source` the client has this address, of those that this machine has. A header may be sent several
    times. Raises OSError or HTTPException when nobody answers.
    """
    sent = list(headers)
    if body is not None or method in WITH_BODY:
        sent.append(("Content-Length", str(len(body or b""))))
    own = (source, 0) if source else None
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=own)
    try:
        given = {name for name, _ in sent}
        connection.putrequest(
            method, path, skip_host="Host" in given, skip_accept_encoding="Accept-Encoding" in given
        )
        for name, value in sent:
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()
