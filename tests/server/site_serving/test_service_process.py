"""The process as the service starts it: found by its lock, and not ended by the service's own end."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from server.service.sites_process import end_former
from tests.ports import free_port
from tests.server.http_client import request
from tests.server.site_serving.published import HOST, SITE, mount, publish, release_store
from tests.waiting import PATIENCE, until


@pytest.fixture
def data(tmp_path):
    publish(release_store(tmp_path), {"index.html": b"page"})
    mount(tmp_path, {HOST: SITE, "broken.localhost": "site_broken"})
    broken = release_store(tmp_path, "site_broken")
    publish(broken, {"index.html": b"page"})
    (tmp_path / "releases/site_broken/pointer").write_bytes(b"?")
    return tmp_path


@contextmanager
def _started(data, port):
    command = (sys.executable, "-m", "server.site_serving", "--data", data, "--host", "127.0.0.1")
    more = ("--port", str(port), "--previews", data / "service.sock")
    process = subprocess.Popen([*command, *more], stderr=subprocess.PIPE, start_new_session=True)
    try:
        until(lambda: _answers(port) == 200 or process.poll() is not None)
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _answers(port, host=HOST):
    try:
        return request(port, "GET", "/", [("Host", host)])[0]
    except OSError:
        return 0


def test_a_start_of_the_service_ends_the_process_of_one_that_was_killed(data):

    with _started(data, free_port()) as process:
        asyncio.run(end_former(data))
        assert process.wait(PATIENCE) == 0


def test_it_goes_on_when_nobody_reads_its_messages(data):
    port = free_port()
    with _started(data, port) as process:
        process.stderr.close()
        for _ in range(3):
            assert _answers(port, "broken.localhost") == 503
            assert _answers(port) == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_a_killed_one_is_followed_by_another_at_once(data):
    port = free_port()
    with _started(data, port) as first:
        first.kill()
        first.wait()
        with _started(data, port) as second:
            assert second.poll() is None
            assert _answers(port) == 200


def test_what_is_wrong_is_told_in_a_line(data):
    port = free_port()
    with _started(data, port) as process:
        assert _answers(port, "broken.localhost") == 503
        assert b"site_broken cannot be read" in process.stderr.readline()
        with _started(data / "other", port) as second:
            assert second.wait(PATIENCE) == 2
            line = second.stderr.readline()
            assert line.startswith(b"Published sites cannot be served: cannot listen")
