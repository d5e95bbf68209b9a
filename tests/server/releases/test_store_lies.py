"""Stores that do not say what is true: objects out of sight, lists that are late, answers without an end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from server.releases.bucket_store import GRACE
from server.releases.object_store import StoreAway
from server.releases.release import DamagedRelease
from tests.server.releases.small_s3 import SmallS3
from tests.server.releases.test_bucket_faults import PATIENT, _bucket, _store, is_whole, publish


def test_nothing_is_swept_while_the_pointer_is_not_seen(s3: SmallS3) -> None:
    store = _store()
    for number in range(4):
        publish(store, [b"%d" % number])
    store.roll_back(1, 2000)
    s3.grow_old(GRACE + 60)
    s3.hidden = "/pointer"
    with pytest.raises(DamagedRelease, match="pointer"):
        store.sweep(2)
    s3.hidden = "\0"
    assert (store.pointer().live, is_whole(store)) == (1, True)


@pytest.mark.parametrize("number", [1, 3])
def test_what_readers_have_stays_when_it_is_not_listed(s3: SmallS3, number: int) -> None:
    store = _store()
    for each in range(3):
        publish(store, [b"%d" % each])
    store.roll_back(number, 2000)
    s3.grow_old(GRACE + 60)
    s3.unlisted = f"releases/{number}/about"
    store.sweep(1)
    s3.unlisted = "\0"
    assert (store.pointer().live, is_whole(store)) == (number, True)


MEMORY = 3 << 30
ASK = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
from builder.errors import StorageError
from tests.server.releases.test_bucket_faults import _bucket, BucketStore
try:
    store = BucketStore(_bucket())
    print(store.read("a") if sys.argv[1] == "read" else store.read_range("a", 0, 3))
except StorageError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("ask", ["read", "read a part"])
def test_an_answer_that_says_it_is_huge_is_not_read(s3: SmallS3, ask: str) -> None:
    """In a process of its own: what runs out of memory there is ended by the package."""
    store = _store().objects
    store.put("a", b"abc")
    store.sync()
    s3.objects["twinpress/a"] = b"abc", 0.0
    s3.claimed = 1 << 42
    command = [sys.executable, "-c", ASK, ask]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert "StorageError" in done.stdout or "StoreAway" in done.stdout


def test_no_more_is_read_than_was_asked_for(s3: SmallS3) -> None:
    store = _store(_bucket(PATIENT)).objects
    store.put("a", b"abcdef")
    store.sync()
    s3.more = 50_000_000
    with pytest.raises(StoreAway, match="more bytes"):
        store.read_range("a", 0, 3)
    s3.more = 0
    assert store.read_range("a", 0, 3) == b"abc"
