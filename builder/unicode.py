"""Unicode: normal forms, in time that grows with the text, and the bytes of a text in a file.

Marks that follow each other are put in order, which takes Python the square of their number. In long texts no
more of them are kept in a row than Unicode's "Stream-Safe Text Format" (UAX #15, section 13) has; no
language writes more than a few.
"""

from __future__ import annotations

import unicodedata
from itertools import chain, groupby, islice
from typing import Literal

ROW = 30
"""Marks in a row."""
LONG = 1_000
"""Characters up to which the square is affordable. No file's name is longer, so that each stays as it is."""


def normal(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """The text in a normal form."""
    return unicodedata.normalize(form, text if len(text) <= LONG else _sparse(text))


def _sparse(text: str) -> str:
    runs = groupby(text, lambda char: unicodedata.combining(char) > 0)
    return "".join(chain.from_iterable(islice(run, ROW) if marks else run for marks, run in runs))


def encoded(text: str) -> bytes:
    """UTF-8, whatever the text was read from: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace")


def bytes_of(text: str) -> int:
    """Return the number of bytes that a text has as UTF-8."""
    return len(text) if text.isascii() else len(encoded(text))
