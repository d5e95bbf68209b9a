import re
from xml.etree import ElementTree

import pytest

import themes
from components import icons
from tests.components.recorder import Recorder


@pytest.mark.parametrize("name", sorted(icons.KNOWN))
def test_an_icon_is_a_drawing_and_nothing_else(name):
    svg = ElementTree.fromstring(icons.icon(name))
    assert svg.attrib == {"class": "tp-icon", "viewBox": "0 0 24 24", "aria-hidden": "true"}
    for part in svg:
        assert part.tag in {"path", "circle", "rect", "line", "polyline", "polygon", "ellipse"}
        assert list(part.attrib) == sorted(part.attrib)
        assert not {key for key in part.attrib if key.startswith("on") or key in ("style", "href", "id")}
        assert len(part) == 0


def test_there_are_enough_icons_and_no_name_is_taken_twice():
    names = [name for group in icons.GROUPS.values() for name in group]
    assert len(names) == len(set(names)) >= 160
    assert not set(names) & set(icons.ALIASES)
    assert set(icons.ALIASES.values()) <= set(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in icons.KNOWN)


def test_a_labelled_icon_is_an_image_with_a_name():
    svg = icons.icon("rocket", 'Go "now"')
    assert 'role="img" aria-label="Go &#34;now&#34;"' in svg
    assert "aria-hidden" not in svg


def test_an_unknown_icon_is_the_default_one():
    assert icons.icon("no-such-icon") == icons.icon(icons.DEFAULT)


def test_an_unknown_icon_is_reported_with_the_nearest_name():
    page = Recorder()
    icons.check("Rocket", page)
    icons.check("rocet", page)
    assert page.reports == ["icon-unknown: there is no icon `rocet` (did you mean `rocket`?)"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("slack", "(the page "),
        ("database-backup", "(did you mean `database`? the page "),
        ("cloud-rocket", "`rocket`"),
    ],
)
def test_a_name_that_none_is_like_has_a_way_to_find_one(name, hint):
    page = Recorder()
    icons.check(name, page)
    (report,) = page.reports
    assert hint in report
    assert "the part `icons` of the guide" in report


def test_the_licence_lies_beside_the_data():
    assert "ISC License" in (themes.default() / "icons" / "LICENSE").read_text(encoding="utf-8")
