"""The places of a shared cache: a folder, an HTTP server, a bucket; and what is said where one is wrong."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from builder.cache.errands import StoreRefused
from builder.cache.packs import MOST_BYTES
from builder.errors import StorageError, TwinpressError
from server.releases.bucket_address import bucket_address
from server.shared_caches.open_cache import READ_TOKEN, SECRET, WRITE_TOKEN, open_cache
from server.shared_caches.pack_bucket import PackBucket
from server.shared_caches.pack_folder import PackFolder
from server.shared_caches.pack_server import PackServer
from tests.server.releases.small_s3 import BUCKET, SmallS3, create_bucket, environment, moto_server, small_s3

READ, WRITE = "read-token", "write-token"
NAME = "trusted/0123/1-0.pack"


class Handler(BaseHTTPRequestHandler):
    """Keeps what is put; each method takes a token of its own."""

    packs: dict[str, bytes]
    asked: list[tuple[str, str]]

    def do_GET(self) -> None:
        if self._is_let_in(READ):
            found = self.packs.get(self.path)
            self._answer(404 if found is None else 200, found or b"")

    def do_PUT(self) -> None:
        if self._is_let_in(WRITE):
            self.packs[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(201)

    def log_message(self, *_: object) -> None:
        """Write nothing."""

    def _is_let_in(self, token: str) -> bool:
        self.asked.append((self.command, self.path))
        if self.path.startswith("/moved/"):
            self.send_response(307)
            self.send_header("Location", "/docs/" + self.path.removeprefix("/moved/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False
        if self.headers["Authorization"] == f"Bearer {token}":
            return True
        self._answer(403)
        return False

    def _answer(self, status: int, data: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def http_server() -> Iterator[tuple[str, type[Handler]]]:
    """A server that takes GET and PUT, with its address."""
    kind = type("Kept", (Handler,), {"packs": {}, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/docs", kind
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_folder_keeps_packs(tmp_path: Path) -> None:
    store = PackFolder(tmp_path / "cache")
    assert store.get(NAME) is None
    store.put(NAME, b"one")
    store.put(NAME, b"two")
    assert store.get(NAME) == b"two"
    assert [path.name for path in (tmp_path / "cache/trusted/0123").iterdir()] == ["1-0.pack"]


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    store = PackFolder(tmp_path / "cache")
    assert store.get(NAME) is None
    with pytest.raises(StorageError, match=r"1-0\.pack: (File exists|Not a directory)"):
        store.put(NAME, b"one")


def test_a_file_that_is_no_pack_is_refused_before_it_is_read(tmp_path: Path) -> None:
    store = PackFolder(tmp_path)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(StorageError, match="more than 64 MB"):
        store.get("large")
    os.mkfifo(tmp_path / "pipe")
    assert store.get("pipe") == b""
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError, match="Is a directory"):
        store.get("folder")


def test_a_disk_that_is_full_keeps_what_was_there(tmp_path: Path) -> None:
    store = PackFolder(tmp_path)
    store.put(NAME, b"one")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(StorageError, match="File too large"):
            store.put(NAME, bytes(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert store.get(NAME) == b"one"
    assert len(list((tmp_path / NAME).parent.iterdir())) == 1


def test_of_two_who_write_at_once_one_pack_is_there_as_a_whole(tmp_path: Path) -> None:
    store = PackFolder(tmp_path)
    packs = [bytes([number]) * 300_000 for number in range(4)]
    store.put(NAME, packs[0])

    def write(data: bytes) -> None:
        for _ in range(30):
            store.put(NAME, data)

    threads = [threading.Thread(target=write, args=(data,)) for data in packs]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert store.get(NAME) in packs
    assert store.get(NAME) in packs


def test_a_server_is_read_and_written_with_two_tokens() -> None:
    with http_server() as (address, kind):
        reader, writer = PackServer(address, READ), PackServer(f"{address}/", WRITE)
        assert (reader.get(NAME), reader.name) == (None, writer.name)
        writer.put(NAME, b"one")
        assert (reader.get(NAME), [*kind.packs]) == (b"one", [f"/docs/{NAME}"])
        with pytest.raises(StorageError, match=f"PUT is answered with status 403.*token in {WRITE_TOKEN}"):
            reader.put(NAME, b"evil")
        with pytest.raises(StorageError, match=f"GET is answered with status 403.*token into {READ_TOKEN}"):
            PackServer(address).get(NAME)
        assert kind.packs[f"/docs/{NAME}"] == b"one"


def test_a_token_goes_to_no_other_address() -> None:
    with http_server() as (address, kind):
        with pytest.raises(StorageError, match="status 307"):
            PackServer(address.replace("/docs", "/moved"), READ).get(NAME)
        assert kind.asked == [("GET", f"/moved/{NAME}")]


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/docs", "https://127.0.0.1:1", "http://no.invalid"])
def test_a_server_that_is_not_there_is_told(address: str) -> None:
    with pytest.raises(StorageError, match="no answer to GET"):
        PackServer(address).get(NAME)


def test_a_bucket_keeps_packs() -> None:
    with moto_server() as port, environment(port):
        create_bucket(port)
        store = PackBucket(bucket_address(f"s3://{BUCKET}/cache"))
        assert store.get(NAME) is None
        store.put(NAME, b"one")
        assert (store.get(NAME), store.name) == (b"one", f"s3://{BUCKET}/cache")
        with pytest.raises(StorageError):
            PackBucket(bucket_address("s3://nobody-has-this")).put(NAME, b"one")


@pytest.mark.parametrize("status", [401, 403])
def test_a_bucket_that_refuses_a_credential_is_told_from_one_that_is_away(status: int) -> None:
    with small_s3(SmallS3(status=status)):
        store = PackBucket(bucket_address("s3://docs/cache"))
        with pytest.raises(StoreRefused, match=r"^refuses: "):
            store.get(NAME)
        with pytest.raises(StoreRefused):
            store.put(NAME, b"one")


def test_an_answer_that_is_no_pack_is_not_read_to_its_end() -> None:
    with http_server() as (address, kind):
        kind.packs[f"/docs/{NAME}"] = bytes(MOST_BYTES + 1)
        with pytest.raises(StorageError, match="more than 64 MB"):
            PackServer(address, READ).get(NAME)


def test_a_token_is_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(READ_TOKEN, "not\nto be seen")
    with pytest.raises(TwinpressError) as found:
        open_cache("https://cache.example", "")
    assert "not" not in str(found.value)
    monkeypatch.setenv(READ_TOKEN, f"{READ}\n")  # as `echo` writes it
    with http_server() as (address, kind):
        cache = open_cache(address, "")
        assert cache
        assert list(cache.pages(["docs/a"], {"docs/a": b"key"})) == []
        assert (cache.diagnostics, len(kind.asked)) == ([], 2)


SECRETS = (
    "https://me:hush@cache.example/docs", "https://hush@cache.example", "s3://key:hush@bucket/docs",
    "https://cache.example/docs?X-Amz-Signature=hush", "s3://bucket?hush", "ftp://me:hush@cache.example/#a",
    "https://me:hush/@cache.example?x=hush",
)  # fmt: skip


@pytest.mark.parametrize("address", SECRETS)
def test_what_may_be_a_password_in_an_address_is_in_no_message(address: str) -> None:
    with pytest.raises(TwinpressError) as found:
        open_cache("", address)
    assert "hush" not in str(found.value)
    assert "put a token into" in str(found.value)


WRONG = {
    "ftp://cache.example": "no address of a shared cache",
    "http://": "no address of a shared cache",
    "https://me:pw@cache.example": "put a token into",
    "https://cache.example?x=1": "no address of a shared cache",
    "https:/cache.example": "write a folder",
    "http://[::1": "no address of a shared cache",
    "file://[x": "no address of a shared cache",
    "localhost:8000/cache": "begin with ./",
    "s3:bucket": "begin with ./",
    "s3://": "no address of a bucket",
}


@pytest.mark.parametrize("address", WRONG)
def test_an_address_that_cannot_be_right_is_refused(address: str) -> None:
    with pytest.raises(TwinpressError, match=WRONG[address]):
        open_cache(address, "")


def test_a_folder_that_is_only_read_and_not_there_is_told(tmp_path: Path) -> None:
    place, other = str(tmp_path / "nope"), str(tmp_path / "other")
    for target in ("", other):
        found = open_cache(place, target)
        assert found
        assert [one.code for one in found.diagnostics] == ["cache-away"]
    first = open_cache(place, place)
    assert first
    assert first.diagnostics == []


@pytest.mark.parametrize("empty", ["", "  "])
def test_a_secret_that_is_empty_is_refused(
    tmp_path: Path, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET, empty)
    with pytest.raises(TwinpressError, match="is empty"):
        open_cache(str(tmp_path), "")


def test_a_short_secret_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, "secret")
    with pytest.raises(TwinpressError, match="openssl rand -hex 32"):
        open_cache(str(tmp_path), "")
    assert open_cache("", "") is None
