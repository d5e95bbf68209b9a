"""What a client would rather have (RFC 9110, 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence

MARKDOWN = "text/markdown"


def prefers_markdown(accept: Sequence[str], other: str = "application/json") -> bool:
    """Whether `text/markdown` is asked for, and at least as gladly as `other`, in the values of `Accept`."""
    qualities = _qualities(accept)
    markdown = qualities.get(MARKDOWN, 0.0)
    rest = (qualities.get(name, -1.0) for name in (other, f"{other.partition('/')[0]}/*", "*/*"))
    return markdown > 0 and markdown >= next((quality for quality in rest if quality >= 0), 0.0)


def _qualities(accept: Sequence[str]) -> dict[str, float]:
    """Media ranges with their weights; a weight that cannot be read is none."""
    found: dict[str, float] = {}
    for part in ",".join(accept).split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if name:
            weights = [text[2:] for text in parameters if text.startswith("q=")]
            found[name] = _weight(weights[0]) if weights else 1.0
    return found


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        return 0.0
    return weight if 0 <= weight <= 1 else 0.0
