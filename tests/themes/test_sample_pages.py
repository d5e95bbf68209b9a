"""Every page of the sample site in a real browser: on small phones and on paper, with script and without."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from builder.build import build
from builder.output import FolderOutput
from builder.plan.site_files import SCRIPTS, SHEETS
from tests.sites import write_site
from tests.themes import probes, site
from tests.themes.conftest import DESKTOP, PHONE
from tests.themes.visits import Visitor, addresses

pytestmark = pytest.mark.browser

NARROW = {"width": 320, "height": 640}
PAPER = {"width": 718, "height": 1000}
SOME = re.compile(
    r"/|/404|/docs/(start/install|components/(|codegroup|endpoint|embed)|publish/hosts/|hosting/run"
    r"|writing/(markdown|code-blocks|links-and-images)|reference/authoring-api)"
)
"""Pages with all that the theme has; the others are for the slow tests."""


@dataclass(slots=True)
class Survey:
    """The faults that were found, by place. `wide` is whether everybody can scroll a wide thing."""

    script: bool
    whole: bool
    complaints: list[str] = field(default_factory=list)
    sideways: dict[str, int] = field(default_factory=dict)
    small: dict[str, list[str]] = field(default_factory=dict)
    unreadable: dict[str, list[str]] = field(default_factory=dict)
    pale: dict[str, list[str]] = field(default_factory=dict)
    high: dict[str, list[str]] = field(default_factory=dict)
    wide: dict[str, bool] = field(default_factory=dict)


def on_phones(page: Page, path: str, survey: Survey) -> None:
    """Look at the page with everything unfolded, on the smallest phone and on a usual one."""
    page.evaluate(probes.OPEN_ALL)
    if survey.script:  # Observers are told of the new layout in a later frame.
        page.evaluate(probes.SETTLED)
    else:  # What is behind tabs is hidden by script alone.
        survey.unreadable[path] = page.evaluate(probes.UNREADABLE)
    for html, free in page.evaluate(probes.WIDE, survey.script):
        survey.wide[f"{path}: {html}"] = free
    survey.small[path] = page.evaluate(probes.SMALL)
    for size in (NARROW, PHONE):
        page.set_viewport_size(size)
        survey.sideways[f"{path} at {size['width']}"] = page.evaluate(probes.SIDEWAYS)


def on_paper(page: Page, path: str, survey: Survey) -> None:
    """Look at the page as it is printed from a dark screen, where a reader has opened nothing."""
    page.evaluate(probes.CLOSE_ALL)
    page.emulate_media(media="print")
    page.set_viewport_size(PAPER)
    survey.sideways[f"{path} on paper"] = page.evaluate(probes.SIDEWAYS)
    survey.unreadable[f"{path} on paper"] = page.evaluate(probes.UNREADABLE)
    survey.pale[path] = page.evaluate(probes.PALE)
    survey.high[path] = page.evaluate(probes.HIGH, PAPER["height"])
    page.emulate_media(media="screen")
    page.set_viewport_size(NARROW)


SURVEYS = {
    "some with script": (True, SOME),
    "some without script": (False, SOME),
    "all with script": (True, re.compile(".*")),
    "all without script": (False, re.compile(".*")),
}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.slow) if name.startswith("all") else name for name in SURVEYS
    ],
)
def survey(request: pytest.FixtureRequest, browser: Browser, sample: str, sample_folder: Path) -> Survey:
    """Load each page once, for all tests here to judge."""
    script, wanted = SURVEYS[request.param]
    visitor = Visitor(browser, sample, java_script_enabled=script, viewport=NARROW, color_scheme="dark")
    found = Survey(script, wanted is not SOME, visitor.complaints)
    for path in filter(wanted.fullmatch, addresses(sample_folder)):
        page = visitor.go(path)
        on_phones(page, path, found)
        on_paper(page, path, found)
    visitor.close()
    return found


def faults(found: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {place: wrong for place, wrong in found.items() if wrong}


def test_nothing_is_refused_missing_or_asked_of_another_host(survey: Survey) -> None:
    assert survey.complaints == []


def test_no_page_scrolls_sideways(survey: Survey) -> None:
    assert len(survey.sideways) > (75 if survey.whole else 30)
    assert {place: pixels for place, pixels in survey.sideways.items() if pixels > 0} == {}


def test_what_is_wide_scrolls_in_its_own_box(survey: Survey) -> None:
    assert len(survey.wide) > (20 if survey.whole else 10)
    assert [place for place, free in survey.wide.items() if not free] == []


def test_every_control_is_large_enough_to_be_hit(survey: Survey) -> None:
    assert faults(survey.small) == {}


def test_all_text_can_be_read(survey: Survey) -> None:
    assert faults(survey.unreadable) == {}


def test_paper_is_white_and_the_text_on_it_dark(survey: Survey) -> None:
    assert faults(survey.pale) == {}


def test_no_page_of_paper_stays_empty_before_what_does_not_fit_on_one(survey: Survey) -> None:
    assert faults(survey.high) == {}


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_without_script_one_finds_the_way_to_another_page(
    browser: Browser, sample: str, size: dict[str, int]
) -> None:
    visitor = Visitor(browser, sample, java_script_enabled=False, viewport=size)
    page = visitor.go("/docs/start/install")
    if size is PHONE:
        page.get_by_role("button", name="Menu", exact=True).click()
    menu = page.locator("#tp-menu")
    menu.locator("summary[aria-label^=Reference]").click()
    menu.get_by_role("link", name="Configuration").click()
    expect(page.get_by_role("heading", name="Configuration", level=1)).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Configuration")
    visitor.close()
    assert visitor.complaints == []


def test_on_paper_an_address_that_is_its_own_text_is_not_written_again(
    browser: Browser, tmp_path: Path
) -> None:
    text = "<https://a.example/x>, https://b.example/y, www.c.example and [a name](https://d.example/z)."
    write_site(tmp_path / "site", {"docs/index.md": text, "docs/more.mdx": text})
    build(tmp_path / "site", FolderOutput(tmp_path / "built"))
    with site.served(tmp_path / "built") as base:
        for script in (True, False):
            visitor = Visitor(browser, base, java_script_enabled=script)
            for path in ("/docs/", "/docs/more"):
                page = visitor.go(path)
                page.emulate_media(media="print")
                assert page.evaluate(probes.WRITTEN_OUT) == ["a name"]
            visitor.close()


@pytest.mark.parametrize("path", ["/", "/docs/writing/markdown", "/docs/components/callout"])
def test_a_page_is_made_of_four_things_at_most(browser: Browser, sample: str, path: str) -> None:
    visitor = Visitor(browser, sample)
    asked: set[str] = set()
    visitor.page.on("request", lambda request: asked.add(request.url))
    visitor.go(path).wait_for_load_state("networkidle")
    visitor.close()
    assert len(asked) <= 4, asked
    assert visitor.complaints == []


ASKED = re.compile(
    r'<link rel="(?:stylesheet|icon)" href="([^"]+)"|<(?:script|img|video|audio|source)[^>]* src="([^"]+)"'
)
ARTICLE = re.compile(r'<article class="tp-prose">.*</article>', re.DOTALL)


OF_EXTRA = re.compile(rf"/_tp/(?:{'|'.join({*SHEETS, *SCRIPTS})})\.")
"""The names that only pages with an extra have."""


def test_no_page_without_pictures_names_more_than_three_others(sample_folder: Path) -> None:
    """But for the style sheets of the extras that it uses."""
    found = {}
    for path in addresses(sample_folder):
        name = f"{path[1:]}index" if path.endswith("/") else path[1:]
        html = (sample_folder / f"{name}.html").read_text("utf-8")
        article = ARTICLE.search(html)
        if article and not ASKED.search(article[0]):
            found[path] = {one or other for one, other in ASKED.findall(html)}
            found[path] -= {one for one in found[path] if OF_EXTRA.match(one)}
    assert len(found) > 50
    assert all("logo" in " ".join(asked) for asked in found.values())
    assert {path: asked for path, asked in found.items() if len(asked) > 3} == {}
