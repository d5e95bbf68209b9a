"""A child process that does something while its parent goes on, and sends what it has done as bytes.

What the child does not come to, its parent does itself: then it meets the same errors, and can tell them.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, NoReturn

from builder.workers.processors import may_fork
from builder.workers.signals import interrupts_blocked

Send = Callable[[BinaryIO], None]


class ChildProcess:
    """A process that has been begun; exactly one of `received` and `end` is to be called."""

    def __init__(self, send: Send) -> None:
        self._receiving, sending = os.pipe()
        try:
            with interrupts_blocked():
                self._number = os.fork()
                if not self._number:
                    os.close(self._receiving)
                    _be(send, sending)
        finally:
            os.close(sending)

    def received(self) -> bytes:
        """All that the child has sent, which may not be all that it was to send; it has ended then."""
        try:
            with os.fdopen(self._receiving, "rb") as pipe:
                return pipe.read()
        finally:
            os.waitpid(self._number, 0)

    def end(self) -> None:
        """End the child, whatever it is at."""
        os.close(self._receiving)
        with suppress(ProcessLookupError):
            os.kill(self._number, signal.SIGKILL)
        os.waitpid(self._number, 0)


def child(send: Send) -> ChildProcess | None:
    """Begin a child that gives what it has to `send`; None where there can be none."""
    if not may_fork():
        return None
    try:
        return ChildProcess(send)
    except OSError:
        return None  # too many processes, or too little memory: then there is one less


def _be(send: Send, sending: int) -> NoReturn:
    """Be the child, which leaves nothing behind but what it has sent."""
    gc.disable()  # to look for circles would copy all that is shared with the parent
    try:
        with os.fdopen(sending, "wb") as pipe:
            send(pipe)
    finally:
        os._exit(0)  # also when the parent has gone
