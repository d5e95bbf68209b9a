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

from builder import imagesize
from tests.sites import Built, build_site

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\0\0\0"
FRAME = b"\xff\xc2\0\x11\x08" + struct.pack(">HH", 300, 400) + b"\x03"
PROFILE = b"\xff\xe2" + struct.pack(">H", 60_000) + b"\xff\xc0" * 29_999


def exif(order: str, orientation: int) -> bytes:
    sign = "<" if order == "II" else ">"
    entry = struct.pack(f"{sign}HHIHH", 0x0112, 3, 1, orientation, 0)
    tiff = order.encode() + struct.pack(f"{sign}HIH", 42, 8, 1) + entry
    return b"\xff\xe1" + struct.pack(">H", len(tiff) + 8) + b"Exif\0\0" + tiff


IMAGES: dict[str, tuple[bytes, imagesize.Size | None]] = {
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
    assert imagesize.of_bytes(data) == size


@given(st.sampled_from([data for data, _ in IMAGES.values()]), st.integers(0, 99), st.binary(max_size=40))
def test_broken_images_have_a_size_or_none(data: bytes, at: int, noise: bytes) -> None:
    for broken in (data[:at], data[:at] + noise + data[at:], data[:at] + noise):
        found = imagesize.of_bytes(broken)
        assert found is None or min(found) > 0


@pytest.mark.parametrize(
    "data", [b"<svg " * 60_000, b"<svg a=" + b'"' * 250_000, b"\xff\xd8" + b"\xff" * 250_000]
)
def test_hostile_images_cost_little(data: bytes) -> None:
    started = time.process_time()
    assert imagesize.of_bytes(data) is None
    assert time.process_time() - started < 0.5


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
        '<img width="5" loading="lazy">',
    ]
    assert built.codes == []


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


@pytest.mark.parametrize("language", ["mermaid", "brainrust", "C++20"])
def test_code_in_a_language_that_nobody_knows_has_its_label(tmp_path: Path, language: str) -> None:
    built = build_site(tmp_path, {"docs/index.md": f"```{language}\na -> <b>\n```\n"})
    assert f'<figure class="tp-code" data-language="{language}">' in built.text("docs/index.html")
    assert "a -&gt; &lt;b&gt;" in built.text("docs/index.html")
    assert built.codes == []
