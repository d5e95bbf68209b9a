"""Random texts and numbers in the digits 0-9, A-Z, a-z: they need no quoting anywhere."""

from __future__ import annotations

import secrets
import string

DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase


def random(length: int) -> str:
    """A text of `length` digits from the system's source of secrets."""
    return "".join(secrets.choice(DIGITS) for _ in range(length))


def encode(number: int, length: int) -> str:
    """A number that is not negative in exactly `length` digits; raises OverflowError when they do not do."""
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(DIGITS))
        digits.append(DIGITS[digit])
    if number:
        raise OverflowError(f"the number has more than {length} digits")
    return "".join(reversed(digits))
