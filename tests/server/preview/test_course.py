from __future__ import annotations

import shutil
from concurrent.futures import Future

import pytest

from builder.errors import ConfigError, ThemeError
from builder.plan.options import Options
from server.preview.next_state import NextState
from tests.sites import write_site

SITE = {"site.yml": "title: Site\n", "docs/a.md": "# A\n"}


def course(root, behind=False):
    return NextState(root, Options(trusted=True), lambda _: Future(), lambda: behind)


def begun(root, behind=False):
    made = course(root, behind)
    made.begin()
    return made


def codes(snapshot):
    return [problem.code for problem in snapshot.problems]


def test_a_fault_of_ours_in_the_first_build_is_a_problem_and_not_the_end(tmp_path, monkeypatch):
    made = course(write_site(tmp_path, SITE))
    monkeypatch.setattr("builder.preview.preview.read_state", failing)
    made.begin()
    snapshot = made.snapshot()
    (problem,) = snapshot.problems
    assert problem.code == "internal-error"
    assert problem.message.startswith("Twinpress failed: ZeroDivisionError: no page ␛[2J can be counted (")
    assert not snapshot.stale
    assert not snapshot.paths
    monkeypatch.undo()
    made.follow(frozenset({"docs/a.md"}), [])
    assert "docs/a.html" in made.snapshot().paths


def failing(*_):
    raise ZeroDivisionError("no page \u001b[2J can be counted")


def test_a_fault_of_ours_later_keeps_the_last_pages(tmp_path, monkeypatch):
    made = begun(write_site(tmp_path, SITE))
    last = made.snapshot()
    monkeypatch.setattr("builder.preview.preview.read_state", failing)
    made.follow(frozenset({"site.yml"}), [])
    snapshot = made.snapshot()
    assert codes(snapshot) == ["internal-error"]
    assert snapshot.stale
    assert snapshot.output is last.output
    assert snapshot.number == last.number + 1
    monkeypatch.undo()
    made.follow(frozenset({"docs/a.md"}), [])
    made.work(10)
    healed = made.snapshot()
    assert healed.problems == ()
    assert not healed.stale


def test_a_folder_that_is_no_site_is_for_the_caller(tmp_path):
    with pytest.raises(ConfigError):
        begun(tmp_path)


def test_a_folder_that_goes_keeps_the_last_pages_until_it_comes_back(tmp_path):
    made = begun(write_site(tmp_path / "site", SITE))
    made.snapshot()
    shutil.rmtree(tmp_path / "site")
    made.follow(frozenset({"docs/a.md"}), [])
    assert codes(made.snapshot()) == ["build-failed"]
    assert b"<h1" in made.get("docs/a.html")
    write_site(tmp_path / "site", SITE)
    made.follow(frozenset({"docs"}), [])
    made.work(10)
    assert made.snapshot().problems == ()


def test_a_site_whose_configuration_was_never_readable_is_shown_with_the_defaults(tmp_path):
    made = begun(write_site(tmp_path, SITE | {"site.yml": "title: [\n"}))
    snapshot = made.snapshot()
    assert "docs/a.html" in snapshot.paths
    made.follow(frozenset({"docs/a.md"}), [])
    again = made.snapshot()
    assert not again.stale
    assert again.output is not snapshot.output


def test_problems_are_complete_when_all_pages_are_made(tmp_path):
    made = begun(write_site(tmp_path, SITE | {"docs/b.md": "[a](a#none)\n"}))
    assert not made.snapshot().complete
    while made.pending:
        made.work(0.001)
    snapshot = made.snapshot()
    assert snapshot.complete
    assert codes(snapshot) == ["broken-anchor"]
    write_site(tmp_path, {"docs/a.md": "# A\n\n## None\n"})
    made.follow(frozenset({"docs/a.md"}), [])
    made.work(10)
    assert made.snapshot().problems == ()


def test_what_somebody_looks_at_is_made_first(tmp_path):
    made = begun(write_site(tmp_path, SITE | {f"docs/p{n}.md": f"# {n}\n" for n in range(9)}))
    made.work(10)
    write_site(tmp_path, {"docs/p3.md": "---\ntitle: Three\n---\n"})
    made.follow(frozenset({"docs/p3.md"}), ["docs/p7.html", "docs/p5.html"])
    assert made.pending == 10
    assert list(made._preview._pending)[:3] == ["docs/p7", "docs/p5", "docs/p3"]


def test_what_this_server_has_written_is_seen_whatever_else_is_told_to_have_changed(tmp_path):
    made = begun(write_site(tmp_path, SITE), behind=True)
    write_site(tmp_path, {"docs/a.md": "# A\n\nMore.\n", "docs/new.md": "# New\n"})
    made.follow(frozenset({"docs/a.md"}), [])
    assert "docs/new.html" in made.snapshot().paths


def test_a_template_that_fails_on_a_page_that_comes_late_is_told_when_it_is_tried(tmp_path, monkeypatch):
    monkeypatch.setattr("builder.preview.preview.TRYING", 0.0)
    own = "theme/templates/footer.html"
    pages = {f"docs/p{n:02}.md": f"# Page {n}\n" for n in range(30)}
    site = write_site(
        tmp_path, {**SITE, **pages, own: "{% if p.title == 'Page 20' %}{{ nobody }}{% endif %}"}
    )
    made = begun(site)
    assert made.pending > 20  # what is not looked at is not made before anything is shown
    assert b"<h1" in made.get("docs/p03.html")
    with pytest.raises(ThemeError):
        made.get("docs/p20.html")
    while made.pending:
        made.work(10)
    assert [problem.message for problem in made.snapshot().problems] == [f"{own}:1: 'nobody' is undefined"]
    write_site(site, {"docs/p03.md": "# Edited\n"})
    made.follow(frozenset({"docs/p03.md"}), [])
    assert codes(made.snapshot()) == ["build-failed"]
    write_site(site, {own: "Mended."})
    made.follow(frozenset({own}), [])
    while made.pending:
        made.work(10)
    assert made.snapshot().problems == ()
    assert b"Mended." in made.get("docs/p20.html")
    assert b"Edited" in made.get("docs/p03.html")
