"""The TLS proxy's question: yes for hosts of sites alone, also when everything else is down."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from server.releases.hosts import MountedHost
from tests.ports import free_port
from tests.server.commands import twinpress
from tests.server.http_client import request
from tests.server.site_serving.asking import Readers, serving_sites
from tests.server.site_serving.published import SITE, mount
from tests.waiting import until

HOSTS = {
    "quay.localhost": SITE,
    "docs.quayside.example": SITE,
    "www.quayside.example": MountedHost(SITE, "docs.quayside.example"),
    "xn--bcher-kva.example": SITE,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder of data with hosts, and with nothing else."""
    folder = tmp_path_factory.mktemp("data")
    mount(folder, HOSTS)
    return folder


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module", autouse=True)
def readers(data, port: int) -> Iterator[Readers]:
    with serving_sites(data, "--ask-port", str(port)) as readers:
        assert readers.told(f"A TLS proxy asks at http://127.0.0.1:{port}/")
        yield readers


def answer(port: int, query: str, method: str = "GET", path: str = "/") -> int:
    return request(port, method, f"{path}?{query}", [("Host", "127.0.0.1")])[0]


@pytest.mark.parametrize(
    "name",
    [
        *HOSTS,
        "DOCS.Quayside.Example",
        "docs.quayside.example.",
        "b%C3%BCcher.example",
        "XN--BCHER-KVA.example",
    ],
)
def test_hosts_of_sites_may_have_a_certificate(port: int, name: str) -> None:
    assert answer(port, f"domain={name}") == 200
    assert answer(port, f"domain={name}", path="/check/any") == 200


@pytest.mark.parametrize(
    "query",
    [
        "domain=evil.quayside.example", "domain=quayside.example", "domain=a.docs.quayside.example",
        "domain=preview-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.localhost", "domain=localhost", "domain=127.0.0.1",
        "domain=*.localhost", "domain=", "", "name=quay.localhost",
        "domain=quay.localhost&domain=quay.localhost",
        "domain=quay.localhost%00", "domain=quay.localhost%20", "domain=quay.localhost/", "domain=%FF",
        f"domain={'a' * 4000}",
    ],
)  # fmt: skip
def test_others_may_not(port: int, query: str) -> None:
    assert answer(port, query) == 404


def test_only_reading_is_possible(port: int) -> None:
    assert answer(port, "domain=quay.localhost", "POST") == 405
    assert answer(port, "domain=quay.localhost", "HEAD") == 200


def test_a_new_host_is_known_at_once_and_a_broken_file_changes_nothing(data, port: int) -> None:
    mount(data, {**HOSTS, "new.quayside.example": SITE})
    until(lambda: answer(port, "domain=new.quayside.example") == 200, 2)
    file = data / "releases/hosts.json"
    file.write_text("{")
    time.sleep(0.1)
    assert answer(port, "domain=new.quayside.example") == 200
    mount(data, HOSTS)
    until(lambda: answer(port, "domain=new.quayside.example") == 404, 2)


def test_who_is_answered_at_a_new_host_gets_a_certificate_for_it(data, readers: Readers, port: int) -> None:
    for number in range(5):  # whenever the hosts were looked at last
        name = f"new-{number}.quayside.example"
        mount(data, {**HOSTS, name: SITE})
        until(lambda name=name: readers.get("/", name, Service_Worker="script").status == 403)
        assert answer(port, f"domain={name}") == 200
    mount(data, HOSTS)


def test_other_machines_cannot_ask(port: int) -> None:
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        with pytest.raises(OSError), socket.create_connection((address, port), 1):
            pass


def test_a_port_that_is_taken_is_refused(data) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        words = ("--port", "0", "--ask-port", str(taken.getsockname()[1]))
        done = twinpress("sites", "--data", data, *words, cwd=data)
    assert done.returncode == 2
    assert "--ask-port" in done.stderr
