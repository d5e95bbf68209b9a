"""Redirects for many addresses: what matches, where it leads, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.plan.patterns import first, in_rules, overlap, read_pattern
from tests.server.commands import serving
from tests.sites import build_site, write_site
from tests.time_bounds import processor_seconds

LEADS = [
    ("/old/*", "/new/*", "/old/a/b", "/new/a/b"),
    ("/old/*", "/new/:splat", "/old/", "/new/"),
    ("/old/*", "/new/:splat", "/old", "/new/"),
    ("/old/*", "/new/:splat", "/older/a", None),
    ("/b/:year/:name", "/n/:name-:year", "/b/2024/x", "/n/x-2024"),
    ("/b/:year/:name", "/n/:name", "/b/2024/x/y", None),
    ("/b/:year/:name", "/n/:name", "/b//x", None),
    ("/old/*", "https://o.example/*", "/old/a", "https://o.example/a"),
    ("/old/*", "/*", "/old//evil.example", "/evil.example"),
    ("/old/*", "/*", "/old/\\evil.example", "/%5Cevil.example"),
    ("/old/*", "/n/*", "/old/../../etc", "/n/etc"),
    ("/old/*", "/n/*", "/old/a b?c#d\n", "/n/a%20b%3Fc%23d%0A"),
    ("/old/:a", "https://o.example/:a", "/old/@evil.example", "https://o.example/@evil.example"),
    ("/faq/code*", "/faq/the-code:splat", "/faq/code", "/faq/the-code"),
    ("/faq/code*", "/faq/the-code:splat", "/faq/code.html", "/faq/the-code.html"),
    ("/faq/code*", "/faq/the-code:splat", "/faq/code/a//b", "/faq/the-code/a/b"),
    ("/faq/code*", "/faq/the-code", "/faq/cod", None),
    ("/old*", "/:splat", "/old//evil.example", "/evil.example"),
    ("/old*", "/:splat", "/old\\evil.example", "/%5Cevil.example"),
    ("/old*", "/n/:splat", "/old..", "/n/"),
    ("/gr%C3%BC%C3%9Fe/*", "/n/*", "/grüße/ä", "/n/%C3%A4"),
]


@pytest.mark.parametrize(("source", "target", "path", "leads"), LEADS)
def test_what_matched_stands_in_the_target(source: str, target: str, path: str, leads: str | None) -> None:
    assert read_pattern(source, target).match(path) == leads


REFUSED = [
    ("/*", "/new/*"),
    ("/:a/b", "/new"),
    ("/a*b/c", "/new"),
    ("/a*b", "/new"),
    ("/a**", "/new"),
    ("/a*", "/ab"),
    ("/a/*/c", "/new"),
    ("/a/:b", "/new/:c"),
    ("/a/:b/:b", "/new/:b"),
    ("/a/*", "//evil.example/*"),
    ("/a/*", "https://:splat/x"),
    ("/a/*", "https://evil.example*"),
    ("/a/*", "/a/b/*"),
    ("/a/*", "javascript:*"),
    ("/a//*", "/n"),
    ("/../*", "/n"),
]


@pytest.mark.parametrize(("source", "target"), REFUSED)
def test_patterns_that_lead_nowhere_or_to_other_hosts_are_refused(
    tmp_path: Path, source: str, target: str
) -> None:
    rules = f"redirects:\n  {json.dumps(source)}: {json.dumps(target)}\n"
    site = build_site(tmp_path, {"site.yml": rules, "docs/a.md": "# A\n"})
    assert site.codes == ["redirect-invalid"]
    assert site.diagnostics[0].line == 2
    assert "evil" not in (site.text("_redirects") if "_redirects" in site.output.paths else "")


def test_a_rule_of_a_host_that_leads_nowhere_here_is_a_warning(tmp_path: Path) -> None:
    files = {"static/_redirects": "/a*b/c /new\n/old* /docs/a\n", "docs/a.md": "# A\n"}
    site = build_site(tmp_path, {"site.yml": "title: T\n", **files})
    assert [(one.code, one.level, one.file, one.line) for one in site.diagnostics] == [
        ("redirect-rule", "warning", "static/_redirects", 1)
    ]
    assert site.text("_redirects") == "/old* /docs/a 301\n"


def test_a_target_without_a_name_is_checked_as_one_for_a_single_address(tmp_path: Path) -> None:
    config = """\
redirects:
  /gone/*: /docs/aa
  /spot/:name: /docs/a#nothing
  /file/*: /docs/a.md?tab=2#here
  /any/*: /docs/aa/*
  /gr%C3%BC%C3%9Fe/*: /docs/aa
"""
    files = {"site.yml": config, "static/_redirects": "/from/* /aa\n", "docs/a.md": "# A\n\n## Here\n"}
    site = build_site(tmp_path, files)
    assert sorted((one.code, one.file, one.line) for one in site.diagnostics) == [
        ("broken-anchor", "site.yml", 3),
        ("redirect-invalid", "site.yml", 2),
        ("redirect-invalid", "site.yml", 6),
        ("redirect-invalid", "static/_redirects", 1),
    ]
    hints = {one.hint for one in site.diagnostics if one.line == 2}
    assert hints == {"did you mean `/docs/a`?"}
    assert "/file/* /docs/a?tab=2#here 301\n" in site.text("_redirects")


def test_patterns_stand_last_in_the_rules_and_never_shadow_a_page(tmp_path: Path) -> None:
    config = "url: https://o.example/r\nredirects: {/old/*: /docs/*, /old/x: /docs/b}\n"
    files = {"site.yml": config, "docs/a.md": "# A\n", "docs/b.md": "# B\n"}
    site = build_site(tmp_path, files)
    assert site.diagnostics == ()
    assert site.text("_redirects") == "/r/old/x /r/docs/b 301\n/r/old/* /r/docs/:splat 301\n"


TARGETS = [
    ("/a/*", "/docs/b", "/r/k/b"),
    ("/b/*", "/docs/b.md#b", "/r/k/b#b"),
    ("/c/*", "/docs/s", "/r/sea"),
    ("/d/:x", "/docs/:x/?q=:x", "/r/k/:x/?q=:x"),
    ("/e/*", "/docs/*", "/r/k/:splat"),
    ("/f/*", "/shop/*", "/shop/:splat"),
    ("/g/*", "/shop/x", "/shop/x"),
    ("/h/*", "https://o.example/docs/*", "https://o.example/docs/:splat"),
    ("/i/*", "/docsy/*", "/r/docsy/:splat"),
    ("/j/*", "/pages/about", "/r/about"),
]


def test_targets_are_addresses_of_pages_and_of_what_something_else_serves(tmp_path: Path) -> None:
    rules = "".join(f"  {source}: {target}\n" for source, target, _ in TARGETS)
    more = "docs_at: /k\nextras: [slug]\nserved_elsewhere: [/shop]\n"
    pages = {"docs/b.md": "# B\n", "docs/s.md": "---\nslug: /sea\n---\nS.\n", "pages/about.md": "# About\n"}
    config = f"title: T\nurl: https://s.example/r\n{more}redirects:\n{rules}"
    site = build_site(tmp_path, {"site.yml": config, **pages})
    assert site.diagnostics == ()
    assert site.text("_redirects") == "".join(f"/r{source} {leads} 301\n" for source, _, leads in TARGETS)
    assert "/a/*\t-> /k/b\n" in site.text("_tp/urls.txt")


def test_a_target_that_is_not_there_is_told_as_that_of_one_address_is(tmp_path: Path) -> None:
    rules = "  /a/*: /docs/x\n  /b/*: /docs/b#x\n  /k/*: /docs/*\n"
    config = f"title: T\ndocs_at: /k\nredirects:\n{rules}"
    site = build_site(tmp_path, {"site.yml": config, "docs/b.md": "# B\n"})
    assert [(found.code, found.line) for found in site.diagnostics] == [
        ("redirect-invalid", 4),
        ("broken-anchor", 5),
        ("redirect-invalid", 6),
    ]


def test_the_preview_answers_by_patterns_where_there_is_no_page(tmp_path: Path) -> None:
    rules = "redirects: {/docs/*: /pages/*, /old/*: /docs/*, /docs/A: /docs/a}\n"
    files = {"site.yml": rules, "docs/a.md": "# A\n"}
    with serving(write_site(tmp_path, files)) as preview:
        moved = preview.get("/old/a?q=1")
        assert (moved.status, moved.headers["location"]) == (301, "/docs/a?q=1")
        assert moved.headers["cache-control"] == "no-cache"
        assert preview.get("/docs/a").status == 200
        assert preview.get("/docs/A?q=1").headers["location"] == "/docs/a?q=1"


SEGMENTS = st.sampled_from(["a", "ab", ":x", ":y", "b"])
PATTERNS = st.tuples(st.just("a"), SEGMENTS, SEGMENTS, st.sampled_from(["", "*", "a*"])).filter(
    lambda parts: len({each for each in parts if each[:1] == ":"}) == sum(each[:1] == ":" for each in parts)
)


@given(PATTERNS, PATTERNS, st.lists(st.sampled_from(["a", "ab", "b", "aab"]), max_size=4))
def test_patterns_overlap_where_some_path_matches_both(
    one: tuple[str, ...], other: tuple[str, ...], path: list[str]
) -> None:
    """On any path; those that overlap nowhere are in the table of a key's redirects."""
    both = [read_pattern("/" + "/".join(filter(None, parts)), "/") for parts in (one, other)]
    if all(each.match("/".join(["/a", *path])) is not None for each in both):
        assert overlap(*both)
        assert overlap(*reversed(both))


def test_a_thousand_patterns_cost_little_for_any_address() -> None:
    rules = "".join(f"/p{n}/:a/:b/:c/* /n/:a/:splat 301\n" for n in range(2_000))
    patterns = in_rules(rules)
    assert len(patterns) == 1_000
    paths = ("/" + "a/" * 4_000, "/p999/" + "/" * 8_000, "/p999/" + "x" * 8_000)
    with processor_seconds(1):
        for path in paths:
            first(patterns, path)
