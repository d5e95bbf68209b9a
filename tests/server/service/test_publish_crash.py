"""The service is killed at each step of a publish: readers have one release whole, and nothing is left over.

`publish_steps.json` has the steps: the events before the last of which the service is killed, the number of
the release that readers have then, and whether the job is done by then.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from server.control.audit import By
from server.control.hosted_sites import HostedSites
from server.control.publish_jobs import PublishJob, PublishJobs
from server.control.sqlite.data_folder import open_data
from server.publishing.job_report import JobReport, read_report
from server.publishing.parts import PublishedFolders
from server.publishing.publisher import KEPT_RELEASES
from server.releases import live_pointer
from server.releases.release_store import POINTER, ReleaseStore
from server.releases.split_object import gathers
from server.releases.stored_object import find_object, object_key
from tests.server import strike
from tests.server.commands import COMMAND, Preview, running, twinpress
from tests.server.control.people import account
from tests.server.service.test_published import read
from tests.sites import write_site
from tests.waiting import until

OWNER = By("session abc")
OLD, NEW = "The harbour is open.", "The harbour is closed."
PAGE = "---\ntitle: Boats\n---\n{}\n"
BOOK = "".join(f"Line {number} of what is kept in pieces.\n" for number in range(4000))
SITE = {
    "site.yml": "title: Boats\n",
    "docs/index.md": PAGE.format(OLD),
    "docs/b.md": "# Berths\n",
    "static/book.txt": BOOK + OLD,
}
STEPS = [
    pytest.param(each, id=each["name"], marks=[] if each.get("quick") else [pytest.mark.slow])
    for each in json.loads(Path(__file__).with_name("publish_steps.json").read_text())
]
HOST = "boats.localhost"


class Quay(Struct):
    """A data folder with a site, which has been published."""

    data: Path
    site: str

    @property
    def folders(self) -> PublishedFolders:
        """The places of its releases."""
        return PublishedFolders(self.data)

    @property
    def releases(self) -> ReleaseStore:
        """Its releases."""
        return self.folders.releases(self.site)

    def write(self, text: str) -> None:
        """Change a page, and a text that is kept in pieces."""
        files = {"docs/index.md": PAGE.format(text), "static/book.txt": BOOK + text}
        write_site(self.data / "sites" / self.site, files)

    def ask(self) -> int:
        """Have the site published by whichever service runs; gives the number of the job."""
        with closing(open_data(self.data)) as database:
            return PublishJobs(database).ask(self.site, OWNER).number

    def job(self, number: int) -> PublishJob:
        """A job as it is now."""
        with closing(open_data(self.data)) as database:
            return PublishJobs(database).get(self.site, number)

    def ended(self, number: int) -> PublishJob:
        """A job when it has ended, and the sweep behind it."""
        until(lambda: not self.job(number).is_under_way)
        work = self.folders.work(self.site)
        until(lambda: _is_free(work / "lock"))
        return self.job(number)

    def report(self, number: int) -> JobReport:
        """The report of a job."""
        return read_report(self.folders.work(self.site), number)


def _is_free(lock: Path) -> bool:
    """Return whether nobody publishes; no lock is taken, for which a service would have to wait."""
    held = f":{lock.stat().st_ino} "
    return not any(held in line for line in Path("/proc/locks").read_text().splitlines())


@contextmanager
def hosting(data: Path, **environment: Any) -> Iterator[Preview]:
    """A service on the data folder."""
    with running([COMMAND, *_host(data)], **environment) as service:
        yield service


def _host(data: Path) -> tuple[str | Path, ...]:
    return "host", "--data", data, "--port", "0", "--sites-port", "0", "--requests", "0", "--no-databases"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Quay:
    """A site with as many releases as are kept; the oldest has files that no other has."""
    data = tmp_path_factory.mktemp("published") / "data"
    with closing(open_data(data)) as database:
        site = HostedSites(database).create(account(database).id, "boats", OWNER)
    quay = Quay(data, site.id)
    gone = {"docs/gone.md": "# Gone\n", "static/gone.txt": BOOK.upper()}
    write_site(data / "sites" / site.id, SITE | gone)
    with hosting(data):
        assert quay.ended(quay.ask()).release == 1
        for name in gone:
            (data / "sites" / site.id / name).unlink()
        assert quay.ended(quay.ask()).release == 2
    store = quay.releases
    for number in range(3, KEPT_RELEASES + 1):
        store.add(replace(store.get(2), number=number), store.files(2), store.sources(2))
    _age(store)
    return quay


def _age(store: ReleaseStore) -> None:
    """Have the time of styles of former releases be over."""
    pointer = live_pointer.encode(replace(store.pointer(), former=()))
    store.objects.replace(POINTER, pointer, store.objects.version(POINTER))


@pytest.fixture
def quay(published: Quay, tmp_path: Path) -> Quay:
    shutil.copytree(published.data, tmp_path / "data", symlinks=True)
    return Quay(tmp_path / "data", published.site)


def assert_whole(store: ReleaseStore) -> None:
    """Each file of the release that readers have is there, with its bytes."""
    for path, file in store.files(store.pointer().live).items():
        data = store.data(file.digest, 1 << 30)
        assert data is not None, path
        assert hashlib.sha256(data).digest() == file.digest, path


def assert_tidy(quay: Quay) -> None:
    """Nothing is there but what releases name, the mirror of the site, and the reports of jobs."""
    store = quay.releases
    numbers = store.numbers()
    files = [{**store.files(number), **store.sources(number)} for number in numbers]
    expected = {"pointer", ".lock"}
    expected |= {f"releases/{number}/{part}" for number in numbers for part in ("about", "files", "sources")}
    for path, file in (item for each in files for item in each.items()):
        expected |= _keys_of(store, file.digest) if gathers(path, file.size) else {object_key(file.digest)}
    assert _tree(quay.data / "releases" / quay.site) == expected
    work = quay.folders.work(quay.site)
    known = r"lock|switch|mirror\.msgpack|files\.msgpack|reports/\d+\.json"
    known += r"|site/(site\.yml|docs/\w+\.md|static/book\.txt|\.twinpress/.*)"
    assert [path for path in _tree(work) if not re.fullmatch(known, path)] == []
    assert len(numbers) == KEPT_RELEASES


def _keys_of(store: ReleaseStore, digest: bytes) -> set[str]:
    """The keys of a text in pieces."""
    stored, _ = find_object(store.objects, digest, 0)
    assert stored.split
    return {stored.key, *(piece.key for piece in stored.split.pieces)}


def _tree(folder: Path) -> set[str]:
    """All files and empty folders below a folder, but for those in which there is something at times."""
    found = [path for path in folder.rglob("*") if not path.is_dir() or not any(path.iterdir())]
    names = {path.relative_to(folder).as_posix() for path in found}
    return {name for name in names if not re.fullmatch(r"made|\.new|(objects|pieces|split)/..", name)}


@pytest.mark.parametrize("blow", STEPS)
def test_a_service_that_is_killed_leaves_one_release_and_no_rubbish(quay: Quay, blow: dict[str, Any]) -> None:
    quay.write(NEW)
    with hosting(quay.data, **strike.order(blow["step"])) as service:
        number = quay.ask()
        assert service.process.wait(60) == -signal.SIGKILL
    assert quay.releases.pointer().live == blow.get("live", 10)
    assert_whole(quay.releases)
    with hosting(quay.data) as service:
        port = int(re.findall(r":(\d+)$", service.says("Sites are at "))[0])
        job = quay.ended(number)
        assert (job.state, job.said) == ("done", "")
        assert read(port, "/docs/", HOST)[0] == 200
        assert NEW in read(port, "/docs/", HOST)[1]
        told = [line.text for line in quay.report(number).lines]
        resumed = "The service has ended meanwhile; all begins again"
        was_begun = blow["name"] != "asked" and not blow.get("done") and not blow.get("made")
        assert (resumed in told) == was_begun, told
        assert any("which begins again" in line for line in service.lines) == was_begun
        assert ("The service had ended when release 11 was made" in told) == blow.get("made", False)
        assert job.release == quay.releases.latest()
        assert job.release == 11 or not blow.get("made")
        assert "Readers have release" in told[-1]
        quay.write(OLD)
        assert quay.ended(quay.ask()).state == "done"
        assert OLD in read(port, "/docs/", HOST)[1]
    assert_whole(quay.releases)
    assert_tidy(quay)


def test_a_job_that_ends_the_service_twice_is_given_up_with_words(quay: Quay) -> None:
    quay.write(NEW)
    number = quay.ask()
    step: dict[str, Any] = strike.order([("os.rename", r"/mirror\.msgpack")])
    for _ in range(2):
        assert twinpress(*_host(quay.data), cwd=quay.data, **step).returncode == -signal.SIGKILL
    with hosting(quay.data) as service:
        job = quay.ended(number)
        assert (job.state, job.said) == ("failed", "the service has ended twice while this was published")
        assert quay.report(number).step == "ended"
        assert any("is given up" in line for line in service.lines)
        assert quay.releases.pointer().live == 10
        assert quay.ended(quay.ask()).state == "done"
    assert_tidy(quay)


def build_workers(quay: Quay) -> list[int]:
    """The processes that build the site: what they have opened lies in its folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            named = "server.publishing.build_worker" in (process / "cmdline").read_text()
            if named and any(str(quay.data) in str(each.readlink()) for each in (process / "fd").iterdir()):
                found.append(int(process.name))
    return found


def many(quay: Quay) -> None:
    """Have the site take seconds to be built."""
    pages = {f"docs/p{number}.md": f"# Page {number}\n\n" + "Words. " * 2000 for number in range(400)}
    write_site(quay.data / "sites" / quay.site, pages)


def test_a_build_ends_with_the_service(quay: Quay) -> None:
    many(quay)
    with hosting(quay.data) as service:
        number = quay.ask()
        worker = until(lambda: build_workers(quay))[0]
        service.process.kill()
        service.process.wait(60)
        until(lambda: not Path(f"/proc/{worker}").exists())
    with hosting(quay.data):
        assert quay.ended(number).state == "done"
    assert_whole(quay.releases)


def test_a_build_that_the_system_ends_fails_with_words(quay: Quay) -> None:
    many(quay)
    with hosting(quay.data) as service:
        number = quay.ask()
        os.kill(until(lambda: build_workers(quay))[0], signal.SIGKILL)
        job = quay.ended(number)
        assert (job.state, job.attempts) == ("failed", 1)
        assert "there may be too little memory" in job.said
        assert "Nothing was changed for readers" in quay.report(number).lines[-1].text
        assert quay.releases.pointer().live == 10
        assert not [line for line in service.lines if "failed" in line]
        shutil.rmtree(quay.data / "sites" / quay.site / "docs")
        write_site(quay.data / "sites" / quay.site, SITE)
        assert quay.ended(quay.ask()).state == "done"
    assert_tidy(quay)
