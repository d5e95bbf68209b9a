"""The looks that `site.yml` chooses, as they arrive in the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from builder import theme
from tests.sites import Built, build_site

PAGE = {"docs/index.md": "# Start\n"}
LIGHT, DARK = ("#ffffff", "#f7f8fb", "#eef0f5"), ("#0f1117", "#161a23", "#212734")


def built(folder: Path, config: str, **files: str) -> Built:
    return build_site(folder, {"site.yml": config, **PAGE, **files})


def style(site: Built) -> str:
    """The style sheet that the pages name."""
    found = re.search(r'<link rel="stylesheet" href="/(_tp/theme\.\w+\.css)">', site.text("docs/index.html"))
    assert found
    return site.text(found[1])


@given(color=st.integers(0, 0xFFFFFF).map("#{:06x}".format))
@example(color="#ffffff")
@example(color="#000000")
@example(color="#808080")
def test_text_in_any_accent_colour_can_be_read(color: str) -> None:
    shades = theme.accent(color)
    assert min(theme.contrast(shades.light, ground) for ground in LIGHT) >= 4.5
    assert min(theme.contrast(shades.dark, ground) for ground in DARK) >= 4.5
    assert theme.contrast(shades.light, "#ffffff") >= 4.5
    assert theme.contrast(shades.dark, "#10131c") >= 4.5


def test_the_grounds_are_those_of_the_theme(tmp_path: Path) -> None:
    css = style(built(tmp_path, ""))
    for name, light, dark in zip(("bg", "raised", "sunken"), LIGHT, DARK, strict=True):
        given = re.search(rf"--tp-{name}: ?light-dark\(([^,]+), ?([^)]+)\)", css)
        assert given
        assert [value.ljust(7, value[-1]) for value in given.groups()] == [light, dark]


def test_a_readable_accent_colour_is_used_as_it_is(tmp_path: Path) -> None:
    site = built(tmp_path, 'accent: "#0F766E"\n')
    assert "--tp-accent:light-dark(#0f766e,#4d9a94)" in style(site)
    assert site.codes == []


def test_an_accent_colour_that_cannot_be_read_on_light_pages_is_told(tmp_path: Path) -> None:
    site = built(tmp_path, 'accent: "#FACC15"\n')
    (found,) = site.diagnostics
    assert (found.code, found.level.value, found.line, found.column) == ("accent-contrast", "info", 1, 9)
    shade = theme.accent("#facc15").light
    assert found.message == f"text in `#facc15` is hard to read on light pages, so they get `{shade}`"


def test_a_site_without_an_accent_colour_has_the_themes_own(tmp_path: Path) -> None:
    assert built(tmp_path, "").codes == []


@pytest.mark.parametrize("value", ["red", '"#12"', '"#12345g"', '"url(x)"', '"#fff;}"'])
def test_what_is_no_colour_is_refused(tmp_path: Path, value: str) -> None:
    assert built(tmp_path, f"accent: {value}\n").codes == ["config-invalid"]


def test_own_style_sheets_come_after_the_themes(tmp_path: Path) -> None:
    config = "url: https://x.example/base\ncss: [/a.css, b.css]\n"
    html = built(tmp_path, config, **{"static/a.css": "a{}", "static/b.css": "b{}"}).text("docs/index.html")
    sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)">', html)
    assert sheets[0].startswith("/base/_tp/theme.")
    assert sheets[1:] == ["/base/a.css", "/base/b.css"]


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ("css: [https://cdn.example/a.css]", "config-invalid"),
        ("css: [/gone.css]", "broken-link"),
        ("social_image: /gone.png", "broken-image"),
        ("announcement:\n  text: x\n  href: /docs/gone", "broken-link"),
        ("announcement:\n  text: x\n  href: /docs/#gone", "broken-anchor"),
        ("announcement:\n  text: x\n  href: javascript:alert(1)", "config-invalid"),
    ],
)
def test_what_leads_nowhere_is_told(tmp_path: Path, config: str, code: str) -> None:
    site = built(tmp_path, f"url: https://x.example\n{config}\n")
    assert [(each.code, each.file) for each in site.diagnostics] == [(code, "site.yml")]
    assert "javascript:" not in site.text("docs/index.html")
    assert "cdn.example" not in site.text("docs/index.html")


@pytest.mark.parametrize(
    ("config", "image"),
    [
        ("url: https://x.example/base\nsocial_image: /social.png", "https://x.example/base/social.png"),
        ("social_image: /social.png", None),
        ("social_image: https://cdn.example/a.png", "https://cdn.example/a.png"),
    ],
)
def test_a_preview_has_an_image_with_an_absolute_address(
    tmp_path: Path, config: str, image: str | None
) -> None:
    html = built(tmp_path, config, **{"static/social.png": "x"}).text("docs/index.html")
    found = re.search(r'<meta property="og:image" content="([^"]+)">', html)
    assert (found[1] if found else None) == image
    assert ("summary_large_image" in html) == (image is not None)


def test_an_announcement_is_text_and_known_by_what_it_says(tmp_path: Path) -> None:
    marks = set()
    for number, text in enumerate(("<b>One</b>", "Two", "Two")):
        site = built(tmp_path / str(number), f"announcement:\n  text: {text}\n")
        html = site.text("docs/index.html")
        marks.add(re.findall(r'data-note="(\w+)"', html)[0])
        assert ".tp-announcement" in style(site)
        assert "<b>" not in html
    assert len(marks) == 2


def test_without_an_announcement_nothing_is_there_of_it(tmp_path: Path) -> None:
    site = built(tmp_path, "title: T\n")
    assert "tp-announcement" not in site.text("docs/index.html") + style(site)
    stays = built(tmp_path, "announcement: {text: x, dismissible: false}\n").text("docs/index.html")
    assert "tp-announcement" in stays
    assert "data-note" not in stays
    assert "tp-dismiss" not in stays


def test_the_address_for_editing_is_percent_encoded(tmp_path: Path) -> None:
    files = {"site.yml": "edit_url: https://git.example/site/{path}?plain\n", "docs/über.md": "x\n"}
    html = build_site(tmp_path, files).text("docs/über.html")
    assert 'href="https://git.example/site/docs/%C3%BCber.md?plain"' in html


@pytest.mark.parametrize(
    ("logo", "width"),
    [
        ('<svg viewBox="0 0 100 50">', ' width="56"'),
        ('<svg width="10" height="1000">', ' width="1"'),
        ("<svg>", ""),
    ],
)
def test_the_logo_has_its_width_where_it_is_known(tmp_path: Path, logo: str, width: str) -> None:
    config = "logo: /a%20b.svg\nurl: https://t.example/base\n"
    site = built(tmp_path, config, **{"static/a b.svg": logo})
    assert f'<img src="/base/a%20b.svg" alt=""{width} height="28">' in site.text("docs/index.html")
