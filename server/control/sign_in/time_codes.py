"""Codes of an app as a second factor (TOTP, RFC 6238), and recovery codes for when it is lost."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Literal

import pyotp

from server.control import audit
from server.control.audit import Action, Event
from server.control.errors import WrongCode
from server.control.sealing import Keyring
from server.control.sealing.places import time_codes_of
from server.control.sqlite.database import ControlDatabase, Transaction

STEP, WINDOW = 30, 1
"""Seconds of one code, and how many codes before and behind it are taken: clocks differ."""
DIGITS = 6
RECOVERY_CODES, _RECOVERY_BYTES = 10, 10
"""Each has 80 bits, so that its SHA-256 tells nobody anything."""

_BEGIN = """
    INSERT INTO time_codes (account, secret) VALUES (?, ?)
    ON CONFLICT (account) DO UPDATE SET secret = excluded.secret WHERE confirmed = 0
"""
_TAKE = "UPDATE time_codes SET last_step = ?, confirmed = 1 WHERE account = ? AND last_step < ?"
State = Literal["off", "begun", "on"]


class TimeCodes:
    """The second factors of all accounts. `clock` gives the seconds since 1970."""

    def __init__(
        self, database: ControlDatabase, keyring: Keyring, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._keyring = keyring
        self._clock = clock

    def state(self, account: str) -> State:
        """Tell whether the account with this id asks for codes: `begun` is one that is not confirmed yet."""
        rows = self._database.read("SELECT confirmed FROM time_codes WHERE account = ?", (account,))
        return ("on" if rows[0][0] else "begun") if rows else "off"

    def begin(self, account: str) -> str:
        """Return a new secret for an app, in base32; nothing changes until `confirm`. Raises WrongCode.

        An account whose codes are on keeps its secret.
        """
        text = pyotp.random_base32()
        with self._database.change() as change:
            if not change.write(_BEGIN, (account, self._keyring.seal(text, time_codes_of(account)))):
                raise WrongCode("the account has an app for codes already", hint="turn its codes off first")
        return text

    def begun(self, account: str) -> str:
        """Return the secret that is not confirmed yet. Raises WrongCode where there is none."""
        rows = self._database.read(
            "SELECT secret FROM time_codes WHERE account = ? AND confirmed = 0", (account,)
        )
        if not rows:
            raise WrongCode("there is no app to confirm", hint="begin to add one again")
        return self._keyring.open(str(rows[0][0]), time_codes_of(account))

    def confirm(self, account: str, code: str) -> Sequence[str]:
        """Turn codes on, with the first code of the app, and return recovery codes. Raises WrongCode."""
        self.begun(account)
        with self._database.change() as change:
            self._take(change, account, code)
            self._note(change, "account.codes.on", account)
            return _new_recovery_codes(change, account)

    def check(self, account: str, code: str) -> None:
        """Take a code of the app, or a recovery code, each of them once. Raises WrongCode."""
        with self._database.change() as change:
            if not _take_recovery(change, account, code):
                self._take(change, account, code)
            else:
                self._note(change, "account.codes.recovery", account)

    def renew_recovery(self, account: str) -> Sequence[str]:
        """Return new recovery codes; the ones before open nothing."""
        with self._database.change() as change:
            return _new_recovery_codes(change, account)

    def recovery_left(self, account: str) -> int:
        """Return how many recovery codes are unused."""
        ((count,),) = self._database.read("SELECT COUNT(*) FROM recovery_codes WHERE account = ?", (account,))
        return int(count or 0)

    def turn_off(self, account: str, by: str = "") -> bool:
        """Ask for no codes any more, and forget secret and recovery codes; tell whether there were any.

        `by` is who does it in the owner's place, in the audit log.
        """
        with self._database.change() as change:
            change.write("DELETE FROM recovery_codes WHERE account = ?", (account,))
            had = bool(change.write("DELETE FROM time_codes WHERE account = ?", (account,)))
            if had:
                self._note(change, "account.codes.off", account, by)
            return had

    def _take(self, change: Transaction, account: str, code: str) -> None:
        rows = change.read("SELECT secret FROM time_codes WHERE account = ?", (account,))
        step = self._step(account, str(rows[0][0]), code) if rows else None
        if step is None or not change.write(_TAKE, (step, account, step)):
            hint = "wait for the next one; does the clock of the device go right?"
            raise WrongCode("the code is wrong, or was used before", hint=hint)

    def _step(self, account: str, sealed: str, code: str) -> int | None:
        """Return the step of time of a code, None for a wrong one."""
        codes = pyotp.TOTP(self._keyring.open(sealed, time_codes_of(account)), interval=STEP, digits=DIGITS)
        digits = "".join(code.split())
        now = int(self._clock()) // STEP
        for step in range(now - WINDOW, now + WINDOW + 1):
            if secrets.compare_digest(codes.generate_otp(step), digits if digits.isascii() else ""):
                return step
        return None

    def _note(self, change: Transaction, action: Action, account: str, by: str = "") -> None:
        audit.note(change, Event(int(self._clock()), account, by or account, action, account))


def address(secret: str, email: str, service: str) -> str:
    """Return the address that an app reads from a QR code (the format `otpauth://`)."""
    return pyotp.TOTP(secret, interval=STEP, digits=DIGITS).provisioning_uri(name=email, issuer_name=service)


def _new_recovery_codes(change: Transaction, account: str) -> Sequence[str]:
    change.write("DELETE FROM recovery_codes WHERE account = ?", (account,))
    codes = [_recovery_code() for _ in range(RECOVERY_CODES)]
    for code in codes:
        change.write("INSERT INTO recovery_codes (account, digest) VALUES (?, ?)", (account, _digest(code)))
    return codes


def _recovery_code() -> str:
    text = base64.b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode("ascii").lower()
    return "-".join(text[at : at + 4] for at in range(0, len(text), 4))


def _take_recovery(change: Transaction, account: str, code: str) -> bool:
    sql = "DELETE FROM recovery_codes WHERE account = ? AND digest = ?"
    return bool(change.write(sql, (account, _digest(code))))


def _digest(code: str) -> str:
    """Digest a recovery code, however it was typed."""
    plain = "".join(sign for sign in code.lower() if sign.isalnum())
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
