from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builder import report
from builder.diagnostic_codes import CODES
from builder.diagnostics import Diagnostic, Level
from builder.report.visible_text import visible, width

CASES = json.loads(Path(__file__).with_name("report.json").read_text("utf-8"))
TEXTS = {case["name"]: case for case in CASES["text"]}


def of_codes(codes):
    return [Diagnostic("docs/a.mdx", number, 1, code, "said") for number, code in enumerate(codes, 1)]


def texts(diagnostics, read, prefix=""):
    problems = [report.Problem.of(diagnostic, read) for diagnostic in diagnostics]
    return ["".join(text for text, _ in line) for line in report.to_lines(problems, prefix)]


@pytest.mark.parametrize(("text", "shown", "cells"), CASES["visible"])
def test_characters_that_are_not_printable_are_named(text, shown, cells):
    assert visible(text) == shown
    assert width(shown) == cells


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left_of_any_text(text):
    assert not set(visible(text)) & {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066)}


@pytest.mark.parametrize("name", TEXTS)
def test_a_problem_is_shown_like_a_compiler_does(name):
    case = TEXTS[name]
    source = "x\n" * case["lines"] if "lines" in case else case["source"]
    lines = None if source is None else report.split_lines(source)
    assert texts([Diagnostic(*case["diagnostic"])], lambda _: lines) == case["text"]


def test_a_long_line_is_cut_around_the_caret():
    line = "a" * 5000 + "!" + "b" * 5000
    _, source, caret, _ = texts([Diagnostic("docs/a.mdx", 1, 5001, "broken-link", "no")], lambda _: [line])
    assert len(source) < 120
    assert source[len(caret) - 1] == "!"
    assert source.count("…") == 2


def test_problems_are_grouped_by_file_and_files_are_named_from_where_one_is():
    found = [
        Diagnostic(file, 0, 0, "page-encoding", "said") for file in ("docs/a.md", "docs/a.md", "docs/b.md")
    ]
    assert texts(found, lambda _: None, "my-docs/") == [
        "my-docs/docs/a.md: error: said [page-encoding]",
        "my-docs/docs/a.md: error: said [page-encoding]",
        "",
        "my-docs/docs/b.md: error: said [page-encoding]",
        "",
    ]


@given(st.text(), st.integers(0, 9), st.integers(0, 300), st.text(), st.text())
def test_any_source_and_any_place_can_be_shown(source, line, column, message, hint):
    lines = report.split_lines(source)
    for text in texts(
        [Diagnostic("docs/a.mdx", line, column, "broken-link", message, hint)], lambda _: lines
    ):
        assert text.isprintable() or set(text) & {"\u200c", "\u200d"}


@pytest.mark.parametrize(("diagnostic", "command"), CASES["github"])
def test_github_gets_one_escaped_command_a_diagnostic(diagnostic, command):
    assert report.to_github([Diagnostic(*diagnostic)], "site/") == command + "\n"


RECORDS = st.tuples(
    st.text(), st.integers(0), st.integers(0), st.sampled_from(sorted(CODES)), st.text(), st.text()
)


@given(st.lists(RECORDS))
def test_json_gives_back_what_went_in_and_is_plain_ascii(records):
    found = [Diagnostic(*record) for record in records]
    text = report.to_json(found)
    assert text.isascii()
    assert not set(text) - {"\n"} & {chr(code) for code in range(0x20)}
    assert json.loads(text) == [
        {
            "code": each.code,
            "level": each.level,
            "file": each.file,
            "line": each.line,
            "column": each.column,
            "message": each.message,
            "hint": each.hint,
        }
        for each in found
    ]


@pytest.mark.parametrize(("codes", "pages", "seconds", "summary"), CASES["tally"])
def test_the_summary_counts_by_level(codes, pages, seconds, summary):
    assert report.LevelCounts.of(of_codes(codes)).summary(pages, seconds) == summary


@pytest.mark.parametrize(
    ("codes", "levels", "fails"),
    [
        (["broken-link"], {Level.ERROR}, True),
        (["esm-stripped"], {Level.ERROR}, False),
        (["esm-stripped"], {Level.ERROR, Level.WARNING}, True),
        (["fence-unclosed"], {Level.ERROR, Level.WARNING}, False),
        ([], {Level.ERROR}, False),
    ],
)
def test_a_report_fails_by_the_levels_that_count(codes, levels, fails):
    assert report.failed(of_codes(codes), frozenset(levels)) is fails


def test_people_see_so_many_of_one_code_in_one_file_and_how_many_more_there_are():
    many = report.MOST_SHOWN + 2_345
    found = [Diagnostic("site.yml", 1, at, "redirect-invalid", f"said {at}") for at in range(1, many + 1)]
    found += [Diagnostic("site.yml", 2, 1, "config-unknown-key", "of another code")]
    found += [Diagnostic("docs/a.md", 1, at, "redirect-invalid", f"said {at}") for at in range(1, 5)]
    shown = list(report.bounded(found))
    last = report.MOST_SHOWN - 1
    assert shown[:last] == found[:last]
    assert shown[last].message == f"said {report.MOST_SHOWN} (and 2,345 more; `--format json` has them all)"
    assert shown[last + 1 :] == found[many:]


PART = "there is no page `x` (in `docs/_p.mdx`, line 3, column 1"


def test_a_fault_of_a_part_is_shown_once_with_the_number_of_other_pages():
    pages = [Diagnostic(f"docs/{n:02}.mdx", 5, 1, "broken-link", f"{PART})") for n in range(64)]
    twice = [replace(pages[0], line=9), replace(pages[7], line=9)]
    way = Diagnostic("docs/w.mdx", 5, 1, "broken-link", f"{PART}, included by `docs/_o.mdx`, line 1)")
    own = [replace(pages[0], code="link-unsafe"), replace(pages[9], message="there is no page `x`")]
    shown = report.folded([*pages, *twice, way, *own])
    assert shown == [
        replace(pages[0], message=f"{PART}), and on 64 more pages"),
        twice[0],
        *own,
    ]
    assert report.folded(pages[:1]) == pages[:1]
    assert report.folded(pages[:2])[0].message == f"{PART}), and on 1 more page"


def test_what_people_can_read_is_shown_whole():
    found = of_codes(["redirect-invalid"] * report.MOST_SHOWN)
    assert list(report.bounded(found)) == found
