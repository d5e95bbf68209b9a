from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.store import ContentStore
from server.sync import base_file
from server.sync.base_file import NAME, Base
from server.sync.errors import ServiceRefused, SyncError
from server.sync.sync_report import SyncReport
from tests.server.sync.world import World, bodies, categories, pages, world
from tests.sites import write_site

SITE = {
    "docs/a.md": "# A\n",
    "docs/g/b.mdx": "---\ntitle: B\n---\n\nText.\n",
    "docs/g/_category_.yml": "label: G\n",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("push")) as made:
        yield made


@pytest.fixture
def one(shared: World) -> World:
    """Both sides with the same site, after a push."""
    shared.clear()
    write_site(shared.here, SITE)
    assert shared.push().is_complete
    return shared


def acts(report: SyncReport) -> dict[str, str]:
    return {each.path: each.action for each in report.done}


def base_of(one: World) -> Base:
    found = base_file.load(one.here)
    assert found is not None
    return found


def test_a_first_push_creates_everything(one: World) -> None:
    assert bodies(one.there) == {"docs/a": "# A\n", "docs/g/b": "Text.\n"}
    assert pages(one.there) == pages(one.here)
    assert categories(one.there) == categories(one.here)
    assert set(base_of(one).pages) == {"docs/a", "docs/g/b"}


def test_a_second_push_has_nothing_to_do_and_asks_for_no_body(one: World) -> None:
    before = len(one.server.log)
    assert one.push() == SyncReport(stayed=["site.yml"])
    asked = one.server.logged(before + 3)[before:]
    assert sorted(each.status for each in asked) == [200, 304, 304]


def test_the_frontmatter_there_keeps_its_comments(one: World) -> None:
    write_site(one.there, {"docs/g/b.mdx": "---\n# Told by marketing.\ntitle: B\n---\n\nText.\n"})
    write_site(one.here, {"docs/g/b.mdx": "---\ntitle: B2\n---\n\nMore text.\n"})
    assert acts(one.push()) == {"docs/g/b": "replaced"}
    assert (
        one.there / "docs/g/b.mdx"
    ).read_text() == "---\n# Told by marketing.\ntitle: B2\n---\n\nMore text.\n"


def test_the_order_of_fields_is_no_change(one: World) -> None:
    write_site(one.here, {"docs/a.md": "---\ntitle: A\ndraft: false\n---\n\nA\n"})
    one.push()
    write_site(one.here, {"docs/a.md": "---\ndraft: false\ntitle: A\n---\n\nA\n"})
    assert one.push().done == []


def test_a_conflict_shows_both_sides_and_touches_neither(one: World) -> None:
    write_site(one.here, {"docs/a.md": "# A\n\nOurs.\n", "docs/a.llms.md": "Twin.\n"})
    write_site(one.there, {"docs/a.md": "# A\n\nTheirs.\n"})
    report = one.push()
    (conflict,) = report.conflicts
    assert (conflict.path, conflict.message) == ("docs/a", "changed here and there")
    assert conflict.diff == (
        "--- docs/a.md (theirs)\n+++ docs/a.md (ours)\n@@ -1,3 +1,3 @@\n # A\n \n-Theirs.\n+Ours.\n"
        "--- /dev/null\n+++ docs/a.llms.md (ours)\n@@ -0,0 +1 @@\n+Twin.\n"
    )
    assert (report.done, report.is_complete) == ([], False)
    assert bodies(one.there)["docs/a"] == "# A\n\nTheirs.\n"
    assert one.pull().conflicts[0].diff.startswith("--- docs/a.md (ours)\n+++ docs/a.md (theirs)\n")
    assert bodies(one.here)["docs/a"] == "# A\n\nOurs.\n"


@pytest.mark.parametrize(
    ("side", "expected"), [("ours", ("# Ours\n", "# Ours\n")), ("theirs", ("# Theirs\n", "# Theirs\n"))]
)
@pytest.mark.parametrize("first", ["push", "pull"])
def test_a_conflict_settled_in_one_command_is_settled_for_the_other(
    one: World, first: str, side: str, expected: tuple[str, str]
) -> None:
    write_site(one.here, {"docs/a.md": "# Ours\n"})
    write_site(one.there, {"docs/a.md": "# Theirs\n"})
    assert one.run(first, **{side: ("docs/a",)}).is_complete  # type: ignore[arg-type]
    assert one.push().is_complete
    assert one.pull().is_complete
    assert (bodies(one.here)["docs/a"], bodies(one.there)["docs/a"]) == expected


def test_a_choice_without_a_conflict_is_told(one: World) -> None:
    assert one.push(ours=("docs/a",), theirs=(".",)).unmatched == ["docs/a", "."]


def test_without_a_base_what_differs_is_a_conflict_and_nothing_is_deleted(one: World) -> None:
    (one.here / NAME).unlink()
    (one.here / "docs/g/b.mdx").unlink()
    write_site(
        one.here, {"docs/a.md": "# Ours\n", "docs/new.md": "# New\n", "docs/g/_category_.yml": "label: H\n"}
    )
    report = one.push(prune=True)
    assert acts(report) == {"docs/new": "created"}
    assert {(each.path, each.kind) for each in report.conflicts} == {
        ("docs/a", "page"),
        ("docs/g", "category"),
    }
    assert report.other == ["docs/g/b"]
    assert set(bodies(one.there)) == {"docs/a", "docs/g/b", "docs/new"}


def test_a_page_deleted_here_stays_there_until_that_is_wanted(one: World) -> None:
    write_site(one.there, {"docs/c.md": "[A](a.md)\n"})
    one.pull()
    (one.here / "docs/a.md").unlink()
    assert one.push().unpruned == ["docs/a"]
    assert "docs/a" in bodies(one.there)
    assert one.pull().done == []  # it does not come back either
    report = one.push(prune=True)
    assert acts(report) == {"docs/a": "deleted"}
    (said,) = report.said["docs/a"]
    assert (said.file, said.line, said.code) == ("docs/c.md", 1, "broken-link")
    assert "docs/a" not in bodies(one.there)


def test_a_page_deleted_here_and_changed_there_is_a_conflict(one: World) -> None:
    (one.here / "docs/a.md").unlink()
    write_site(one.there, {"docs/a.md": "# A, changed\n"})
    (conflict,) = one.push(prune=True).conflicts
    assert conflict.message == "removed here and changed there"
    assert conflict.diff == "--- docs/a.md (theirs)\n+++ /dev/null\n@@ -1 +0,0 @@\n-# A, changed\n"
    assert "docs/a" in bodies(one.there)


def test_a_page_renamed_in_case_alone_is_moved(one: World) -> None:
    (one.here / "docs/a.md").rename(one.here / "docs/A.md")
    assert acts(one.push(prune=True, rehearsal=True)) == {"docs/A": "created", "docs/a": "deleted"}
    assert acts(one.push(prune=True)) == {"docs/A": "created", "docs/a": "deleted"}
    assert set(bodies(one.there)) == {"docs/A", "docs/g/b"}


def test_a_rehearsal_tells_the_same_and_changes_nothing(one: World) -> None:
    write_site(
        one.here, {"docs/a.md": "# A\n\n[x](nowhere.md)\n", "docs/n.md": "# N\n", "docs/g/_category_.yml": ""}
    )
    (one.here / "docs/g/b.mdx").unlink()
    before, base = pages(one.there), (one.here / NAME).read_bytes()
    rehearsed = one.push(prune=True, rehearsal=True)
    assert (pages(one.there), (one.here / NAME).read_bytes()) == (before, base)
    assert acts(one.push(prune=True)) == acts(rehearsed)


def test_diagnostics_name_the_lines_of_the_folder(one: World) -> None:
    """Pages that link to each other are sent in any order, and only links that stay broken are told."""
    write_site(one.there, {"docs/a.md": "---\n# A comment.\ntitle: A\n---\n\n# A\n"})
    one.pull()
    text = "---\ntitle: A\n---\n\n[b](new.md) [c](nowhere.md)\n"
    write_site(one.here, {"docs/a.md": text, "docs/new.md": "[a](a.md)\n\n<b>\n"})
    report = one.push()
    found = [(each.file, each.line, each.column, each.code) for said in report.said.values() for each in said]
    assert found == [("docs/a.md", 5, 17, "broken-link")]
    assert (one.there / "docs/a.md").read_text().startswith("---\n# A comment.\n")


def test_what_stays_behind_is_listed(one: World) -> None:
    files = {
        "docs/x.png": "x",
        "static/robots.txt": "",
        "theme/words.json": "{}",
        "docs/_category_.json": "{}",
        "docs/_part.mdx": "Part.",
        "_components/Plan.mdx": "Plan.",
        "sidebar.yml": "[]",
    }
    write_site(one.here, files)
    report = one.push()
    files_there = ["docs/_part.mdx", "docs/x.png", "static/robots.txt"]
    folders = ["theme/", "_components/"]
    assert report.stayed == ["site.yml", "sidebar.yml", "docs/_category_.json", *folders, *files_there]
    (one.here / "theme/words.json").unlink()
    (one.here / "theme").rmdir()


def test_one_push_or_pull_runs_in_a_folder_at_a_time(one: World) -> None:
    with base_file.alone(one.here):
        for run in (one.push, one.pull):
            with pytest.raises(SyncError, match="under way"):
                run()
    assert one.push().is_complete


UNREAD = {
    "docs/a.md": b"\xff\xfe broken",
    "docs/g/b.mdx": b"---\ntitle: [\n---\n\nText.\n",
}


def test_what_cannot_be_read_whole_is_left_alone_on_both_sides(one: World) -> None:
    write_site(one.here, UNREAD)
    write_site(one.there, {"docs/a.md": "# Theirs\n"})
    for report in (one.push(prune=True), one.pull(prune=True)):
        assert set(report.unread) == {"docs/a", "docs/g/b"}
        assert (report.done, report.conflicts) == ([], [])
    assert (one.here / "docs/a.md").read_bytes() == UNREAD["docs/a.md"]


@pytest.mark.parametrize("place", ["docs", "docs/g", "docs/g/b.mdx"])
def test_a_link_in_the_place_of_pages_deletes_nothing_there(one: World, place: str) -> None:
    (one.here / place).rename(one.here / "elsewhere")
    (one.here / place).symlink_to(one.here / "elsewhere")
    report = one.push(prune=True)
    (one.here / place).unlink()
    (one.here / "elsewhere").rename(one.here / place)
    assert report.done == []
    assert set(report.unread) == {place.removesuffix(".mdx")}
    assert set(bodies(one.there)) == {"docs/a", "docs/g/b"}


def test_a_page_too_large_to_be_given_is_not_taken_for_deleted(one: World) -> None:
    (one.there / "docs/a.md").write_text("# A\n" + "x" * 2**20)
    report = one.pull(prune=True)
    assert set(report.unread) == {"docs/a"}
    assert "docs/a" in bodies(one.here)
    write_site(one.here, {"docs/a.md": "# Other\n"})
    assert one.push().done == []


@pytest.mark.parametrize(
    ("file", "text", "code"),
    [
        ("docs/a.md", "---\ntitle: [1]\n---\n\nA\n", "INVALID_BODY"),
        ("docs/A.md", "# A\n", "PATH_CONFLICT"),
        ("docs/g/_category_.yml", f"label: {'x' * 600}\n", "INVALID_BODY"),
    ],
)
def test_what_the_service_refuses_is_told_and_the_rest_is_sent(
    one: World, file: str, text: str, code: str
) -> None:
    write_site(one.here, {file: text, "docs/z.md": "# Z\n"})
    report = one.push()
    assert [each.code for each in report.refused] == [code]
    assert acts(report)["docs/z"] == "created"
    assert not report.is_complete


def test_a_page_that_the_service_keeps_as_a_draft_is_brought_back(one: World) -> None:
    """Changes that the service makes unasked show as changes there."""
    write_site(one.there, {"docs/a.md": "---\ntitle: [\ndraft: true\n---\n\n# A\n"})
    write_site(one.here, {"docs/a.md": "---\ntitle: A\n---\n\n# New\n"})
    report = one.push()
    assert [each.code for each in report.said["docs/a"]] == [
        "frontmatter-replaced",
        "draft-kept",
    ] or report.done
    assert one.push().done == []
    pulled = one.pull()
    assert (acts(pulled), pulled.conflicts) == ({"docs/a": "replaced"}, [])
    assert pages(one.here)["docs/a"] == pages(one.there)["docs/a"]
    assert pages(one.here)["docs/a"].frontmatter["draft"] is True


def test_a_folder_goes_with_one_site(one: World, tmp_path: Path) -> None:
    with world(tmp_path) as other:
        (other.here / NAME).write_bytes((one.here / NAME).read_bytes())
        with pytest.raises(SyncError, match="the key opens"):
            other.push()


def test_the_address_of_the_same_site_may_change(one: World) -> None:
    one.port = one.server.port
    text = (one.here / NAME).read_text()
    (one.here / NAME).write_text(text.replace(str(one.port), "1"))
    assert one.push().is_complete
    assert (one.here / NAME).read_text() == text


def test_a_key_that_opens_nothing_is_told_with_its_code(one: World) -> None:
    good = one.server.long
    one.server.long = one.server.short.replace("dpk_", "svc_docs_")
    try:
        with pytest.raises(ServiceRefused, match="BAD_KEY"):
            one.push()
    finally:
        one.server.long = good


OTHER_VERSION = '{"version": 2, "service": "", "site": "", "pages": {}, "categories": {}}'


@pytest.mark.parametrize("text", ["", "{", "[]", OTHER_VERSION, "<<<<<<< ours\n{}\n"])
def test_a_base_that_cannot_be_read_is_an_error(one: World, text: str) -> None:
    (one.here / NAME).write_text(text)
    with pytest.raises(SyncError, match=NAME):
        one.push()


def test_a_base_that_is_a_link_is_not_followed(one: World) -> None:
    (one.here / NAME).rename(one.here / "elsewhere.json")
    (one.here / NAME).symlink_to(one.here / "elsewhere.json")
    with pytest.raises(Exception, match="symbolic links"):
        one.push()
    (one.here / NAME).unlink()


def test_the_base_is_sorted_a_page_a_line_and_keeps_no_secret(one: World) -> None:
    write_site(one.here, {"docs/0.md": "# 0\n"})
    one.push()
    lines = (one.here / NAME).read_text().splitlines()
    named = [line.split('"')[1] for line in lines if line.startswith('"docs/')]
    assert named == ["docs/0", "docs/a", "docs/g/b", "docs/g"]
    assert one.server.long not in "\n".join(lines)
    assert base_file.encode(base_of(one)).decode().splitlines() == lines


def test_a_pull_is_in_the_history_and_git_ignores_it(one: World) -> None:
    write_site(one.there, {"docs/a.md": "# Theirs\n"})
    assert acts(one.pull()) == {"docs/a": "replaced"}
    assert (one.here / ".twinpress/.gitignore").read_text().endswith("*\n")
    with ContentStore(one.here) as store:
        assert store.read("docs/a").text == "# Theirs\n"


def test_the_category_of_docs_itself_is_no_change_on_any_side(one: World) -> None:
    write_site(one.there, {"docs/_category_.yml": "label: All\n"})
    for report in (one.pull(), one.push()):
        assert (report.done, report.refused, report.other) == ([], [], [])
    write_site(
        one.here, {"docs/_category_.yml": "label: Everything\n", "docs/g/_category_.yml": "label: H\n"}
    )
    assert [each.path for each in one.push().done] == ["docs/g"]
