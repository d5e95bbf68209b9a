"""Files of the site that are copied as they are: those beside pages, and those in `static`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.errors import StorageError
from builder.output import Output
from builder.plan.options import Options
from builder.store import FRESH, ContentStore, SiteFile, state_of

LARGE = 100_000_000
"""Bytes from which on a file is none that readers of documentation load, and hosts refuse it."""
_BLOCK = 512
_HINT = "put it where downloads are kept, and link to it there"


def copy_files(
    store: ContentStore, files: Sequence[SiteFile], output: Output, options: Options
) -> Iterator[Diagnostic]:
    """Copy files as they are; one that is left out is named.

    That is what cannot be read and, of a site that is not trusted, what is LARGE.
    """
    for file in files:
        try:
            source = store.open_file(file.file)
        except (FileNotFoundError, StorageError) as error:
            message = error.message if isinstance(error, StorageError) else "the file is gone"
            yield Diagnostic(file.file, 0, 0, "page-unreadable", message)
            continue
        with source:
            about = os.fstat(source.fileno())
            if about.st_size >= LARGE:
                yield _large(file, about, options)
                if not options.trusted:
                    continue
            key = _key(about)
            if not output.has_all((file.output,), key):
                output.copy(file.output, file.file, source, key)


def _large(file: SiteFile, about: os.stat_result, options: Options) -> Diagnostic:
    sparse = about.st_blocks * _BLOCK < about.st_size // 2
    message = f"has {about.st_size:,} bytes{', most of them a hole without data' if sparse else ''}"
    if options.trusted:
        return Diagnostic(file.file, 0, 0, "file-large", message, _HINT)
    return Diagnostic(file.file, 0, 0, "file-too-large", f"{message}, so it is left out", _HINT)


def _key(found: os.stat_result) -> bytes:
    """The key of a file that is copied; none while it may change without its times telling."""
    state = state_of(found)
    return digest(state) if time.time_ns() - state.youngest > FRESH else b""
