"""The process for readers: they have their pages while the service is killed, started again and upgraded."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from server.control.sqlite.data_folder import open_data
from server.releases.release_store import ReleaseStore
from server.releases.site_stores import service_stores
from server.service.sites_process import SILENCE
from server.site_serving.serving_socket import ServingState, look
from tests.ports import free_port
from tests.server.commands import COMMAND, Answer, environment, twinpress
from tests.server.control.people import PASSWORD, account
from tests.server.dashboard.browser import Browser
from tests.server.forked_command import ForkedCommand
from tests.server.http_client import request
from tests.server.releases.small_s3 import ADDRESS, small_s3
from tests.server.service.place import data_folder
from tests.server.site_serving.published import SITE, publish, release_store
from tests.sites import write_site
from tests.time_bounds import in_time
from tests.waiting import PATIENCE, until

HOST = "quay.localhost"
PAGE = b"<h1>Quay</h1>"
OTHER_VERSION = "import builder.version as v; v.VERSION = '99.0'; from server.cli import run; run()"
BIG, MOST = 20_000_000, 12.0
"""Bytes of a file, and the seconds that a stop may take on a busy machine."""
Process = ForkedCommand | subprocess.Popen[bytes]


@dataclass(slots=True)
class Place:
    """A data folder with a published site, and services on it, which have one port of sites."""

    data: Path
    port: int = field(default_factory=free_port)
    sites_port: int = field(default_factory=free_port)
    services: list[Process] = field(default_factory=list)

    @property
    def log(self) -> str:
        """All that services and their process have said."""
        return (self.data.parent / "log").read_text()

    def start(self, *more: str, port: int = 0, code: str = "", kind: str = "own") -> Process:
        """Start a service, and wait until it is there; `code` runs it in the place of our command."""
        port = port or self.port
        words = ["host", "--data", str(self.data), "--no-databases", "--port", str(port)]
        words += more or ("--sites-port", str(self.sites_port))
        # In a file: whoever has a pipe open keeps those who read it waiting.
        with (self.data.parent / "log").open("ab") as log:
            env, files = (
                environment(TWINPRESS_SITES_PROCESS=kind),
                {"stdout": log.fileno(), "stderr": log.fileno()},
            )
            if code:
                process: Process = subprocess.Popen([sys.executable, "-c", code, *words], env=env, **files)
            else:
                process = ForkedCommand([COMMAND, *words], env=env, **files)
        self.services.append(process)
        until(
            lambda: self.answers(port, "/readyz") == 200 or process.poll() is not None, last=lambda: self.log
        )
        assert process.poll() is None, self.log
        return process

    def answers(self, port: int, path: str) -> int:
        """The status of a page of a service; 0 where nobody answers."""
        try:
            return request(port, "GET", path, [("Host", f"localhost:{port}")])[0]
        except OSError:
            return 0

    def read(self, path: str = "/", host: str = HOST, port: int = 0) -> Answer:
        """A page, as a reader gets it."""
        return Answer(*request(port or self.sites_port, "GET", path, [("Host", host)]))

    def state(self) -> ServingState | None:
        """Return the state of the process for readers."""
        return look(self.data, self.sites_port, PATIENCE)

    @property
    def number(self) -> int:
        """The number of the process for readers."""
        found = self.state()
        assert found
        return found.process

    def ended(self) -> bool:
        """Return whether nobody serves sites any more."""
        try:
            self.read()
        except OSError:
            return self.state() is None
        return False


@pytest.fixture
def place() -> Iterator[Place]:
    with data_folder() as data:
        with closing(open_data(data)) as database:
            owner = account(database)
            row = (SITE, owner.id, "quay")
            database.write("INSERT INTO sites (id, created_at, account, name) VALUES (?, 1, ?, ?)", row)
        publish(release_store(data), {"index.html": PAGE, "big.bin": bytes(BIG)})
        found = Place(data)
        try:
            yield found
        finally:
            for each in found.services:
                each.kill()
                each.wait(PATIENCE)
            for each in _processes(data):
                os.kill(each, signal.SIGKILL)
            assert "Traceback" not in found.log, found.log[found.log.find("Traceback") - 500 :]


def _processes(data: Path) -> Sequence[int]:
    """All processes for readers of a data folder."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = each.read_bytes().split(b"\0")
            if os.fsencode(data) in words and b"sites" in words:
                found.append(int(each.parent.name))
    return found


@dataclass(slots=True)
class Readers:
    """Readers who read on and on, each page on a connection of its own, or all on one while that lasts."""

    port: int
    read: int = 0
    failed: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def go_on(self, *, keeps: bool) -> None:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        while not self.over.is_set():
            try:
                line.request("GET", "/", headers={"Host": HOST})
                answer = line.getresponse()
                if (answer.status, answer.read()) != (200, PAGE):
                    self.failed.append(f"{answer.status}")
            except (OSError, http.client.HTTPException) as error:
                self.failed.append(repr(error))
                line.close()
            self.read += 1
            if not keeps:
                line.close()
            time.sleep(0.002)
        line.close()


@contextmanager
def reading(place: Place) -> Iterator[Readers]:
    """Readers while the block runs, of whom none may have been refused."""
    found = Readers(place.sites_port)
    threads = [
        threading.Thread(target=found.go_on, kwargs={"keeps": keeps}) for keeps in (True, False, False)
    ]
    for each in threads:
        each.start()
    try:
        until(lambda: found.read > 20)
        yield found
        since = found.read
        until(lambda: found.read > since + 50)
    finally:
        found.over.set()
        for each in threads:
            each.join()
    assert (found.failed, found.read > 50) == ([], True)


def test_readers_have_their_pages_when_the_service_is_killed_and_the_next_one_adopts(place: Place) -> None:
    service = place.start()
    first = place.number
    with reading(place):
        service.kill()
        service.wait(PATIENCE)
        time.sleep(0.5)
        second = place.start()
        assert place.number == first
    second.send_signal(signal.SIGINT)
    assert second.wait(PATIENCE) == 0
    assert place.ended()
    until(lambda: not _processes(place.data))


@pytest.mark.parametrize(
    "change", [{"code": OTHER_VERSION}, {"more": ("--address-connections", "7")}], ids=["version", "settings"]
)
def test_a_service_of_another_version_or_with_other_settings_puts_another_process_there(
    place: Place, change: dict[str, str | tuple[str, ...]]
) -> None:
    service = place.start()
    first = place.number
    more = ("--sites-port", str(place.sites_port), *change.get("more", ()))
    with reading(place):
        service.kill()
        service.wait(PATIENCE)
        place.start(*more, code=str(change.get("code", "")))
        assert place.number != first
        until(lambda: _processes(place.data) == [place.number])
    assert place.log.count("published sites") == 0


def test_a_killed_process_is_followed_by_another_while_readers_wait(place: Place) -> None:
    place.start()
    first = place.number
    os.kill(first, signal.SIGKILL)
    with in_time(10):
        until(lambda: _waited(place))
    until(lambda: place.state() is not None and place.number != first)
    os.kill(place.number, signal.SIGKILL)
    until(lambda: _waited(place))
    until(lambda: place.state() is not None)
    assert place.log.count("The process that serves published sites was ended by SIGKILL") == 1


def _waited(place: Place) -> bool:
    """Return whether a reader has the page now; nobody is refused, one may be dropped with the process."""
    try:
        return place.read().body == PAGE
    except ConnectionResetError:
        return False


def test_a_process_that_hangs_is_ended_and_another_one_started(
    place: Place,
) -> None:
    place.start()
    first = place.number
    os.kill(first, signal.SIGSTOP)
    until(lambda: _processes(place.data) not in ([first], []), SILENCE + PATIENCE)
    until(lambda: _waited(place))
    assert f"has not answered for {SILENCE:g} s" in place.log


def test_a_closed_terminal_ends_both(place: Place) -> None:
    service = place.start()
    service.send_signal(signal.SIGHUP)
    assert service.wait(PATIENCE) == 0
    assert place.ended()


def test_of_two_services_at_one_port_the_last_one_ends_the_process(place: Place) -> None:
    one = place.start()
    first = place.number
    other = place.start(port=free_port())
    assert place.number == first
    with reading(place):
        one.send_signal(signal.SIGTERM)
        assert one.wait(PATIENCE) == 0
        assert place.number == first
    other.send_signal(signal.SIGTERM)
    assert other.wait(PATIENCE) == 0
    assert place.ended()


def test_a_process_at_any_port_ends_with_its_service(place: Place) -> None:
    service = place.start("--sites-port", "0")
    until(lambda: len(_processes(place.data)) == 1)
    service.kill()
    service.wait(PATIENCE)
    until(lambda: not _processes(place.data))


def test_what_a_killed_service_has_left_at_another_port_is_told_and_can_be_stopped(place: Place) -> None:
    service = place.start()
    service.kill()
    service.wait(PATIENCE)
    place.start("--sites-port", str(free_port()))
    assert f"Another process serves the sites of this folder at port {place.sites_port}" in place.log
    stop = ("sites", "--data", place.data, "--port", str(place.sites_port), "--stop")
    done = [twinpress(*stop, cwd=place.data.parent) for _ in range(2)]
    assert [each.returncode for each in done] == [0, 2]
    assert place.ended()


def test_a_service_that_serves_sites_by_itself_says_who_has_its_port(place: Place) -> None:
    place.start().kill()
    words = ("--no-databases", "--port", str(place.port), "--sites-port", str(place.sites_port))
    inside = {"TWINPRESS_SITES_PROCESS": "inside"}
    done = twinpress("host", "--data", place.data, *words, cwd=place.data.parent, **inside)
    assert done.returncode == 2
    assert f"twinpress sites --data {place.data} --port {place.sites_port} --stop" in done.stderr


def test_a_download_under_way_ends_before_both_do_and_a_stop_is_soon_done(place: Place) -> None:
    service = place.start()
    line = http.client.HTTPConnection("127.0.0.1", place.sites_port, timeout=PATIENCE)
    stuck = http.client.HTTPConnection("127.0.0.1", place.sites_port, timeout=PATIENCE)
    for each in (line, stuck):
        each.request("GET", "/big.bin", headers={"Host": HOST})
    answer, never = line.getresponse(), stuck.getresponse()
    begin, some = answer.read(1000), never.read(1000)
    with in_time(MOST):
        service.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        assert len(begin + answer.read()) == BIG
        assert service.wait(PATIENCE) == 0
    assert place.ended()
    assert some
    for each in (line, stuck):
        each.close()


def test_one_that_an_operator_runs_is_left_as_it_is(place: Place) -> None:
    with (place.data.parent / "log").open("ab") as log:
        words = ["sites", "--data", place.data, "--port", str(place.sites_port)]
        files = {"stdout": log.fileno(), "stderr": log.fileno()}
        alone = ForkedCommand([COMMAND, *words], env=environment(), **files)
    place.services.append(alone)
    until(place.state)
    for kind in ("own", "none"):
        service = place.start(kind=kind)
        assert place.number == alone.pid
        service.send_signal(signal.SIGTERM)
        assert service.wait(PATIENCE) == 0
        assert place.read("/").body in {PAGE, b"There is nothing at this address.\n"}
    alone.send_signal(signal.SIGTERM)
    assert alone.wait(PATIENCE) == 0


def test_it_ends_when_its_data_are_gone(place: Place) -> None:
    service = place.start()
    service.kill()
    service.wait(PATIENCE)
    (place.data / "serving").rename(place.data / "gone")
    until(lambda: not _processes(place.data))


def test_it_has_nothing_that_it_does_not_need(place: Place) -> None:
    place.start()
    own = Path(f"/proc/{place.number}")
    names = {line.partition(b"=")[0] for line in (own / "environ").read_bytes().split(b"\0") if line}
    assert names == {b"PATH", b"LANG", b"MALLOC_ARENA_MAX"}
    assert os.getsid(place.number) != os.getsid(0)
    assert "NoNewPrivs:\t1" in (own / "status").read_text()


def test_previews_are_passed_on_to_a_service_and_away_without_one(place: Place) -> None:
    write_site(place.data / "sites" / SITE, {"docs/index.md": "# Draft of the quay\n"})
    limits = (
        "--sites-port",
        str(place.sites_port),
        "--trusted-proxy",
        "127.0.0.1",
        "--address-requests",
        "3",
    )
    service = place.start(*limits)
    browser = Browser(place.port)
    browser.post("/sign-in", {"email": "me@example.com", "password": PASSWORD})
    shown = browser.get("/sites/quay/pages/edit?path=docs/index").text
    found = re.search(r'src="http://(preview-[a-z2-7]+\.localhost):\d+(/[^"]*)"', shown)
    assert found
    host, path = found.groups()
    page = place.read(path, host)
    assert (page.status, "Draft of the quay" in page.text) == (200, True)
    assert page.headers["x-robots-tag"] == "noindex"
    client = [("Host", host), ("X-Forwarded-For", "203.0.113.5")]
    asked = [request(place.sites_port, "GET", path, client)[0] for _ in range(4)]
    assert asked == [200, 200, 200, 429]
    service.kill()
    service.wait(PATIENCE)
    assert place.read(path, host).status == 503
    assert place.read().body == PAGE
    place.start(*limits)
    assert place.read(path, host).status == 200


def test_health_probes_and_metrics_say_how_it_does(place: Place) -> None:
    metrics = free_port()
    place.start("--sites-port", str(place.sites_port), "--metrics-port", str(metrics))
    browser = Browser(place.port)
    with closing(open_data(place.data)) as database:
        database.write("UPDATE accounts SET operator = 1")
    browser.post("/sign-in", {"email": "me@example.com", "password": PASSWORD})
    assert "Served by a process of their own" in browser.get("/operator/health").words
    for path in ("/", "/", "/none"):
        place.read(path)

    def told() -> str:
        return request(metrics, "GET", "/metrics", [])[2].decode()

    until(lambda: 'twinpress_sites_requests_total{status="200"} 2.0' in told(), last=told)
    assert 'twinpress_sites_requests_total{status="404"} 1.0' in told()
    assert "twinpress_sites_up 1.0" in told()
    first = place.number
    os.kill(first, signal.SIGSTOP)  # what hangs is not known to for a while
    ready = request(place.port, "GET", "/readyz", [("Host", "localhost")])[2]
    assert b'"sites":"ok"' in ready
    os.kill(first, signal.SIGCONT)


CONFINED = """
import sys
from pathlib import Path
from server.site_serving.run import ReadersSettings, confine_readers
data = Path(sys.argv[1])
confine_readers(ReadersSettings(data, "127.0.0.1", 0))
for act in (
    lambda: (data / "master.keys").read_bytes(),
    lambda: (data / "control.sqlite3").read_bytes(),
    lambda: next(data.glob("releases/*/pointer")).read_bytes() and 1 / 0,
    lambda: (data / "releases/new").write_bytes(b""),
    lambda: Path("/etc/passwd").read_bytes(),
    lambda: __import__("socket").create_connection(("127.0.0.1", int(sys.argv[2]))),
):
    try:
        act()
    except Exception as error:
        print(type(error).__name__)
    else:
        print("done")
"""


def test_it_can_read_releases_and_nothing_else_of_the_data(place: Place) -> None:
    place.start()
    words = [sys.executable, "-c", CONFINED, str(place.data), str(place.port)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd="/")
    refused = "PermissionError"
    assert done.stdout.split() == [refused, refused, "ZeroDivisionError", refused, refused, refused]


def test_the_process_reaches_a_bucket_by_what_the_service_has_in_its_environment(place: Place) -> None:
    with small_s3() as s3:
        place.start("--sites-port", str(place.sites_port), "--releases", ADDRESS)
        owner = s3.objects["twinpress/service"][0].decode()
        publish(ReleaseStore(service_stores(ADDRESS, place.data, owner).site(SITE)), {"index.html": b"far"})
        until(lambda: place.read().body == b"far", last=lambda: place.log)
        os.kill(place.number, signal.SIGKILL)
        assert place.read().body == b"far"
