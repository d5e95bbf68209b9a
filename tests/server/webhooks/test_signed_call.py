"""Calls of webhooks over real TLS, and what is not called."""

from __future__ import annotations

import hashlib
import hmac
import ssl
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from builder.errors import TwinpressError
from server.domains import public_address
from server.domains.public_address import RefusedAddress, find_address
from server.webhooks.courier import CallFailed, WebhookCall, call
from tests.server.webhooks.receiver import FINE, HOST, Receiver, answering, certificate, receiver
from tests.time_bounds import in_time

SECRET = "whsec_of_this_test"
CALL = WebhookCall("https://localhost/", SECRET, "publish.failed", '{"id":"ünï"}', 1_700_000_000)


def ask(found: Receiver, monkeypatch: pytest.MonkeyPatch, url: str = "", seconds: float = 10.0) -> int:
    """Call the receiver, whose certificate is trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(found.authority))
    return call(replace(CALL, url=url or found.url), private=True, seconds=seconds)


def test_a_call_is_signed_and_says_what_has_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver(tmp_path, answering(FINE)) as found:
        assert ask(found, monkeypatch) == 200
    (got,) = found.received
    assert got.line == "POST /hooks/docs?from=quay HTTP/1.1"
    assert got.body.decode() == CALL.body
    assert got.headers["host"] == f"localhost:{found.port}"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["twinpress-event"] == "publish.failed"
    signed = hmac.new(SECRET.encode(), b"1700000000." + got.body, hashlib.sha256).hexdigest()
    assert got.headers["twinpress-signature"] == f"t=1700000000,v1={signed}"


STATUSES = [
    (b"HTTP/1.1 204 No Content\r\n\r\n", 204),
    (b"HTTP/1.0 500\r\n\r\n", 500),
    (b"HTTP/1.1 302 Found\r\nLocation: https://localhost/elsewhere\r\n\r\n", 302),
    (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000_000, 200),
]


@pytest.mark.parametrize(("answer", "status"), STATUSES, ids=["fine", "fault", "moved", "huge"])
def test_the_status_is_read_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, status: int
) -> None:
    with receiver(tmp_path, answering(answer)) as found:
        assert ask(found, monkeypatch) == status
    assert len(found.received) == 1


NO_HTTP = [
    b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 999 x\n", b"HTTP/1.1 200 " + b"x" * 10_000_000, b"HTTP/2 200\r\n"
]  # fmt: skip


@pytest.mark.parametrize("answer", NO_HTTP, ids=["silence", "ssh", "number", "endless", "two"])
def test_what_is_no_answer_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    with receiver(tmp_path, answering(answer)) as found, pytest.raises(CallFailed, match="not HTTP"):
        ask(found, monkeypatch)


def test_an_answer_has_so_many_seconds_however_it_drips(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def drip(opened: ssl.SSLSocket) -> None:
        for sign in b"HTTP/1.1 200 OK, and many more words to come than anybody waits for\r\n":
            if ended.wait(0.2):
                return
            opened.sendall(bytes([sign]))

    with receiver(tmp_path, drip) as found, in_time(8):
        began = time.monotonic()
        with pytest.raises(CallFailed, match="within 1 seconds"):
            ask(found, monkeypatch, seconds=1)
        assert time.monotonic() - began >= 1
        ended.set()


def test_a_certificate_has_to_be_of_the_host_and_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiver(tmp_path, answering(FINE)) as found:
        with pytest.raises(CallFailed, match="certificate"):
            call(replace(CALL, url=found.url), private=True)
        monkeypatch.setattr(public_address.socket, "getaddrinfo", _leads_to_here)
        with pytest.raises(CallFailed, match="certificate"):
            ask(found, monkeypatch, f"https://other.example:{found.port}/")
    assert found.received == []


def test_a_certificate_of_another_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver(tmp_path, answering(FINE)) as found:
        other = tmp_path / "other"
        other.mkdir()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate(other)[0]))
        with pytest.raises(CallFailed, match="certificate"):
            call(replace(CALL, url=found.url), private=True)


def _leads_to_here(*_: object, **__: object) -> list[tuple[object, ...]]:
    """The answer of a name server that leads to this machine."""
    return [(0, 0, 0, "", ("127.0.0.1", 0))]


def test_a_host_is_asked_for_once_and_what_was_found_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name leads to another address with each question, as an attacker's server would have it."""
    asked = list[str]()

    def rebinding(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return [(0, 0, 0, "", ("127.0.0.1" if len(asked) == 1 else "127.0.0.2", 0))]

    monkeypatch.setattr(public_address.socket, "getaddrinfo", rebinding)
    with receiver(tmp_path, answering(FINE)) as found:
        assert ask(found, monkeypatch) == 200
    assert asked.count(HOST) == 1


HOSTS = [
    "localhost", "127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "127.1", "017700000001", "0177.0.0.1",
    "0", "[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]", "127.0.0.1.", "①②⑦.0.0.1",
    "no-such-host.invalid",
]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_no_way_to_write_a_host_leads_to_this_machine(tmp_path: Path, host: str) -> None:
    with receiver(tmp_path, answering(FINE)) as found, pytest.raises(TwinpressError) as refused:
        call(replace(CALL, url=f"https://{host}:{found.port}/"), private=False)
    assert isinstance(refused.value, RefusedAddress)
    assert found.received == []


def test_one_address_that_is_not_public_among_several_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = [(0, 0, 0, "", (address, 0)) for address in ("8.8.8.8", "10.0.0.1")]
    monkeypatch.setattr(public_address.socket, "getaddrinfo", lambda *_, **__: mixed)
    with pytest.raises(RefusedAddress, match="not public"):
        find_address("mixed.example", 443, private=False)
    assert find_address("mixed.example", 443, private=True) == "8.8.8.8"


def test_a_name_server_that_is_silent_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(public_address.socket, "getaddrinfo", lambda *_, **__: ended.wait(30) and [])
    with in_time(8), pytest.raises(CallFailed, match="within"):
        call(CALL, private=False, seconds=0.5)
    ended.set()
