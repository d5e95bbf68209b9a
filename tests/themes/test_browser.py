"""The site that a reader meets: in a real browser, with and without script, on a desk, a phone and paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.themes.axe import RULES, violations
from tests.themes.conftest import DESKTOP, PHONE, Open
from tests.themes.probes import OPEN_ALL, SIDEWAYS, SMALL
from tests.themes.site import HOSTILE
from tests.themes.visits import LAID_OUT

pytestmark = pytest.mark.browser

PAGES = ["/", "/components", "/tabs", "/large", "/category", "/standalone", "/draft", "/404"]
SIZES = {"desktop": DESKTOP, "phone": PHONE}

SHOWN = """[...document.querySelector(".tp-tabs").querySelectorAll("[role=tabpanel] p:last-child")]
  .map((text, index) => text.checkVisibility() ? index : -1).filter((index) => index >= 0)"""
EDGES = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (color) => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
    const linear = (part) => part < 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [red, green, blue] = parts.map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  return [...document.querySelectorAll(".tp-callout > svg")].map((edge) => {
    const [inner, outer] = [edge, edge.parentElement].map((each) => each.getBoundingClientRect());
    if (inner.x !== outer.x || inner.y !== outer.y || inner.height !== outer.height) return 0;
    const [style, under] = [edge, edge.parentElement].map((each) => getComputedStyle(each));
    const [one, other] = [light(style.borderInlineStartColor), light(under.backgroundColor)];
    return Math.max(one, other) / Math.min(one, other);
  });
}"""


WITHOUT_RELATIVE_COLOURS = """async () => {
  const sheet = new CSSStyleSheet();
  const [link] = document.querySelectorAll("link[rel=stylesheet]");
  sheet.replaceSync((await (await fetch(link.href)).text()).replaceAll("oklch(from", "unknown(from"));
  document.adoptedStyleSheets = [sheet];
  link.remove();
}"""
"""As the page is in a browser that does not know colours made from others."""


COVERED = """() => [...document.querySelectorAll(".tp-code")].filter((code) => {
  const button = code.querySelector(".tp-copy").getBoundingClientRect();
  const text = document.createRange();
  text.selectNodeContents(code.querySelector("code"));
  code.querySelector("pre").scrollLeft = 10000;
  return [...text.getClientRects()].some(
    (line) => line.right > button.left && line.top < button.bottom - 1 && line.bottom > button.top
  );
}).map((code) => code.textContent.slice(0, 40))"""


TORN = """() => [...document.querySelectorAll(".tp-line")].filter((line) => {
  const pre = line.closest("pre");
  const [inner, outer] = [line.getBoundingClientRect(), pre.getBoundingClientRect()];
  return inner.left > outer.left + 2 || inner.right < outer.right - 2 || inner.width > pre.scrollWidth;
}).map((line) => line.textContent)"""


def sideways(page: Page) -> int:
    return page.evaluate(SIDEWAYS)


# The gallery has each component on both, each time.
@pytest.mark.parametrize("size", [pytest.param("desktop", marks=pytest.mark.slow), "phone"])
def test_axe_finds_nothing_on_any_page(open_page: Open, base: str, size: str) -> None:
    page = open_page("/", viewport=SIZES[size])
    for path in PAGES:
        page.goto(base + path)
        page.evaluate(LAID_OUT)
        page.evaluate(OPEN_ALL)
        for scheme in RULES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page, scheme) == [], (path, scheme)


@pytest.mark.parametrize("path", ["/", "/components"])
def test_a_page_never_scrolls_sideways(open_page: Open, path: str) -> None:
    page = open_page(path)
    for size in (PHONE, {"width": 320, "height": 600}, {"width": 820, "height": 1180}, DESKTOP):
        page.set_viewport_size(size)
        for direction in ("ltr", "rtl"):
            page.evaluate("(direction) => { document.documentElement.dir = direction; }", direction)
            assert sideways(page) <= 0, (size, direction)


@pytest.mark.parametrize("path", ["/", "/components", "/category"])
def test_targets_are_large_enough(open_page: Open, path: str) -> None:
    page = open_page(path)
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert page.evaluate(SMALL) == [], size


@pytest.mark.parametrize("options", [{}, {"has_touch": True, "is_mobile": True}], ids=["mouse", "finger"])
def test_the_copy_button_covers_no_code(open_page: Open, options: dict[str, bool]) -> None:
    page = open_page("/", **options)
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert page.locator(".tp-code > pre:first-child").count() >= 2
        assert page.evaluate(COVERED) == [], size


@pytest.mark.parametrize("path", ["/", "/changes"])
def test_the_colour_of_a_changed_line_goes_from_edge_to_edge(open_page: Open, path: str) -> None:
    page = open_page(path)
    assert page.locator(".tp-line").count() > 0
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert page.evaluate(TORN) == [], size


def test_only_what_is_too_wide_is_a_stop_for_the_keyboard(open_page: Open) -> None:
    page = open_page("/")
    wide, narrow = page.locator(".tp-table").all()
    expect(wide).to_have_attribute("tabindex", "0")
    expect(wide).to_have_attribute("role", "region")
    expect(wide).to_have_attribute("aria-label", "Table 1")
    expect(narrow).not_to_have_attribute("tabindex", re.compile(""))
    stops = [pre.get_attribute("tabindex") for pre in page.locator("pre").all()]
    assert stops == ["0", None, None]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_edge_of_a_callout_is_seen_whatever_its_colour(open_page: Open, scheme: str) -> None:
    page = open_page("/callouts", color_scheme=scheme)
    contrasts = page.evaluate(EDGES)
    assert len(contrasts) == 17
    assert min(contrasts) >= 3
    page.evaluate(WITHOUT_RELATIVE_COLOURS)
    contrasts = page.evaluate(EDGES)
    assert len(contrasts) == 17
    assert min(contrasts) >= 3


def test_tabs_follow_the_keyboard(open_page: Open) -> None:
    page = open_page("/tabs")
    tabs = page.get_by_role("tablist").first.get_by_role("tab")
    tabs.first.focus()
    for key, index in (("ArrowRight", 1), ("End", 2), ("ArrowRight", 0), ("ArrowLeft", 2), ("Home", 0)):
        page.keyboard.press(key)
        expect(tabs.nth(index)).to_be_focused()
        expect(tabs.nth(index)).to_have_attribute("aria-selected", "true")
        assert page.evaluate(SHOWN) == [index]
    page.evaluate("document.documentElement.dir = 'rtl'")
    page.keyboard.press("ArrowLeft")
    expect(tabs.nth(1)).to_be_focused()
    assert [tab.get_attribute("tabindex") for tab in tabs.all()] == ["-1", "0", "-1"]


def test_a_choice_holds_for_all_tabs_of_its_name_and_for_later_pages(open_page: Open) -> None:
    page = open_page("/tabs")
    page.get_by_role("tab", name="yarn").first.click()
    expect(page.get_by_text("With yarn.")).to_have_count(2)
    for panel in page.get_by_text("With yarn.").all():
        expect(panel).to_be_visible()
    page.reload()
    expect(page.get_by_role("tab", name="yarn", selected=True)).to_have_count(2)


def test_the_chosen_tab_stays_where_it_is_on_the_screen(open_page: Open) -> None:
    page = open_page("/tabs")
    second = page.get_by_role("tab", name="pnpm", exact=True).nth(1)
    second.scroll_into_view_if_needed()
    before = second.bounding_box()
    second.click()
    after = second.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2


def test_the_browsers_search_opens_the_tab_it_finds_something_in(open_page: Open) -> None:
    page = open_page("/tabs")
    page.locator(".tp-panel").nth(1).dispatch_event("beforematch")
    expect(page.get_by_text("With pnpm.").first).to_be_visible()


@pytest.mark.parametrize(("path", "text"), [("/#hidden-words", "Hidden words."), ("/tabs#inside", "/x")])
def test_an_address_shows_what_it_points_to(open_page: Open, path: str, text: str) -> None:
    expect(open_page(path).get_by_text(text).last).to_be_in_viewport()


def test_the_theme_goes_from_auto_to_light_to_dark_and_is_remembered(open_page: Open) -> None:
    page = open_page("/", color_scheme="dark")
    colors = []
    for name in ("auto", "light", "dark", "auto"):
        button = page.get_by_role("button", name=f"Theme: {name}")
        expect(button).to_be_visible()
        colors.append(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
        page.reload()
        expect(button).to_be_visible()
        button.click()
    auto, light, dark, again = colors
    assert auto == dark == again != light == "rgb(255, 255, 255)"


def test_the_chosen_theme_is_there_before_the_script_runs(open_page: Open) -> None:
    page = open_page("/")
    page.get_by_role("button", name="Theme: auto").click()
    page.get_by_role("button", name="Theme: light").click()
    page.route(re.compile(r"\.js$"), lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_menu_of_a_phone_opens_over_the_page_and_closes(open_page: Open) -> None:
    page = open_page("/", viewport=PHONE)
    menu, button = page.locator("#tp-menu"), page.get_by_role("button", name="Menu", exact=True)
    expect(menu).to_be_hidden()
    button.click()
    expect(menu.get_by_role("link", name="Blog")).to_be_visible()
    expect(menu.get_by_role("link", name="Install")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    page.get_by_role("button", name="Close menu").click()
    expect(menu).to_be_hidden()


def test_the_menu_of_a_wide_screen_is_always_there(open_page: Open) -> None:
    page = open_page("/")
    expect(page.locator("#tp-menu")).to_be_visible()
    expect(page.get_by_role("button", name="Menu", exact=True)).to_be_hidden()
    box = page.locator("#tp-menu").bounding_box()
    assert box is not None
    assert box["width"] == 17 * 16


def test_code_is_copied_without_prompts_output_and_removed_lines(open_page: Open) -> None:
    page = open_page("/", permissions=["clipboard-read", "clipboard-write"])
    for index, expected in ((1, "make demo\nls"), (2, "new()")):
        page.locator(".tp-code").nth(index).hover()
        page.get_by_role("button", name="Copy code").nth(index).click()
        expect(page.get_by_role("status")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == expected


def test_requests_are_copied_as_curl(open_page: Open) -> None:
    page = open_page("/components", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as cURL").first.click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl ")


def test_headings_keep_their_names_and_have_links_beside_them(open_page: Open) -> None:
    page = open_page("/")
    expect(page.get_by_role("heading", name="Wörter & mehr", exact=True)).to_have_count(1)
    page.get_by_role("link", name="Link to Wörter & mehr").click()
    assert page.evaluate("document.querySelector(':target').textContent") == "Wörter & mehr"


def test_the_section_being_read_is_marked(open_page: Open) -> None:
    page = open_page("/", viewport={"width": 1440, "height": 500})
    contents = page.get_by_role("navigation", name="On this page")
    contents.get_by_role("link", name="Wörter & mehr").click()
    expect(contents.locator("[aria-current]")).to_have_text("Wörter & mehr")
    page.mouse.wheel(0, 20000)
    expect(contents.locator("[aria-current]")).to_have_text("The last")
    page.mouse.wheel(0, -40000)
    expect(contents.locator("[aria-current]")).to_have_count(0)


def test_the_contents_bar_closes_when_a_section_was_chosen(open_page: Open) -> None:
    page = open_page("/", viewport=PHONE)
    bar = page.locator(".tp-contents-bar")
    bar.locator("summary").click()
    bar.get_by_role("link", name="Wörter & mehr").click()
    expect(bar).not_to_have_attribute("open", "")
    expect(bar.locator(".tp-contents-now")).to_have_text("Wörter & mehr")
    expect(page.get_by_role("heading", name="Wörter & mehr")).to_be_in_viewport()


def test_the_menu_of_a_large_site_unfolds(open_page: Open) -> None:
    page = open_page("/large")
    menu = page.locator("#tp-menu")
    menu.locator("summary[aria-label='Big: pages']").click()
    expect(menu.get_by_role("link", name="The first")).to_have_attribute("href", "/docs/big/one")
    menu.locator("summary[aria-label='Deep: pages']").click()
    expect(menu.get_by_role("link", name="The second")).to_be_visible()
    expect(menu.locator(".tp-tree details")).to_have_count(2)


FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""The menu takes its place in the frame that is painted next."""


def test_the_menu_keeps_its_place(open_page: Open, base: str) -> None:
    page = open_page("/", viewport={"width": 1440, "height": 180})
    page.evaluate(FRAMES)
    page.evaluate("document.querySelector('#tp-menu').scrollTop = 9")
    page.goto(base + "/draft")
    page.evaluate(FRAMES)
    assert page.evaluate("document.querySelector('#tp-menu').scrollTop") == 9


def test_the_menu_keeps_what_was_opened_and_closed(open_page: Open, base: str) -> None:
    page = open_page("/")
    page.locator(".tp-tree summary").click()
    page.goto(base + "/draft")
    expect(page.locator(".tp-tree details")).not_to_have_attribute("open", "")
    page.locator(".tp-tree summary").click()
    page.goto(base)
    expect(page.locator(".tp-tree details")).to_have_attribute("open", "")


def test_the_menu_shows_the_current_page(open_page: Open) -> None:
    page = open_page("/large", viewport={"width": 1440, "height": 170})
    page.evaluate("document.querySelector('#tp-menu').scrollTop = 200")
    page.reload()
    expect(page.locator("#tp-menu").get_by_role("link", name="Here")).to_be_in_viewport()


def test_a_wrong_address_is_answered_with_the_nearest_pages(open_page: Open) -> None:
    page = open_page("/docs/guide/instal.html")
    found = page.locator(".tp-nearest li").filter(has_text="How to install it.")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("Install")


def test_titles_are_text_wherever_the_script_puts_them(open_page: Open) -> None:
    page = open_page("/docs/elsewher")
    expect(page.get_by_role("link", name=HOSTILE)).to_be_visible()
    assert page.locator("img[src=x]").count() == 0


def test_an_embed_loads_nothing_until_it_is_asked_to(open_page: Open) -> None:
    page = open_page("/components")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    assert not [url for url in asked if "127.0.0.1" not in url and not url.startswith("data:")]
    embed = page.locator(".tp-embed").first
    embed.get_by_role("button", name="Load").click()
    frame = embed.locator("iframe")
    expect(frame).to_have_attribute("sandbox", re.compile("allow-scripts"))
    expect(frame).to_have_attribute("title", re.compile("."))


def test_without_script_everything_can_be_read_and_nothing_is_dead(open_page: Open) -> None:
    page = open_page("/tabs", java_script_enabled=False)
    for text in ("With npm.", "With pnpm.", "With yarn."):
        expect(page.get_by_text(text).first).to_be_visible()
    expect(page.locator("[role=tablist]").first).to_be_hidden()
    expect(page.locator(".tp-theme")).to_be_hidden()
    expect(page.locator(".tp-panel-label").first).to_be_visible()


def test_on_paper_everything_is_open_and_the_frame_is_gone(open_page: Open, base: str) -> None:
    page = open_page("/tabs", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for text in ("With npm.", "With pnpm.", "With yarn."):
        expect(page.get_by_text(text).first).to_be_visible()
    page.goto(base)
    expect(page.get_by_text("Hidden words.")).to_be_visible()
    for part in (".tp-header", "#tp-menu", ".tp-contents", ".tp-pager", ".tp-copy >> nth=0"):
        expect(page.locator(part)).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 33, 48)"
