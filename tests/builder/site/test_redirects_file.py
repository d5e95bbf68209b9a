"""A `_redirects` in `static/`: its rules join those of `site.yml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.config import SiteConfig
from builder.site.redirects_file import read_rules
from tests.server.commands import serving
from tests.sites import build_site, write_site

PAGES = {"docs/a.md": "# A\n", "docs/b.md": "# B\n"}


def test_its_rules_stand_behind_those_of_the_settings(tmp_path: Path) -> None:
    files = {
        "site.yml": "redirects: {/one: /docs/a, /old/*: /docs/*}\nredirect_files: [nginx, caddy]\n",
        "static/_redirects": "# moved\n/two /docs/b # soon\n\n/more/* /docs/:splat 301\n",
        **PAGES,
    }
    site = build_site(tmp_path, files)
    assert site.diagnostics == ()
    assert site.text("_redirects") == (
        "/one /docs/a 301\n/two /docs/b 301\n/old/* /docs/:splat 301\n/more/* /docs/:splat 301\n"
    )
    assert 'href="/docs/b"' in site.text("two.html")
    assert all("/more" in site.text(f"_redirects.{host}") for host in ("nginx", "caddy"))


def test_it_is_enough_without_any_in_the_settings(tmp_path: Path) -> None:
    site = build_site(
        tmp_path, {"site.yml": "title: T\n", "static/_redirects": "/two /docs/b 308\n", **PAGES}
    )
    assert site.diagnostics == ()
    assert site.text("_redirects") == "/two /docs/b 301\n"


def test_the_base_path_belongs_to_the_host(tmp_path: Path) -> None:
    files = {"site.yml": "url: https://o.example/r\n", "static/_redirects": "/r/two /r/docs/b\n", **PAGES}
    site = build_site(tmp_path, files)
    assert site.diagnostics == ()
    assert site.text("_redirects") == "/r/two /r/docs/b 301\n"


def test_two_forms_of_an_address_may_lead_to_the_same_page(tmp_path: Path) -> None:
    rules = "/two/ /docs/b\n/two/index.html /docs/b\n"
    site = build_site(tmp_path, {"site.yml": "title: T\n", "static/_redirects": rules, **PAGES})
    assert site.diagnostics == ()
    assert site.text("_redirects") == rules.replace("b\n", "b 301\n")
    assert "/docs/b" in site.text("two/index.html")


LEFT_OUT = [
    ("/one /docs/b", "redirect-rule", "`site.yml` says where `/one` leads"),
    ("/two /docs/a\n/two /docs/b", "redirect-rule", "line 1 has `/two`"),
    ("/two", "redirect-rule", "does not say where"),
    ("/two /docs/a 200", "redirect-rule", "with the status 200 it is no redirect"),
    ("/two /docs/a 302", "redirect-rule", "`302` becomes 301"),
    ("/two /docs/a 301!", "redirect-rule", "a page that exists is never hidden"),
    ("/two /docs/a 301 Country=nl", "redirect-rule", "it has a condition"),
    ("/two id=:id /docs/a 301", "redirect-rule", "it has a condition"),
    ("https://old.example/* /docs/:splat", "redirect-rule", "no path of this site"),
    ("/two javascript:alert(1)", "redirect-rule", "leads to no address"),
    ("/docs/a /docs/b", "redirect-rule", "would both be written to"),
    ("/two/ /docs/a\n/two/index.html /docs/b", "path-conflict", "the redirect from /two/index.html and the"),
    ("/* /docs/a", "redirect-rule", "no pattern that can lead on"),
    ("/two /docs/zz", "redirect-invalid", "there is no page"),
    ("/two /two", "redirect-invalid", "it leads to itself"),
    (b"/two /docs/\xff", "redirect-rule", "is not valid UTF-8"),
]


@pytest.mark.parametrize(("text", "code", "message"), LEFT_OUT)
def test_lines_that_do_not_count_are_told_with_their_line(
    tmp_path: Path, text: str | bytes, code: str, message: str
) -> None:
    files = {"site.yml": "redirects: {/one: /docs/a}\n", "static/_redirects": text, **PAGES}
    site = build_site(tmp_path, files)
    (found,) = site.diagnostics
    lines = text.count("\n") + 1 if isinstance(text, str) else 0
    assert (found.code, found.file, found.line) == (code, "static/_redirects", lines)
    assert message in found.message
    assert "/one /docs/a 301\n" in site.text("_redirects")


def test_an_anchor_that_is_not_there_is_told(tmp_path: Path) -> None:
    files = {"site.yml": "title: T\n", "static/_redirects": "\n/two /docs/b#zz\n", **PAGES}
    (found,) = build_site(tmp_path, files).diagnostics
    assert found.code == "broken-anchor"
    assert "static/_redirects, line 2" in found.message


def test_a_very_long_file_costs_little() -> None:
    read = read_rules("/same /docs/a\n" * 60_000, SiteConfig())
    assert (len(read.rules), len(read.found)) == (1, 1_000)
    assert len(read_rules("".join(f"/p{n} /x\n" for n in range(60_000)), SiteConfig()).rules) == 50_000


def test_the_preview_follows_them(tmp_path: Path) -> None:
    files = {"site.yml": "title: T\n", "static/_redirects": "/more/* /docs/:splat#a\n", **PAGES}
    with serving(write_site(tmp_path, files)) as preview:
        moved = preview.get("/more/a?q=1")
        assert (moved.status, moved.headers["location"]) == (301, "/docs/a?q=1#a")
