"""Refusals that come in masses are few lines in the log."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from server.http.logged_request import LoggedRequest
from server.http.request_log import UNREADABLE, RequestLog
from tests.server.commands import serving
from tests.sites import write_site
from tests.waiting import PATIENCE, until

ASKED = 60


def line(status: int, key: str = "", method: str = "GET") -> LoggedRequest:
    return LoggedRequest("id", method, "/", status, 0.0, key)


def told(*requests: LoggedRequest, lines: int, again: float = 0.05) -> list[LoggedRequest]:
    """Return what the log has of these requests, once it has so many lines."""
    log: list[LoggedRequest] = []

    async def answer() -> None:
        journal = RequestLog(log.append, again)
        for request in requests:
            journal(request)
        async with asyncio.timeout(PATIENCE):
            while len(log) < lines:
                await asyncio.sleep(0.01)

    asyncio.run(answer())
    return log


def test_of_refusals_the_first_is_told_and_then_how_many_there_were() -> None:
    log = told(*[line(503)] * 1000, lines=2)
    assert [request.status for request in log] == [503, 503]
    assert sum(1 + request.more for request in log) == 1000


def test_each_kind_is_told_for_itself() -> None:
    kinds = [line(503), line(429), line(429, "key"), line(400, method=UNREADABLE)]
    assert told(*kinds * 100, lines=4, again=PATIENCE) == kinds


def test_what_is_answered_as_usual_is_a_line_each() -> None:
    assert len(told(*[line(200), line(404), line(401), line(400)] * 10, lines=40)) == 40


def test_a_client_that_asks_too_often_is_two_lines(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"site.yml": "title: T\n", "docs/index.md": "# T\n"})
    limits = ("--address-requests", "1", "--trusted-proxy", "127.0.0.1", "--trusted-proxy", "10.0.0.0/8")
    with serving(root, "--port", "0", "--no-key", *limits) as preview:
        asked = [preview.get("/docs/", X_Forwarded_For="203.0.113.5, 10.1.1.1") for _ in range(ASKED)]
        statuses = [answer.status for answer in asked]
        assert statuses.count(200) < ASKED / 2
        assert set(statuses) == {200, 429}

        def refused() -> int:
            """Count the refusals that its lines stand for."""
            lines = [each for each in preview.lines if ": 429 in " in each]
            assert len(lines) < ASKED / 2
            return sum(1 + int(more[1]) if (more := re.search(r"(\d+) more", each)) else 1 for each in lines)

        until(lambda: refused() == statuses.count(429))
