"""Paths of the host that something else serves: links lead there, and pages of the site win."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sites import build_site

CONFIG = """\
title: T
url: https://o.example/r
served_elsewhere: [/enterprise, /app/login/]
nav:
  - {label: Plans, href: /enterprise/plans}
sidebar:
  - docs/a
  - {label: Sign in, href: /app/login}
"""
LINKS = [
    ("/enterprise", "/enterprise"),
    ("/enterprise/plans?a=b#c", "/enterprise/plans?a=b#c"),
    ("/enterprise/two%20words", "/enterprise/two%20words"),
    ("/app/login", "/app/login"),
    ("https://o.example/enterprise/x", "https://o.example/enterprise/x"),
]


@pytest.mark.parametrize(("href", "final"), LINKS)
def test_a_link_there_is_kept_without_the_path_of_the_site(tmp_path: Path, href: str, final: str) -> None:
    site = build_site(tmp_path, {"site.yml": CONFIG, "docs/a.md": f"# A\n\n[x]({href})\n"})
    assert site.diagnostics == ()
    html = site.text("docs/a.html")
    assert f'<a href="{final}">x</a>' in html
    assert 'href="/enterprise/plans"' in html
    assert 'href="/app/login"' in html


@pytest.mark.parametrize("href", ["/enterprises", "/app", "/app/log", "/r/enterprise-x"])
def test_other_links_are_looked_for(tmp_path: Path, href: str) -> None:
    site = build_site(tmp_path, {"site.yml": CONFIG, "docs/a.md": f"# A\n\n[x]({href})\n"})
    assert site.codes == ["broken-link"]


def test_a_page_of_the_site_wins_and_is_told(tmp_path: Path) -> None:
    config = "title: T\nserved_elsewhere: [/docs/a, /docs/b]\n"
    site = build_site(tmp_path, {"site.yml": config, "docs/a.md": "# A\n\n[x](/docs/a/none) [y](/docs/a)\n"})
    assert site.codes == ["served-elsewhere"]
    assert "served_elsewhere[0]" in site.diagnostics[0].message
    assert (site.diagnostics[0].file, site.diagnostics[0].line) == ("site.yml", 2)


@pytest.mark.parametrize("entry", ["/", "enterprise", "https://o.example/x", "/../x", "/a b"])
def test_what_is_no_path_is_told(tmp_path: Path, entry: str) -> None:
    site = build_site(
        tmp_path, {"site.yml": f'title: T\nserved_elsewhere: ["{entry}"]\n', "docs/a.md": "# A\n"}
    )
    assert site.codes == ["config-invalid"]
