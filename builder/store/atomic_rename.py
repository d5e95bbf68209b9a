"""Two names exchanged, or a file moved where nothing is, each in one step that the system makes.

A plain rename would silently take the place of what an editor has saved in the last moment. After an exchange
the old file can still be looked at, and be put back. Linux: renameat2(2); macOS: renameatx_np(2).
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from builder.store.temp_files import new_name
from builder.store.walk import look

_CALLS = {"linux": ("renameat2", 2, 1), "darwin": ("renameatx_np", 2, 4)}
"""By platform: the system call, and its flags to exchange, and to replace nothing."""
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


class Unsupported(Exception):
    """The system, or this file system, knows no exchange of names; nothing has changed."""


def exchange(folder: int, one: str, other: str) -> None:
    """Let two files of a folder have each other's names.

    Raises Unsupported, and OSError; then nothing has changed.
    """
    try:
        _rename(folder, one, other, _EXCHANGE)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        raise Unsupported from error


def has_exchange(folder: int) -> bool:
    """Try whether names in a folder can be exchanged, on two files that are made for it. Raises OSError."""
    one, other = new_name(), new_name()
    made: list[str] = []
    try:
        for name in (one, other):
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder))
            made += [name]
        exchange(folder, one, other)
    except Unsupported:
        return False
    finally:
        for name in made:
            os.unlink(name, dir_fd=folder)
    return True


def move(folder: int, old: str, new: str) -> None:
    """Rename a file. Raises FileExistsError when something has the new name, and OSError."""
    try:
        _rename(folder, old, new, _KEEP)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        if look(folder, new) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new) from None
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)


def replace_in_steps(folder: int, one: str, other: str) -> bool:
    """Exchange two files in steps, without the system's exchange: a file saved meanwhile as `other` is lost.

    Whether the old file has the name `one` then; where no file can have two names it is no more.
    """
    kept = new_name()
    try:
        os.link(other, kept, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except OSError:  # no second names here (FAT, some network drives)
        os.rename(one, other, src_dir_fd=folder, dst_dir_fd=folder)
        return False
    try:
        os.rename(one, other, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):  # it is swept at the next start
            os.unlink(kept, dir_fd=folder)
        raise
    os.rename(kept, one, src_dir_fd=folder, dst_dir_fd=folder)
    return True


def _rename(folder: int, one: str, other: str, flag: int) -> None:
    sys.audit("os.rename", one, other, folder, folder)  # as the plain call does
    while failed := _call()(folder, os.fsencode(one), folder, os.fsencode(other), flag):
        if failed != errno.EINTR:
            raise OSError(failed, os.strerror(failed), one, None, other)


@cache
def _call() -> Callable[[int, bytes, int, bytes, int], int]:
    """The system call; what it gives is the number of an error, 0 for none."""
    # Loaded here, as a build changes no source.
    import ctypes  # noqa: PLC0415

    call = getattr(ctypes.CDLL(None, use_errno=True), _NAME, None) if _NAME else None
    if call is None:
        return lambda *_: errno.ENOSYS
    text, number = ctypes.c_char_p, ctypes.c_int
    call.argtypes, call.restype = (number, text, number, text, ctypes.c_uint), number
    return lambda *given: ctypes.get_errno() if call(*given) else 0


_NAME, _EXCHANGE, _KEEP = _CALLS.get(sys.platform, ("", 0, 0))
