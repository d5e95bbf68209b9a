"""The counts of readers' requests as Prometheus reads them, at a port of the service or of the process.

Apart from the counts themselves: a process for readers without such a port loads none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from server.site_serving.read_counts import SECONDS, ReadCounts

PATH = "/metrics"


def metrics_app(counts: Callable[[], ReadCounts]) -> web.Application:
    """Answer at `/metrics` alone, with the counts of this process."""
    registry = CollectorRegistry()
    registry.register(ReadMetrics(counts))

    async def answer(request: web.Request) -> web.Response:
        encode, kind = choose_encoder(request.headers.get("Accept", ""))
        headers = {"Content-Type": kind, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=encode(registry), headers=headers)

    app = web.Application()
    app.router.add_get(PATH, answer)
    return app


class ReadMetrics(Collector):
    """The counts as Prometheus collects them; `counts` gives None while no process serves sites."""

    def __init__(self, counts: Callable[[], ReadCounts | None]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """Give all of them."""
        counts = self._counts()
        up = 0 if counts is None else 1
        yield GaugeMetricFamily("twinpress_sites_up", "1 while published sites are served.", value=up)
        if counts is not None:
            yield from _collected(counts)


def _collected(counts: ReadCounts) -> Iterator[Metric]:
    requests = CounterMetricFamily("twinpress_sites_requests", "Requests of readers.", labels=["status"])
    for status, count in sorted(counts.statuses.items()):
        requests.add_metric([str(status)], count)
    yield requests
    times = HistogramMetricFamily(
        "twinpress_sites_request_duration_seconds", "Seconds until an answer to a reader begins."
    )
    times.add_metric([], _buckets(counts), counts.seconds)
    yield times
    yield GaugeMetricFamily(
        "twinpress_sites_connections", "Open connections of readers.", value=counts.connections
    )
    yield CounterMetricFamily(
        "twinpress_sites_process_cpu_seconds", "Processor time of the process.", value=counts.cpu
    )


def _buckets(counts: ReadCounts) -> list[tuple[str, float]]:
    """Return how many took so long at most, as the form of Prometheus wants it."""
    found, total = list[tuple[str, float]](), 0
    for bound, count in zip((*map(str, SECONDS), "+Inf"), counts.times, strict=True):
        total += count
        found.append((bound, float(total)))
    return found
