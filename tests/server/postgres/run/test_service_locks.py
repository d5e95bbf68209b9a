"""Several services on one folder share one server, and two servers never share one folder."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.postgres.errors import EngineError
from server.postgres.run.embedded import Engine
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from server.postgres.run.service_locks import claimed
from tests.ports import free_port
from tests.server.postgres.clusters import quick, server_in
from tests.server.postgres.starter import end, said, service
from tests.server.postgres.watching import gone, pid_of
from tests.waiting import PATIENCE, until


def test_services_on_one_folder_share_one_server_and_the_last_one_stops_it(folder: Path) -> None:
    port = free_port()
    with service(folder, port) as first, service(folder, port) as second, service(folder, port) as third:
        pids = {said(each)["pid"] for each in (first, second, third)}
        assert len(pids) == 1
        pid = pids.pop()
        for each in (second, first):
            end(each)
            assert not gone(pid)
            assert pid_of(folder) == pid
        end(third)
    assert gone(pid)


def test_two_services_do_not_both_start_a_server_that_was_killed(folder: Path) -> None:
    settings = quick()
    with server_in(folder, settings) as first, server_in(folder, settings) as second:
        for _ in range(3):
            os.kill(pid_of(folder), signal.SIGKILL)
            until(lambda: running(ServerFiles(folder)) is None)
            with ThreadPoolExecutor() as pool:
                started = pool.map(Engine.ensure, (first, second))
            assert sorted(started) == [False, True]


def test_a_second_service_cannot_have_the_server_on_another_port(folder: Path) -> None:
    port, other = free_port(), free_port()
    with service(folder, port) as first:
        pid = said(first)["pid"]
        with service(folder, other) as second:
            assert f"runs the server on port {port}, not {other}" in said(second)["error"]
        assert pid_of(folder) == pid
        end(first)


def test_what_runs_on_one_folder_is_not_stopped_by_a_service_on_another(folder: Path) -> None:
    with server_in(folder / "a", quick()):
        pid = pid_of(folder / "a")
        with server_in(folder / "b", quick()):
            pass
        assert pid_of(folder / "a") == pid


def test_a_server_that_cannot_be_seen_is_not_joined_by_a_second_one(folder: Path) -> None:
    """As in another container, where its process is in no list of ours."""
    with server_in(folder, quick()) as engine:
        with pytest.raises(EngineError, match="a server runs on these data that cannot be seen from here"):
            claimed(ServerFiles(folder), 0).__enter__()
        session = engine.server.connect()
        os.kill(pid_of(folder), signal.SIGKILL)
        until(engine.ensure)
        session.close()
    with claimed(ServerFiles(folder), PATIENCE):
        pass
