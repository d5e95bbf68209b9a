from __future__ import annotations

import os

import pytest

from tests.server.commands import serving
from tests.sites import write_site

SITE = {
    "site.yml": "title: Site\n",
    "docs/index.md": "# Start\n",
    "docs/a.mdx": "# A\n\nFirst.\n",
    "docs/b.md": "# B\n",
}


@pytest.fixture
def site(tmp_path):
    return write_site(tmp_path / "site", SITE)


def until(states, condition):
    """The first state for which the condition holds; the stream's time-out ends a vain wait."""
    return next(state for state in states if condition(state))


def codes(state):
    return [problem["code"] for problem in state["problems"]]


def test_an_edit_is_told_to_the_page_that_changed_and_served(site):
    with serving(site) as preview, preview.states("/docs/a") as states, preview.states("/docs/b") as others:
        before, other = next(states), next(others)
        assert preview.get("/docs/a").headers["server-timing"] == f'page;desc="{before["page"]}"'
        write_site(site, {"docs/a.mdx": "# A\n\nSecond.\n"})
        until(states, lambda state: state["page"] != before["page"])
        assert next(others)["page"] == other["page"]
        assert "Second." in preview.get("/docs/a").text
        preview.says("docs/a.mdx")


def test_pages_come_and_go_with_their_files(site):
    with serving(site) as preview, preview.states("/docs/new") as states:
        before = next(states)
        assert preview.get("/docs/new").status == 404
        write_site(site, {"docs/new.md": "# New\n"})
        assert until(states, lambda state: state["page"] != before["page"])
        assert preview.get("/docs/new").status == 200
        (site / "docs/new.md").unlink()
        until(states, lambda _: preview.get("/docs/new").status == 404)


def test_a_problem_is_shown_with_its_place_and_goes_when_it_is_mended(site):
    with serving(site) as preview, preview.states("/docs/a") as states:
        assert next(states)["problems"] == []
        write_site(site, {"docs/a.mdx": "# A\n\nSee [this](nowhere.md).\n"})
        state = until(states, codes)
        (problem,) = state["problems"]
        assert (problem["code"], problem["file"], problem["line"], problem["column"]) == (
            "broken-link",
            "docs/a.mdx",
            3,
            12,
        )
        assert problem["source"] == "See [this](nowhere.md)."
        assert problem["caret"] == 11
        assert (state["errors"], state["warnings"]) == (1, 0)
        preview.says("docs/a.mdx:3:12: error: ")
        write_site(site, {"docs/a.mdx": "# A\n\nSee [this](b.md).\n"})
        assert until(states, lambda state: not state["problems"])


def test_problems_of_the_page_come_before_those_of_others(site):
    write_site(site, {f"docs/{name}.md": "[x](nowhere.md)\n" for name in ("aa", "m", "z")})
    with serving(site) as preview, preview.states("/docs/m") as states:
        state = until(states, lambda state: len(codes(state)) > 2)
        assert [problem["file"] for problem in state["problems"]] == [
            "docs/m.md",
            "docs/aa.md",
            "docs/z.md",
        ]


def test_a_broken_configuration_keeps_the_last_pages_and_is_told(site):
    with serving(site) as preview, preview.states() as states:
        next(states)
        write_site(site, {"site.yml": "title: [\n"})
        state = until(states, codes)
        assert codes(state) == ["config-invalid"]
        assert state["stale"]
        assert "Site" in preview.get("/docs/").text
        write_site(site, {"site.yml": "title: Renamed\n"})
        state = until(states, lambda state: not codes(state))
        assert not state["stale"]
        assert "Renamed" in preview.get("/docs/").text


def test_a_site_that_vanishes_and_comes_back_is_shown_again(site):
    with serving(site) as preview, preview.states() as states:
        next(states)
        for name in SITE:
            (site / name).rename(site / f"{name.replace('/', '-')}.away")
        (site / "docs").rmdir()
        assert "build-failed" in codes(until(states, codes))
        assert preview.get("/docs/a").status == 200
        write_site(site, SITE)
        assert until(states, lambda state: not codes(state))


BAD = {
    "bytes": {"docs/a.mdx": b"\xff\xfe\x00 not text"},
    "frontmatter": {"docs/a.mdx": "---\ntitle: [\n---\n"},
    "depth": {"docs/a.mdx": "<Tabs>" * 3000},
    "category": {"docs/_category_.yml": "- no\n- mapping\n"},
    "name": {"docs/a b.mdx": "# Bad name\n"},
    "conflict": {"docs/b.mdx": "# Twice\n"},
}


def test_bad_content_is_told_and_the_preview_lives_on(site):
    with serving(site) as preview, preview.states() as states:
        next(states)
        for files in BAD.values():
            write_site(site, files)
            until(states, codes)
            assert preview.get("/docs/").status == 200
            for name in files.keys() - SITE.keys():
                (site / name).unlink()
            write_site(site, SITE)
            until(states, lambda state: not codes(state))


def test_a_changed_image_is_told_to_pages(site):
    write_site(site, {"docs/pic.png": b"one"})
    with serving(site) as preview, preview.states("/docs/a") as states:
        before = next(states)
        write_site(site, {"docs/pic.png": b"two"})
        after = until(states, lambda state: state["assets"] != before["assets"])
        assert after["page"] == before["page"]
        assert preview.get("/docs/pic.png").body == b"two"


def test_files_that_are_no_sources_build_nothing(site):
    with serving(site) as preview, preview.states() as states:
        next(states)
        write_site(
            site,
            {
                "dist/index.html": "x",
                ".git/index": "x",
                ".twinpress/cache/x": "x",
                "notes.txt": "x",
                "docs/a.mdx~": "x",
                "docs/.a.mdx.swp": "x",
                "docs/4913": "x",
                "docs/.#a.mdx": "x",
                "docs/#a.mdx#": "x",
                "node_modules/x/docs/a.md": "x",
            },
        )
        write_site(site, {"docs/b.md": "# Changed\n"})
        next(states)
        assert preview.says("rebuilt").endswith(": docs/b.md")


def test_many_changes_at_once_are_few_builds(site):
    with serving(site) as preview, preview.states() as states:
        next(states)
        write_site(site, {f"docs/many/p{n}.md": f"# {n}\n" for n in range(200)})
        until(states, lambda _: preview.get("/docs/many/p199").status == 200)
        assert len([line for line in preview.lines if "rebuilt" in line]) <= 4


def test_the_ways_in_which_editors_save_are_all_seen(site):
    page = site / "docs/a.mdx"
    with serving(site) as preview, preview.states("/docs/a") as states:
        next(states)
        (site / "docs/.a.mdx.tmp").write_text("# A\n\nBy renaming.\n")
        (site / "docs/.a.mdx.tmp").replace(page)
        until(states, lambda _: "By renaming." in preview.get("/docs/a").text)
        page.rename(site / "docs/a.mdx~")
        page.write_text("# A\n\nAfter a backup.\n")
        until(states, lambda _: "After a backup." in preview.get("/docs/a").text)
        with page.open("r+") as file:
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
            file.write("# A\n\nIn place.\n")
        until(states, lambda _: "In place." in preview.get("/docs/a").text)
