"""The courier takes notices that are due, one after the other, and sees that each arrives."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from builder.errors import TwinpressError
from server.control.notices.deliveries import Notices, QueuedNotice
from server.control.notices.events import NoticeEvent, from_body
from server.control.notices.webhooks import Webhooks
from server.log_repeats import Repeats
from server.process.faults import describe
from server.webhooks.signed_call import WebhookCall, call

_LOOK = 1.0
"""Seconds between two looks for notices."""
COURIERS = 4
"""Notices that are on their way at a time: a host that does not answer holds up few others."""
AGAIN = 60.0
"""Seconds after which a fault that goes on is told again: couriers meet it each second."""
_FAULT = "Delivering notices failed"
_GOODBYE = 3.0
_FINE = range(200, 300)
_MOVED = range(300, 400)


class Couriers:
    """Threads that deliver notices. `mail` sends one to an account by mail; `tell` is told of faults of ours.

    With `private`, webhooks may be called on this machine and its network.
    """

    def __init__(
        self,
        notices: Notices,
        webhooks: Webhooks,
        mail: Callable[[str, NoticeEvent], None],
        tell: Callable[[str], None],
        *,
        private: bool = False,
    ) -> None:
        self._notices = notices
        self._webhooks = webhooks
        self._mail = mail
        self._tell = tell
        self._private = private
        self._ended = threading.Event()
        self._repeats = Repeats(AGAIN)
        self._telling = threading.Lock()
        self._threads = [
            threading.Thread(target=self._work, name=f"twinpress-courier-{number}", daemon=True)
            for number in range(COURIERS)
        ]

    def start(self) -> None:
        """Begin to look for notices."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End; a call that is under way for longer is made again by the next process."""
        self._ended.set()
        until = time.monotonic() + _GOODBYE
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        while not self._ended.is_set():
            try:
                notice = self._notices.take()
                if notice is not None:
                    self._deliver(notice)
                    continue
            except Exception as error:  # noqa: BLE001 - the last resort: it is told, and others go on
                self._failed(error)
            self._ended.wait(_LOOK)

    def _deliver(self, notice: QueuedNotice) -> None:
        try:
            status = self._sent(notice)
        except TwinpressError as error:
            self._notices.failed(notice, error.message)
            return
        except Exception as error:  # noqa: BLE001 - else it would be tried for ever
            self._failed(error)
            self._notices.failed(notice, "Twinpress failed")
            return
        if status is None or status in _FINE:
            self._notices.delivered(notice, status)
        else:
            said = "it leads elsewhere, where it is not followed" if status in _MOVED else "it was refused"
            self._notices.failed(notice, said, status)

    def _failed(self, error: Exception) -> None:
        """Tell of a fault of ours; of what goes on, as when the disk is full, once in a while."""
        with self._telling:
            left_out = self._repeats.hear(_FAULT)
        if left_out is not None:
            more = f" (so it did {left_out:,} times more since it was told last)" if left_out else ""
            self._tell(f"{_FAULT}: {describe(error)}{more}")

    def _sent(self, notice: QueuedNotice) -> int | None:
        """Send a notice; gives the status of the answer, None for a mail. Raises TwinpressError."""
        if notice.webhook is None:
            self._mail(notice.account, from_body(notice.body))
            return None
        url, secret = self._webhooks.target(notice.webhook)
        wanted = WebhookCall(url, secret, notice.event, notice.body, int(time.time()))
        return call(wanted, private=self._private)
