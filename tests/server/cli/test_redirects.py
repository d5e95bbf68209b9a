"""`twinpress redirect`: readers of old addresses are led on, and what is refused changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from builder.build import build
from builder.errors import TwinpressError
from builder.output import MemoryOutput
from server.cli.actions import page_history, redirects
from server.history import History
from tests.server.commands import twinpress
from tests.sites import write_site

HEAD = "# Ours\ntitle: Boats   # the name\nurl: https://o.example/manual\nextras: [slug]\n"
RULES = "redirects: # of former years\n  /a: /docs/b   # since May\n  /old/*: /docs/*\n"
FILES = {
    "site.yml": HEAD + RULES,
    "docs/b.md": "# B\n",
    "docs/g/index.md": "# G\n",
    "docs/g/named.mdx": "---\nslug: /setup\n---\n# N\n",
    "docs/draft.md": "---\ndraft: true\n---\n# D\n",
    "docs/hidden.md": "---\nunlisted: true\n---\n# H\n",
    "pages/about.md": "# About\n",
    "static/logo.svg": "<svg/>",
}

ADDED = [
    ("/x", "/docs/b", "  /x: /docs/b\n"),
    ("/x", "/docs/b#top", "  /x: /docs/b#top\n"),
    ("/alt%20x", "/docs/b", "  /alt x: /docs/b\n"),
    ("/gr\u00fc\u00dfe/", "/docs/g/", "  /gr\u00fc\u00dfe/: /docs/g/\n"),
    ("/50%25", "/docs/b", "  /50%25: /docs/b\n"),
    ("/x", "/setup", "  /x: /setup\n"),
    ("/x", "https://chat.example/%20", "  /x: https://chat.example/%20\n"),
    ("/x", "https://o.example/manual/docs/b", "  /x: https://o.example/manual/docs/b\n"),
    ("/x", "/a", "  /x: /docs/b\n"),
    ("/x", "/a#top", "  /x: /docs/b#top\n"),
    ("/x", "/old/b", "  /x: /docs/b\n"),
    ("/n/:year/:name", "https://b.example/:name", "  /n/:year/:name: https://b.example/:name\n"),
    ("/docs/g/named", "/setup", "  /docs/g/named: /setup\n"),
]

REFUSED = [
    ("/docs/b", "/docs/g/", "there is a page or file"),
    ("/docs/b.html", "/docs/g/", "there is a page or file"),
    ("/docs/g/", "/docs/b", "there is a page or file"),
    ("/docs/g/index", "/docs/b", "there is a page or file"),
    ("/setup", "/docs/b", "there is a page or file"),
    ("/docs/draft", "/docs/b", "there is a page or file"),
    ("/docs/hidden", "/docs/b", "there is a page or file"),
    ("/about", "/docs/b", "there is a page or file"),
    ("/logo.svg", "/docs/b", "there is a page or file"),
    ("/x", "/x", "in a circle"),
    ("/x", "/x.html#top", "in a circle"),
    ("/x", "https://o.example/manual/x", "in a circle"),
    ("/p/*", "/p/new", "in a circle"),
    ("x", "/docs/b", "no path from the site's root"),
    ("https://o.example/x", "/docs/b", "no path from the site's root"),
    ("/x", "javascript:alert(1)", "may be linked"),
    ("/*", "/docs/b", "no pattern"),
    ("/x/*", "/docs/:name", "no pattern"),
]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with two redirects."""
    return write_site(tmp_path, FILES)


def _settings(site: Path) -> str:
    return (site / "site.yml").read_bytes().decode()


@pytest.mark.parametrize(("old", "new", "added"), ADDED)
def test_a_redirect_is_one_more_line_that_a_build_follows(site: Path, old: str, new: str, added: str) -> None:
    assert redirects.add(old=old, new=new, site=site) == 0
    assert _settings(site) == HEAD + RULES + added
    assert [one for one in build(site, MemoryOutput()).diagnostics if one.file == "site.yml"] == []


@pytest.mark.parametrize(("old", "new", "words"), REFUSED)
def test_what_hides_a_page_or_leads_nowhere_for_ever_is_refused(
    site: Path, old: str, new: str, words: str
) -> None:
    with pytest.raises(TwinpressError, match=words):
        redirects.add(old=old, new=new, site=site)
    assert _settings(site) == HEAD + RULES


def test_a_redirect_that_led_to_the_old_address_leads_on_at_once(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "docs/b.md").rename(site / "docs/c.md")
    assert redirects.add(old="/docs/b", new="/docs/c", site=site) == 0
    rules = RULES.replace("/docs/b ", "/docs/c ")
    assert _settings(site) == HEAD + rules + "  /docs/b: /docs/c\n"
    assert "/a -> /docs/c: changed, it led to /docs/b" in capsys.readouterr().out


def test_an_old_circle_is_refused_whichever_of_its_redirects_comes_last(site: Path) -> None:
    write_site(site, {"site.yml": "redirects:\n  /p: /q\n  /q: /r\n"})
    with pytest.raises(TwinpressError, match="in a circle"):
        redirects.add(old="/r", new="/p", site=site)


def test_a_target_that_is_not_there_is_told_with_the_nearest(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert redirects.add(old="/x", new="/docs/bb", site=site) == 1
    assert "did you mean `/docs/b`?" in capsys.readouterr().err
    assert redirects.add(old="/y", new="/docs/draft", site=site) == 1


def test_what_is_there_already_is_no_change(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert redirects.add(old="/a.html", new="/docs/b", site=site) == 0
    assert capsys.readouterr().err == "Everything is like that already.\n"
    assert redirects.add(old="/a", new="/docs/g/", site=site) == 0
    assert _settings(site) == HEAD + RULES.replace("/docs/b ", "/docs/g/ ")


def test_rules_of_the_file_for_hosts_stay_where_they_are(site: Path) -> None:
    write_site(site, {"static/_redirects": "/theirs /docs/b 301\n"})
    for call in (
        lambda: redirects.add(old="/theirs", new="/docs/g/", site=site),
        lambda: redirects.remove(old="/theirs", site=site),
    ):
        with pytest.raises(TwinpressError, match="stands in another file") as told:
            call()
        assert told.value.path == "static/_redirects:1"
    redirects.add(old="/x", new="/theirs", site=site)
    assert _settings(site) == HEAD + RULES + "  /x: /docs/b\n"


def test_removing_leaves_the_others_and_the_last_one_takes_the_field_along(site: Path) -> None:
    redirects.remove(old="/a.html", site=site)
    assert _settings(site) == HEAD + RULES.replace("  /a: /docs/b   # since May\n", "")
    redirects.remove(old="/old/*", site=site)
    assert _settings(site) == HEAD
    with pytest.raises(TwinpressError, match="there is no redirect"):
        redirects.remove(old="/a", site=site)


def test_each_change_can_be_undone_to_the_same_bytes(site: Path) -> None:
    before = (site / "site.yml").read_bytes()
    redirects.add(old="/x", new="/docs/b", site=site)
    with History(site / ".twinpress/state") as kept:
        revision = kept.revisions("site.yml", 1)[0]
    assert (revision.note.act, revision.note.about) == ("redirect", "/x -> /docs/b")
    assert page_history.undo(revision=revision.id[:8], key="", leave_conflicts=False, site=site) == 0
    assert (site / "site.yml").read_bytes() == before


def test_a_person_adds_lists_and_removes_redirects(site: Path) -> None:
    done = twinpress("redirect", "add", "/x", "/docs/b", "--site", site, cwd=site.parent)
    assert (done.returncode, done.stdout) == (0, "/x -> /docs/b: added\n")
    assert "twinpress undo" in done.stderr
    told = twinpress("redirect", "list", cwd=site).stdout
    assert told == (
        "/a -> /docs/b  (site.yml:6)\n/old/* -> /docs/*  (site.yml:7)\n/x -> /docs/b  (site.yml:8)\n"
    )
    known = json.loads(twinpress("redirect", "list", "--format", "json", cwd=site).stdout)
    assert known[2] == {"from": "/x", "to": "/docs/b", "place": "site.yml:8"}
    refused = twinpress("redirect", "add", "/docs/b", "/docs/g/", cwd=site)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there is a page or file at this address" in refused.stderr
    assert twinpress("redirect", "remove", "/x", cwd=site).returncode == 0
