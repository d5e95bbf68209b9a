"""Errors of a push or pull that a person can mend."""

from __future__ import annotations

from builder.errors import TwinpressError


class SyncError(TwinpressError):
    """A push or pull cannot begin, or not go on."""


class ServiceUnreachable(SyncError):
    """The service does not answer, or not as the authoring API does."""


class ServiceRefused(SyncError):
    """The service refuses whatever this key asks."""
