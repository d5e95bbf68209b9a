"""Executors: the places in which the pages of a build are rendered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from builder.render import RenderedPage
from builder.workers.page_job import Job
from builder.workers.processors import processes

if TYPE_CHECKING:
    from builder.workers.page_worker import Worker


class Executor(Protocol):
    """Renders pages somewhere: the same pages, to the last byte, wherever that is."""

    def render(self, jobs: Sequence[Job], worker: Worker) -> Iterator[RenderedPage]:
        """Yield the page of each job in order, as `worker` renders it; there is at least one job.

        Jobs are made when they are asked for: take some, and hold none longer than its page is under way.
        Raises what rendering and writing a page raise.
        """


class LocalExecutor(Struct, frozen=True):
    """Renders in `number` processes of this machine, a small site in this one.

    None is as many as the machine and the site are good for.
    """

    number: int | None = 1

    def render(self, jobs: Sequence[Job], worker: Worker) -> Iterator[RenderedPage]:
        """Yield the page of each job in order."""
        number = min(len(jobs), processes(len(jobs), self.number))
        if number <= 1:
            return map(worker.do, jobs)
        from builder.workers.pool import render_all  # noqa: PLC0415 - small sites need no other processes

        return render_all(jobs, worker, number)
