"""The log of a server that is asked more than it will answer: refusals in it are bounded."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from server.http.logged_request import Log, LoggedRequest
from server.log_repeats import Repeats

AGAIN = 10.0
"""Seconds in which refusals of one kind are one line."""
UNREADABLE = "(no request)"
"""What the log has in place of a method."""
_OFTEN = frozenset({429, 503})
_Subject = tuple[int, str]


class RequestLog:
    """Hands requests on to a log; of refusals that come in masses the first, then one line for all others.

    Each status and each key is told for itself. For one event loop.
    """

    def __init__(self, log: Log, again: float = AGAIN) -> None:
        self._log = log
        self._again = again
        self._repeats = Repeats(again)
        self._left_out: dict[_Subject, LoggedRequest] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, request: LoggedRequest) -> None:
        """One request was answered."""
        if request.is_quiet:
            return
        if request.status not in _OFTEN and request.method != UNREADABLE:
            self._log(request)
            return
        subject = (request.status, request.key)
        more = self._repeats.hear(subject)
        if more is not None:
            self._left_out.pop(subject, None)
            self._log(replace(request, more=more))
            return
        self._left_out[subject] = request
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._again, self._tell)

    def _tell(self) -> None:
        """Tell what was left out; nothing of the kind may come any more."""
        self._timer = None
        waiting, self._left_out = self._left_out, {}
        for subject, last in waiting.items():
            left_out = self._repeats.forget(subject)
            self._repeats.hear(subject)
            self._log(replace(last, more=max(0, (left_out or 0) - 1)))
