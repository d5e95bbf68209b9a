"""More pages than the search shows at once: how many, and the way to them by key, click and touch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from builder.build import build
from builder.output import FolderOutput
from tests.sites import write_site
from tests.themes import site
from tests.themes.axe import RULES, violations
from tests.themes.conftest import PHONE
from tests.themes.visits import Visitor, asked

pytestmark = pytest.mark.browser

COUNT = 31
MORE = "Show more results"
TWINS = "**/*.md"
"""Excerpts are cut from these."""
EVERYWHERE = "\n\n".join(f"## Part {number}\n\neverywhere" for number in range(150))
"""With two such pages beside it, more sections have the word than the index lists."""


def files(word: str = "common") -> dict[str, str]:
    """A site of many pages that have one word."""
    pages = {
        f"docs/p{number:02}.md": f"# Page {number}\n\n## Use\n\n{word} text.\n\n## Limits\n\n{word}\n"
        for number in range(COUNT)
    }
    wide = {f"docs/wide/w{number}.md": f"# Wide {number}\n\n{EVERYWHERE}\n" for number in range(3)}
    return {
        "site.yml": "title: T\nurl: https://x.example/base\n",
        "docs/index.md": "# Start\n\nA needle.\n",
        **pages,
        **wide,
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site at its base path."""
    folder = tmp_path_factory.mktemp("more")
    build(write_site(folder / "site", files()), FolderOutput(folder / "host" / "base"))
    with site.served(folder / "host") as address:
        yield f"{address}/base"


@pytest.fixture
def reader(browser: Browser, served: str) -> Iterator[Visitor]:
    visitor = Visitor(browser, served, viewport={"width": 1280, "height": 800})
    yield visitor
    visitor.close()
    assert visitor.complaints == []


def told(page: Page, text: str) -> None:
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text(text)


def hrefs(page: Page) -> list[str]:
    return [option.get_attribute("href") or "" for option in page.get_by_role("option").all()]


def chosen(page: Page) -> int:
    """The place of the option that is chosen, for the ear (or -1), and can be seen whole (or -2)."""
    return page.evaluate(
        """() => {
          const options = [...document.querySelectorAll("[role=option]")];
          const spoken = document.activeElement.getAttribute("aria-activedescendant");
          const seen = options.filter((each) => each.ariaSelected === "true");
          if (seen.length !== 1 || seen[0].id !== spoken) return -1;
          const [box, list] = [seen[0], document.querySelector("[role=listbox]")]
            .map((each) => each.getBoundingClientRect());
          if (box.top < list.top - 1 || box.bottom > list.bottom + 1) return -2;
          return options.indexOf(seen[0]);
        }"""
    )


def excerpts(page: Page) -> list[str]:
    """Collect what is fetched of pages from now on."""
    found: list[str] = []

    def noted(request: Request) -> None:
        if request.url.endswith(".md"):
            found.append(request.url)

    page.on("request", noted)
    return found


def test_the_pages_are_counted_and_the_arrow_leads_to_more(reader: Visitor) -> None:
    fetched = excerpts(reader.page)
    page = asked(reader, "common")
    told(page, f"Pages: 4 of {COUNT}")
    first = hrefs(page)
    assert (len(first), len(fetched), chosen(page)) == (9, 4, 0)
    for _ in range(8):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", selected=True)).to_have_text(MORE)
    page.keyboard.press("Enter")
    told(page, f"Pages: 10 of {COUNT}")
    second = hrefs(page)
    assert (len(second), len(fetched), chosen(page)) == (21, 10, 8)
    assert second[:8] == first[:8]
    expect(page.get_by_role("combobox")).to_be_focused()
    for shown in (16, 22, 28, COUNT):
        page.keyboard.press("ArrowUp")
        while chosen(page) < page.get_by_role("option").count() - 1:
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        told(page, f"Pages: {shown} of {COUNT}")
    every = hrefs(page)
    assert (len(every), len(set(every)), len(set(fetched)), chosen(page)) == (62, 62, COUNT, 56)
    expect(page.get_by_role("option", name=MORE)).to_have_count(0)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{every[55]}")


def test_a_click_leaves_results_and_the_focus_where_they_are(reader: Visitor) -> None:
    page = asked(reader, "common")
    place = "document.querySelectorAll('[role=option]')[7].offsetTop"
    before = page.evaluate(place)
    page.get_by_role("option", name=MORE).click()
    told(page, f"Pages: 10 of {COUNT}")
    assert page.evaluate(place) == before
    assert chosen(page) == 8
    expect(page.get_by_role("combobox")).to_be_focused()


def test_a_finger_has_more_too(browser: Browser, served: str) -> None:
    visitor = Visitor(browser, served, viewport=PHONE, has_touch=True, is_mobile=True)
    page = visitor.go("/docs/")
    page.get_by_role("button", name="Search").tap()
    page.get_by_role("combobox").fill("common")
    more = page.get_by_role("option", name=MORE)
    expect(more).to_be_attached()
    for direction in ("ltr", "rtl"):
        page.evaluate("(direction) => { document.documentElement.dir = direction; }", direction)
        more.scroll_into_view_if_needed()
        box = more.bounding_box()
        assert box
        assert box["height"] >= 24
        assert page.evaluate("document.querySelector('#tp-found').scrollWidth <= innerWidth")
        for scheme in RULES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page, scheme, "dialog") == []
    more.tap()
    told(page, f"Pages: 10 of {COUNT}")
    visitor.close()
    assert visitor.complaints == []


def test_a_key_that_is_held_asks_for_more_and_opens_nothing(reader: Visitor) -> None:
    page = asked(reader, "common")
    page.keyboard.press("ArrowUp")
    page.keyboard.down("Enter")
    told(page, f"Pages: 10 of {COUNT}")
    page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.wait_for_timeout(200)
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.url.endswith("/docs/")


COUNTED = {
    "needle": "Pages: 1 of 1",
    "zzzzqqqq": "Nothing found for zzzzqqqq",
    "everywhere": "Pages: 3 of 3+",
}


def test_what_is_all_there_offers_no_more(reader: Visitor) -> None:
    page = asked(reader, "common")
    for query, said in COUNTED.items():
        page.get_by_role("combobox").fill(query)
        told(page, said)
        expect(page.get_by_role("option", name=MORE)).to_have_count(0)
    page.get_by_role("combobox").fill("common")
    told(page, f"Pages: 4 of {COUNT}")


def test_another_query_goes_before_more_of_the_last(reader: Visitor) -> None:
    page = asked(reader.intercepted(), "common")
    page.route(TWINS, lambda route: (page.wait_for_timeout(100), route.continue_()))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.get_by_role("combobox").fill("needle")
    told(page, "Pages: 1 of 1")
    page.wait_for_timeout(800)
    told(page, "Pages: 1 of 1")
    assert hrefs(page) == ["/base/docs/"]


def test_more_that_did_not_come_is_told_and_asked_for_again(reader: Visitor) -> None:
    page = asked(reader.intercepted(), "common")
    first = hrefs(page)
    page.route(TWINS, lambda route: route.fulfill(status=503))
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("option", name=MORE)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("could not be loaded")
    assert (hrefs(page), chosen(page)) == (first, 8)
    page.unroute(TWINS)
    page.keyboard.press("Enter")
    told(page, f"Pages: 10 of {COUNT}")
    assert (hrefs(page)[:8], chosen(page)) == (first[:8], 8)
    reader.complaints.clear()


def test_more_of_a_site_that_was_published_meanwhile(browser: Browser, tmp_path: Path) -> None:
    output = FolderOutput(tmp_path / "built")
    build(write_site(tmp_path / "site", {**files(), "site.yml": "title: T\n"}), output)
    with site.served(tmp_path / "built") as address:
        visitor = Visitor(browser, address)
        page = asked(visitor, "common")
        build(write_site(tmp_path / "site", files("common changed")), output)
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        told(page, f"Pages: 10 of {COUNT}")
        assert len(set(hrefs(page))) == 21
        visitor.close()
