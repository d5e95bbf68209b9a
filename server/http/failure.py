"""Failures of requests: a code for programs, which has an HTTP status, and a message for people."""

from __future__ import annotations

from collections.abc import Mapping

from server.http.error_codes import STATUS


class Failure(Exception):
    """A request that is answered with `{ok: false, error, code}`; `code` is one of `STATUS`.

    `headers` go with the answer. It is the `last` one of its connection where the rest of the request is not
    to be read.
    """

    def __init__(
        self, code: str, message: str, headers: Mapping[str, str] | None = None, *, last: bool = False
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = headers or {}
        self.last = last

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUS[self.code]
