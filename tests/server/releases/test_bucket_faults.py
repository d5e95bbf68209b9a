"""Buckets that are away, slow, or not what they say; and writers that are killed."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from obstore.store import LocalStore

from builder.errors import StorageError
from server.releases import site_stores
from server.releases.bucket import UPLOADS, Bucket, StorePatience, check_conditions, open_bucket
from server.releases.bucket_address import InvalidBucket, bucket_address
from server.releases.bucket_store import GRACE, BucketStore
from server.releases.object_store import StoreAway
from server.releases.packed_object import pack
from server.releases.release import ReleasedFile, ReleaseRecord
from server.releases.release_store import ReleaseStore
from server.releases.site_stores import readers_stores, service_stores
from tests.server.releases.small_s3 import ADDRESS, SmallS3, environment, small_s3
from tests.time_bounds import in_time
from tests.waiting import PATIENCE

SOON = StorePatience(connect=0.5, request=0.5, tries=1, in_all=1.0)
"""The patience of somebody who waits as little as tests do."""
PATIENT = StorePatience(connect=PATIENCE, request=PATIENCE, tries=1, in_all=PATIENCE)
"""That of somebody who gives up for what the store says alone."""


def _bucket(patience: StorePatience = SOON) -> Bucket:
    return open_bucket(bucket_address(ADDRESS), patience)


def _store(bucket: Bucket | None = None) -> ReleaseStore:
    return ReleaseStore(BucketStore(bucket or _bucket(), "site_1"))


def publish(store: ReleaseStore, files: Sequence[bytes]) -> int:
    """Add a release of files with these bytes; gives its number."""
    found = dict[str, ReleasedFile]()
    for number, data in enumerate(files):
        digest = hashlib.sha256(data).digest()
        store.keep(digest, pack(data, compress=False))
        found[f"{number}.html"] = ReleasedFile(digest, len(data))
    record = ReleaseRecord(store.next_number(), 1000, "account", "free", "1", 1, len(found), 0)
    store.add(record, found, {})
    return record.number


def is_whole(store: ReleaseStore) -> bool:
    """Return whether readers have all files of the live release."""
    files = store.files(store.pointer().live).values()
    return all(hashlib.sha256(store.data(file.digest, 1000) or b"").digest() == file.digest for file in files)


ADDRESSES = {
    "s3://docs": "s3://docs",
    "s3://docs/": "s3://docs",
    "gs://docs/a/b/": "gs://docs/a/b",
    "az://docs/twinpress-1.0": "az://docs/twinpress-1.0",
}
NO_ADDRESSES = (
    "docs",
    "/var/lib/docs",
    "s3://",
    "s3:///docs",
    "http://docs/a",
    "s3://key:secret@docs/a",
    "s3://docs/a?b",
    "s3://docs/../a",
    "s3://docs/a//b",
    "s3://docs/a b",
    "s3://docs/a/sites/b",
)


@pytest.mark.parametrize(("text", "expected"), ADDRESSES.items())
def test_an_address_names_bucket_and_prefix(text: str, expected: str) -> None:
    assert str(bucket_address(text)) == expected


@pytest.mark.parametrize("text", NO_ADDRESSES)
def test_what_is_no_address_of_a_bucket_is_refused(text: str) -> None:
    with pytest.raises(InvalidBucket):
        bucket_address(text)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_stores, "find_spec", lambda _: None)
    with pytest.raises(InvalidBucket, match="obstore") as raised:
        readers_stores(ADDRESS, Path())
    assert raised.value.hint == "pip install 'twinpress[host,objects]'"


def test_a_store_that_ignores_conditions_is_refused(s3: SmallS3) -> None:
    s3.ignores = True
    with pytest.raises(InvalidBucket, match="does not keep to the conditions"):
        service_stores(ADDRESS, Path(), "service_1")
    assert s3.objects == {}


def test_a_store_that_leads_to_another_address_is_refused(s3: SmallS3) -> None:
    """The package obstore goes wherever an answer to a read leads, and cannot be told to stay."""
    port = s3.port
    with small_s3() as other:
        s3.leads_to = f"http://127.0.0.1:{other.port}"
        with environment(port), pytest.raises(InvalidBucket, match=rf"leads to 127\.0\.0\.1:{other.port}"):
            service_stores(ADDRESS, Path(), "service_1")
        assert other.requests == []


def test_a_store_that_knows_no_conditions_is_refused(tmp_path: Path) -> None:
    local = LocalStore(tmp_path)
    with pytest.raises(InvalidBucket, match="does not keep to the conditions"):
        check_conditions(Bucket("local", local, local))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_bucket_that_is_not_there_is_told(moto: int) -> None:
    with environment(moto), pytest.raises(InvalidBucket, match="is not there"):
        service_stores("s3://nothing/here", Path(), "service_1")


def test_the_bucket_of_another_service_is_refused(s3: SmallS3) -> None:
    for _ in range(2):
        service_stores(ADDRESS, Path(), "service_1")
    with pytest.raises(InvalidBucket, match="another service"):
        service_stores(ADDRESS, Path(), "service_2")
    service_stores(f"{ADDRESS}/second", Path(), "service_2")


FAULTS: dict[str, Callable[[SmallS3], None]] = {
    "503": lambda s3: setattr(s3, "status", 503),
    "429": lambda s3: setattr(s3, "status", 429),
    "slow": lambda s3: setattr(s3, "latency", 5.0),
}
ASKED: dict[str, Callable[[BucketStore], object]] = {
    "read": lambda store: store.read("a"),
    "read a part": lambda store: store.read_range("a", 0, 3),
    "version": lambda store: store.version("a"),
    "keys": lambda store: list(store.keys("")),
    "present": lambda store: store.present(["a", "b"]),
    "delete": lambda store: store.delete("a"),
    "replace": lambda store: store.replace("a", b"", ""),
    "put": lambda store: (store.put("a", b""), store.sync()),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_store_that_is_away_is_told_after_a_while(
    s3: SmallS3, fault: Callable[[SmallS3], None], ask: Callable[[BucketStore], object]
) -> None:
    store = BucketStore(_bucket())
    fault(s3)
    with in_time(20), pytest.raises(StoreAway, match="does not answer"):
        ask(store)


def test_what_the_store_refuses_is_no_fault_of_the_network(s3: SmallS3) -> None:
    s3.status = 403
    with pytest.raises(StorageError, match="refuses") as raised:
        BucketStore(_bucket()).read("a")
    assert not isinstance(raised.value, StoreAway)
    assert "credentials" in raised.value.hint


def test_a_store_that_was_away_is_asked_again_after_a_pause(s3: SmallS3) -> None:
    store = BucketStore(_bucket(StorePatience(connect=0.5, request=0.5, tries=0, in_all=0.5, pause=0.3)))
    store.put("a", b"x")
    store.sync()
    s3.status = 503
    with pytest.raises(StoreAway):
        store.read("a")
    asked = len(s3.requests)
    for _ in range(50):
        with pytest.raises(StoreAway, match="503"):
            store.read("a")
    assert len(s3.requests) == asked
    s3.status = 0
    time.sleep(0.3)
    assert store.read("b") is None
    for _ in range(3):
        assert store.read_range("a", 0, 1) == b"x"


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_an_answer_that_is_lost_does_not_undo_a_publish(s3: SmallS3, lost: int) -> None:
    store = _store(_bucket(StorePatience(request=2.0, tries=4, in_all=5.0)))
    publish(store, [b"old"])
    s3.loses = lost
    publish(store, [b"new"])
    assert (store.pointer().live, store.pointer().latest) == (2, 2)
    assert is_whole(_store())


@pytest.mark.parametrize("pause", [0.0, 60.0])
def test_a_pointer_whose_answer_is_lost_is_switched_once(s3: SmallS3, pause: float) -> None:
    store = _store(_bucket(StorePatience(connect=0.5, request=0.5, tries=0, in_all=1.0, pause=pause)))
    publish(store, [b"one"])
    publish(store, [b"two"])
    s3.loses = 1
    assert store.roll_back(1, 2000).live == 1
    assert (store.pointer().live, store.pointer().pinned) == (1, True)


def test_uploads_go_on_beside_each_other_within_a_bound(s3: SmallS3) -> None:
    s3.latency = 0.02
    publish(_store(_bucket(StorePatience())), [b"%d" % number for number in range(300)])
    assert UPLOADS / 2 < s3.most_at_once <= UPLOADS
    s3.latency = 0
    assert is_whole(_store())


def test_when_one_upload_fails_the_others_are_left_and_readers_keep_theirs(s3: SmallS3) -> None:
    store = _store(_bucket(PATIENT))
    publish(store, [b"old"])

    def fail(puts: int) -> None:
        if puts > 50:
            s3.status = 503

    s3.put = fail
    with pytest.raises(StoreAway):
        publish(store, [b"%d" % number for number in range(5_000)])
    assert len(s3.requests) < 1_000
    s3.status, s3.put = 0, None
    assert (store.pointer().live, store.numbers()) == (1, [1])
    assert publish(store, [b"%d" % number for number in range(100)]) == 2
    assert is_whole(_store())


def test_objects_that_nothing_names_yet_stay_for_a_day(s3: SmallS3) -> None:
    store, other = _store(), _store()
    publish(store, [b"old"])
    for number in range(3):
        other.keep(hashlib.sha256(b"%d" % number).digest(), pack(b"%d" % number, compress=False))
    other.objects.sync()
    other.objects.put("releases/9/files", b"")
    other.objects.sync()
    assert store.sweep(1) == 0
    assert publish(other, [b"0", b"1", b"2"]) == 10
    assert is_whole(other)
    s3.grow_old(GRACE + 60)
    other.keep(hashlib.sha256(b"young").digest(), pack(b"young", compress=False))
    assert store.sweep(10) == 0
    assert "releases/9/files" not in s3.keys("site_1/")
    store.unpublish(2000)
    assert store.sweep(1) == 1, "that of the first release"
    assert store.has(hashlib.sha256(b"young").digest())


def test_a_sweep_of_a_bucket_deletes_releases_at_once(s3: SmallS3) -> None:
    store = _store()
    for number in range(6):
        publish(store, [b"%d" % number])
    store.unpublish(2000)
    store.sweep(2)
    assert store.numbers() == [6, 5]


def test_a_site_is_deleted_with_all_that_it_has_there(s3: SmallS3) -> None:
    stores = service_stores(ADDRESS, Path(), "service_1")
    for id in ("site_1", "site_10"):
        publish(ReleaseStore(stores.site(id)), [b"one"])
    assert sorted(stores.ids()) == ["site_1", "site_10"]
    stores.delete("site_1")
    assert sorted(stores.ids()) == ["site_10"]
    assert s3.keys("sites/site_1/") == []
    assert readers_stores(ADDRESS, Path()).shared().read("service") is not None


CHILD = """
import sys
from tests.server.releases.test_bucket_faults import _store, publish
publish(_store(), [b"%d" % number for number in range(60)])
"""


@pytest.mark.parametrize("puts", [1, 20, 59, 60, 61, 62, 63, 64])
def test_a_writer_that_is_killed_leaves_the_old_release_or_the_new_one(s3: SmallS3, puts: int) -> None:
    publish(_store(), [b"old"])
    s3.puts, s3.latency = 0, 0.002
    process: list[subprocess.Popen[bytes]] = []

    def kill(count: int) -> None:
        if count == puts:
            process[0].send_signal(signal.SIGKILL)

    s3.put = kill
    process.append(
        subprocess.Popen([sys.executable, "-c", CHILD], env=dict(os.environ), stderr=subprocess.PIPE)
    )
    _, said = process[0].communicate(timeout=PATIENCE)
    assert process[0].returncode == -signal.SIGKILL, said.decode()
    s3.put = None
    store = _store()
    assert store.pointer().live in ((1,) if puts < 64 else (1, 2))
    assert is_whole(store)
    newest = publish(store, [b"newer"])
    assert (store.pointer().live, is_whole(store)) == (newest, True)
    s3.grow_old(GRACE + 60)
    store.unpublish(2000)
    store.sweep(1)
    named = {file.digest.hex() for file in store.files(newest).values()}
    assert {key.rpartition("/")[2] for key in s3.keys("site_1/objects")} == named
    assert set(s3.keys("site_1/releases")) == {
        f"site_1/releases/{newest}/{part}" for part in ("about", "files", "sources")
    }


@pytest.mark.parametrize("text", ["gs://docs/twinpress", "az://docs/twinpress"])
def test_other_clouds_are_reached_with_what_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    if text.startswith("az"):
        monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
        with pytest.raises(InvalidBucket, match="Account must be specified"):
            open_bucket(bucket_address(text))
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "docs")
    assert open_bucket(bucket_address(text)).name == text


def test_a_bucket_without_credentials_says_what_to_do(moto: int) -> None:
    with environment(moto, AWS_METADATA_ENDPOINT="http://127.0.0.1:1"):
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            del os.environ[name]
        with pytest.raises(StorageError, match="does not answer") as raised:
            BucketStore(_bucket()).read("a")
    assert "put the credentials of the store into the environment" in raised.value.hint
