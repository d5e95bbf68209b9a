"""Images and media over plain `http`, which the policy of every page keeps out: each is told at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sites import build_site

ADDRESS = "http://a.example/"
SHOWN = [
    ("docs/a.md", "![p](http://a.example/p.png)\n", ADDRESS),
    ("docs/a.mdx", "![p](http://a.example/p.png)\n", ADDRESS),
    ("docs/a.mdx", 'Text <img alt="" src="http://a.example/p.png"> text.\n', ADDRESS),
    ("docs/a.md", "![film](HTTP://a.example/f.mp4)\n", "HTTP:"),
    ("docs/a.mdx", "![song](http://a.example/s.mp3)\n", ADDRESS),
    ("docs/a.md", '<img alt="" src="http://a.example/p.png">\n', ADDRESS),
    ("docs/a.md", '<video src="/f.mp4" poster="http://a.example/p.png"></video>\n', ADDRESS),
    ("docs/a.md", '<img alt="" src="/p.png" srcset="/p.png, http://a.example/p.png 2x">\n', "<img"),
]


@pytest.mark.parametrize(("file", "text", "told"), SHOWN)
def test_an_image_that_browsers_will_not_load_is_told(
    tmp_path: Path, file: str, text: str, told: str
) -> None:
    built = build_site(tmp_path, {file: text, "static/p.png": b"p", "static/f.mp4": b"f"})
    (found,) = built.diagnostics
    assert (found.code, found.file, found.line) == ("image-insecure", file, 1)
    assert text[found.column - 1 :].lstrip('"').startswith(told)
    assert found.hint == "use `https`"


def test_an_image_of_the_site_itself_is_told_when_it_is_asked_for_without_encryption(tmp_path: Path) -> None:
    files = {"site.yml": "url: https://docs.example\n", "static/p.png": b"p"}
    built = build_site(tmp_path, {**files, "docs/a.md": "![p](http://docs.example/p.png)\n"})
    assert built.codes == ["image-insecure"]


def test_a_logo_over_http_is_told_at_its_place_in_the_configuration(tmp_path: Path) -> None:
    files = {"site.yml": "title: T\nlogo: http://a.example/logo.svg\n", "docs/a.md": "Text.\n"}
    (found,) = build_site(tmp_path, files).diagnostics
    assert (found.code, found.file, found.line, found.column) == ("image-insecure", "site.yml", 2, 7)


ALLOWED = [
    "![p](https://a.example/p.png)\n",
    "![p](http://docs.intranet/p.png)\n",
    "[p](http://a.example/p.png)\n",
    '<a href="http://a.example/p.png">p</a>\n',
    "`![p](http://a.example/p.png)`\n",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_what_the_policy_lets_through_is_not_told(tmp_path: Path, text: str) -> None:
    files = {"site.yml": "title: T\nurl: http://docs.intranet/base\n", "docs/a.md": text}
    assert build_site(tmp_path, files).codes == []
