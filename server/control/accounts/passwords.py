"""Passwords of accounts: which ones are taken, and how they are kept and compared.

The rules are those of NIST SP 800-63B: 8 characters or more, any characters, no rules on which, none of those
that are tried first, and no change without a reason. Its fourth edition asks for 15 where a password is all
there is and nothing limits guesses; whoever lets people sign in here has to limit them. They are kept as
argon2id hashes with the parameters that argon2-cffi recommends (RFC 9106).
"""

from __future__ import annotations

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from server.control.errors import WeakPassword

SHORTEST, LONGEST = 8, 1000
FEWEST_DIFFERENT = 4
HINT = "use four or more unrelated words, or let a password manager generate one"

# Compared as a whole, as the publication asks for: the first of such lists that are long enough.
_COMMON = frozenset({
    "12345678", "123456789", "1234567890", "12345678910", "123123123", "987654321", "password", "password1",
    "password12", "password123", "passw0rd", "p@ssw0rd", "qwertyui", "qwertyuiop", "qwerty123",
    "qwerty1234", "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "q1w2e3r4", "zaq12wsx", "abcd1234", "abc12345",
    "a1b2c3d4", "asdfghjkl", "iloveyou", "iloveyou1", "princess", "sunshine", "football", "baseball",
    "superman", "starwars", "michelle", "jennifer", "computer", "internet", "trustno1", "whatever",
    "welcome1", "letmein1", "admin123", "administrator", "changeme", "changeme1", "default1", "twinpress",
    "postgres", "123456789012345", "1234567890123456", "123456789123456", "1234567890qwertyuiop",
    "1q2w3e4r5t6y7u8i", "1q2w3e4r5t6y7u8i9o0p", "1qaz2wsx3edc4rfv", "abcdefghijklmno", "abcdefghijklmnop",
    "administrator123", "correcthorsebatterystaple", "iloveyouiloveyou", "passwordpassword",
    "qwertyuiopasdfgh", "qwertyuiopasdfghjkl", "qwertyuiop123456", "qwertyuiop1234567890",
    "twinpresstwinpress",
})  # fmt: skip


def check_password(password: str, email: str) -> None:
    """Raises WeakPassword when the text may not be the password of the account with this address."""
    if not SHORTEST <= len(password) <= LONGEST:
        message = f"the password has {len(password)} characters, and may have {SHORTEST} to {LONGEST}"
        raise WeakPassword(message, hint=HINT)
    if any("\ud800" <= character <= "\udfff" for character in password):
        raise WeakPassword("the password holds bytes that are no text", hint="write it as UTF-8")
    if len(set(password)) < FEWEST_DIFFERENT:
        raise WeakPassword("the password repeats the same few characters", hint=HINT)
    if password.lower() in {*_COMMON, email.lower()}:
        raise WeakPassword("the password is among those that are tried first", hint=HINT)


class Passwords:
    """Hashes of passwords. `hasher` has the parameters of those that are made from now on."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._nobody: str | None = None

    def hash(self, password: str) -> str:
        """The hash to keep, with its parameters and its salt; takes some tens of milliseconds and 64 MiB."""
        return self._hasher.hash(_normal(password))

    def matches(self, kept: str, password: str) -> bool:
        """Return whether the hash was made of this password."""
        # Nothing so long was ever taken, and to normalise it could hold up all threads for a minute. What is
        # compared in its place is no password either, and takes as long as any other.
        compared = password if len(password) <= LONGEST else ""
        try:
            return self._hasher.verify(kept, _normal(compared))
        except (VerificationError, InvalidHashError):
            return False

    def is_old(self, kept: str) -> bool:
        """Return whether the hash was made with other parameters than those of now."""
        return self._hasher.check_needs_rehash(kept)

    def waste(self, password: str) -> None:
        """Take as long as `matches`, so that nobody can measure which accounts there are."""
        self._nobody = self._nobody or self._hasher.hash("nobody")
        self.matches(self._nobody, password)


def _normal(password: str) -> bytes:
    """Keyboards and systems write the same letter in several ways (RFC 8265 takes NFC, too)."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
