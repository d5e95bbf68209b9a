"""Metrics of the service in the form of Prometheus, at a port of their own.

No label has values without bound: a route is the form of an address, and nothing names an account. All are in
a registry of the service, so that what libraries count does not get among them.
"""

from __future__ import annotations

import asyncio
import platform
import time
from bisect import bisect_left
from collections import Counter as Tally
from collections.abc import Callable, Iterator
from itertools import accumulate

from aiohttp import web
from msgspec import Struct
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Info,
    ProcessCollector,
)
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from builder.version import VERSION
from server.control.plans import connections_of
from server.hosting import hosted
from server.http import answers
from server.http.logged_request import LoggedRequest
from server.service.wiring import Service
from server.site_serving.read_counts import ReadCounts
from server.site_serving.read_metrics import ReadMetrics

PATH = "/metrics"
METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
"""Those that a label names: a client may send any word."""
NONE, OTHER = "none", "other"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
STATES = ("creating", "active", "disabled", "deleting", "error")
_SIGN_IN, _REFUSED = ("/sign-in", "/step-up"), frozenset({422, 429})
_ACCOUNTS = "SELECT suspended, count(*) FROM accounts GROUP BY suspended"


Encode = Callable[[CollectorRegistry], bytes]
_Kind = tuple[str, str, str, int]
"""API, route, method and status of a request."""


class _Times(Struct):
    """The requests of a route by how long they took: at most each of SECONDS, and longer."""

    counts: list[int]
    seconds: float = 0.0

    def buckets(self) -> list[tuple[str, float]]:
        """Return how many took so long at most, as the form of Prometheus wants it."""
        bounds = (*map(str, SECONDS), "+Inf")
        return [(bound, float(total)) for bound, total in zip(bounds, accumulate(self.counts), strict=True)]


class _RequestCounts(Collector):
    """Requests as Prometheus collects them, counted in the event loop alone.

    Each request is counted: metrics of the library, each with a lock, cost five times as much.
    """

    def __init__(self) -> None:
        self._numbers: dict[_Kind, int] = {}
        self._times: dict[tuple[str, str], _Times] = {}

    def note(self, kind: _Kind, seconds: float) -> None:
        """Count a request."""
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        times = self._times.get(kind[:2])
        if times is None:
            times = self._times[kind[:2]] = _Times([0] * (len(SECONDS) + 1))
        times.counts[bisect_left(SECONDS, seconds)] += 1
        times.seconds += seconds

    def collect(self) -> Iterator[Metric]:
        """Give all counts; called in another thread."""
        numbers = CounterMetricFamily(
            "twinpress_http_requests",
            "Requests that were answered, or refused before they had a route.",
            labels=("api", "route", "method", "status"),
        )
        for (*labels, status), number in list(self._numbers.items()):
            numbers.add_metric([*map(str, labels), str(status)], number)
        yield numbers
        times = HistogramMetricFamily(
            "twinpress_http_request_duration_seconds",
            "Seconds from the head of a request to its answer.",
            labels=("api", "route"),
        )
        for (api, route), each in list(self._times.items()):
            times.add_metric([api, route], each.buckets(), each.seconds)
        yield times


class Metrics:
    """All metrics of a service; `note` and `watch` are for the event loop."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._runners: dict[str, web.AppRunner] = {}
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)
        build = Info("twinpress_build", "The version that runs.", registry=registry)
        build.info({"version": VERSION, "python": platform.python_version()})
        self._requests = _RequestCounts()
        registry.register(self._requests)
        registry.register(ReadMetrics(self._reads))
        self._refused = Counter(
            "twinpress_sign_ins_refused",
            "Attempts to sign in with a wrong password, code or passkey, or too many of them.",
            registry=registry,
        )
        self._connections = self._gauge("twinpress_http_connections", "Open connections.", "listener")
        self._ready = self._gauge("twinpress_ready", "1 while databases can be served, as /healthz says.")
        self._databases = self._gauge("twinpress_databases", "Hosted databases by their status.", "state")
        self._accounts = self._gauge("twinpress_accounts", "Accounts, active or suspended.", "state")
        self._queues = self._gauge("twinpress_queue_length", "Work that runs or waits.", "queue")

    def note(self, request: LoggedRequest) -> None:
        """Count a request."""
        api, route = request.area or NONE, request.route or NONE
        method = request.method if request.method in METHODS else OTHER
        self._requests.note((api, route, method, request.status), request.seconds)
        if request.method == "POST" and route.startswith(_SIGN_IN) and request.status in _REFUSED:
            self._refused.inc()

    def _reads(self) -> ReadCounts | None:
        state = self._service.sites.state()
        return state.counts if state is not None else None

    def watch(self, listener: str, runner: web.AppRunner) -> None:
        """Count the connections of a port."""
        self._runners[listener] = runner

    def app(self) -> web.Application:
        """Answer at `/metrics` alone."""
        app = web.Application()
        app.on_response_prepare.append(answers.add_headers)
        app.router.add_get(PATH, self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.Response:
        self._look()
        encode, kind = choose_encoder(request.headers.get("Accept", ""))
        body = await asyncio.to_thread(self._encoded, encode)
        return web.Response(body=body, headers={"Content-Type": kind, "Cache-Control": "no-store"})

    def _look(self) -> None:
        """Take what belongs to the event loop."""
        service = self._service
        for listener, runner in self._runners.items():
            self._connections.labels(listener).set(len(runner.server.connections) if runner.server else 0)
        self._ready.set(service.is_ready())
        self._queues.labels("passwords").set(service.desk.slow.length)
        if service.hosting is not None:
            self._queues.labels("database_requests").set(service.hosting.work.slots.length)

    def _encoded(self, encode: Encode) -> bytes:
        """Count what is in the control database, and write everything down. Not for the event loop."""
        database = self._service.desk.database
        accounts = {bool(suspended): int(count or 0) for suspended, count in database.read(_ACCOUNTS)}
        self._accounts.labels("active").set(accounts.get(False, 0))
        self._accounts.labels("suspended").set(accounts.get(True, 0))
        states: Tally[str] = Tally(row.status for row in hosted.every(database))
        for state in STATES:
            self._databases.labels(state).set(states[state])
        unsettled = hosted.unsettled(database, connections_of(self._service.desk.plans), int(time.time()))
        self._queues.labels("unsettled_databases").set(len(unsettled))
        return encode(self._registry)

    def _gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return Gauge(name, about, labels, registry=self._registry)
