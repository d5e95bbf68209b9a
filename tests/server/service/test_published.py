"""A published site at its own name: from the service, and from `twinpress sites` when that is gone."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.server.commands import COMMAND, running, twinpress
from tests.server.control.people import PASSWORD
from tests.server.dashboard.browser import Browser
from tests.server.releases.small_s3 import ADDRESS, small_s3
from tests.server.service.process import Host
from tests.server.webhooks.receiver import FINE, Receiver, answering, receiver
from tests.waiting import PATIENCE, until

SITE = "/sites/quay-docs"


def read(port: int, path: str, host: str) -> tuple[int, str]:
    """Return what a reader gets at this name."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Host": f"{host}:{port}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def publish(browser: Browser) -> str:
    """The words of the page of a job, when it has ended."""
    job = browser.post(f"{SITE}/publish").path
    until(lambda: "data-renew" not in browser.get(job).text)
    return browser.get(job).words


def summary(host: Host, key: str) -> tuple[str, str | None]:
    """Address and time of the release that readers have, as the API of pages says."""
    site = host.ask("GET", "/api/v1/pages/ai/site", key)[1]["data"]["site"]
    return site["url"], site["published_at"]


def age(time: str | None) -> float:
    """Seconds since a time."""
    assert time
    return (datetime.now(UTC) - datetime.fromisoformat(time)).total_seconds()


@pytest.fixture(params=["folder", "bucket"])
def releases(request: pytest.FixtureRequest) -> Iterator[tuple[str, ...]]:
    """The options that say where releases are."""
    if request.param == "folder":
        yield ()
        return
    with small_s3():
        yield ("--releases", ADDRESS)


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver of webhooks, whose certificate the service trusts."""
    with receiver(tmp_path, answering(FINE)) as found:
        monkeypatch.setenv("SSL_CERT_FILE", str(found.authority))
        yield found


@pytest.fixture
def host(tmp_path: Path, releases: tuple[str, ...]) -> Iterator[Host]:
    found = Host(tmp_path / "data", arguments=("--no-databases", "--webhook-private", *releases))
    create = ("admin", "--data", found.data, "account", "create", "a@b.org")
    assert twinpress(*create, cwd=tmp_path, given=f"{PASSWORD}\n").returncode == 0
    found.start()
    yield found
    found.runs.close()


def test_readers_have_a_site_until_its_owner_takes_it_offline(host: Host, releases: tuple[str, ...]) -> None:
    assert host.preview
    port = int(re.findall(r":(\d+)$", host.preview.says("Sites are at "))[0])
    browser = Browser(host.port)
    browser.post("/sign-in", {"email": "a@b.org", "password": PASSWORD})
    browser.post("/sites", {"name": "quay-docs"})
    assert read(port, "/docs/", "quay-docs.localhost")[0] == 404
    assert "Readers have release" in publish(browser)
    _, text = until(
        lambda: found if (found := read(port, "/docs/", "quay-docs.localhost"))[0] == 200 else None
    )
    assert f"http://quay-docs.localhost:{port}/docs/" in text
    assert read(port, "/docs/", "pier-docs.localhost")[0] == 404
    for site, new in (("quay-docs", "pier-docs"), ("pier-docs", "quay-docs")):
        with ThreadPoolExecutor(1) as threads:
            renaming = threads.submit(browser.post, f"/sites/{site}/rename", {"name": new})
            while not renaming.done():  # the former name answers until the new one does
                found = [read(port, "/docs/", f"{name}.localhost")[0] for name in (site, new)]
                assert 200 in found
        assert renaming.result().status == 200
        assert read(port, "/docs/", f"{new}.localhost")[0] == 200
    assert read(host.port, "/docs/", "quay-docs.localhost")[0] == 404
    assert host.stop() == 0
    alone = free_port()
    with running((COMMAND, "sites", *(releases or ("--data", str(host.data))), "--port", str(alone))):
        assert read(alone, "/docs/", "quay-docs.localhost") == (200, text)


@pytest.mark.parametrize(
    "releases", ["folder", pytest.param("bucket", marks=pytest.mark.slow)], indirect=True
)
def test_what_a_key_writes_is_published_and_read_and_its_failure_told(hook: Receiver, host: Host) -> None:
    assert host.preview
    port = int(re.findall(r":(\d+)$", host.preview.says("Sites are at "))[0])
    browser = Browser(host.port)
    browser.post("/sign-in", {"email": "a@b.org", "password": PASSWORD})
    browser.post("/sites", {"name": "quay-docs"})
    browser.post("/account/webhooks", {"url": hook.url})
    key = re.findall(
        r"svc_docs_\w{46}", browser.post(f"{SITE}/keys", {"kind": "long-lived", "label": "ci"}).text
    )[0]
    assert summary(host, key) == ("", None)
    publish(browser)
    url, since = summary(host, key)
    assert (url, abs(age(since)) < 60) == (f"http://quay-docs.localhost:{port}", True)
    browser.post(f"{SITE}/publish/by-itself", {"keys": "long_lived"})

    def write(body: str) -> None:
        page = {"path": "docs/tides", "body": body}
        assert host.ask("PUT", "/api/v1/pages/ai/page", key, page)[0] in {200, 201}

    write("# Tides\n\nHigh at noon.\n")
    assert (
        host.ask("PUT", "/api/v1/pages/ai/page?dry_run=true", key, {"path": "docs/x", "body": "x"})[0] == 200
    )
    until(lambda: "High at noon" in read(port, "/docs/tides", "quay-docs.localhost")[1])
    assert "by key ci" in browser.get(f"{SITE}/releases").words
    write("[Nowhere](/docs/nowhere)\n")
    until(lambda: hook.received)
    told = json.loads(hook.received[0].body)
    assert (told["event"], told["data"]["by_itself"]) == ("publish.failed", True)
    assert "Nothing was published the last time, by itself" in browser.get(f"{SITE}/publish").words
    assert "High at noon" in read(port, "/docs/tides", "quay-docs.localhost")[1]
    read(port, "/docs/tydes", "quay-docs.localhost")
    until(lambda: "/docs/tydes" in browser.get(f"{SITE}/readers").words)
    assert "Programs that are no browsers" in browser.get(f"{SITE}/readers").words
