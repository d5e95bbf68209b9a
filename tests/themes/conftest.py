"""A real browser on a served site; a page fails its test when the policy or the console has a complaint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from builder.build import build
from builder.output import FolderOutput
from tests.chromium import launched
from tests.themes import site
from tests.themes.visits import LAID_OUT, VIOLATIONS, Visitor, is_missing

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    # There are no other hosts, but for a name that browsers do not trust without https, unlike the address.
    # To intercept requests instead would turn the browser's cache off.
    "--host-resolver-rules=MAP plain.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

SAMPLE_SITE = Path(__file__).parents[2] / "sample-site"
GALLERY = Path(__file__).parent / "gallery"
"""A site of every component in every state: usual, empty, too long, too many, and inside each other."""

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("theme")
    site.write(folder)
    with site.served(folder) as address:
        yield address


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample site, built as for its readers."""
    folder = tmp_path_factory.mktemp("sample") / "built"
    build(SAMPLE_SITE, FolderOutput(folder))
    return folder


@pytest.fixture(scope="session")
def sample(sample_folder: Path) -> Iterator[str]:
    """The address of the built sample site."""
    with site.served(sample_folder) as address:
        yield address


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the built gallery."""
    folder = tmp_path_factory.mktemp("gallery") / "built"
    assert build(GALLERY, FolderOutput(folder)).diagnostics == ()
    with site.served(folder) as address:
        yield address


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all tests of the theme, each with a profile of its own; it is closed for those after them."""
    with launched(FLAGS) as started:
        yield started


@pytest.fixture
def reader(browser: Browser, gallery: str) -> Iterator[Visitor]:
    """A reader of the gallery at a desk, who has a clipboard; nothing may go wrong on the way."""
    permissions = ["clipboard-read", "clipboard-write"]
    found = Visitor(browser, gallery, viewport={"width": 1280, "height": 900}, permissions=permissions)
    yield found
    found.close()
    assert found.complaints == []


@pytest.fixture
def open_page(base: str, browser: Browser) -> Iterator[Open]:
    """`open_page("/tabs", **context options)`: a page in a fresh profile, cut off from other hosts."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if message.type == "error" and not (message.page and is_missing(message, message.page)):
            complaints.append(message.text)

    def opened(path: str, **options: object) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
        contexts.append(context)
        context.add_init_script(VIOLATIONS)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", said)
        page.goto(base + path)
        page.evaluate(LAID_OUT)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
