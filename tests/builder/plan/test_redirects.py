"""Redirects from `site.yml`: which lead on, where their files lie, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.server.commands import serving
from tests.sites import Built, build_site, write_site

PAGE = "---\ntitle: A\n---\nText.\n"


def built(folder: Path, rules: dict[str, str], url: str = "") -> Built:
    """A site with one page, `docs/a`, and these redirects, each on a line of its own from line 4 on."""
    lines = "".join(f"  {json.dumps(old)}: {json.dumps(new)}\n" for old, new in rules.items())
    return build_site(folder, {"site.yml": f"title: T\nurl: {url}\nredirects:\n{lines}", "docs/a.md": PAGE})


LOOPS = [
    ({"/self": "/self"}, {4}),
    ({"/self": "/self?again=1#here"}, {4}),
    ({"/self": "self.html"}, {4}),
    ({"/self/": "/self/index"}, {4}),
    ({"/self": "https://o.example/r/self"}, {4}),
    ({"/self": "/r/self"}, {4}),
    ({"/a": "/b", "/b": "/a"}, {4, 5}),
    ({"/in": "/a", "/a": "/b", "/b": "/c", "/c": "/a"}, {4, 5, 6, 7}),
    ({"/alt%20x": "/alt x"}, {4}),
]


@pytest.mark.parametrize(("rules", "lines"), LOOPS)
def test_redirects_that_never_arrive_are_errors_and_not_written(
    tmp_path: Path, rules: dict[str, str], lines: set[int]
) -> None:
    site = built(tmp_path, {**rules, "/good": "/docs/a"}, "https://o.example/r")
    assert {(found.code, found.file, found.line) for found in site.diagnostics} == {
        ("redirect-invalid", "site.yml", line) for line in lines
    }
    assert all(found.hint for found in site.diagnostics)
    assert site.text("_redirects") == "/r/good /r/docs/a 301\n"
    assert not {f"{old[1:]}.html" for old in rules} & site.output.paths


LONG = {"/" + "a" * 251: {4}, "/" + "é" * 126: {4}, "/ab" * 340 + "/a": {4}, "/" + "a" * 250: set()}


@pytest.mark.parametrize("old", LONG)
def test_a_name_that_no_file_can_have_is_an_error_and_no_end_of_the_build(tmp_path: Path, old: str) -> None:
    site = built(tmp_path, {old: "/docs/a", "/good": "/docs/a"})
    assert {found.line for found in site.diagnostics if found.code == "redirect-invalid"} == LONG[old]
    assert "good.html" in site.output.paths


def test_redirects_that_arrive_over_others_are_none_of_these(tmp_path: Path) -> None:
    rules = {"/one": "/two", "/two": "/docs/a", "/three": "/two", "/docs": "/docs/a"}
    away = {"/away": "https://o.example/raway", "/home": "https://o.example/r", "/top": "?a=1"}
    site = built(tmp_path, {**rules, **away}, "https://o.example/r")
    assert site.codes == []


def test_a_long_chain_of_redirects_is_followed_once(tmp_path: Path) -> None:
    rules = {f"/r{n}": f"/r{n + 1}" for n in range(5_000)}
    assert built(tmp_path, {**rules, "/r5000": "/docs/a"}).codes == []
    assert built(tmp_path, {**rules, "/r5000": "/r0"}).codes == ["redirect-invalid"] * 5_001


WRITTEN = [
    ("/alt%20x", "alt x.html", "/alt%20x"),
    ("/alt x", "alt x.html", "/alt%20x"),
    ("/gr%C3%BC%C3%9Fe/", "grüße/index.html", "/gr%C3%BC%C3%9Fe/"),
    ("/grüße", "grüße.html", "/gr%C3%BC%C3%9Fe"),
    ("/100%", "100%.html", "/100%25"),
    ("/a(b),c", "a(b),c.html", "/a(b),c"),
]


@pytest.mark.parametrize(("source", "file", "rule"), WRITTEN)
def test_an_old_address_may_be_percent_encoded_or_have_spaces(
    tmp_path: Path, source: str, file: str, rule: str
) -> None:
    site = built(tmp_path, {source: "/docs/a"})
    assert site.codes == []
    assert 'url=/docs/a"' in site.text(file)
    assert site.text("_redirects") == f"{rule} /docs/a 301\n"


def test_the_preview_answers_at_an_old_address_with_a_space(tmp_path: Path) -> None:
    rules = "redirects: {/alt%20x: /docs/a}\n"
    with serving(write_site(tmp_path, {"site.yml": rules, "docs/a.md": PAGE})) as preview:
        page = preview.get("/alt%20x")
        assert (page.status, 'url=/docs/a"' in page.text) == (200, True)


REFUSED = [
    ("no-slash", "`/no-slash`"),
    ("https://else.example/old", "`/old`"),
    ("/../up", "`..`"),
    ("/%2e%2e/up", "`..`"),
    ("/with*star", "`*`"),
    ("/a?b=1", "`?`"),
    ("/a%3Fb", "`?`"),
    ("/a#b", "`#`"),
    ("/a:b", "`:`"),
    ("/a\\b", "backslash"),
    ("/a//b", "slash"),
    ("/%ff", "UTF-8"),
    ("/a%00b", "invisible"),
    ("/", "home page"),
]


@pytest.mark.parametrize(("source", "hint"), REFUSED)
def test_an_old_address_that_cannot_be_one_is_refused_with_a_way_out(
    tmp_path: Path, source: str, hint: str
) -> None:
    (found,) = built(tmp_path, {source: "/docs/a"}).diagnostics
    assert (found.code, found.file, found.line) == ("redirect-invalid", "site.yml", 4)
    assert hint in found.hint
    assert found.message.isprintable()


def test_an_old_address_may_differ_from_a_page_by_case_and_is_a_rule_alone(tmp_path: Path) -> None:
    rules = {
        "/docs/A": "/docs/a",
        "/Old": "/docs/a",
        "/old": "/docs/a",
        "/DOCS/": "/docs/",
        "/LLMS.txt": "/llms.txt",
    }
    site = built(tmp_path, rules)
    assert [(found.code, found.level, found.line) for found in site.diagnostics] == [
        ("redirect-case", "info", 4),
        ("redirect-case", "info", 6),
        ("redirect-case", "info", 7),
    ]
    for rule in ("/docs/A /docs/a 301", "/Old /docs/a 301", "/old /docs/a 301", "/DOCS/ /docs/ 301"):
        assert f"{rule}\n" in site.text("_redirects")
    assert len({path.casefold() for path in site.output.paths}) == len(site.output.paths)


@pytest.mark.parametrize(
    "old", ["/sitemap.xml", "/robots.txt", "/llms.txt", "/docs/a.md", "/img/p.png", "/404.html"]
)
def test_a_redirect_from_a_file_that_is_there_is_a_conflict(tmp_path: Path, old: str) -> None:
    files = {
        "site.yml": f"title: T\nurl: https://o.example\nredirects:\n  {old}: /docs/a\n",
        "docs/a.md": PAGE,
        "static/img/p.png": b"p",
    }
    site = build_site(tmp_path, files)
    assert [(found.code, found.file, found.line) for found in site.diagnostics] == [
        ("path-conflict", "site.yml", 4)
    ]
    assert old not in site.output.paths
    assert f"{old[1:]}.html" not in site.output.paths
