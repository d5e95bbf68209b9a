"""Images have their size, load when they are needed, and are missed when they say nothing."""

from __future__ import annotations

import re
import struct
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.images import header
from builder.images.sizes import image_sizes
from builder.store import ContentStore
from tests.sites import Built, build_site, write_site
from tests.time_bounds import processor_seconds

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\0\0\0"
FRAME = b"\xff\xc2\0\x11\x08" + struct.pack(">HH", 300, 400) + b"\x03"
PROFILE = b"\xff\xe2" + struct.pack(">H", 60_000) + b"\xff\xc0" * 29_999


def exif(order: str, orientation: int) -> bytes:
    sign = "<" if order == "II" else ">"
    entry = struct.pack(f"{sign}HHIHH", 0x0112, 3, 1, orientation, 0)
    tiff = order.encode() + struct.pack(f"{sign}HIH", 42, 8, 1) + entry
    return b"\xff\xe1" + struct.pack(">H", len(tiff) + 8) + b"Exif\0\0" + tiff


def box(kind: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I", len(content) + 8) + kind + content


def avif(turns: int, *, wide: bool = False) -> bytes:
    """The beginning of an AVIF image of 60 by 40 pixels, with its transparency as an item before it."""
    n, flags = (">I", b"\1\0\0\1") if wide else (">H", b"\0\0\0\0")
    ispe = [box(b"ispe", struct.pack(">III", 0, *size)) for size in ((9, 9), (60, 40))]
    properties = box(b"ipco", ispe[0], ispe[1], box(b"irot", bytes([turns])))
    numbers = [struct.pack(">H" if wide else ">B", each) for each in (1, 2, 0x8003 if wide else 0x83)]
    owners = struct.pack(n, 1) + b"\1" + numbers[0] + struct.pack(n, 2) + b"\2" + numbers[1] + numbers[2]
    table = box(b"ipma", flags, struct.pack(">I", 2), owners)
    main = box(b"pitm", flags[:1], b"\0\0\0", struct.pack(n, 2))
    meta = box(b"meta", b"\0\0\0\0", box(b"hdlr", b"pict"), main, box(b"iprp", properties, table))
    return box(b"ftyp", b"avif", b"\0\0\0\0", b"mif1") + meta + struct.pack(">I", 0) + b"mdat"


IMAGES: dict[str, tuple[bytes, header.Size | None]] = {
    "png": (PNG, (640, 480)),
    "gif": (b"GIF89a" + struct.pack("<HH", 30, 20), (30, 20)),
    "jpeg": (b"\xff\xd8" + FRAME, (400, 300)),
    "jpeg with a profile": (b"\xff\xd8" + PROFILE + FRAME, (400, 300)),
    "jpeg as it was held": (b"\xff\xd8" + exif("MM", 1) + FRAME, (400, 300)),
    "jpeg on its side": (b"\xff\xd8" + exif("MM", 6) + FRAME, (300, 400)),
    "jpeg on its other side": (b"\xff\xd8" + exif("II", 8) + FRAME, (300, 400)),
    "jpeg without a frame": (b"\xff\xd8" + PROFILE, None),
    "webp, lossy": (b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 50, 40), (50, 40)),
    "webp, lossless": (b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", 59 | 49 << 14), (60, 50)),
    "webp, extended": (b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x45\0\0\x3b\0\0", (70, 60)),
    "avif": (avif(0), (60, 40)),
    "avif, upside down": (avif(2), (60, 40)),
    "avif on its side": (avif(3), (40, 60)),
    "avif with long numbers": (avif(1, wide=True), (40, 60)),
    "avif without properties": (box(b"ftyp", b"avif"), None),
    "svg": (
        b'<?xml version="1.0"?><!-- <b> --><svg width="10.5px" height=\'20\' viewBox="0 0 1 1">',
        (11, 20),
    ),
    "svg with a box": (b'<svg viewBox="0 0 300,150">', (300, 150)),
    "svg in per cent": (b'<svg width="100%" height="100%" viewBox="0 0 30 40">', (30, 40)),
    "svg with a line": (b'<svg stroke-width="9" height="5">', None),
    "svg of nothing": (b'<svg width="0" height="0">', None),
    "text": (b"width=1", None),
    "nothing": (b"", None),
}


@pytest.mark.parametrize("name", IMAGES)
def test_the_size_stands_in_the_first_bytes(name: str) -> None:
    data, size = IMAGES[name]
    assert header.of_bytes(data) == size


@given(st.sampled_from([data for data, _ in IMAGES.values()]), st.integers(0, 99), st.binary(max_size=40))
def test_broken_images_have_a_size_or_none(data: bytes, at: int, noise: bytes) -> None:
    for broken in (data[:at], data[:at] + noise + data[at:], data[:at] + noise):
        found = header.of_bytes(broken)
        assert found is None or min(found) > 0


@pytest.mark.parametrize(
    "data",
    [
        b"<svg " * 60_000,
        b"<svg a=" + b'"' * 250_000,
        b"\xff\xd8" + b"\xff" * 250_000,
        box(b"ftyp") + b"\0\0\0\x08free" * 30_000,
        box(b"ftyp") + b"\0\0\0\1meta" + b"\xff" * 250_000,
    ],
)
def test_hostile_images_cost_little(data: bytes) -> None:
    with processor_seconds(0.5):
        assert header.of_bytes(data) is None


def sizes(folder: Path) -> tuple[dict[str, header.Size], int]:
    """The sizes of a site's images, and how many bytes were read for them."""
    with ContentStore(folder) as store:
        files = store.scan().files
        before = read()
        found = image_sizes(folder, store, files)
        return found, read() - before


def read() -> int:
    """Bytes that this process has read so far."""
    return int(re.findall(r"rchar: (\d+)", Path("/proc/self/io").read_text())[0])


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the system does not count what is read")
def test_images_are_read_again_when_they_have_changed(tmp_path: Path) -> None:
    small = PNG.replace(struct.pack(">I", 640), struct.pack(">I", 7))
    write_site(tmp_path, {"site.yml": "title: T", "static/a.png": PNG + bytes(5_000)})
    time.sleep(0.06)
    first, again = sizes(tmp_path), sizes(tmp_path)
    assert (first[0], again[0]) == ({"a.png": (640, 480)}, {"a.png": (640, 480)})
    assert again[1] < 1_000 < 5_000 < first[1]
    write_site(tmp_path, {"static/a.png": small + bytes(5_000)})
    assert sizes(tmp_path)[0] == {"a.png": (7, 480)}
    (tmp_path / "static/a.png").unlink()
    assert sizes(tmp_path)[0] == {}


FILES = {
    "docs/a b.png": PNG,
    "static/img/i.svg": IMAGES["svg"][0],
    "static/broken.png": zlib.compress(b"x"),
}


def images(built: Built) -> list[str]:
    html = built.text("docs/index.html")
    article = html[html.index("<article") : html.index("</article>")]
    return [re.sub(r' (alt|src)="[^"]*"', "", tag) for tag in re.findall("<img[^>]*>", article)]


@pytest.mark.parametrize("form", ["md", "mdx"])
def test_local_images_have_their_size_and_all_but_the_first_are_lazy(tmp_path: Path, form: str) -> None:
    text = (
        "![a](<a b.png>)\n\n![b](/img/i.svg#part) ![c](https://x.example/c.png)\n\n![d](/broken.png)\n\n"
        '<img src="/img/i.svg" alt="e"> <img src="/img/i.svg" alt="" width="5">\n'
    )
    built = build_site(
        tmp_path, {"site.yml": "url: https://x.example/base", f"docs/index.{form}": text, **FILES}
    )
    size = ' width="11" height="20"'
    assert images(built) == [
        '<img width="640" height="480">',
        f'<img{size} loading="lazy">',
        '<img loading="lazy">',
        '<img loading="lazy">',
        f'<img{size} loading="lazy">',
        '<img width="5" height="9" loading="lazy">',
    ]
    assert built.codes == []


@pytest.mark.parametrize(
    ("given", "sides"),
    [
        ('width="320"', 'width="320" height="240"'),
        ('height="48"', 'height="48" width="64"'),
        ('width="1"', 'width="1" height="1"'),
        ('width="50%"', 'width="640" height="480"'),
        ('width="0"', 'width="0"'),
        ('width="9" height="9"', 'width="9" height="9"'),
    ],
)
def test_a_side_that_is_given_has_the_other_in_proportion(tmp_path: Path, given: str, sides: str) -> None:
    built = build_site(tmp_path, {"docs/index.md": f'<img src="a.png" alt="a" {given}>\n', "docs/a.png": PNG})
    assert images(built) == [f"<img {sides}>"]


def test_what_an_author_says_of_loading_holds(tmp_path: Path) -> None:
    text = '![a](/img/i.svg)\n\n<img src="/img/i.svg" alt="b" loading="eager">\n'
    built = build_site(tmp_path, {"docs/index.md": text, **FILES})
    assert images(built)[1] == '<img loading="eager" width="11" height="20">'


@pytest.mark.parametrize(
    ("form", "text", "places"),
    [
        ("md", "![](/img/i.svg)\n", [(1, 5)]),
        ("mdx", "a\n\n![](/img/i.svg)\n", [(3, 5)]),
        ("md", "![][x]\n\n[x]: /img/i.svg\n", [(3, 6)]),
        ("mdx", 'a <img src="/img/i.svg"> b\n', [(1, 12)]),
        ("md", 'a <img src="/img/i.svg"> b <img src="/img/i.svg">\n', [(1, 3), (1, 28)]),
        ("md", '<div>\n<img alt="x" src="/img/i.svg">\n<img src="/img/i.svg">\n</div>\n', [(3, 1)]),
        ("md", '<img alt="" src="/img/i.svg">\n', []),
        ("mdx", '<img alt="" src="/img/i.svg" /> <img alt src="/img/i.svg" />\n', []),
        ("md", "![words](/img/i.svg)\n", []),
    ],
)
def test_an_image_without_words_is_told_but_for_decoration(
    tmp_path: Path, form: str, text: str, places: list[tuple[int, int]]
) -> None:
    built = build_site(tmp_path, {f"docs/index.{form}": text, **FILES})
    assert built.codes == ["image-alt"] * len(places)
    assert [(each.line, each.column) for each in built.diagnostics] == places


@pytest.mark.parametrize("language", ["brainrust", "C++20"])
def test_code_in_a_language_that_nobody_knows_has_its_label(tmp_path: Path, language: str) -> None:
    built = build_site(tmp_path, {"docs/index.md": f"```{language}\na -> <b>\n```\n"})
    assert f'<figure class="tp-code" data-language="{language}">' in built.text("docs/index.html")
    assert "a -&gt; &lt;b&gt;" in built.text("docs/index.html")
    assert built.codes == []
