"""Files that are copied as they are: large ones, ones with holes, and hard links."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from builder.build import Result, build
from builder.output import FolderOutput, MemoryOutput, sparse_copy
from builder.plan.options import Options
from tests.sites import write_site

SITE = {"site.yml": "title: T\n", "docs/index.md": "# Start\n"}
OWN = Options(trusted=True)
HOLE = 3 * 1024**3


def sparse(path: Path, size: int = HOLE, data: bytes = b"in the middle") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.seek(size // 2)
        file.write(data)
        file.truncate(size)
    if path.stat().st_blocks * 512 > size // 2:
        pytest.skip("this file system has no holes")
    return path


def on_disk(path: Path) -> int:
    return path.stat().st_blocks * 512


def built(site: Path, options: Options) -> Result:
    return build(site, FolderOutput(site / "dist"), options)


def told(result: Result) -> list[tuple[str, str, str]]:
    return [(found.level.value, found.code, found.file) for found in result.diagnostics]


def test_holes_stay_holes_and_the_file_is_told_of(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    source = sparse(site / "static/large.png")
    result = built(site, OWN)
    copy = site / "dist/large.png"
    assert copy.stat().st_size == HOLE
    assert on_disk(copy) <= on_disk(source) + 1_000_000
    with copy.open("rb") as file:
        file.seek(HOLE // 2 - 1)
        assert file.read(15) == b"\0in the middle\0"
    assert told(result) == [("warning", "file-large", "static/large.png")]
    assert "3,221,225,472 bytes, most of them a hole" in result.diagnostics[0].message


def test_of_a_stranger_s_site_a_large_file_is_left_out(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    sparse(site / "docs/large.bin", 100_000_000)
    sparse(site / "docs/small.bin", 99_999_999)
    result = built(site, Options())
    assert told(result) == [("error", "file-too-large", "docs/large.bin")]
    assert not (site / "dist/docs/large.bin").exists()
    assert (site / "dist/docs/small.bin").stat().st_size == 99_999_999
    memory = MemoryOutput()
    build(site, memory, Options())
    assert set(memory.copied) == {"docs/small.bin"}


LITTLE = r"""
import re, sys
from pathlib import Path
from builder.build import Options, build
from builder.output import FolderOutput, NullOutput
site = Path(sys.argv[1])
for cache in ("keep", "keep", "no"):
    build(site, FolderOutput(site / "dist"), Options(trusted=True, cache=cache))
    build(site, NullOutput(), Options(trusted=True, cache="read" if cache == "keep" else cache))
# What `getrusage` says contains the memory of the process that started this one.
print(int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024)
"""


def test_no_build_takes_a_large_file_into_memory(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    for name in ("static/a.bin", "static/a.svg", "docs/b.avif", "docs/c.jpg"):
        sparse(site / name, HOLE // 3)
    done = subprocess.run([sys.executable, "-c", LITTLE, site], capture_output=True, check=True)
    assert int(done.stdout) < HOLE // 6


def copied(source: Path, target: Path) -> bytes:
    with source.open("rb") as old, target.open("wb") as new:
        sparse_copy.copy(old.fileno(), new.fileno())
    return target.read_bytes()


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 1 << 20, (1 << 21) + 5])
@pytest.mark.parametrize("refused", [(), ("copy_file_range",), ("copy_file_range", "SEEK_DATA")])
def test_a_copy_has_the_same_bytes_whatever_the_file_system_can_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, refused: tuple[str, ...]
) -> None:
    """A plainer call does where a file system refuses one, as another than the test's would."""
    for name in refused:
        monkeypatch.setattr(sparse_copy.os, name, _refuse if name == "copy_file_range" else 99)
    plain, hollow = tmp_path / "plain", tmp_path / "hollow"
    plain.write_bytes(os.urandom(size))
    with hollow.open("wb") as file:
        for start in range(0, size, 300_000):
            file.seek(start)
            file.write(b"data")
        file.truncate(size)
    for source in (plain, hollow):
        assert copied(source, tmp_path / "copy") == source.read_bytes()


def _refuse(*_: object) -> int:
    raise OSError(95, "Operation not supported")


def test_a_full_disk_is_told_and_leaves_no_half_file(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE | {"static/a.bin": b"x" * 3_000_000})
    run = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, {resource.RLIM_INFINITY}))\n"
    )
    run += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    run += "import sys; from server.cli import run; sys.argv[0] = 'twinpress'; run()"
    done = subprocess.run(
        [sys.executable, "-c", run, "build", site], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "a.bin: cannot be written: File too large" in done.stderr
    assert [path.name for path in (site / "dist").rglob("*") if "a.bin" in path.name] == []
    assert all(path.stat().st_size < 1_000_000 for path in (site / "dist").rglob("*") if path.is_file())


def test_a_hard_link_to_a_file_elsewhere_is_told_with_safe_alone(tmp_path: Path) -> None:
    site, secret = write_site(tmp_path / "site", SITE), tmp_path / "secret"
    secret.write_text("# Secret\n")
    (site / "static").mkdir()
    for name in ("docs/a.md", "docs/a.llms.md", "static/a.txt", "docs/_category_.yml"):
        os.link(secret, site / name)
    safe = [found for found in told(built(site, Options())) if found[1] == "hard-link"]
    assert safe == [
        ("warning", "hard-link", name)
        for name in ("docs/_category_.yml", "docs/a.llms.md", "docs/a.md", "static/a.txt")
    ]
    assert (site / "dist/a.txt").read_text() == "# Secret\n"
    assert "hard-link" not in [code for _, code, _ in told(built(site, OWN))]


def test_two_names_within_the_site_are_nobody_else_s_file(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE | {"static/a.txt": "1"})
    os.link(site / "static/a.txt", site / "docs/b.txt")
    assert told(built(site, Options())) == []
