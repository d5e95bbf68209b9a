"""The text of a key: what it looks like, and how to tell a mistyped one without asking the database.

    dpk_ 0123...  40 random characters  ...xyz 6 characters
    prefix        base62                       CRC-32 of all that stands before, in base62

The checksum is no secret and proves nothing: it catches typing errors and cut-off copies, and lets
scanners for leaked secrets know a key from other text.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from enum import StrEnum

from builder.redaction import redacted
from server.control import base62
from server.control.errors import InvalidLabel

RANDOM, CHECKSUM = 40, 6


class KeyKind(StrEnum):
    """The life of a site's key: an hour, or until it is deleted."""

    ONE_OFF = "one-off"
    LONG_LIVED = "long-lived"


PREFIXES: dict[KeyKind, str] = {KeyKind.ONE_OFF: "dpk_", KeyKind.LONG_LIVED: "svc_docs_"}
MANAGEMENT = "svc_db_"
"""The prefix of the keys to an account's databases, which are of no kind: none of them opens a site."""

_KINDS = {prefix: kind for kind, prefix in PREFIXES.items()}
_FORM = re.compile(
    rf"(?P<checked>(?P<prefix>{'|'.join([*_KINDS, MANAGEMENT])})[0-9A-Za-z]{{{RANDOM}}})"
    rf"(?P<checksum>[0-9A-Za-z]{{{CHECKSUM}}})"
)


def generate(kind: KeyKind) -> str:
    """The text of a new key of a site; about 238 bits of it are random."""
    return _generate(PREFIXES[kind])


def generate_management() -> str:
    """The text of a new management key, as random as the others."""
    return _generate(MANAGEMENT)


def kind_of(text: str) -> KeyKind | None:
    """The kind of a well-formed key of a site, else None. Well-formed does not say that it exists."""
    return _KINDS.get(_prefix_of(text))


def is_management(text: str) -> bool:
    """Return whether the text is a well-formed management key."""
    return _prefix_of(text) == MANAGEMENT


def digest(text: str) -> str:
    """The SHA-256 of a well-formed key, as 64 hexadecimal digits: all that the database knows of its text."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _generate(prefix: str) -> str:
    checked = prefix + base62.random(RANDOM)
    return checked + _checksum(checked)


def _prefix_of(text: str) -> str:
    """The prefix of a well-formed key, "" for any other text."""
    form = _FORM.fullmatch(text)
    if form is None or form["checksum"] != _checksum(form["checked"]):
        return ""
    return form["prefix"]


def _checksum(checked: str) -> str:
    return base62.encode(zlib.crc32(checked.encode("ascii")), CHECKSUM)


LABEL_LENGTH = 80


def check_label(label: str) -> None:
    """Raises InvalidLabel when the text is too long for a label, or holds a key or what cannot be shown."""
    if redacted(label) != label:
        raise InvalidLabel(
            "the label holds a key, or the beginning of one", hint="labels are shown to everybody"
        )
    if len(label) > LABEL_LENGTH:
        raise InvalidLabel(
            f"the label has {len(label)} characters", hint=f"use {LABEL_LENGTH} characters or fewer"
        )
    if not label.isprintable() or label != label.strip():
        raise InvalidLabel(
            "the label holds characters that cannot be seen",
            hint="use letters, digits, signs and single spaces within it",
        )
