"""Drawings follow the reader's scheme, and paper is light; brackets of formulas grow with what they hold."""

from __future__ import annotations

import subprocess

import pytest
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SHOWN = """() => [...new Set([...document.querySelectorAll(".tp-diagram img:not(.tp-diagram-plain)")]
  .filter((image) => image.checkVisibility()).map((image) => image.className))]"""
LOADED = """async () => {
  const images = [...document.querySelectorAll(".tp-diagram img")].filter((image) => image.checkVisibility());
  for (const image of images) image.loading = "eager";
  await Promise.all(images.map((image) => image.decode()));
  return images.map((image) => [image.naturalWidth, image.getAttribute("width")].map(Number));
}"""

PRINTED = """() => [...document.querySelectorAll(".tp-diagram-light, .tp-diagram-plain")]
  .map((image) => image.complete && image.naturalWidth > 0)"""
FOLD = """() => {
  const details = document.createElement("details");
  const last = [...document.querySelectorAll(".tp-diagram")].at(-1);
  last.replaceWith(details);
  details.append(last);
  document.querySelector("article").prepend(Object.assign(document.createElement("p"), { className: "far" }));
  document.querySelector(".far").style.blockSize = "9000px";
}"""

GROWN = """() => [...document.querySelectorAll("math mo + mtable")].map((table) =>
  table.previousElementSibling.getBoundingClientRect().height / table.getBoundingClientRect().height)"""
"""The share of each matrix that the bracket before it spans."""
MATH_FONTS = (
    "Latin Modern Math", "STIX Two Math", "Cambria Math", "Libertinus Math", "Noto Sans Math",
    "DejaVu Math TeX Gyre",
)  # fmt: skip


def shown(page: Page) -> list[str]:
    found: list[str] = page.evaluate(SHOWN)
    return [name.removeprefix("tp-diagram-") for name in found]


@pytest.mark.parametrize(
    ("system", "chosen", "expected"),
    [
        ("light", "", "light"),
        ("dark", "", "dark"),
        ("light", "dark", "dark"),
        ("dark", "light", "light"),
        ("dark", "dark", "dark"),
    ],
)
def test_the_drawing_of_the_readers_scheme_is_shown(
    browser: Browser, gallery: str, system: str, chosen: str, expected: str
) -> None:
    page = browser.new_page(color_scheme=system)  # type: ignore[arg-type]
    page.goto(f"{gallery}/docs/drawn")
    page.evaluate("(chosen) => { if (chosen) document.documentElement.dataset.theme = chosen; }", chosen)
    assert shown(page) == [expected]
    sizes = page.evaluate(LOADED)
    assert len(sizes) == 4
    assert all(natural == given for natural, given in sizes)
    page.emulate_media(media="print")
    assert shown(page) == ["light"]
    page.close()


def test_without_script_the_system_decides(browser: Browser, gallery: str) -> None:
    page = browser.new_page(color_scheme="dark", java_script_enabled=False)
    page.goto(f"{gallery}/docs/drawn")
    assert page.locator(".tp-diagram-dark").first.is_visible()
    assert not page.locator(".tp-diagram-light").first.is_visible()
    page.close()


def test_paper_has_drawings_that_the_reader_has_not_come_to_yet(browser: Browser, gallery: str) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(f"{gallery}/docs/drawn")
    page.evaluate(FOLD)
    assert not all(page.evaluate(PRINTED))
    page.pdf()
    assert page.evaluate(PRINTED) == [True] * 4
    page.close()


def test_brackets_are_as_tall_as_the_matrix_in_them(browser: Browser, gallery: str) -> None:
    fonts = subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=True).stdout
    if not any(name in fonts for name in MATH_FONTS):
        pytest.skip("there is no font for formulas")
    page = browser.new_page()
    page.goto(f"{gallery}/docs/drawn")
    grown = page.evaluate(GROWN)
    assert len(grown) == 2
    assert min(grown) > 0.8
    page.close()
