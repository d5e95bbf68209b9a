from __future__ import annotations

import pytest

from builder.build import Options
from builder.errors import ConfigError
from server.preview.snapshot import first, following
from tests.sites import write_site

SITE = {"site.yml": "title: Site\n", "docs/a.md": "# A\n"}


def quiet(done, total):
    pass


def failing(done, total):
    raise ZeroDivisionError("no page \u001b[2J can be counted")


def test_a_fault_of_ours_in_the_first_build_is_a_problem_and_not_the_end(tmp_path):
    snapshot = first(write_site(tmp_path, SITE), Options(), failing)
    (problem,) = snapshot.problems
    assert problem.code == "internal-error"
    assert problem.message.startswith("Twinpress failed: ZeroDivisionError: no page ␛[2J can be counted (")
    assert not snapshot.stale
    assert not snapshot.paths


def test_a_fault_of_ours_later_keeps_the_last_pages(tmp_path):
    last = first(write_site(tmp_path, SITE), Options(), quiet)
    no_path = object()
    snapshot = following(no_path, Options(), last, frozenset({"docs/a.md"}))
    assert [problem.code for problem in snapshot.problems] == ["internal-error"]
    assert snapshot.stale
    assert snapshot.output is last.output
    assert snapshot.number == last.number + 1
    healed = following(tmp_path, Options(), snapshot, frozenset({"docs/a.md"}))
    assert healed.problems == ()
    assert not healed.stale


def test_a_folder_that_is_no_site_is_for_the_caller(tmp_path):
    with pytest.raises(ConfigError):
        first(tmp_path, Options(), quiet)


def test_a_site_whose_configuration_was_never_readable_is_shown_with_the_defaults(tmp_path):
    snapshot = first(write_site(tmp_path, SITE | {"site.yml": "title: [\n"}), Options(), quiet)
    assert "docs/a.html" in snapshot.paths
    again = following(tmp_path, Options(), snapshot, frozenset({"docs/a.md"}))
    assert not again.stale
    assert again.output is not snapshot.output
