"""Passkeys (WebAuthn, level 3): a device signs what it is asked, and the account is open without a password.

The library is loaded when the first passkey is used: it takes a quarter of a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from webauthn import (
    base64url_to_bytes,
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import bytes_to_base64url
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from server.control import audit
from server.control.accounts.account import Account
from server.control.audit import Action, Event
from server.control.errors import WrongPasskey
from server.control.keys.key_text import check_label
from server.control.sqlite.database import ControlDatabase, Row, Transaction
from server.struct_types import prepare

ASKED = 300
"""Seconds that a device has for its answer."""
MOST = 20
"""Passkeys of one account."""


class Passkey(Struct, frozen=True):
    """One passkey. Times are in whole seconds since 1970, UTC; `id` is the credential's, in base64url."""

    id: str
    account: str
    label: str
    created_at: int
    last_used_at: int | None


class PasskeySite(Struct, frozen=True):
    """The place where passkeys are valid: the service's host name, its origin, and the name on devices."""

    host: str
    origin: str
    name: str = "Twinpress"


prepare(Passkey)
_FIELDS = Passkey.__struct_fields__
_SELECT = f"SELECT {', '.join(_FIELDS)} FROM passkeys"  # noqa: S608 - constants alone
_INSERT = """
    INSERT INTO passkeys (id, account, public_key, sign_count, label, created_at) VALUES (?, ?, ?, ?, ?, ?)
"""
_USED = (
    "UPDATE passkeys SET sign_count = ?, last_used_at = ? WHERE id = ? AND (sign_count < ? OR sign_count = 0)"
)


class Passkeys:
    """The passkeys of all accounts. `clock` gives the seconds since 1970."""

    def __init__(
        self, database: ControlDatabase, site: PasskeySite, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._site = site
        self._clock = clock

    def of(self, account: str) -> tuple[Passkey, ...]:
        """Return the passkeys of the account with this id, from old to new."""
        rows = self._database.read(f"{_SELECT} WHERE account = ? ORDER BY created_at, id", (account,))
        return tuple(map(_to_passkey, rows))

    def ask_to_create(self, account: Account) -> str:
        """Return what the browser hands to the device that shall get one, as JSON. Raises WrongPasskey."""
        there = self.of(account.id)
        if len(there) >= MOST:
            raise WrongPasskey(
                f"the account has {MOST} passkeys", hint="delete one that is not used any more"
            )
        options = generate_registration_options(
            rp_id=self._site.host,
            rp_name=self._site.name,
            user_id=account.id.encode("ascii"),
            user_name=account.email,
            timeout=ASKED * 1000,
            exclude_credentials=[PublicKeyCredentialDescriptor(base64url_to_bytes(one.id)) for one in there],
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.REQUIRED,
            ),
        )
        self._remember(options.challenge, account.id)
        return options_to_json(options)

    def create(self, account: str, answer: Mapping[str, Any], label: str = "") -> Passkey:
        """Add the passkey that a device has made for this account. Raises WrongPasskey and InvalidLabel."""
        check_label(label)
        challenge = self._asked(answer, account)
        try:
            made = verify_registration_response(
                credential=dict(answer),
                expected_challenge=challenge,
                expected_rp_id=self._site.host,
                expected_origin=self._site.origin,
                require_user_verification=True,
            )
        except WebAuthnException as error:
            raise _wrong() from error
        passkey, key = bytes_to_base64url(made.credential_id), bytes_to_base64url(made.credential_public_key)
        now = int(self._clock())
        with self._database.change() as change:
            if change.read("SELECT id FROM passkeys WHERE id = ?", (passkey,)):
                raise WrongPasskey("this passkey is there already", hint="sign in with it")
            change.write(_INSERT, (passkey, account, key, made.sign_count, label, now))
            self._note(change, "passkey.create", account, passkey)
        return Passkey(passkey, account, label, now, None)

    def ask_to_sign(self, account: str | None = None) -> str:
        """Return what the browser hands to the device that shall sign, as JSON.

        `account` is the id of who is signed in and steps up; None lets the device choose whom to sign in.
        """
        known = self.of(account) if account else ()
        options = generate_authentication_options(
            rp_id=self._site.host,
            timeout=ASKED * 1000,
            allow_credentials=[PublicKeyCredentialDescriptor(base64url_to_bytes(one.id)) for one in known],
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        self._remember(options.challenge, account)
        return options_to_json(options)

    def check(self, answer: Mapping[str, Any], account: str | None = None) -> str:
        """Return the id of the account whose passkey has signed. Raises WrongPasskey."""
        challenge = self._asked(answer, account)
        passkey = str(answer.get("id", ""))
        rows = self._database.read(
            "SELECT account, public_key, sign_count FROM passkeys WHERE id = ?", (passkey,)
        )
        if not rows or account not in {None, rows[0][0]}:
            raise _wrong()
        owner, key, count = rows[0]
        try:
            signed = verify_authentication_response(
                credential=dict(answer),
                expected_challenge=challenge,
                expected_rp_id=self._site.host,
                expected_origin=self._site.origin,
                credential_public_key=base64url_to_bytes(str(key)),
                credential_current_sign_count=int(count or 0),
                require_user_verification=True,
            )
        except WebAuthnException as error:
            raise _wrong() from error
        values = (signed.new_sign_count, int(self._clock()), passkey, signed.new_sign_count)
        if not self._database.write(_USED, values):
            raise _wrong()  # another answer of the same device was quicker
        return str(owner)

    def delete(self, account: str, passkey: str) -> bool:
        """Delete a passkey of this account, given by its id; tell whether there was one."""
        with self._database.change() as change:
            gone = change.write("DELETE FROM passkeys WHERE id = ? AND account = ?", (passkey, account))
            if gone:
                self._note(change, "passkey.delete", account, passkey)
        return bool(gone)

    def delete_all(self, change: Transaction, account: str) -> int:
        """Delete all passkeys of this account within a change; return how many there were."""
        gone = [str(row[0]) for row in change.read("SELECT id FROM passkeys WHERE account = ?", (account,))]
        for passkey in gone:
            change.write("DELETE FROM passkeys WHERE id = ?", (passkey,))
            self._note(change, "passkey.delete", account, passkey)
        # Nor is one added that was asked for before.
        change.write("DELETE FROM passkey_challenges WHERE account = ?", (account,))
        return len(gone)

    def forget_old(self) -> None:
        """Remove what no device has answered in time."""
        self._database.write("DELETE FROM passkey_challenges WHERE ends_at <= ?", (int(self._clock()),))

    def _remember(self, challenge: bytes, account: str | None) -> None:
        self._database.write(
            "INSERT INTO passkey_challenges (challenge, account, ends_at) VALUES (?, ?, ?)",
            (bytes_to_base64url(challenge), account, int(self._clock()) + ASKED),
        )

    def _asked(self, answer: Mapping[str, Any], account: str | None) -> bytes:
        """Return what the device says that it was asked, if we did ask; it is not asked again."""
        challenge = _challenge(answer)
        sql = "DELETE FROM passkey_challenges WHERE challenge = ? AND account IS ? AND ends_at > ?"
        if not self._database.write(sql, (challenge, account, int(self._clock()))):
            raise _wrong()
        return base64url_to_bytes(challenge)

    def _note(self, change: Transaction, action: Action, account: str, passkey: str) -> None:
        audit.note(change, Event(int(self._clock()), account, account, action, passkey))


class _ClientData(Struct):
    challenge: str


_CLIENT_DATA = msgspec.json.Decoder(_ClientData)


def _challenge(answer: Mapping[str, Any]) -> str:
    try:
        data = base64url_to_bytes(answer["response"]["clientDataJSON"])
        return _CLIENT_DATA.decode(data).challenge
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _wrong() from error


def _to_passkey(row: Row) -> Passkey:
    return msgspec.convert(dict(zip(_FIELDS, row, strict=True)), Passkey)


def _wrong() -> WrongPasskey:
    return WrongPasskey("the passkey was not accepted", hint="try again, or sign in with your password")
