"""Bytes of a page become text; whatever they are, there is a text, and a diagnostic where it is not all."""

from __future__ import annotations

import codecs

from builder.diagnostics import Diagnostic
from builder.yaml.positions import place

_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(data: bytes, file: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text, with U+FFFD for bytes that are no UTF-8, and what is wrong with it.

    NUL characters stay, so that what is read is what was written; they are shown as U+FFFD when rendered.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return data.decode(errors="replace"), (_encoding(data, error, file),)
    at = text.find("\0")
    if at < 0:
        return text, ()
    line, column = place(text.removeprefix("\ufeff"), at - text.startswith("\ufeff"))
    count = text.count("\0")
    message = "the text has a NUL character" if count == 1 else f"the text has {count} NUL characters"
    return text, (Diagnostic(file, line, column, "nul-character", message, "delete it"),)


def _encoding(data: bytes, error: UnicodeDecodeError, file: str) -> Diagnostic:
    good = data[: error.start].decode().removeprefix("\ufeff")
    line, column = place(good, len(good))
    message = f"the byte 0x{data[error.start]:02X} is not valid UTF-8"
    hint = (
        "save the file as UTF-8; it looks like UTF-16" if data.startswith(_WIDE) else "save the file as UTF-8"
    )
    return Diagnostic(file, line, column, "page-encoding", message, hint)
