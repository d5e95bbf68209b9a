"""The sitemap: one file, or an index and parts where the protocol wants them."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.build import build
from builder.output import FolderOutput
from builder.plan import sitemap
from builder.plan.sitemap import Limits
from tests.sites import build_site, write_site
from tests.time_bounds import quickest

_SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ADDRESSES = [f"https://docs.example/docs/page-{number}" for number in range(50_001)]
SITE = "title: T\nurl: https://o.example/repo\n"
FEW = Limits(2, 1_000_000)


def locations(xml: str) -> list[str]:
    """The addresses in a sitemap or an index of sitemaps."""
    return [element.text or "" for element in ElementTree.fromstring(xml).iter(f"{_SPACE}loc")]


def pages(number: int) -> dict[str, str]:
    """A site whose sitemap has so many addresses."""
    made = {f"docs/p{at}.md": "# P\n" for at in range(1, number)}
    return {"site.yml": SITE, "docs/index.md": "# Start\n", **made}


def test_50_000_addresses_fit_into_one_file_and_one_more_does_not() -> None:
    assert sitemap.divided(ADDRESSES[:-1]) == [50_000]
    assert sitemap.divided(ADDRESSES) == [50_000, 1]


def test_many_addresses_are_divided_in_linear_time() -> None:
    def seconds(number: int) -> float:
        assert sum(sitemap.divided(map(str, range(number)))) == number
        return quickest(lambda: sitemap.divided(map(str, range(number))))

    assert seconds(200_000) < 40 * seconds(20_000)


def test_a_file_has_at_most_50_mib() -> None:
    long = ["https://docs.example/" + "ä" * 1_000_000] * 30
    made = sitemap.divided(long)
    assert made == [26, 4]
    assert len(sitemap.whole(long[:26]).encode()) <= 52_428_800 < len(sitemap.whole(long[:27]).encode())


@given(st.lists(st.text("ab&<ä😀", max_size=30)), st.integers(1, 5), st.integers(300, 700))
def test_no_part_is_too_large_and_no_address_is_lost(addresses: list[str], most: int, size: int) -> None:
    parts, begin = sitemap.divided(addresses, Limits(most, size)), 0
    for count in parts:
        text = sitemap.whole(addresses[begin : begin + count])
        assert count <= most
        assert len(text.encode()) <= size
        begin += count
    assert begin == len(addresses)
    assert sitemap.divided(addresses, Limits(10**9, 10**9)) == [len(addresses)]


def test_an_index_names_every_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "LIMITS", FEW)
    built = build_site(tmp_path, pages(5))
    assert built.codes == []
    index = built.text("sitemap.xml")
    names = ["sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]
    assert locations(index) == [f"https://o.example/repo/{name}" for name in names]
    assert ElementTree.fromstring(index).tag == f"{_SPACE}sitemapindex"
    inside = [locations(built.text(name)) for name in names]
    assert [len(part) for part in inside] == [2, 2, 1]
    monkeypatch.undo()
    whole = build_site(tmp_path, {})
    assert [address for part in inside for address in part] == locations(whole.text("sitemap.xml"))
    assert whole.output.paths == built.output.paths - set(names)
    assert built.text("robots.txt") == whole.text("robots.txt")
    assert "Sitemap: https://o.example/repo/sitemap.xml\n" in built.text("robots.txt")


def test_parts_that_are_needed_no_more_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, out = write_site(tmp_path / "site", pages(5)), tmp_path / "out"
    monkeypatch.setattr(sitemap, "LIMITS", FEW)
    build(site, FolderOutput(out))
    assert len(list(out.glob("sitemap-*.xml"))) == 3
    (site / "docs/p4.md").unlink()
    build(site, FolderOutput(out))
    assert sorted(path.name for path in out.glob("sitemap-*.xml")) == ["sitemap-1.xml", "sitemap-2.xml"]
    for number in (1, 2, 3):
        (site / f"docs/p{number}.md").unlink()
    build(site, FolderOutput(out))
    assert list(out.glob("sitemap-*.xml")) == []
    assert locations((out / "sitemap.xml").read_text()) == ["https://o.example/repo/docs/"]


def test_a_file_of_the_author_in_a_part_s_place_is_an_error_that_names_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = pages(5) | {"static/Sitemap-2.xml": "mine"}
    alone = build_site(tmp_path, files)
    assert alone.codes == []
    assert "Sitemap-2.xml" in alone.output.paths
    monkeypatch.setattr(sitemap, "LIMITS", FEW)
    built = build_site(tmp_path, {})
    (found,) = built.diagnostics
    assert (found.code, found.file) == ("path-conflict", "static/Sitemap-2.xml")
    assert re.search(r"`static/Sitemap-2.xml` and .*sitemap.* would both be written to", found.message)
    assert len(locations(built.text("sitemap-2.xml"))) == 2


def test_a_redirect_from_a_part_is_a_conflict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "LIMITS", FEW)
    rules = f"{SITE}redirects:\n  /sitemap-1.xml: /docs/p1\n"
    assert build_site(tmp_path, pages(5) | {"site.yml": rules}).codes == ["path-conflict"]
