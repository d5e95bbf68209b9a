"""One origin for all sites of a service: the key alone says which one is meant."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, NoReturn

import pytest
from msgspec import structs

from builder.errors import StorageError
from builder.store import ChangeNote
from server.authoring import open_sites
from server.authoring.open_sites import OpenSites
from server.authoring.put_outcome import ChangeAuthor
from server.authoring.site_key_limits import ClientLimits
from server.authoring.structs import PutCategory
from server.control import audit
from server.control.audit import KeyWrites
from server.control.errors import DatabaseError, DatabaseLocked, SiteNameTaken, SiteNotFound
from server.control.hosted_sites import RESTORABLE, HostedSite
from server.control.plans import MIB, PLANS
from server.control.publish_jobs import PublishJobs
from server.control.site_choices import ChosenForSites
from server.control.sqlite.data_folder import SITES, open_data
from server.control.unpublished_writes import LONGEST, UNENDED
from server.http.failure import Failure
from server.sites.archive_limits import ArchiveLimits
from server.sites.locked_folder import lock_new
from tests.server.authoring.many_sites import OWNER, ManySites, many_sites
from tests.waiting import PATIENCE, until

PAGE = {"path": "docs/berths", "body": "Two are free.\n", "frontmatter": {"title": "Berths"}}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """A folder in which another process works."""
    descriptor = lock_new(folder)
    assert descriptor is not None
    yield
    os.close(descriptor)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ManySites]:
    with many_sites(tmp_path / "data") as found:
        yield found


def test_each_key_speaks_of_its_own_site(service: ManySites) -> None:
    (first, one), (second, two) = (
        service.site(service.ann, "quay-docs"),
        service.site(service.bob, "pier-docs"),
    )
    before = service.titles(two)
    status, answer = service.ask("PUT", "/ai/page", one, PAGE)
    assert (status, answer["data"]["diagnostics"]) == (201, [])
    assert service.titles(one)["docs/berths"] == "Berths"
    assert service.titles(two) == before
    assert service.ask("GET", "/ai/page?path=docs/berths", two)[0] == 404
    assert service.ask("GET", "/ai/site", one)[1]["data"]["site"]["id"] == first.id != second.id
    assert service.ask("GET", "/ai/site", one)[1]["data"]["site"]["title"] == "Quay docs"


def test_the_plan_is_the_owners_from_the_next_request_on(service: ManySites) -> None:
    _, key = service.site(service.ann, "quay-docs")
    assert service.ask("GET", "/ai/site", key)[1]["data"]["site"]["plan"] == "free"
    service.database.write("UPDATE accounts SET plan = 'premium' WHERE id = ?", (service.ann.id,))
    assert service.ask("GET", "/ai/site", key)[1]["data"]["site"]["plan"] == "premium"


def test_suspension_and_deletion_stop_keys_and_come_to_an_end(service: ManySites) -> None:
    site, key = service.site(service.ann, "quay-docs")
    suspend = "UPDATE accounts SET suspended = ? WHERE id = ?"
    for suspended, status in ((1, 401), (0, 200)):
        service.database.write(suspend, (suspended, service.ann.id))
        assert service.ask("GET", "/ai/site", key)[0] == status
    service.work.sites.delete(site.id, OWNER)
    status, answer = service.ask("PUT", "/ai/page", key, PAGE)
    assert (status, answer["code"]) == (401, "KEY_DISABLED")
    service.work.sites.restore(site.id, OWNER)
    assert service.ask("PUT", "/ai/page", key, PAGE)[0] == 201


def test_a_site_whose_time_is_over_is_gone_with_its_files(service: ManySites) -> None:
    site, key = service.site(service.ann, "quay-docs")
    assert service.titles(key)
    service.work.sites.delete(site.id, OWNER)
    service.work.delete_due()
    root = service.work.opened.root(site.id)
    assert (root / "site.yml").exists()
    back = "UPDATE sites SET delete_at = delete_at - ? WHERE id = ?"
    service.database.write(back, (RESTORABLE, site.id))
    service.work.delete_due()
    assert not list(root.parent.iterdir())
    assert service.ask("GET", "/ai/site", key)[1]["code"] == "BAD_KEY"
    with pytest.raises(SiteNotFound):
        service.work.sites.get(site.id)


@pytest.mark.parametrize("name", [".new-a", ".export-a"])
def test_what_a_killed_service_has_left_goes_at_the_next_start(service: ManySites, name: str) -> None:
    service.site(service.ann, "quay-docs")
    left = service.work.opened.root(name)
    (left / "docs").mkdir(parents=True)
    service.work.delete_due()
    assert not left.exists()
    assert len(list(left.parent.iterdir())) == 1


@pytest.mark.parametrize("name", [".new-a", ".export-a"])
def test_what_somebody_works_in_stays(service: ManySites, name: str) -> None:
    folder = service.work.opened.root(name)
    with locked(folder):
        service.work.delete_due()
        assert folder.exists()
    service.work.delete_due()
    assert not folder.exists()


_MAKER = """
import os, sys
from contextlib import closing, contextmanager
from pathlib import Path
from server.authoring.site_work import open_site_work
from server.control.audit import By
from server.control.hosted_sites import HostedSites
from server.control.plans import PLANS
from server.control.sqlite.data_folder import open_data

data, account, where = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def wait(*_, **__):
    print("there", flush=True)
    sys.stdin.read()

def fill(folder):
    (folder / "site.yml").write_text("title: Half")
    if where == "files":
        wait()

with closing(open_data(data)) as database, open_site_work(database, data, PLANS) as work:
    if where == "row":
        HostedSites.create = wait
    work.created(account, "pier-docs", By("test"), fill, "site.create")
"""


@pytest.mark.parametrize("where", ["files", "row"])
def test_a_site_whose_maker_is_killed_leaves_nothing_and_one_that_is_made_stays(
    service: ManySites, tmp_path: Path, where: str
) -> None:
    kept, _ = service.site(service.ann, "quay-docs")
    command = [sys.executable, "-c", _MAKER, str(tmp_path / "data"), service.ann.id, where]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as maker:
        assert maker.stdout is not None
        assert maker.stdout.readline() == b"there\n"
        before = sorted(path.name for path in service.work.opened.root("").iterdir())
        assert len(before) == (2 if where == "files" else 3)
        service.work.delete_due()
        assert sorted(path.name for path in service.work.opened.root("").iterdir()) == before
        maker.kill()
        maker.wait()
    service.work.delete_due()
    assert [path.name for path in service.work.opened.root("").iterdir()] == [kept.id]


def test_a_site_that_is_known_stays_when_its_maker_is_killed_behind_its_row(service: ManySites) -> None:
    site, key = service.site(service.ann, "quay-docs")
    service.work.opened.root(f".new-{site.id}").mkdir()
    service.work.delete_due()
    assert [path.name for path in service.work.opened.root("").iterdir()] == [site.id]
    assert service.titles(key)


def test_a_folder_that_nobody_was_making_stays_though_no_site_is_known(service: ManySites) -> None:
    folder = service.work.opened.root("0123456789abcdef")
    folder.mkdir()
    service.work.delete_due()
    assert folder.exists()  # the database may be an older one, that an operator has put in its place


def test_a_site_that_cannot_be_written_is_none(service: ManySites) -> None:
    def fill(folder: Path) -> None:
        (folder / "site.yml").write_text("title: Half\n")
        raise OSError(28, "No space left on device")

    with pytest.raises(StorageError, match="No space left"):
        service.work.created(service.ann.id, "quay-docs", OWNER, fill, "site.create")
    assert not service.work.sites.list(service.ann.id)
    assert not list(service.work.opened.root("").iterdir())


def test_of_two_that_want_a_name_one_gets_it(service: ManySites) -> None:
    ready = threading.Barrier(4)

    def create(owner: str) -> HostedSite | SiteNameTaken:
        ready.wait()
        try:
            return service.work.create(owner, "quay-docs", OWNER)
        except SiteNameTaken as taken:
            return taken

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(create, [service.ann.id, service.bob.id] * 2))
    assert sorted(type(each).__name__ for each in made) == ["HostedSite"] + ["SiteNameTaken"] * 3
    assert len(list(service.work.opened.root("").iterdir())) == 1


def test_what_nobody_uses_costs_no_thread_and_no_process(tmp_path: Path) -> None:
    with many_sites(tmp_path / "data") as service:
        before = threading.active_count()
        made = [service.site(service.ann, f"quay-{number}") for number in range(3)]
        for number, (_, key) in enumerate(made):
            assert service.ask("PUT", "/ai/page", key, {**PAGE, "body": f"{number}\n"})[0] == 201
        assert threading.active_count() > before
        service.work.opened.close_idle()  # not yet
        in_use = threading.active_count()
        for site, _ in made:
            service.work.opened.close_one(site.id)
        assert threading.active_count() < in_use
    opened = OpenSites(tmp_path / "data" / SITES, ClientLimits(), idle=0)
    with closing(opened), opened.using(made[0][0]) as site:
        opened.close_idle()
        assert site.service.source("docs/berths").text.endswith("0\n")
        in_use = threading.active_count()
    opened.close_idle()
    assert threading.active_count() < in_use


def test_who_keeps_one_site_or_archives_busy_keeps_nobody_from_another(service: ManySites) -> None:
    busy, other = (service.site(service.ann, name)[0] for name in ("quay-docs", "pier-docs"))
    over = threading.Event()

    async def others_are_served() -> None:
        looks = [asyncio.ensure_future(service.work.use(busy, lambda _: over.wait(60))) for _ in range(20)]
        packs = [asyncio.ensure_future(service.work.pack(lambda: over.wait(60))) for _ in range(20)]
        try:
            async with asyncio.timeout(PATIENCE):
                assert await service.work.use(other, lambda opened: opened.root.name) == other.id
                assert await service.work.do(lambda: "done") == "done"
            assert not any(each.done() for each in (*looks, *packs))
        finally:
            over.set()
            await asyncio.gather(*looks, *packs)

    asyncio.run(others_are_served())


@pytest.mark.parametrize("reading", [True, False])
def test_an_archive_holds_up_no_service_that_ends_and_is_no_site(tmp_path: Path, reading: bool) -> None:
    begun = threading.Event()

    def endless(folder: Path, file: BinaryIO) -> None:
        (folder / "site.yml").write_text("title: Quays\n")
        while True:
            file.seek(0)
            assert file.read(1) if reading else file.write(b"a")
            begun.set()

    with ThreadPoolExecutor(1) as threads, many_sites(tmp_path / "data") as service:
        work = service.work
        with (tmp_path / "archive").open("w+b") as file:
            file.write(b"archive")
            watched = work.watched(file)

            def create() -> HostedSite:
                return work.created(
                    service.ann.id, "quay-docs", OWNER, lambda folder: endless(folder, watched), "site.import"
                )

            made = threads.submit(create)
            assert begun.wait(60)
            work.ending.set()
            with pytest.raises(StorageError, match="the service ends"):
                made.result(60)
        assert work.sites.list(service.ann.id) == []
        (left,) = work.opened.root("").iterdir()
        os.utime(left, (1, 1))
        work.delete_due()
        assert list(work.opened.root("").iterdir()) == []


def test_a_closed_site_is_opened_again(service: ManySites) -> None:
    site, key = service.site(service.ann, "quay-docs")
    for body in ("One.\n", "Two.\n"):
        service.ask("PUT", "/ai/page", key, {**PAGE, "body": body})
        service.work.opened.close_one(site.id)
        assert service.ask("GET", "/ai/page?path=docs/berths", key)[1]["data"]["body"] == body


def test_more_sites_than_may_be_open_take_turns(service: ManySites, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_sites, "MOST", 2)
    made = [service.site(service.ann, f"quay-{number}") for number in range(4)]
    for _ in range(2):
        for _, key in made:
            assert service.titles(key)
    with service.work.opened.using(made[0][0]), service.work.opened.using(made[1][0]):
        with pytest.raises(Failure) as refused, service.work.opened.using(made[2][0]):
            pass
        assert refused.value.code == "TOO_BUSY"
        status, answer = service.ask("GET", "/ai/site", made[2][1])
        assert (status, answer["code"]) == (503, "TOO_BUSY")
    assert service.titles(made[2][1])


def test_a_site_in_use_is_closed_when_its_user_has_left(service: ManySites) -> None:
    site, key = service.site(service.ann, "quay-docs")
    done = threading.Event()
    with service.work.opened.using(site) as opened:
        closer = threading.Thread(target=lambda: (service.work.opened.close_one(site.id), done.set()))
        closer.start()
        until(lambda: service.titles(key))
        assert not done.is_set()
        assert opened.service.source("docs/index").text
    closer.join()
    assert done.is_set()


def counted(service: ManySites) -> list[tuple[str, str, str, int]]:
    """Return the activity of pages: which key did what to which site, and how often."""
    events = audit.events(service.database, service.ann.id)
    return sorted(
        (each.actor, each.action, each.subject, each.count) for each in events if each.action[:5] == "page."
    )


def test_what_keys_write_is_counted_in_the_activity_of_their_owner(service: ManySites) -> None:
    site, key = service.site(service.ann, "quay-docs")
    (id,) = (each.id for each in service.work.keys.list(site.id))
    for number in range(5):
        page = {"path": f"docs/p{number}", "format": "md", "body": "x", "frontmatter": {}}
        assert service.ask("PUT", "/ai/page", key, page)[0] == 201
    assert service.ask("PUT", "/ai/page?dry_run=true", key, page)[0] == 200
    assert service.ask("PUT", "/ai/page", key, {**page, "path": "../x"})[0] == 400
    assert service.ask("DELETE", "/ai/page?path=docs/p0", key)[0] == 200
    assert service.ask("POST", "/ai/category", key, {"path": "docs/g", "label": "G"})[0] == 200
    until(lambda: len(counted(service)) == 3 and counted(service)[2][3] == 5)
    assert counted(service) == [
        (id, "page.category", site.id, 1),
        (id, "page.delete", site.id, 1),
        (id, "page.write", site.id, 5),
    ]
    assert not [each for each in audit.events(service.database, service.bob.id) if "page." in each.action]


def test_two_services_count_the_writes_of_one_key_together(service: ManySites, tmp_path: Path) -> None:
    site, _ = service.site(service.ann, "quay-docs")
    with closing(open_data(tmp_path / "data")) as second, closing(KeyWrites(second)) as others:
        for _ in range(500):
            service.work.key_writes.note("k", site.id, "page.write")
            others.note("k", site.id, "page.write")
        others.note("k", "gone", "page.write")
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(KeyWrites.flush, [service.work.key_writes, others] * 3))
    assert counted(service) == [("k", "page.write", site.id, 1000)]


def test_what_cannot_be_counted_now_is_counted_later(
    service: ManySites, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, _ = service.site(service.ann, "quay-docs")
    writes = service.work.key_writes
    monkeypatch.setattr(audit, "FLUSH_SECONDS", 60)
    writes.note("k", site.id, "page.write")
    with service.database.change():
        writes.flush()
    assert "not in the activity yet" in caplog.text
    writes.flush()
    assert counted(service) == [("k", "page.write", site.id, 1)]


@pytest.mark.parametrize("fault", [DatabaseLocked, DatabaseError])
def test_a_write_stands_and_is_published_though_the_database_fails_after_it(
    service: ManySites, monkeypatch: pytest.MonkeyPatch, fault: type[DatabaseError]
) -> None:
    site, key = service.site(service.ann, "quay-docs")
    choices, jobs = service.work.choices, PublishJobs(service.database, lambda: time.time() + LONGEST)
    choices.publish_after(site.id, OWNER, "all")

    def refuse(*_: object) -> NoReturn:
        raise fault("the disk refused to write the database")

    with monkeypatch.context() as patched:
        patched.setattr(type(choices), "_end_write", refuse)
        assert service.ask("PUT", "/ai/page", key, PAGE)[0] == 201
    choices.end_old_writes()
    assert jobs.written() == []
    later = ChosenForSites(service.database, lambda: time.time() + UNENDED)
    later.end_old_writes()
    assert jobs.written() == [site.id]


def test_a_write_that_could_not_be_noted_is_not_made(
    service: ManySites, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, key = service.site(service.ann, "quay-docs")
    service.work.choices.publish_after(site.id, OWNER, "all")

    def refuse(*_: object) -> NoReturn:
        raise DatabaseLocked("another program has held the database")

    with monkeypatch.context() as patched:
        patched.setattr(type(service.database), "change", refuse)
        assert service.ask("PUT", "/ai/page", key, PAGE)[0] == 503
    assert service.ask("GET", f"/ai/page?path={PAGE['path']}", key)[0] == 404
    assert service.ask("PUT", "/ai/page", key, {**PAGE, "path": "../x"})[0] == 400
    assert service.database.read("SELECT * FROM begun_writes") == []


def _bytes(folder: Path) -> int:
    """The bytes of all files below a folder, of which some may be deleted meanwhile."""
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except FileNotFoundError:
        return _bytes(folder)


def test_a_key_that_fills_the_history_is_refused_and_may_still_delete(tmp_path: Path) -> None:
    """Text that compresses to nothing counts by its bytes on the disk: these bytes do not compress."""
    plans = {**PLANS, "free": structs.replace(PLANS["free"], history_bytes=8 * MIB)}
    with many_sites(tmp_path / "data", plans=plans) as service:
        site, key = service.site(service.ann, "quay-docs")
        statuses, folder = [], service.work.opened.root(site.id) / ".twinpress/state/history"
        for _ in range(24):
            body = base64.b64encode(os.urandom(600_000)).decode()
            status, answer = service.ask("PUT", "/ai/page", key, {**PAGE, "body": body})
            statuses.append(status)
        assert (statuses[0], statuses[-1]) == (201, 507)
        assert answer["code"] == "STORAGE_FULL"
        assert "the history of this site has 8 MB" in answer["error"]
        until(lambda: _bytes(folder) < 10 * MIB)  # while packs are folded, both are there
        category = {"path": "docs/g", "label": "G"}
        assert service.ask("POST", "/ai/category", key, category)[0] == 507
        with service.work.opened.using(site) as opened:
            owner = ChangeAuthor(ChangeNote(label="dashboard"), lambda: None)
            assert opened.service.category(PutCategory(**category), owner).label == "G"
        assert service.ask("DELETE", "/ai/page?path=docs/berths", key)[0] == 200
        service.database.write("UPDATE accounts SET plan = 'premium'")
        assert service.ask("PUT", "/ai/page", key, PAGE)[0] == 201


def test_a_key_that_fills_the_site_is_refused_until_pages_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that compress to nothing fill no history, but the folder of the site."""
    monkeypatch.setattr(open_sites, "SITE", ArchiveLimits(total_bytes=4 * MIB))
    with many_sites(tmp_path / "data") as service:
        _, key = service.site(service.ann, "quay-docs")
        pages = [{**PAGE, "path": f"docs/p{number}", "body": "a" * 1_000_000} for number in range(6)]
        answers = [service.ask("PUT", "/ai/page", key, page) for page in pages]
        assert [status for status, _ in answers] == [201] * 4 + [507] * 2
        assert "delete pages" in answers[-1][1]["error"]
        assert service.ask("DELETE", "/ai/page?path=docs/p1", key)[0] == 200
        assert service.ask("PUT", "/ai/page", key, pages[-1])[0] == 201


def test_a_site_whose_last_page_was_deleted_is_empty_and_takes_pages(service: ManySites) -> None:
    site, key = service.site(service.ann, "empty-docs")
    folder = service.work.opened.root(site.id)
    for name in ("docs", "pages"):
        shutil.rmtree(folder / name)
    (folder / "site.yml").unlink()
    status, answer = service.ask("GET", "/ai/site", key)
    assert (status, answer["data"]["pages"]) == (200, [])
    assert answer["data"]["site"]["plan"] == "free"
    assert service.ask("GET", "/ai/guide", key)[0] == 200
    status, answer = service.ask("PUT", "/ai/page", key, {"path": "docs/a", "body": "[b](b.md)\n"})
    assert (status, [one["code"] for one in answer["data"]["diagnostics"]]) == (201, ["broken-link"])
    assert len(service.ask("GET", "/ai/site", key)[1]["data"]["pages"]) == 1
