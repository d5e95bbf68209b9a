"""Every case of the fixtures on one page, in a browser with the default theme: for axe and for readers."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import themes
from tests.chromium import launched
from tests.components import tree
from tests.components.cases import cases
from tests.components.recorder import Recorder

pytestmark = pytest.mark.browser
THEME = themes.default()


def page_of(root_class):
    page = Recorder()
    parts = "\n".join(tree.html(case.node, page) for case in cases())
    css = "\n".join(file.read_text(encoding="utf-8") for file in sorted((THEME / "css").glob("*.css")))
    return f"""<!doctype html><html lang="en" class="{root_class}">
        <head><meta charset="utf-8"><title>Components</title><style>{css}</style></head>
        <body><main><h1>Components</h1><article class="tp-prose">{parts}</article></main></body></html>"""


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


@pytest.fixture
def page(browser):
    opened = browser.new_page()
    yield opened
    opened.close()


def show(page, root_class):
    page.set_content(page_of(root_class))
    for details in page.locator("details").all():
        details.evaluate("element => element.open = true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("script", ["tp-js", ""])
def test_axe_finds_nothing_in_any_component(page, scheme, script):
    page.emulate_media(color_scheme=scheme)
    show(page, script)
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_every_panel_can_be_read_without_script(page):
    show(page, "")
    assert page.locator(".tp-panel").count() > 20
    assert all(part.is_visible() for part in page.locator(".tp-panel, .tp-panel-label").all())


def test_every_panel_can_be_read_in_print(page):
    page.emulate_media(media="print")
    show(page, "tp-js")
    assert all(part.is_visible() for part in page.locator(".tp-panel, .tp-panel-label").all())


def test_a_card_is_one_tab_stop_and_can_be_clicked_anywhere(page):
    show(page, "")
    card = page.locator(".tp-card:has(a)").first
    assert card.locator("a, button, [tabindex]").count() == 1
    card.locator("a").evaluate("link => { link.href = '#there' }")
    card.locator(".tp-card-body").click(force=True)
    assert page.url.endswith("#there")
