"""Reasons for which a cluster renders no pages, in words for the person who asked for it."""

from __future__ import annotations

from builder.errors import TwinpressError

START = "start one with `dask scheduler`, and workers with `dask worker --nthreads 1 ADDRESS`"
SAME = (
    "install the same Twinpress for the scheduler and all workers, with the same Python and libraries, "
    "on the same kind of processor"
)


class ClusterFailure(TwinpressError):
    """The cluster cannot be used: it is not there, has no workers, or is lost."""


class OtherEngine(TwinpressError):
    """A worker has another version of what renders, whose pages could be other ones."""


def missing_extra(*names: str) -> ClusterFailure:
    """Return the failure of an installation without packages of these names."""
    message = f"--executor dask needs packages that are not installed: {' and '.join(names)}"
    return ClusterFailure(message, hint="pip install 'twinpress[dask]'")


def other_engine(address: str, theirs: str, ours: str, kind: str = "worker") -> OtherEngine:
    """Return the failure of a worker whose engine is another one, or which has none that can be asked."""
    message = f"this {kind} has {theirs}, and this machine has {ours}; nothing was rendered with it"
    return OtherEngine(message, path=address, hint=SAME)


def lost(address: str, error: BaseException) -> ClusterFailure:
    """Return the failure of a cluster that was there, and is not any more."""
    message = f"the connection to the cluster was lost: {_said(error)}"
    return ClusterFailure(
        message,
        path=address,
        hint="build again; with a cache most pages are done",
    )


def unreachable(address: str, seconds: float, error: BaseException) -> ClusterFailure:
    """Return the failure of a cluster that is not there."""
    if isinstance(error, TimeoutError) or "Timed out" in str(error):
        return ClusterFailure(f"no Dask scheduler answers within {seconds:g} s", path=address, hint=START)
    message = f"no Dask scheduler can be used there: {_said(error)}"
    return ClusterFailure(message, path=address, hint=_hint(address))


def without_workers(address: str, seconds: float) -> ClusterFailure:
    """Return the failure of a cluster without a worker."""
    message = f"the cluster has had no worker for {seconds:g} s"
    return ClusterFailure(message, path=address, hint="see why its workers end, or start some")


def _hint(address: str) -> str:
    if address.startswith("tls://"):
        return "name certificate, key and authority in Dask's settings: `distributed.comm.tls`"
    return START


def _said(error: BaseException) -> str:
    said = getattr(error, "strerror", None) or str(error).strip().split("\n")[0]
    return said or type(error).__name__
