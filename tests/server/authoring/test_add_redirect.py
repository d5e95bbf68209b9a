"""A redirect is added to `site.yml` with one click, and every other line stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import Struct

from builder.build import build
from builder.config.settings_text import InvalidSettings
from builder.output import MemoryOutput
from builder.store import ChangeNote
from server.authoring import site_settings
from server.authoring.open_site import open_site
from server.authoring.put_outcome import ChangeAuthor
from tests.server.authoring.inside import UNLIMITED
from tests.sites import write_site

HEAD = "# Ours\ntitle: 'Boats'   # the name\n\nnav:\n  - {label: A, href: /docs/a}\n"
RULE = "redirects:\n  /old: /docs/a # since May\n"
CASES = [
    ("/docs/b", "/docs/a", HEAD, "redirects:\n  /docs/b: /docs/a\n"),
    ("/docs/b", "/docs/a", HEAD + RULE, "  /docs/b: /docs/a\n"),
    ("/docs/gr%C3%BC%C3%9Fe", "/docs/a#x", HEAD, "redirects:\n  /docs/grüße: /docs/a#x\n"),
    ("/alt%20x", "/docs/a", HEAD, "redirects:\n  /alt x: /docs/a\n"),
    ("/50%25.png", "/docs/a", HEAD, "redirects:\n  /50%25.png: /docs/a\n"),
    ("/chat", "https://o.example/%20", HEAD, "redirects:\n  /chat: https://o.example/%20\n"),
]


class _Identity(Struct):
    id: str = "1"


def _add(root: Path, old: str, new: str) -> str:
    with open_site(root, _Identity(), UNLIMITED) as opened:
        site_settings.add_redirect(opened, old, new, ChangeAuthor(ChangeNote(label="owner"), lambda: None))
        opened.history.catch_up()
        last = opened.history.revisions("site.yml", 1)[0]
        assert (last.note.label, last.files[0].change) == ("owner", "changed")
    return (root / "site.yml").read_bytes().decode()


def test_other_rules_and_what_is_said_of_them_stay(tmp_path: Path) -> None:
    rules = "\r\n".join(
        (
            "redirects: # of former years",
            "    /old: /docs/b   # since May",
            "",
            "    # Gone",
            "    '/b': /docs/x",
            "",
        )
    )
    write_site(tmp_path, {"site.yml": rules + "plan: free\r\n"})
    wanted = rules.replace("/docs/b ", "/docs/c ")
    assert _add(tmp_path, "/old", "/docs/c") == wanted + "plan: free\r\n"
    assert _add(tmp_path, "/c", "/docs/d") == wanted + "    /c: /docs/d\r\nplan: free\r\n"
    back = wanted.replace("    '/b': /docs/x\r\n", "")
    assert _add(tmp_path, "/docs/x", "/b") == back + "    /c: /docs/d\r\n    /docs/x: /b\r\nplan: free\r\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("redirects: {/a: /b}\n", "redirects:\n  /a: /b\n  /old: /new\n"),
        ("redirects:\n", "redirects:\n  /old: /new\n"),
        ("redirects:\n  /new: /old\n", "redirects:\n  /old: /new\n"),
        ("redirects:\n  /a: /b", "redirects:\n  /a: /b\n  /old: /new\n"),
        ("", "redirects:\n  /old: /new\n"),
        ("x: &a\n  /a: /b\nredirects: *a\n", "x: &a\n  /a: /b\nredirects:\n  /a: /b\n  /old: /new\n"),
    ],
)
def test_whatever_stands_there_the_redirect_is_added(tmp_path: Path, before: str, after: str) -> None:
    write_site(tmp_path, {"site.yml": before})
    assert _add(tmp_path, "/old", "/new") == after


@pytest.mark.parametrize(("old", "new", "before", "added"), CASES)
def test_a_redirect_is_added_and_all_else_stays(
    tmp_path: Path, old: str, new: str, before: str, added: str
) -> None:
    site = write_site(tmp_path, {"site.yml": before, "docs/a.md": "# A\n\n## X\n"})
    assert _add(site, old, new) == before + added
    output = MemoryOutput()
    assert build(site, output).diagnostics == ()
    listed = (output.get("_tp/urls.txt") or b"").decode()
    assert f"{old}\t-> {new}\n" in listed


def test_settings_that_cannot_be_read_stay_as_they_are(tmp_path: Path) -> None:
    write_site(tmp_path, {"site.yml": "title: [\n", "docs/a.md": "# A\n"})
    with pytest.raises(InvalidSettings):
        _add(tmp_path, "/b", "/docs/a")
    assert (tmp_path / "site.yml").read_text() == "title: [\n"
