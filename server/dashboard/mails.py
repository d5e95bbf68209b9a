"""Mails with one-time links, sent by a command of the operator's such as `sendmail -t`.

They are made and sent in a thread of their own, behind the answer: whether an address has an account changes
neither the answer nor its time.
"""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from email import policy
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from threading import BoundedSemaphore

from msgspec import Struct

from server.dashboard.service_address import ServiceAddress
from server.http.failure import Failure

PATIENCE, GOODBYE = 30.0, 3.0
"""Seconds that the command has for one mail, and at most when the service ends."""
_LOOK = 0.2
"""Seconds between two looks whether the time is over."""
WAITING = 100
"""Mails that may wait for it, of those with links and of those that tell of a change, each."""
_BUSY = Failure("TOO_BUSY", "many mails wait to be sent: try again in a minute", {"Retry-After": "60"})
_LOG = logging.getLogger("twinpress.mail")


class MailSettings(Struct, frozen=True):
    """`command` gets each mail, headers and text, on its standard input; `sender` is the `From` address."""

    command: tuple[str, ...]
    sender: str


class Mail(Struct, frozen=True):
    """One mail: a subject, and paragraphs of text."""

    to: str
    subject: str
    paragraphs: Sequence[str]


class Mails:
    """Sends mails for the service at `address`; without settings it sends none."""

    def __init__(self, settings: MailSettings | None, address: ServiceAddress) -> None:
        self._settings = settings
        self._address = address
        self._pool = ThreadPoolExecutor(1, "twinpress-mail")
        self._room, self._told = BoundedSemaphore(WAITING), BoundedSemaphore(WAITING)
        self._left = 0
        self._ends_at: float | None = None

    @property
    def is_closing(self) -> bool:
        """True as soon as the service ends."""
        return self._ends_at is not None

    @property
    def are_sent(self) -> bool:
        """True if there is a command that sends them."""
        return self._settings is not None

    def send(self, make: Callable[[], Mail | None]) -> None:
        """Have a mail made and sent later; `make` may find that none is due. Raises Failure in a crowd."""
        if not self._room.acquire(blocking=False):
            raise _BUSY
        self._pool.submit(self._send, make, self._room)

    def tell(self, make: Callable[[], Mail]) -> None:
        """Have a mail sent later about what was done already, however many with links wait."""
        if self._settings is None:
            return
        if self._told.acquire(blocking=False):
            self._pool.submit(self._send, make, self._told)
        else:
            _LOG.error("a mail could not be sent: too many wait")

    def close(self) -> None:
        """End, when the mail that was begun is sent or GOODBYE is over; those that wait are not sent."""
        self._ends_at = time.monotonic() + GOODBYE
        self._pool.shutdown()
        if self._left:
            said = "1 mail was" if self._left == 1 else f"{self._left} mails were"
            _LOG.error("%s not sent: the service ends", said)

    def _send(self, make: Callable[[], Mail | None], room: BoundedSemaphore) -> None:
        try:
            if self.is_closing:
                self._left += 1
                return
            mail = make()
            if mail is not None and self._settings is not None:
                self._run(self._settings.command, self._composed(mail, self._settings))
        except Exception as error:  # noqa: BLE001 - the last resort of a thread: it is told
            _LOG.error("a mail could not be sent: %s", error)
        finally:
            room.release()

    def _composed(self, mail: Mail, settings: MailSettings) -> bytes:
        message = EmailMessage(policy.SMTP)
        message["From"], message["To"], message["Subject"] = settings.sender, mail.to, mail.subject
        message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=self._address.host)
        message["Auto-Submitted"] = "auto-generated"
        message.set_content("\n\n".join(mail.paragraphs) + "\n")
        return message.as_bytes()

    def _run(self, command: Sequence[str], data: bytes) -> None:
        """Have the command send a mail. Raises OSError."""
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        with subprocess.Popen(command, stdin=pipe, stdout=quiet, stderr=pipe) as process:  # noqa: S603 - the operator's own command
            said = self._finish(process, command[0], data)
        if process.returncode:
            lines = said.decode("utf-8", "replace").strip().splitlines()
            last = lines[-1] if lines else "no word"
            raise OSError(f"`{command[0]}` ended with {process.returncode}: {last}")

    def _finish(self, process: subprocess.Popen[bytes], name: str, data: bytes) -> bytes:
        """Give the command its mail; return what it says of an error. Raises OSError when it is given up."""
        until = time.monotonic() + PATIENCE
        sent: bytes | None = data
        while True:
            try:
                return process.communicate(sent, _LOOK)[1]
            except subprocess.TimeoutExpired:
                sent = None  # what is left of it is sent all the same
                if why := self._given_up(until):
                    process.kill()
                    raise OSError(f"`{name}` was given up: {why}") from None

    def _given_up(self, until: float) -> str:
        """The reason why no command is waited for any more, "" if it is."""
        now = time.monotonic()
        if self._ends_at is not None and now > self._ends_at:
            return "the service ends"
        return f"it took more than {PATIENCE:.0f} s" if now > until else ""
