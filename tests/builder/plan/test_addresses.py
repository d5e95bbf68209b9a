"""The list of addresses and anchors that each build writes."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from builder.build import build
from builder.output import FolderOutput
from builder.plan.addresses import Addresses, digest_of, read_addresses, write_addresses
from builder.plan.options import Options
from tests.sites import Files, build_site, write_site

LIST = "_tp/urls.txt"
SITE: Files = {
    "site.yml": (
        "title: Boats\nurl: https://o.example/r\nredirects:\n"
        "  /old: /docs/guide/install.md#fees\n  /alt x: docs/a\n  /chat: https://chat.example/\n"
    ),
    "docs/a.md": "# A\n\n## Fees\n\n## Berths\n",
    "docs/guide/install.mdx": '# Install\n\n## Größe\n\n<a id="own">x</a>\n',
    "docs/guide/plan.png": b"\x89PNG",
    "docs/secret.md": "---\ndraft: true\n---\n## Hidden\n",
    "pages/about.md": "# About\n",
    "pages/404.md": "# Lost\n",
    "static/ü b.txt": "x",
}
EXPECTED = """\
/\t#a\t#berths\t#fees
/%C3%BC%20b.txt
/about\t#about
/alt%20x\t-> /docs/a
/chat\t-> https://chat.example/
/docs/
/docs/a\t#a\t#berths\t#fees
/docs/guide/
/docs/guide/install\t#gr%C3%B6%C3%9Fe\t#install\t#own
/docs/guide/plan.png
/old\t-> /docs/guide/install#fees
"""


def test_each_address_is_a_line_with_its_anchors_or_its_target(tmp_path: Path) -> None:
    assert build_site(tmp_path, SITE).text(LIST) == EXPECTED


def test_drafts_are_not_in_it_also_where_they_are_built(tmp_path: Path) -> None:
    built = build_site(tmp_path, {**SITE, "docs/aa.md": "---\ndraft: true\n---\n"}, Options(drafts=True))
    assert built.text("docs/secret.html")
    assert built.text(LIST) == EXPECTED


def test_a_draft_that_is_home_tells_nothing_of_itself(tmp_path: Path) -> None:
    files: Files = {"docs/a.md": "---\ndraft: true\n---\n## Hidden\n", "docs/b/c.md": "# C\n"}
    site = write_site(tmp_path, files)
    build(site, FolderOutput(tmp_path / "out"), Options(drafts=True))
    assert (tmp_path / "out" / LIST).read_text().splitlines()[0] == "/"


def test_an_unlisted_page_is_in_it_by_a_digest_alone(tmp_path: Path) -> None:
    quiet = {"docs/quiet.md": "---\ntitle: Quiet\nunlisted: true\n---\n## Silence\n"}
    listed = build_site(tmp_path, {**SITE, **quiet}).text(LIST)
    assert listed == f"{EXPECTED}~{digest_of('/docs/quiet')}\n"
    assert "quiet" not in listed
    read = read_addresses(listed)
    assert read.unlisted == {digest_of("/docs/quiet.html")}
    assert write_addresses(read) == listed.encode()


def test_a_page_of_its_own_is_home_and_a_site_of_one_page_has_its_home(tmp_path: Path) -> None:
    home = {"site.yml": "title: T\n", "pages/index.md": "## Here\n", "docs/a.md": "## There\n"}
    assert build_site(tmp_path / "home", home).text(LIST) == "/\t#here\n/docs/\n/docs/a\t#there\n"
    assert build_site(tmp_path / "one", {"pages/about.md": "## Who\n"}).text(LIST) == "/\n/about\t#who\n"


def test_an_anchor_that_changes_is_a_changed_line_and_else_the_file_stays(tmp_path: Path) -> None:
    options, output = Options(cache="keep"), tmp_path / "dist"

    def lines() -> tuple[list[str], int]:
        build(tmp_path, FolderOutput(output), options)
        return (output / LIST).read_text().splitlines(), (output / LIST).stat().st_mtime_ns

    write_site(tmp_path, SITE)
    before, written = lines()
    assert lines() == (before, written)
    write_site(tmp_path, {"docs/a.md": "# A\n\n## Fees\n\n## Moorings\n"})
    after, _ = lines()
    assert set(after) - set(before) == {f"{address}\t#a\t#fees\t#moorings" for address in ("/", "/docs/a")}
    write_site(tmp_path, {"site.yml": "title: Boats\n"})
    assert not [line for line in lines()[0] if "->" in line]


addresses = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=8).map("/{}".format)
anchors = st.lists(st.from_regex(r"[a-z0-9%-]+", fullmatch=True), max_size=3, unique=True)
redirects = st.dictionaries(addresses, addresses)


@given(places=st.dictionaries(addresses, anchors.map(lambda all: tuple(sorted(all)))), redirects=redirects)
def test_a_list_is_read_as_it_was_written(
    places: dict[str, tuple[str, ...]], redirects: dict[str, str]
) -> None:
    known = Addresses({one: places[one] for one in places if one not in redirects}, redirects)
    text = write_addresses(known).decode()
    assert read_addresses(text) == known
    assert text.splitlines() == sorted(text.splitlines(), key=lambda line: line.partition("\t")[0])


def test_what_is_of_no_known_form_is_passed_over() -> None:
    assert read_addresses("\nsomething\n/a\tx\t#b\r\n") == Addresses({"/a": ("b",)}, {})


def test_redirects_for_many_addresses_are_in_the_list(tmp_path: Path) -> None:
    config = "url: https://o.example/r\nredirects: {/old/*: /docs/*, /b/:a: https://o.example/r/docs/:a}\n"
    site = build_site(tmp_path, {"site.yml": config, "docs/a.md": "# A\n"})
    found = read_addresses(site.text(LIST)).redirects
    assert found == {"/old/*": "/docs/:splat", "/b/:a": "https://o.example/r/docs/:a"}
