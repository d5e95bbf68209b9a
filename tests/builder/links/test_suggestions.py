"""The search for the name that was meant: it ends, however much there is to compare."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from builder.links.suggestions import WORK, Effort
from builder.links.table import LinkTable, Target
from builder.markdown.mdx.cursor.reading import MOST_FINDINGS
from builder.markdown.page import OutgoingLink
from builder.plan.anchor_check import PageLinks, check_anchors
from components import icons
from components.nearest import did_you_mean
from tests.sites import build_site
from tests.time_bounds import processor_seconds

SECONDS = 6.0
"""Of CPU, several times what the work takes that is allowed for."""


def words(number: int, length: int) -> list[str]:
    """Names of random letters, the same each time."""
    chance = random.Random(number)
    return ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=length)) for _ in range(number)]


def broken(ids: Sequence[str], fragments: Sequence[str]) -> list[str]:
    """The hints for links to these fragments on a page with these ids."""
    links = [
        OutgoingLink("docs/a", fragment, n + 1, 1, f"#{fragment}") for n, fragment in enumerate(fragments)
    ]
    page = PageLinks("docs/a.md", "docs/a", frozenset(ids), links)
    found = list(check_anchors([page], []))
    assert len(found) == len(links)
    return [each.hint for each in found]


@pytest.mark.parametrize(("number", "length"), [(250, 150), (100, 10_000), (4000, 60), (20_000, 8)])
def test_many_broken_anchors_on_a_page_with_many_headings_take_no_time(number: int, length: int) -> None:
    given = ["instal", *words(number, length)], ["install", *words(number + 1, length)]
    with processor_seconds(SECONDS):
        broken(*given)


def test_hints_are_given_as_long_as_the_work_is_within_its_budget() -> None:
    ids = [f"section-{number:04}" for number in range(2000)]
    hints = broken(ids, [f"sektion-{number:04}" for number in range(2000)])
    given = [hint for hint in hints if hint]
    assert hints[0] == "did you mean `section-0000`?"
    assert hints == [*given, *[""] * (len(hints) - len(given))]
    assert 10 < len(given) < 1000


def test_a_site_of_usual_size_gets_all_its_hints() -> None:
    ids = [f"a-heading-of-words-{number}" for number in range(40)]
    assert all(broken(ids, [f"a-heding-of-words-{number}" for number in range(500)]))


def test_the_same_broken_anchor_is_searched_for_once() -> None:
    ids = [f"section-{number:04}" for number in range(2000)]
    assert set(broken(ids, ["sektion-0001"] * 5000)) == {"did you mean `section-0001`?"}


def test_a_long_name_is_near_to_none_and_spoils_nothing() -> None:
    assert broken(["b" * 5000, "install"], ["a" * 100_000, "instal"]) == ["", "did you mean `install`?"]
    assert did_you_mean("install" + "x" * 1_000_000, ["install"]) == ""


def test_addresses_with_one_last_segment_are_compared_within_the_budget() -> None:
    folders = ["/".join(words(8 * number, 90)[-8:]) for number in range(1, 17)]
    pages = {f"docs/{folder}/a": Target(f"/docs/{folder}/a") for folder in folders}
    links = LinkTable(pages, frozenset())
    effort = Effort()
    with processor_seconds(SECONDS):
        hints = [links.hint(links.resolve(f"/docs/{word}/a", "docs/x"), effort) for word in words(2000, 700)]
    assert hints[0]
    assert not hints[-1]


def test_an_address_beyond_all_bounds_does_not_use_up_the_budget() -> None:
    links = LinkTable({"docs/install": Target("/docs/install")}, frozenset())
    effort = Effort()
    long = links.resolve(f"/docs/{'a' * 900_000}", "docs/x")
    assert long.problem == ("broken-link", f"there is no page or file `/docs/{'a' * 74}…`", "")
    assert links.hint(long, effort) == ""
    near = links.resolve("/docs/instal", "docs/x")
    assert links.hint(near, effort) == "did you mean `/docs/install`?"


def test_a_page_has_the_same_hints_whatever_was_rendered_before_it(tmp_path: Path) -> None:
    folders = ["/".join(words(8 * number, 90)[-7:]) for number in range(1, 17)]
    files = {f"docs/{folder}/a.md": "# A\n" for folder in folders}
    wrong = "\n".join(f"[x](/docs/{word}/a)" for word in words(60, 60))
    alone = build_site(tmp_path / "one", {"site.yml": "", **files, "docs/z.md": wrong})
    after = build_site(tmp_path / "two", {"site.yml": "", **files, "docs/m.md": wrong, "docs/z.md": wrong})
    hints = [found.hint for found in alone.diagnostics if found.code == "broken-link"]
    assert hints[0]
    assert not hints[-1]
    for file in ("docs/m.md", "docs/z.md"):
        assert [found.hint for found in after.diagnostics if found.file == file] == hints


@pytest.mark.parametrize("source", [":icon-{0}:", '<Card title="a" icon="{0}"/>'])
def test_the_nearest_icon_is_looked_for_only_where_it_is_told(tmp_path: Path, source: str) -> None:
    names = ["rokcet", *words(2 * MOST_FINDINGS, 8)]
    icons.nearest.cache_clear()
    built = build_site(
        tmp_path, {"site.yml": "", "docs/a.mdx": "\n".join(source.format(name) for name in names)}
    )
    assert built.codes.count("icon-unknown") == MOST_FINDINGS
    assert built.diagnostics[0].hint == "did you mean `rocket`?"
    assert icons.nearest.cache_info().misses <= MOST_FINDINGS


def test_an_effort_has_an_end_and_never_begins_again() -> None:
    effort = Effort()
    assert effort.affords("a" * 10, ["b" * 10])
    assert not effort.affords("a" * 1000, ["b" * 1000] * (WORK // 1_000_000 + 1))
    assert not effort.affords("a", ["b"])
