"""The parts that `site.yml` adds to every page: entries for the head, statistics, a menu, and feedback."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from builder.config.analytics import PROVIDERS
from builder.config.head import NAMES
from builder.plan.options import Options
from tests.sites import build_site

PAGE = '# Moor <here> & "there"\n\nText.\n'
URL = "url: https://docs.harbour.example/base\n"


def page(folder: Path, config: str, options: Options | None = None) -> str:
    """The page `docs/a` of a site, as its readers get it."""
    return build_site(folder, {"site.yml": config, "docs/a.mdx": PAGE}, options).text("docs/a.html")


def policy(html: str) -> dict[str, list[str]]:
    """The sources of each directive of a page's policy."""
    (text,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    return {name: sources for name, *sources in (part.split() for part in unescape(text).split("; "))}


def test_each_entry_of_the_head_is_a_tag_whose_text_is_text(tmp_path: Path) -> None:
    names = [name for name in NAMES if name != "canonical"]
    config = "head:\n" + "".join(f"""  "{name}": '"><script>{n}'\n""" for n, name in enumerate(names))
    html = page(tmp_path, config)
    for number, name in enumerate(names):
        kind = "property" if name.startswith(("og:", "article:", "fb:")) else "name"
        assert f'<meta {kind}="{name}" content="&#34;&gt;&lt;script&gt;{number}">' in html


@pytest.mark.parametrize(
    ("entry", "canonical"),
    [
        ("https://original.example/", "https://original.example/docs/a"),
        ("https://original.example/x", "https://original.example/x/docs/a"),
        ("javascript:alert(1)", "https://docs.harbour.example/base/docs/a"),
        ("''", "https://docs.harbour.example/base/docs/a"),
    ],
)
def test_a_copy_names_its_original(tmp_path: Path, entry: str, canonical: str) -> None:
    html = page(tmp_path, f"{URL}head:\n  canonical: {entry}\n")
    assert f'<link rel="canonical" href="{canonical}">' in html
    assert f'<meta property="og:url" content="{canonical}">' in html


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_provider_widens_the_policy_by_its_hosts_alone(tmp_path: Path, name: str) -> None:
    provider = PROVIDERS[name]
    before = policy(page(tmp_path / "before", "title: T\n"))
    html = page(tmp_path / "after", f"analytics:\n  {name}: {provider.example}\n")
    after = policy(html)
    assert after.pop("script-src") == [*before.pop("script-src"), *provider.scripts]
    connects = [each.replace("{}", provider.example) for each in provider.connects]
    assert after.pop("connect-src") == [*before.pop("connect-src"), *connects]
    assert after == before
    (tag,) = re.findall(r"<script src=\"(?!/_tp/theme)([^\"]+)\" defer ([^>]+)></script>", html)
    assert tag[0] == provider.script or re.fullmatch(r"/_tp/google\.\w+\.js", tag[0])
    (attribute,) = provider.attributes
    assert unescape(tag[1]) == f'{attribute[0]}="{attribute[1].replace("{}", provider.example)}"'


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("id", ["", "a b", '"><script>', "evil.example/x", "x;script-src *", "é", "{}"])
def test_what_is_no_id_of_the_provider_changes_nothing(tmp_path: Path, name: str, id: str) -> None:
    before = page(tmp_path / "before", "title: T\n")
    config = f"title: T\nanalytics:\n  {name}: '{id}'\n"
    assert page(tmp_path / "after", config) == before


@pytest.mark.parametrize("options", [Options(drafts=True), Options(analytics=False)])
def test_previews_and_services_that_allow_none_load_no_script_of_others(
    tmp_path: Path, options: Options
) -> None:
    config = "title: T\n"
    counted = f"{config}analytics:\n  plausible: docs.example.com\n  google: G-ABC123DEF4\n"
    assert page(tmp_path / "a", counted, options) == page(tmp_path / "b", config, options)


def test_a_service_that_allows_none_says_so(tmp_path: Path) -> None:
    files = {"site.yml": "analytics:\n  fathom: ABCDEFGH\n", "docs/a.md": "# A\n"}
    (found,) = build_site(tmp_path, files, Options(analytics=False)).diagnostics
    assert (found.code, found.file, found.line) == ("analytics-ignored", "site.yml", 2)


def test_our_script_for_google_is_there_only_where_it_is_used(tmp_path: Path) -> None:
    with_it = build_site(tmp_path / "a", {"site.yml": "analytics: {google: G-ABC123}\n", "docs/a.md": "x\n"})
    without = build_site(tmp_path / "b", {"site.yml": "title: T\n", "docs/a.md": "x\n"})
    assert [name for name in with_it.output.paths if "google" in name]
    assert not [name for name in without.output.paths if "google" in name]


@pytest.mark.parametrize(
    ("config", "labels"),
    [
        (f"{URL}page_menu: [copy, claude, markdown]\n", ["Open in Claude", "View as Markdown"]),
        (f"{URL}page_menu: [chatgpt]\n", ["Open in ChatGPT"]),
        ("page_menu: [claude, chatgpt]\n", []),
        (f"{URL}page_menu: [copy]\n", []),
    ],
)
def test_the_menu_has_what_the_site_names(tmp_path: Path, config: str, labels: list[str]) -> None:
    html = page(tmp_path, config)
    menu = re.search(r'<ul class="tp-page-menu".*?</ul>', html, re.DOTALL)
    assert re.findall(r">([^<]+)</a>", menu[0] if menu else "") == labels
    assert ("tp-copy-page" in html) == ("copy" in config)


def test_an_assistant_gets_the_address_of_the_twin(tmp_path: Path) -> None:
    html = page(tmp_path, f"{URL}page_menu: [claude]\n")
    asked = "Read%20https%3A%2F%2Fdocs.harbour.example%2Fbase%2Fdocs%2Fa.md%20so%20that"
    assert f'href="https://claude.ai/new?q={asked}' in html


@pytest.mark.parametrize(
    ("feedback", "href"),
    [
        (
            "https://a.example/new?title={title}&body={url}",
            "https://a.example/new?title=Moor%20%20%26%20%22there%22&amp;body={url}",
        ),
        ("mailto:docs@a.example?subject={path}", "mailto:docs@a.example?subject=docs%2Fa.mdx"),
        ("https://a.example/feedback", "https://a.example/feedback"),
        ("javascript:alert({title})", None),
        ("https://a.example/{other}", None),
        ("/feedback", None),
    ],
)
def test_feedback_leads_to_the_address_with_what_stands_for_the_page(
    tmp_path: Path, feedback: str, href: str | None
) -> None:
    html = page(tmp_path, f'{URL}feedback: "{feedback}"\n')
    found = re.search(r'href="([^"]*)">Give feedback<', html)
    address = "https%3A%2F%2Fdocs.harbour.example%2Fbase%2Fdocs%2Fa"
    assert (found and found[1]) == (href and href.replace("{url}", address))
