"""A build on a fresh machine that takes its pages from the shared cache, beside one that renders them all.

    python -m tests.bench.shared_cache [--pages 1000] [--rounds 5] [--place S3]

Both run in turn in an empty folder with a scrubbed environment, for a cache in a folder, on an HTTP server,
and in the S3 of moto; another build has filled it. The ratios are medians of pairs, of time and of CPU time,
as other work on the machine changes the former. "wrong" counts files that are not as without a cache.
TMPDIR says where it builds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.bench.builders import Builder, Run, corpus, run, twinpress
from tests.server.releases.small_s3 import BUCKET, environment, moto_server
from tests.server.shared_caches.test_places import READ, WRITE, http_server

SECRET = "0123456789abcdef" * 4


@contextmanager
def folder() -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a shared cache in a folder, and what the environment must have for it."""
    with tempfile.TemporaryDirectory() as found:
        yield found, {}


@contextmanager
def server() -> Iterator[tuple[str, dict[str, str]]]:
    """The same of one on an HTTP server."""
    tokens = {"TWINPRESS_CACHE_READ_TOKEN": READ, "TWINPRESS_CACHE_WRITE_TOKEN": WRITE}
    with http_server() as (address, _):
        yield address, tokens


@contextmanager
def bucket() -> Iterator[tuple[str, dict[str, str]]]:
    """The same of one in a bucket."""
    with moto_server() as port, environment(port):
        yield f"s3://{BUCKET}/cache", {name: os.environ[name] for name in os.environ if name[:4] == "AWS_"}


PLACES = {"a folder": folder, "HTTP": server, "S3": bucket}


def scrubbed(builder: Builder, **variables: str) -> Builder:
    """The same command without a variable of ours."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    words = [f"{name}={value}" for name, value in {**kept, **variables}.items()]
    return replace(builder, command=("/usr/bin/env", "-i", *words, *builder.command))


def content(site: Path) -> dict[str, bytes]:
    """The built files by path."""
    files = (path for path in (site / "dist").rglob("*") if path.is_file())
    return {str(path.relative_to(site)): path.read_bytes() for path in files}


def pages_taken(taking: Builder, site: Path) -> str:
    """Build once with the cache; gives the words of the command on how many pages came from it."""
    for name in taking.leaves:
        shutil.rmtree(site / name)
    done = subprocess.run(taking.command, cwd=site, capture_output=True, text=True, check=True)
    return done.stderr.partition("cache: ")[2].partition(" pages")[0]


def pair(taking: Builder, cold: Builder, site: Path, away: Path) -> tuple[Run, Run]:
    """One build with the cache, and one without."""
    return run(taking, site, away=away), run(cold, site, away=away)


def measure(site: Path, address: str, variables: dict[str, str], rounds: int) -> str:
    """Return the line of one place."""
    secret = {"TWINPRESS_CACHE_SECRET": SECRET, **variables}
    cold = scrubbed(twinpress())
    filled = run(scrubbed(twinpress("--cache-to", address), **secret), site).wall
    taking = scrubbed(twinpress("--cache-from", address), **secret)
    run(cold, site)
    right = content(site)
    taken_pages = pages_taken(taking, site)
    found = content(site)
    wrong = sum(right.get(name) != found.get(name) for name in right.keys() | found.keys())
    with tempfile.TemporaryDirectory() as away:
        pairs = [pair(taking, cold, site, Path(away)) for _ in range(rounds)]
    ratio, cpu = (
        statistics.median(getattr(taken, name) / getattr(whole, name) for taken, whole in pairs)
        for name in ("wall", "cpu")
    )
    taken, whole = (statistics.median(each.wall for each in runs) for runs in zip(*pairs, strict=True))
    times = f"{taken:6.2f} s, {ratio:.2f} of {whole:.2f} s, {cpu:.2f} of its CPU time"
    return f"{times}; filled in {filled:.2f} s; {taken_pages} taken; wrong: {wrong}"


def main() -> None:
    """Print a line for each place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--place", choices=PLACES, help="this one alone")
    chosen = parser.parse_args()
    work = Path(tempfile.mkdtemp())
    try:
        site = corpus("twinpress", chosen.pages, work / "site")
        for name, place in PLACES.items() if not chosen.place else [(chosen.place, PLACES[chosen.place])]:
            with place() as (address, variables):
                line = measure(site, address, variables, chosen.rounds)
            sys.stdout.write(f"  {name:8} {line}\n")
            sys.stdout.flush()
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
