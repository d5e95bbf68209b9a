"""A small S3 over real HTTP whose faults the test chooses, and moto's server, which somebody else wrote."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import boto3

BUCKET = "docs"
ADDRESS = f"s3://{BUCKET}/twinpress"


@dataclass
class SmallS3:
    """Objects by key with the time of each, and what the server is to do wrong.

    `latency` are seconds before each answer; `status` is answered to all, `ignores` leaves conditions out of
    account, `loses` puts an object and closes the connection without an answer, so often. `put` is called
    with the number of objects that were put. Objects whose keys have `hidden` in them are not found, those
    with `unlisted` not listed. A part of an object is answered with `more` bytes than it has, and any
    answer says that it has `claimed` bytes. With `leads_to`, who reads is led to this address.
    """

    objects: dict[str, tuple[bytes, float]] = field(default_factory=dict)
    latency: float = 0.0
    status: int = 0
    ignores: bool = False
    loses: int = 0
    hidden: str = "\0"
    unlisted: str = "\0"
    more: int = 0
    claimed: int = 0
    leads_to: str = ""
    put: Callable[[int], None] | None = None
    parts: dict[str, dict[int, bytes]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0
    puts: int = 0
    at_once: int = 0
    most_at_once: int = 0

    def keys(self, folder: str) -> list[str]:
        """The keys of objects below a folder of the prefix."""
        start = f"twinpress/{folder}"
        return [key.removeprefix("twinpress/") for key in list(self.objects) if key.startswith(start)]

    def grow_old(self, seconds: float) -> None:
        """Have all objects be older by so many seconds."""
        for key, (data, when) in list(self.objects.items()):
            self.objects[key] = data, when - seconds


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    s3: SmallS3

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        time.sleep(self.s3.latency)
        self.send_response(status)
        self.send_header("Content-Length", headers.pop("size", str(len(body))))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _begin(self) -> bytes | None:
        """Read the request; None when it was answered."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.key = unquote(urlsplit(self.path).path).removeprefix(f"/{BUCKET}").lstrip("/")
        self.s3.requests.append(f"{self.command} {self.key}")
        if self.s3.leads_to and self.command in {"GET", "HEAD"}:
            return self._answer(307, Location=f"{self.s3.leads_to}{self.path}")
        if self.s3.status:
            return self._answer(self.s3.status, b"<Error><Code>Fault</Code></Error>")
        return body

    def do_PUT(self) -> None:
        if (body := self._begin()) is None:
            return None
        s3, tag = self.s3, _tag(body)
        asked = parse_qs(urlsplit(self.path).query)
        if "uploadId" in asked:
            s3.parts.setdefault(asked["uploadId"][0], {})[int(asked["partNumber"][0])] = body
            return self._answer(200, ETag=tag)
        with s3.lock:
            there = s3.objects.get(self.key)
            wanted = self.headers.get("If-Match"), self.headers.get("If-None-Match")
            if not s3.ignores:
                if wanted[0] and (there is None or _tag(there[0]) != wanted[0]):
                    return self._answer(412 if there else 404)
                if wanted[1] and there is not None:
                    return self._answer(412)
            s3.objects[self.key] = body, time.time()
            s3.puts += 1
            s3.at_once += 1
            s3.most_at_once = max(s3.most_at_once, s3.at_once)
            if s3.loses:
                s3.loses -= 1
                s3.at_once -= 1
                self.close_connection = True
                return None
        if s3.put:
            s3.put(s3.puts)
        self._answer(200, ETag=tag)
        with s3.lock:
            s3.at_once -= 1
        return None

    def do_GET(self) -> None:
        if self._begin() is None:
            return None
        if "list-type" in self.path:
            return self._list()
        found = self.s3.objects.get(self.key)
        if found is None or self.s3.hidden in self.key:
            return self._answer(404)
        data, status = found[0], 200
        more = {"ETag": _tag(data), "Last-Modified": formatdate(found[1], usegmt=True)}
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if asked:
            start, end = int(asked[1]), min(int(asked[2]) + 1, len(data))
            if start >= len(data):
                return self._answer(416)
            more["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
            data, status = data[start:end] + bytes(self.s3.more), 206
        if self.s3.claimed and self.command == "GET":
            more["size"] = str(self.s3.claimed)
            data += bytes(500_000)
        return self._answer(status, data, **more)

    do_HEAD = do_GET

    def do_DELETE(self) -> None:
        if self._begin() is not None:
            self.s3.objects.pop(self.key, None)
            self._answer(204)

    def do_POST(self) -> None:
        body, asked = self._begin(), urlsplit(self.path).query
        if body is None:
            return
        if asked.startswith("uploads"):
            self._answer(200, f"<R><UploadId>{len(self.s3.requests)}</UploadId></R>".encode())
        elif "uploadId" in asked:
            self._complete(parse_qs(asked)["uploadId"][0])
        else:
            keys = re.findall(r"<Key>([^<]*)</Key>", body.decode())
            for key in keys:
                self.s3.objects.pop(key, None)
            rows = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            self._answer(200, f"<DeleteResult>{rows}</DeleteResult>".encode())

    def _complete(self, upload: str) -> None:
        with self.s3.lock:
            parts = self.s3.parts.pop(upload)
            data = b"".join(parts[number] for number in sorted(parts))
            self.s3.objects[self.key] = data, time.time()
        tag = escape(_tag(data))
        self._answer(200, f"<R><Key>{self.key}</Key><ETag>{tag}</ETag></R>".encode())

    def _list(self) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        prefix, after = asked.get("prefix", ""), asked.get("continuation-token", "")
        shown = [key for key in list(self.s3.objects) if self.s3.unlisted not in key]
        keys = sorted(key for key in shown if key.startswith(prefix) and key > after)
        folders = set[str]()
        if asked.get("delimiter"):
            folders = {
                prefix + key[len(prefix) :].split("/")[0] + "/" for key in keys if "/" in key[len(prefix) :]
            }
            keys = [key for key in keys if "/" not in key[len(prefix) :]]
        page, rest = keys[:1000], keys[1000:]
        token = f"<NextContinuationToken>{page[-1]}</NextContinuationToken>" if rest else ""
        rows = "".join(map(self._row, page))
        common = "".join(
            f"<CommonPrefixes><Prefix>{each}</Prefix></CommonPrefixes>" for each in sorted(folders)
        )
        truncated = str(bool(rest)).lower()
        self._answer(
            200,
            f"<ListBucketResult><IsTruncated>{truncated}</IsTruncated>{token}{rows}{common}</ListBucketResult>".encode(),
        )

    def _row(self, key: str) -> str:
        data, when = self.s3.objects[key]
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(when))
        return (
            f"<Contents><Key>{escape(key)}</Key><LastModified>{stamp}</LastModified>"
            f"<ETag>{escape(_tag(data))}</ETag><Size>{len(data)}</Size></Contents>"
        )


def _tag(data: bytes) -> str:
    return f'"{hashlib.md5(data).hexdigest()}"'


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that are killed."""


@contextmanager
def small_s3(s3: SmallS3 | None = None) -> Iterator[SmallS3]:
    """Run the server; the environment of the block leads to it."""
    s3 = s3 or SmallS3()
    server = _Server(("127.0.0.1", s3.port), type("Handler", (_Handler,), {"s3": s3}))
    s3.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        with environment(s3.port):
            yield s3
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


SETTINGS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


@contextmanager
def environment(port: int, **more: str) -> Iterator[None]:
    """Have stores of the block be at this port, as operators say it."""
    wanted = SETTINGS | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"} | more
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def create_bucket(port: int) -> None:
    """Create the bucket of tests at a server of S3."""
    names = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", **names)
    client.create_bucket(Bucket=BUCKET)
    client.close()


_MOTO = """
import time
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
while True: time.sleep(60)
"""


@contextmanager
def moto_server() -> Iterator[int]:
    """Run moto's server with an empty bucket; gives its port."""
    command = [sys.executable, "-c", _MOTO]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout
            port = int(process.stdout.readline())
            create_bucket(port)
            yield port
        finally:
            process.send_signal(signal.SIGKILL)
