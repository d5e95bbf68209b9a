from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.server.commands import serving
from tests.server.preview.conftest import CLIP
from tests.sites import write_site


@pytest.mark.parametrize("path", ["/docs/x", "/hello.txt", "/_tp/reload.js"])
def test_what_a_browser_has_already_is_not_sent_again(preview, path):
    etag = preview.get(path).headers["etag"]
    again = preview.get(path, If_None_Match=etag)
    assert (again.status, again.body) == (304, b"")
    assert preview.get(path, If_None_Match='"other"').status == 200


@pytest.mark.parametrize("path", ["/docs/x", "/docs/guide/clip.mp4", "/nowhere", "/docs/guide"])
def test_head_gives_the_headers_of_get_and_no_body(preview, path):
    head, get = preview.request("HEAD", path), preview.get(path)
    assert head.body == b""
    assert head.status == get.status
    volatile = {"date"}
    assert {k: v for k, v in head.headers.items() if k not in volatile} == {
        k: v for k, v in get.headers.items() if k not in volatile
    }


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=100-299", 100, 299),
        ("bytes=2097000-", 2097000, 2097151),
        ("bytes=-5", 2097147, 2097151),
    ],
)
def test_a_part_of_a_video_can_be_asked_for(preview, asked, first, last):
    part = preview.get("/docs/guide/clip.mp4", Range=asked)
    assert part.status == 206
    assert part.headers["content-range"] == f"bytes {first}-{last}/{len(CLIP)}"
    assert part.headers["content-type"] == "video/mp4"
    assert part.body == CLIP[first : last + 1]


@pytest.mark.parametrize("asked", ["bytes=0-", "bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=0-1,4-5"])
def test_a_range_that_is_all_or_not_understood_gives_everything(preview, asked):
    assert preview.get("/docs/guide/clip.mp4", Range=asked).body == CLIP


def test_a_range_beyond_the_end_is_refused(preview):
    beyond = preview.get("/docs/guide/clip.mp4", Range="bytes=9999999-")
    assert (beyond.status, beyond.headers["content-range"]) == (416, f"bytes */{len(CLIP)}")
    assert preview.get("/empty.bin", Range="bytes=0-").status == 416
    assert preview.get("/empty.bin").status == 200


@pytest.mark.parametrize("asked", ["bytes=-0", "Bytes=-000"])
def test_the_last_no_bytes_are_refused(preview, asked):
    for path, size in (("/docs/guide/clip.mp4", len(CLIP)), ("/empty.bin", 0)):
        nothing = preview.get(path, Range=asked)
        assert (nothing.status, nothing.headers["content-range"]) == (416, f"bytes */{size}")


def test_a_range_of_a_file_that_has_changed_gives_everything(preview):
    etag = preview.get("/docs/guide/clip.mp4").headers["etag"]
    ask = {"Range": "bytes=0-9", "If_Range": etag}
    assert preview.get("/docs/guide/clip.mp4", **ask).status == 206
    assert preview.get("/docs/guide/clip.mp4", **(ask | {"If_Range": '"old"'})).status == 200


def test_a_hole_of_gigabytes_is_never_in_memory(tmp_path):
    size = 3 * 1024**3
    site = write_site(tmp_path, {"docs/index.md": "# Start\n", "static/a.svg": "", "static/b.bin": ""})
    for name in ("static/a.svg", "static/b.bin"):
        with (site / name).open("r+b") as file:
            file.truncate(size)
    with serving(site) as preview:
        preview.says("file-large")
        for name in ("/a.svg", "/b.bin"):
            assert preview.request("HEAD", name).headers["content-length"] == str(size)
            part = preview.get(name, Range=f"bytes={size - 3}-")
            assert (part.status, part.body) == (206, bytes(3))
        status = Path(f"/proc/{preview.process.pid}/status").read_text()
        assert int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 < size // 6
