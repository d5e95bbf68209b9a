"""A flood of sign-ins, each for another account and from elsewhere: others go on, and memory is bounded."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from threading import Event

import pytest

from server.control.sign_in.browser_sessions import BrowserSessions
from tests.bench.sign_in_flood import LONG, flood, memory, others
from tests.server.service.hosting import hosting
from tests.server.service.place import data_folder
from tests.waiting import until

OPTIONS = ("--port", "0", "--no-databases", "--trusted-proxy", "127.0.0.1")
MOST = 400
"""MiB; each password that is hashed takes some, and 2,000 at once would take gigabytes."""


@pytest.mark.slow
def test_a_flood_of_sign_ins_holds_nobody_else_up() -> None:
    with data_folder() as place, hosting(place, *OPTIONS, ready=False, forked=False) as service:
        until(service.is_ready)
        port, done = service.preview.port, Event()
        token = BrowserSessions(service.database).begin(service.account().id).token
        with ThreadPoolExecutor(1) as threads, ProcessPoolExecutor(1) as clients:
            clients.submit(time.time).result()  # the process is there
            asked = threads.submit(others, port, token, done)
            try:
                answers = clients.submit(flood, port, 2_000).result()
            finally:
                done.set()
            statuses, times = asked.result()
        most, _ = memory(service.process.pid)
    assert answers.total() == 2_000
    assert set(answers) <= {"422", "503"}, answers
    assert answers["422"] >= 2  # of those that were let in, the passwords were looked at
    assert set(statuses) == {200}
    assert statistics.median(times) < LONG
    assert most < MOST
