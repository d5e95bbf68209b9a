"""The form of a diagnostic code, and the three levels."""

from __future__ import annotations

from msgspec import Struct


class Code(Struct, frozen=True):
    """`meaning` says when it is given and why it matters; `mend` says what to do. Both are markdown."""

    level: str
    meaning: str
    mend: str


ERROR, WARNING, INFO = "error", "warning", "info"
