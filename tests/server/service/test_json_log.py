"""`twinpress host --log-format json`: every line on standard error is one JSON object, whatever happens."""

from __future__ import annotations

import json
import logging
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server.cli.terminal.service_log import JsonLog, explained, open_log
from server.http.logged_request import LoggedRequest
from tests.server.commands import COMMAND, running, twinpress

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
KEY = "svc_db_" + "a" * 40 + "123456"


def objects(lines: list[str]) -> list[dict[str, Any]]:
    """The lines as objects, each with what every line has."""
    found = [json.loads(line) for line in lines]
    for each in found:
        assert TIME.fullmatch(each["time"]), each
        assert each["level"] in {"info", "warning", "error"}
        assert each["message"]
    return found


def test_each_line_of_a_service_is_an_object_and_a_request_has_its_fields(tmp_path: Path) -> None:
    options = ("--port", "0", "--no-databases", "--log-format", "json", "--trusted-proxy", "127.0.0.1")
    with running([COMMAND, "host", "--data", tmp_path / "data", *options]) as preview:
        client = {"X-Forwarded-For": "203.0.113.9"}
        told = preview.request(
            "GET", "/api/v1/db/databases?a=1", {"Authorization": f"Bearer {KEY}", **client}
        )
        page = preview.request("GET", "/sign-in?next=/a", {"Host": f"localhost:{preview.port}", **client})
        preview.says(page.headers["x-request-id"])
    lines = objects(preview.lines)
    (asked,) = [each for each in lines if each.get("request_id") == told.headers["x-request-id"]]
    assert asked["duration_ms"] > 0
    named = {name: asked[name] for name in ("method", "path", "route", "api", "status", "client")}
    assert named == {
        "method": "GET",
        "path": "/api/v1/db/databases?a=1",
        "route": "/api/{rest}",
        "api": "api",
        "status": 404,
        "client": "203.0.113.9",
    }
    (seen,) = [each for each in lines if each.get("request_id") == page.headers["x-request-id"]]
    assert (seen["path"], seen["status"], seen["api"]) == ("/sign-in", 200, "dashboard")
    assert KEY not in "".join(preview.lines)
    assert preview.results == []


@pytest.mark.parametrize("taken", [True, False])
def test_a_start_that_fails_is_an_object_too(tmp_path: Path, taken: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        options = ("--port", port) if taken else ("--port", "0", "--sign-up", "open")
        command = ("host", "--data", tmp_path / "data", "--no-databases", "--log-format", "json", *options)
        done = twinpress(*command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    last = objects(done.stderr.splitlines())[-1]
    assert (last["level"], port in last["message"]) == ("error", taken)


def test_what_clients_send_stays_on_one_line_and_keys_are_not_in_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = JsonLog()
    for path in ('/a"\\\n\r\x1b[31m', "/\udc80\u2028", f"/{KEY}", "/" + "x" * 10_000):
        log.access(LoggedRequest("id", "GET", path, 404, 0.5, "key", area="api", route="/a"))
    log.say(f"a fault with {KEY}", "error")
    lines = capsys.readouterr().err.splitlines()
    assert len(objects(lines)) == 5
    assert KEY not in "".join(lines)
    assert "".join(lines).isascii()
    assert max(map(len, lines)) < 1000


@pytest.mark.parametrize(
    ("status", "level"), [(200, "info"), (429, "info"), (500, "error"), (503, "warning")]
)
def test_a_level_says_whose_fault_it_was(capsys: pytest.CaptureFixture[str], status: int, level: str) -> None:
    JsonLog().access(LoggedRequest("id", "GET", "/", status, 0.5, "", more=3))
    (line,) = objects(capsys.readouterr().err.splitlines())
    assert (line["level"], line["more"], "client" in line, "key" in line) == (level, 3, False, False)


@contextmanager
def logging_as_it_was() -> Iterator[None]:
    loggers = [logging.getLogger(), logging.getLogger("twinpress")]
    before, hook = [list(each.handlers) for each in loggers], threading.excepthook
    try:
        yield
    finally:
        for logger, handlers in zip(loggers, before, strict=True):
            logger.handlers[:] = handlers
        threading.excepthook = hook
        logging.captureWarnings(False)


def test_what_libraries_and_threads_say_is_an_object_and_said_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with logging_as_it_was():
        log = open_log("json")
        logging.getLogger("asyncio").error("a task\nwas destroyed")
        logging.getLogger("twinpress.hosting").warning("the disk is full")

        def fail() -> None:
            raise LookupError(KEY)

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()

        def crash() -> int:
            raise ZeroDivisionError

        assert explained(log, crash, 2, 70) == 70
    lines = objects(capsys.readouterr().err.splitlines())
    assert [each["level"] for each in lines] == ["error", "warning", "error", "error"]
    assert ["LookupError" in each.get("traceback", "") for each in lines] == [False, False, True, False]
    assert KEY not in str(lines)
