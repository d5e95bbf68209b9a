"""The options of the cache that machines share, as people and CI systems use them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from msgspec.structs import replace

from builder.cache.packs import Seals
from tests.server.commands import COMMAND
from tests.sites import write_site
from tests.waiting import PATIENCE

SECRET = "0123456789abcdef" * 4
SITE = {
    "site.yml": "title: Harbour\n",
    "docs/index.md": "# Harbour\n\n[a](guide/a.md)\n",
    "docs/guide/a.md": "# A\n\n```python\nx = 1\n```\n",
    "docs/guide/b.mdx": "# B\n\n<Card title='x' />\n",
}


def run(folder: Path, *arguments: str, **variables: str) -> CompletedProcess[str]:
    """Run the command in a process of its own, with little in its environment."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    env = {**kept, "TWINPRESS_CACHE_SECRET": SECRET, **variables}
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


class Machine:
    """An empty machine: each build is in a folder of its own, by another user, with other times of files."""

    def __init__(self, root: Path) -> None:
        self.root, self.number = root, 0

    def build(
        self, *options: str, command: str = "build", files: dict[str, str] = SITE, **variables: str
    ) -> CompletedProcess[str]:
        """Build the site in a new folder."""
        self.number += 1
        self.site = write_site(self.root / f"machine{self.number}" / "site", files)
        for path in self.site.rglob("*"):
            os.utime(path, (self.number * 1e6, self.number * 1e6))
        own = {"HOME": str(self.site.parent), "PYTHONHASHSEED": str(self.number), "TZ": f"UTC{self.number}"}
        return run(self.site, command, *options, **own, **variables)

    def files(self) -> dict[str, bytes]:
        """The files of the last build."""
        found = (path for path in (self.site / "dist").rglob("*") if path.is_file())
        return {str(path.relative_to(self.site)): path.read_bytes() for path in found}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def packs(cache: Path) -> dict[Path, int]:
    return {path: path.stat().st_ino for path in cache.rglob("*.pack")}


def test_another_machine_takes_all_and_sends_nothing_again(machine: Machine, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    done = machine.build("--cache-to", str(cache))
    assert (done.returncode, "cache:" in done.stderr) == (0, False)
    files, before = machine.files(), packs(cache)
    done = machine.build(TWINPRESS_CACHE_FROM=str(cache), TWINPRESS_CACHE_TO=f"file://{cache}")
    assert (done.returncode, "cache: 3 of 3 pages from remote" in done.stderr) == (0, True)
    assert (machine.files(), packs(cache)) == (files, before)
    assert SECRET not in done.stdout + done.stderr


def test_publish_uses_it_too(machine: Machine, tmp_path: Path) -> None:
    places = ("--cache-from", str(tmp_path / "cache"), "--cache-to", str(tmp_path / "cache"))
    for number in (0, 3):
        done = machine.build("--to", str(tmp_path / f"releases{number}"), *places, command="publish")
        assert (done.returncode, f"cache: {number} of 3 pages from remote" in done.stderr) == (0, True)


def test_publish_takes_no_html_away_and_a_rehearsal_sends_nothing(machine: Machine, tmp_path: Path) -> None:
    cache, releases = tmp_path / "cache", str(tmp_path / "releases")
    machine.build("--cache-to", str(cache))
    before = packs(cache)
    done = machine.build("--to", releases, "--cache-to", str(cache), command="publish")
    assert (done.returncode, packs(cache)) == (0, before)
    done = machine.build("--to", releases, "-n", "--cache-to", str(tmp_path / "new"), command="publish")
    assert (done.returncode, (tmp_path / "new").exists()) == (0, False)


def test_what_publish_has_sent_has_its_html(machine: Machine, tmp_path: Path) -> None:
    cache, releases = tmp_path / "cache", str(tmp_path / "releases")
    machine.build("--to", releases, "--cache-to", str(cache), command="publish")
    (pack,) = packs(cache)
    found = Seals(SECRET.encode()).unpack(pack.read_bytes())
    assert found
    assert all(b"<html" in page.html for page in found.pages.values())


def test_publish_renders_a_sample_anew(machine: Machine, tmp_path: Path) -> None:
    cache, releases = str(tmp_path / "cache"), str(tmp_path / "releases")
    machine.build("--cache-to", cache)
    options = ("--to", releases, "--cache-from", cache, "--verify-cache", "100%")
    done = machine.build(*options, command="publish")
    assert (done.returncode, "3 kept pages rendered anew, all of them right" in done.stderr) == (0, True)


@pytest.mark.parametrize("option", ["--cache-from", "--cache-to"])
@pytest.mark.parametrize("place", ["static/cache", "docs", "dist/cache"])
def test_a_cache_among_files_that_are_published_is_refused(machine: Machine, option: str, place: str) -> None:
    done = machine.build(option, place)
    assert (done.returncode, "whose files are published" in done.stderr) == (2, True)


def test_a_build_says_what_its_machine_has_kept_and_that_it_is_not_trusted(
    machine: Machine, tmp_path: Path
) -> None:
    cache = str(tmp_path / "cache")
    assert "is not set" not in machine.build("--cache-to", cache).stderr
    again = run(machine.site, "build", "--cache-from", cache)
    assert "cache: 0 of 3 pages from remote, 3 kept on this machine" in again.stderr
    env = {name: value for name, value in os.environ.items() if name != "TWINPRESS_CACHE_SECRET"}
    done = subprocess.run(
        [COMMAND, "build", "--cache-to", cache], cwd=machine.site, env=env, capture_output=True, text=True,
        check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert "TWINPRESS_CACHE_SECRET is not set" in done.stderr


@pytest.mark.parametrize("option", ["--safe", "--no-cache"])
def test_what_leaves_the_cache_alone_leaves_the_shared_one_alone(
    machine: Machine, tmp_path: Path, option: str
) -> None:
    done = machine.build(option, "--cache-to", str(tmp_path / "cache"))
    assert (done.returncode, f"{option} leaves the shared cache alone" in done.stderr) == (0, True)
    assert not (tmp_path / "cache").exists()
    refused = machine.build(option, "--verify-cache", "1%")
    assert (refused.returncode, "--verify-cache compares kept pages" in refused.stderr) == (2, True)


@pytest.mark.parametrize("share", ["2", "half", "101%", "-1%", "nan"])
def test_a_share_that_is_none_is_refused(machine: Machine, share: str) -> None:
    done = machine.build("--verify-cache", share)
    assert (done.returncode, "is no part of all pages" in done.stderr) == (
        0 if share == "2" else 2,
        share != "2",
    )


def test_a_difference_that_is_found_is_an_error(machine: Machine, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    machine.build("--cache-to", str(cache))
    done = machine.build("--cache-from", str(cache), "--verify-cache", "100%")
    assert (done.returncode, "3 kept pages rendered anew, all of them right" in done.stderr) == (0, True)
    (pack,) = packs(cache)
    found = Seals(SECRET.encode()).unpack(pack.read_bytes())
    assert found
    pages = {path: replace(page, html=page.html + b"evil") for path, page in found.pages.items()}
    pack.write_bytes(Seals(SECRET.encode()).pack(pages.items()))
    done = machine.build("--cache-from", str(cache), "--verify-cache", "100%")
    assert (done.returncode, done.stdout.count("[cache-wrong]")) == (1, 3)
    assert "3 kept pages rendered anew, 3 of them wrong" in done.stderr
    assert not any(b"evil" in data for data in machine.files().values())


@contextmanager
def silent(first: bytes) -> Iterator[int]:
    """A port that accepts connections, and answers requests with these bytes and no more."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=64)) as server:
        found: list[socket.socket] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    found.append(server.accept()[0])
                    found[-1].recv(1)
                    found[-1].sendall(first)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for each in found:
                each.close()


SILENT = {
    "nothing": b"",
    "half of a line": b"HTTP/1.1 2",
    "half of an answer": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbegin",
}


@pytest.mark.parametrize("first", SILENT)
@pytest.mark.parametrize("kind", ["http", "s3"])
def test_a_store_that_hangs_holds_up_neither_the_build_nor_its_end(
    machine: Machine, kind: str, first: str
) -> None:
    with silent(SILENT[first]) as port:
        local = f"http://127.0.0.1:{port}"
        bucket = {"AWS_ENDPOINT_URL": local, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "hush"}
        address = "s3://bucket/docs" if kind == "s3" else f"{local}/docs"
        places = ("--cache-from", address, "--cache-to", address)
        done = machine.build(*places, **bucket, AWS_REGION="x", TWINPRESS_CACHE_READ_TOKEN="hush")
    assert (done.returncode, done.stdout.count("[cache-away]")) == (0, 1)
    assert "no answer within 2 s" in done.stdout
    assert "hush" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert (machine.site / "dist/docs/index.html").exists()


def test_a_fresh_clone_elsewhere_hits_with_all_that_pages_can_have(machine: Machine, tmp_path: Path) -> None:
    """The whole sample site: its own theme, images, includes, versions, feeds."""
    cache, sample = tmp_path / "cache", Path(__file__).parents[4] / "sample-site"

    def built(name: str) -> tuple[str, dict[str, bytes]]:
        site = tmp_path / name / "a copy"
        shutil.copytree(sample, site, ignore=shutil.ignore_patterns(".twinpress", "dist"))
        places = ("--cache-from", str(cache), "--cache-to", str(cache))
        done = run(site, "build", *places, HOME=str(tmp_path / name))
        machine.site = site
        return done.stderr, machine.files()

    _, files = built("one")
    said, again = built("another")
    number = said.partition("cache: ")[2].split()[0]
    assert f"cache: {number} of {number} pages from remote" in said
    assert (number != "0", again) == (True, files)
