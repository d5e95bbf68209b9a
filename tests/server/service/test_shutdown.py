"""A stop with work under way: requests are finished, what was answered is not lost, and it is soon done."""

from __future__ import annotations

import http.client
import json
import signal
import socket
from pathlib import Path

from tests.server.service.hosting import DATABASES, Client, connect, hosting, opens
from tests.server.service.place import postmaster
from tests.time_bounds import in_time
from tests.waiting import PATIENCE, until

MOST = 10.0
"""Seconds that a supervisor may wait before it kills; a test may not be about less on a busy machine."""
BODY = b'{"name": "late"}'


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_slow_request_is_answered_an_idle_connection_ends_and_rows_stay(data: Path) -> None:
    with hosting(data) as service:
        client, port = service.client(), service.preview.port
        made = client.create("orders")
        session = connect(made["connection_uri"])
        session.execute("CREATE TABLE orders AS SELECT generate_series(1, 1000) AS id")
        idle = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        idle.request("GET", "/healthz")
        idle.getresponse().read()
        slow = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        slow.putrequest("POST", DATABASES)
        for name, text in {"Authorization": f"Bearer {client.key}", "Content-Length": str(len(BODY))}.items():
            slow.putheader(name, text)
        slow.putheader("Content-Type", "application/json")
        slow.endheaders(BODY[:5])
        until(lambda: client.list()["databases"])
        with in_time(MOST):
            service.process.send_signal(signal.SIGTERM)
            until(lambda: not listens(port))
            slow.send(BODY[5:])
            answer = slow.getresponse()
            late = json.loads(answer.read())["data"]
            service.secrets.add(late["password"])
            assert answer.status == 201
            assert idle.sock.recv(1) == b"", "nobody waits for who asks nothing"
            assert service.process.wait(PATIENCE) == 0
        assert postmaster(data) is None
        for connection in (idle, slow, session):
            connection.close()
    with hosting(data) as again:
        mine = Client(again, client.key, client.account)
        assert {each["name"] for each in mine.list()["databases"]} == {"orders", "late"}
        assert opens(mine.reveal(late["id"]), late["password"])
        with connect(made["connection_uri"]) as session:
            assert session.execute("SELECT count(*) FROM orders").fetchone() == (1000,)
