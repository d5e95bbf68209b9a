"""The executor of a build, as an option of a command names it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from builder.cache.shared_cache import SharedCache
from server.cli.terminal import console

if TYPE_CHECKING:
    from server.dask_executor.executor import DaskExecutor


def dask_executor(
    named: str, jobs: int | None, shared: SharedCache | None, cache_to: str
) -> DaskExecutor | None:
    """Return the executor for `dask` or `dask=ADDRESS`, None for this machine's own processes.

    Raises ClusterFailure where Dask is not installed, or nothing listens at the address.
    """
    kind, _, address = named.partition("=")
    if kind != "dask":
        return None
    # Loaded here: Dask takes longer to load than a small build does.
    needed = ("dask", "distributed") if address else ("dask", "distributed", "cryptography")
    if missing := [name for name in needed if find_spec(name) is None]:
        from server.dask_executor.failures import missing_extra  # noqa: PLC0415

        raise missing_extra(*missing)
    from server.dask_executor.executor import DaskExecutor  # noqa: PLC0415

    executor = DaskExecutor(address, number=jobs, target=cache_to if shared else "")
    executor.look()
    return executor


def tell_rendered(executor: DaskExecutor | None) -> None:
    """Say what went otherwise than it should."""
    for note in executor.notes if executor else ():
        console.note(f"dask: {note}")
