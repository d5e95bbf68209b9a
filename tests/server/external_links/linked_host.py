"""A host on loopback that answers by path as a test says, and remembers what it was asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = tuple[int, dict[str, str]]


@dataclass
class LinkedHost:
    """`replies` are status and headers by method and path, or by path; `/slow` never answers."""

    replies: Mapping[str, Reply | list[Reply]]
    robots: Reply | str = (404, {})
    port: int = 0
    asked: list[str] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)
    at_once: int = 0
    most_at_once: int = 0
    ended: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def reply(self, method: str, path: str) -> Reply:
        """The reply to a request; of several, each in its turn."""
        found = self.replies.get(f"{method} {path}", self.replies.get(path, (200, {})))
        if isinstance(found, list):
            return found.pop(0) if len(found) > 1 else found[0]
        return found


@contextmanager
def serving(host: LinkedHost) -> Iterator[LinkedHost]:
    """Serve the host for the time of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with host.lock:
                host.asked.append(f"{self.command} {self.path}")
                host.agents.add(self.headers["User-Agent"])
                host.at_once += 1
                host.most_at_once = max(host.most_at_once, host.at_once)
            time.sleep(0.002)
            with host.lock:
                host.at_once -= 1
            self._answer()

        do_HEAD = do_GET

        def _answer(self) -> None:
            if self.path == "/slow":
                host.ended.wait(20)
                return
            body = b""
            if self.path == "/robots.txt":
                status, headers = (200, {}) if isinstance(host.robots, str) else host.robots
                body = host.robots.encode() if isinstance(host.robots, str) else b""
            else:
                status, headers = host.reply(self.command, self.path)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value.replace("{port}", str(host.port)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    host.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield host
    finally:
        host.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
