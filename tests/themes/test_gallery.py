"""Every component in every state in a real browser: light, dark, desk, phone, paper, without script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.themes import colours, pictures, probes
from tests.themes.axe import violations
from tests.themes.conftest import PHONE
from tests.themes.visits import Visitor

pytestmark = pytest.mark.browser

PAGES = ("boxes", "requests", "code", "folding", "text", "extras", "drawn")
DESK = {"width": 1280, "height": 900}
PAPER = {"width": 718, "height": 1000}
WIDTHS = (320, 360, 600, 768, 1023, 1024, 1440)

LOOKS: Mapping[str, Mapping[str, Any]] = {
    "desktop light": {"viewport": DESK, "color_scheme": "light"},
    "desktop dark": {"viewport": DESK, "color_scheme": "dark"},
    "phone light": {"viewport": PHONE, "color_scheme": "light", "has_touch": True, "is_mobile": True},
    "phone dark": {"viewport": PHONE, "color_scheme": "dark", "has_touch": True, "is_mobile": True},
}


@dataclass(slots=True)
class Judged:
    """The faults that were found, by what was judged and where."""

    complaints: list[str]
    faults: dict[str, dict[str, object]] = field(default_factory=dict)

    def add(self, what: str, place: str, found: object) -> None:
        """Keep what was found unless it is nothing."""
        kept = self.faults.setdefault(what, {})
        if found:
            kept[place] = found


def visits(browser: Browser, base: str, options: Mapping[str, Any]) -> Iterator[tuple[str, Page, Judged]]:
    """Each page with everything opened, loaded once."""
    visitor = Visitor(browser, base, **options)
    judged = Judged(visitor.complaints)
    for name in PAGES:
        page = visitor.go(f"/docs/{name}")
        page.evaluate(probes.OPEN_ALL)
        yield name, page, judged
    visitor.close()


def on_a_screen(page: Page, name: str, look: str, judged: Judged) -> None:
    place = f"{name}, {look}"
    judged.add("axe", place, violations(page, look.split()[1]))
    judged.add("faint text", place, page.evaluate(colours.FAINT_TEXT))
    judged.add("faint controls", place, page.evaluate(colours.FAINT_CONTROLS))
    judged.add("moving", place, page.evaluate(probes.MOVING))
    judged.add("small", place, page.evaluate(probes.SMALL))
    judged.add("overlapping", place, page.evaluate(probes.OVERLAPPING))
    pictures.keep(page, look, f"gallery-{name}")


def at_all_widths(page: Page, name: str, judged: Judged) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        for direction in ("ltr", "rtl"):
            page.evaluate("(direction) => { document.documentElement.dir = direction; }", direction)
            place = f"{name} at {width}, {direction}"
            judged.add("sideways", place, max(page.evaluate(probes.SIDEWAYS), 0))
            judged.add("apart", place, page.evaluate(probes.APART))
            judged.add("torn", place, page.evaluate(probes.TORN))


def on_paper(page: Page, name: str, judged: Judged) -> None:
    page.evaluate(probes.CLOSE_ALL)
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    judged.add("unreadable", name, page.evaluate(probes.UNREADABLE))
    judged.add("pale", name, page.evaluate(probes.PALE))
    judged.add("buttons", name, page.evaluate(probes.BUTTONS))
    judged.add("clipped", name, page.evaluate(probes.CLIPPED))
    judged.add("uneven", name, page.evaluate(probes.UNEVEN))
    judged.add("sideways", name, max(page.evaluate(probes.SIDEWAYS), 0))
    pictures.keep(page, "print", f"gallery-{name}")


def without_script(page: Page, name: str, look: str, judged: Judged) -> None:
    judged.add("unreadable", name, page.evaluate(probes.UNREADABLE))
    judged.add("buttons", name, page.evaluate(probes.BUTTONS))
    judged.add("small", name, page.evaluate(probes.SMALL))
    judged.add("uneven", name, page.evaluate(probes.UNEVEN))
    judged.add("sideways", name, max(page.evaluate(probes.SIDEWAYS), 0))
    pictures.keep(page, f"no-script {look}", f"gallery-{name}")


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_every_component_is_sound_on_a_screen(browser: Browser, gallery: str, size: str) -> None:
    for name, page, judged in visits(browser, gallery, LOOKS[f"{size} light"]):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            on_a_screen(page, name, f"{size} {scheme}", judged)
    assert len(judged.faults) == 6
    assert judged.complaints == []
    assert {what: found for what, found in judged.faults.items() if found} == {}


def test_every_component_fits_at_every_width_and_in_both_directions(browser: Browser, gallery: str) -> None:
    for name, page, judged in visits(browser, gallery, LOOKS["desktop light"]):
        at_all_widths(page, name, judged)
        page.set_viewport_size(PHONE)
        pictures.keep(page, "rtl", f"gallery-{name}")
    assert judged.complaints == []
    assert judged.faults == {"sideways": {}, "apart": {}, "torn": {}}


def test_every_component_is_whole_on_paper(browser: Browser, gallery: str) -> None:
    for name, page, judged in visits(browser, gallery, LOOKS["desktop dark"]):
        on_paper(page, name, judged)
    assert judged.complaints == []
    assert len(judged.faults) == 6
    assert {what: found for what, found in judged.faults.items() if found} == {}


@pytest.mark.parametrize("look", ["phone dark", pytest.param("desktop light", marks=pytest.mark.slow)])
def test_every_component_is_whole_without_script(browser: Browser, gallery: str, look: str) -> None:
    for name, page, judged in visits(browser, gallery, {**LOOKS[look], "java_script_enabled": False}):
        without_script(page, name, look, judged)
    assert judged.complaints == []
    assert judged.faults == {"unreadable": {}, "buttons": {}, "small": {}, "uneven": {}, "sideways": {}}
