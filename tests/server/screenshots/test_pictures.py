"""Pictures of pages, by the real browser: as large as asked for, in both schemes, and of a section."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.http.failure import Failure
from server.screenshots.page_view import MOST_HEIGHT
from tests.server.screenshots.pictures import PAGE, rows, size, taken

pytestmark = pytest.mark.browser

SCHEMES = """
<style>body { margin: 0; background: rgb(250, 250, 250) }
@media (prefers-color-scheme: dark) { body { background: rgb(10, 20, 30) } }</style>
<img src="/red" width="40" height="40" alt="">
"""
RED = b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h40v40H0" fill="red"/></svg>'
SECTIONS = """
<style>* { margin: 0 } div { height: 300px }</style>
<h2 id="one">One</h2><div style="background: rgb(1, 2, 3)"></div>
<h2 id="two">Two</h2><div style="background: rgb(4, 5, 6)"></div><h3 id="in-two">In two</h3><div></div>
<h2 id="three">Three</h2><div style="background: rgb(7, 8, 9)"></div>
"""


def test_a_picture_has_the_width_and_the_scheme_that_were_asked_for_and_the_sites_images() -> None:
    found = taken(SCHEMES, replace(PAGE, scheme="dark"), red=RED)
    assert size(found.png) == (390, 844) == (found.width, found.height)
    pixels = rows(found.png)
    assert pixels[800][:3] == bytes((10, 20, 30))
    assert pixels[20][60:63] == bytes((255, 0, 0))


def test_a_section_is_pictured_to_the_next_heading_of_its_level() -> None:
    found = taken(SECTIONS, replace(PAGE, section="two", width=320))
    there = b"".join(row[:3] for row in rows(found.png))
    assert bytes((4, 5, 6)) in there
    assert bytes((7, 8, 9)) not in there
    assert 600 < found.height < 800
    assert not found.cut


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 1280, 1920])
@pytest.mark.parametrize(("scheme", "color"), [("light", (250, 250, 250)), ("dark", (10, 20, 30))])
def test_each_width_and_scheme(width: int, scheme: str, color: tuple[int, int, int]) -> None:
    found = taken(SCHEMES, replace(PAGE, width=width, scheme=scheme), red=RED)
    assert size(found.png) == (width, found.height)
    assert rows(found.png)[500][:3] == bytes(color)


@pytest.mark.slow
def test_a_page_that_is_too_long_is_cut_and_says_so() -> None:
    found = taken('<div style="height: 90000px"></div>', replace(PAGE, full=True))
    assert (found.height, found.cut, found.page_height > 90000) == (MOST_HEIGHT, True, True)
    assert size(found.png) == (390, MOST_HEIGHT)


@pytest.mark.slow
def test_a_whole_page_is_as_high_as_its_content() -> None:
    assert taken('<div style="height: 2000px"></div>', replace(PAGE, full=True)).height == 2016


@pytest.mark.slow
def test_a_section_that_is_not_there_is_named() -> None:
    with pytest.raises(Failure, match="no heading with the id `four`") as failed:
        taken(SECTIONS, replace(PAGE, section="four"))
    assert failed.value.code == "PAGE_NOT_FOUND"
