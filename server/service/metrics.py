"""Metrics of the service in the form of Prometheus, at a port of their own.

No label has values without bound: a route is the form of an address, and nothing names an account. All are in
a registry of the service, so that what libraries count does not get among them.
"""

from __future__ import annotations

import asyncio
import platform
import time
from collections import Counter as Tally
from collections.abc import Callable

from aiohttp import web
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    Info,
    ProcessCollector,
)
from prometheus_client.exposition import choose_encoder

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
        self._requests = Counter(
            "twinpress_http_requests",
            "Requests that were answered, or refused before they had a route.",
            ("api", "route", "method", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "twinpress_http_request_duration_seconds",
            "Seconds from the head of a request to its answer.",
            ("api", "route"),
            buckets=SECONDS,
            registry=registry,
        )
        # To find a metric by its labels costs more than to count.
        self._kinds: dict[tuple[str, str, str, int], tuple[Counter, Histogram]] = {}
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
        kind = api, route, method, request.status
        if kind not in self._kinds:
            number = self._requests.labels(api, route, method, str(request.status))
            self._kinds[kind] = number, self._seconds.labels(api, route)
        number, seconds = self._kinds[kind]
        number.inc()
        seconds.observe(request.seconds)
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
