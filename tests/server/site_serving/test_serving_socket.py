"""Answers of the process at its socket, its log and its metrics, and the place of the socket."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.http.listening import bound
from server.process import unix_socket
from server.site_serving.serving_socket import NoAnswer, ServingClient, look, ports_of, socket_of
from tests.ports import free_port
from tests.server.commands import COMMAND, twinpress
from tests.server.http_client import request
from tests.server.site_serving.asking import connection, serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.waiting import PATIENCE, until

BROKEN = "broken.localhost"
PREVIEW = "preview-abc.localhost"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a long name: longer than the system takes as that of a socket."""
    found = tmp_path / ("x" * 120)
    publish(release_store(found), {"index.html": b"page"})
    mount(found, {HOST: SITE, BROKEN: "site_broken"})
    publish(release_store(found, "site_broken"), {"index.html": b"page"})
    (found / "releases/site_broken/pointer").write_bytes(b"?")
    return found


def test_it_says_how_it_does(data: Path) -> None:
    with serving_sites(data) as readers, connection(readers) as line:
        for path in ("/", "/", "/none"):
            line.request("GET", path, headers={"Host": HOST})
            line.getresponse().read()
        state = look(data, readers.port, PATIENCE)
        assert state
        assert (state.process, state.port, state.is_kept) == (
            readers.process.process.pid,
            readers.port,
            False,
        )
        assert state.counts.statuses == {200: 2, 404: 1}
        assert (sum(state.counts.times), state.counts.connections) == (3, 1)
        assert 0 < state.counts.seconds < PATIENCE
        assert ports_of(data) == [readers.port]
    assert not socket_of(data, readers.port).exists()
    assert look(data, readers.port, PATIENCE) is None


def test_nobody_else_can_enter_the_folder_of_its_socket(data: Path) -> None:
    (data / "serving").mkdir(mode=0o755)
    with serving_sites(data):
        assert (data / "serving").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("words", [b"\n", b"nonsense\n", b"\xff" * 60, b"look" * 100_000])
def test_what_is_no_word_harms_nobody(data: Path, words: bytes) -> None:
    with serving_sites(data) as readers:
        line = unix_socket.connected_to(socket_of(data, readers.port), PATIENCE)
        assert line
        with line:
            line.sendall(words)
            assert readers.get("/").body == b"page"
            assert look(data, readers.port, PATIENCE)


def test_its_log_goes_to_the_service_that_cares_for_it_and_back(data: Path) -> None:
    with serving_sites(data) as readers:
        told, tell = os.pipe()
        client = ServingClient.connect(data, readers.port, PATIENCE)
        assert client
        _, descriptors = client.ask("care", [tell])
        os.close(tell)
        assert len(descriptors) == 1
        assert readers.get("/", BROKEN).status == 503
        assert b"The site site_broken cannot be read" in os.read(told, 10_000)
        client.say("leave")
        until(client.is_over)
        client.close()
        for each in (told, *descriptors):
            os.close(each)
        assert readers.get("/").body == b"page"
        with pytest.raises(NoAnswer):
            client.ask("look")


def test_requests_that_fail_are_lines_of_the_log_and_others_where_they_are_wanted(data: Path) -> None:
    with serving_sites(data) as readers:
        readers.get("/docs/a?q=secret")
        readers.get("/docs/b?q=secret", BROKEN)
        readers.process.says(f"GET {BROKEN}/docs/b: 503")
        assert readers.told("/docs/a") == readers.told("secret") == []
    with serving_sites(data, "--log-requests") as readers:
        readers.get("/docs/a?q=secret")
        readers.get("/docs/c", PREVIEW)
        readers.process.says(f"GET {HOST}/docs/a: 404")
        readers.process.says("GET (a preview): 503")
        assert readers.told("secret") == readers.told("preview-") == []


def test_metrics_are_at_a_port_of_their_own(data: Path) -> None:
    port = free_port()
    with serving_sites(data, "--metrics-port", str(port)) as readers:
        readers.get("/")
        status, _, told = request(port, "GET", "/metrics", [])
        assert status == 200
        for line in (
            b"twinpress_sites_up 1.0",
            b'twinpress_sites_requests_total{status="200"} 1.0',
            b'twinpress_sites_request_duration_seconds_bucket{le="+Inf"} 1.0',
            b"twinpress_sites_request_duration_seconds_count 1.0",
        ):
            assert line in told.splitlines(), told
        assert request(port, "GET", "/", [])[0] == 404
        assert request(readers.port, "GET", "/metrics", [("Host", HOST)])[0] == 404


def test_one_that_is_told_to_stop_lets_a_download_end(data: Path) -> None:
    publish(release_store(data), {"big.bin": bytes(30_000_000)})
    with serving_sites(data) as readers, connection(readers) as line:
        line.request("GET", "/big.bin", headers={"Host": HOST})
        answer = line.getresponse()
        begin = answer.read(1000)
        client = ServingClient.connect(data, readers.port, PATIENCE)
        assert client
        client.say("stop")
        time.sleep(0.2)
        assert look(data, readers.port, PATIENCE) is None, "nobody finds one that is about to end"
        assert len(begin + answer.read()) == 30_000_000
        until(client.is_over)
        client.close()
        assert readers.process.process.wait(PATIENCE) == 0


AS_SYSTEMD = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_port_that_systemd_keeps_outlives_the_process(data: Path) -> None:
    (opened,) = bound("127.0.0.1", 0)
    port, own = opened.getsockname()[1], os.dup(opened.fileno())
    words = [str(own), COMMAND, "sites", "--data", data, "--port", str(port)]
    with opened:
        for _ in range(2):
            with ThreadPoolExecutor(1) as readers:
                waits = readers.submit(request, port, "GET", "/", [("Host", HOST)])
                command = [sys.executable, "-c", AS_SYSTEMD, *words]
                process = subprocess.Popen(command, pass_fds=[own], stderr=subprocess.DEVNULL)
                assert waits.result(PATIENCE)[2] == b"page"
                process.terminate()
                assert process.wait(PATIENCE) == 0
    os.close(own)


def test_there_must_be_one_to_be_stopped(data: Path) -> None:
    done = twinpress("sites", "--data", data, "--port", str(free_port()), "--stop", cwd=data)
    assert done.returncode == 2
    assert "no process serves the sites" in done.stderr


def test_dead_sockets_are_removed_and_others_stay(tmp_path: Path) -> None:
    dead, alive, file = (tmp_path / name for name in ("dead", "alive", "file"))
    unix_socket.listening_at(dead).close()
    file.write_bytes(b"")
    with unix_socket.listening_at(alive):
        unix_socket.forget_dead(tmp_path)
        assert [each.exists() for each in (dead, alive, file)] == [False, True, True]
