"""A release in a bucket far away: from its objects to the pointer, again, and after one page has changed.

    python -m tests.bench.objects [--pages 1000] [--latency 5]

The store is a small S3 in a process of its own that waits so many milliseconds before each answer. Each page
has a file and a source. What a build costs is not in it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

from server.releases.packed_object import pack
from server.releases.release import ReleasedFile, ReleaseRecord
from server.releases.release_store import ReleaseStore
from server.releases.site_stores import service_stores
from tests.server.releases.small_s3 import ADDRESS, environment

_SERVER = """
import sys, time
from tests.server.releases.small_s3 import SmallS3, small_s3
with small_s3(SmallS3(latency=float(sys.argv[1]) / 1000)) as running:
    print(running.port, flush=True)
    sys.stdin.read()
"""
_PAGE = 8_000


def release(store: ReleaseStore, pages: int, changed: int) -> float:
    """Publish pages, the first of which says `changed`; return the seconds that it took."""
    files = [b"%d " % number + b"x" * _PAGE for number in range(2 * pages)]
    files[0] = b"changed %d" % changed
    packed = {hashlib.sha256(data).digest(): pack(data, compress=False) for data in files}
    began = time.perf_counter()
    for digest in packed.keys() - store.digests():
        store.keep(digest, packed[digest])
    named = {f"{number}": ReleasedFile(digest, _PAGE) for number, digest in enumerate(packed)}
    record = ReleaseRecord(store.next_number(), int(time.time()), "bench", "free", "1", pages, len(named), 0)
    store.add(record, named, {})
    return time.perf_counter() - began


def main() -> None:
    """Print the seconds of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=5.0)
    chosen = parser.parse_args()
    command = [sys.executable, "-c", _SERVER, str(chosen.latency)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=dict(os.environ), **pipes) as server:
        with environment(int(server.stdout.readline())):
            store = ReleaseStore(service_stores(ADDRESS, Path(), "bench").site("site_1"))
        print(f"{chosen.pages} pages, {chosen.latency} ms a request")
        for name, changed in (("from nothing", 0), ("with no change", 0), ("one page changed", 1)):
            print(f"  {name}: {release(store, chosen.pages, changed):.2f} s")
        began = time.perf_counter()
        store.sweep(10)
        print(f"  sweep: {time.perf_counter() - began:.2f} s")
        server.stdin.close()


if __name__ == "__main__":
    main()
