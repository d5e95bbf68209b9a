"""The log of a service on standard error: lines for people, or one JSON object a line for programs."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Literal, Protocol

from builder.errors import TwinpressError
from builder.redaction import redacted
from server.cli.terminal import console
from server.cli.terminal.server_lines import PATH_SHOWN, access_line
from server.http.logged_request import LoggedRequest

Level = Literal["info", "warning", "error"]
LogFormat = Literal["text", "json"]


class ServiceLog(Protocol):
    """A log of one form."""

    def say(self, text: str, level: Level = "info") -> None:
        """Write a message."""

    def note(self, text: str, level: Level = "info") -> None:
        """Write a message of a part of the service, with the time."""

    def access(self, request: LoggedRequest) -> None:
        """Write that a request was answered."""


class TextLog:
    """Lines for people."""

    def say(self, text: str, level: Level = "info") -> None:
        """Write the message as it is."""
        console.log(text)

    def note(self, text: str, level: Level = "info") -> None:
        """Write the message behind the time of day."""
        console.log(f"{time.strftime('%H:%M:%S')}  {text}")

    def access(self, request: LoggedRequest) -> None:
        """Write one line for a request."""
        console.log(access_line(request))


class JsonLog:
    """One JSON object a line, in ASCII; fields that a line has nothing for are not in it."""

    def say(self, text: str, level: Level = "info") -> None:
        """Write a message."""
        self._write(level, text.strip())

    note = say

    def failed(self, error: BaseException, message: str) -> None:
        """Write a fault with its traceback."""
        lines = "".join(traceback.format_exception(error))
        self._write("error", message, traceback=lines)

    def access(self, request: LoggedRequest) -> None:
        """Write one line for a request."""
        path = request.path[:PATH_SHOWN]
        self._write(
            _level(request.status),
            f"{request.method} {path}".strip() + f": {request.status}",
            request_id=request.id,
            method=request.method,
            path=path,
            route=request.route,
            api=request.area,
            status=request.status,
            duration_ms=round(request.seconds * 1000, 3),
            client=request.client,
            key=request.key,
            more=request.more,
        )

    def _write(self, level: Level, message: str, **fields: object) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        given = {name: redacted(value) if isinstance(value, str) else value for name, value in fields.items()}
        said = {name: value for name, value in given.items() if value not in ("", None) and name != "more"}
        more = {"more": fields["more"]} if fields.get("more") else {}
        line = {"time": now, "level": level, "message": redacted(message), **said, **more}
        # As `console.log`: a log on a full disk does not keep the service from its work.
        with suppress(OSError):
            sys.stderr.write(f"{json.dumps(line)}\n")


def _level(status: int) -> Level:
    return "info" if status < 500 else "error" if status == 500 else "warning"


class _Records(logging.Handler):
    """Messages of the service's own parts, and in JSON those of libraries too."""

    def __init__(self, log: ServiceLog) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        level: Level = "info" if record.levelno < logging.WARNING else "warning"
        self._log.note(record.getMessage(), "error" if record.levelno >= logging.ERROR else level)


def open_log(form: LogFormat) -> ServiceLog:
    """The log of a form, which from now on has the messages of all parts of the service."""
    logger = logging.getLogger("twinpress")
    logger.setLevel(logging.INFO)
    if form == "text":
        text = TextLog()
        logger.addHandler(_Records(text))
        return text
    log = JsonLog()
    # What else would write lines that are no JSON: libraries, warnings, threads that end by a fault.
    logging.captureWarnings(True)
    logging.getLogger().addHandler(_Records(log))
    threading.excepthook = lambda args: log.failed(
        args.exc_value or SystemExit(), f"a thread of Twinpress failed: {args.exc_type.__name__}"
    )
    return log


def explained(log: ServiceLog, act: Callable[[], int], failed: int, broken: int) -> int:
    """Do it, and give its exit code; in JSON, what ends it is a line of the log too."""
    if not isinstance(log, JsonLog):
        return act()
    try:
        return act()
    except TwinpressError as error:
        log.say(str(error), "error")
        return failed
    except Exception as error:  # noqa: BLE001 - the last resort, as in `server.cli.main`: it is told
        log.failed(error, "Twinpress failed: this is a fault of Twinpress; please report it")
        return broken
