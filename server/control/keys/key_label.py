"""What may be the label of a key: a short text that everybody may see."""

from __future__ import annotations

from server.control.errors import InvalidLabel
from server.control.keys import key_text

LABEL_LENGTH = 80


def check_label(label: str) -> None:
    """Raises InvalidLabel when the text is too long for a label, or holds a key or what cannot be shown."""
    if key_text.redacted(label) != label:
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
