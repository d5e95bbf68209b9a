"""The network goes away at each request in turn; the next run ends as one that nothing has disturbed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from server.sync import base_file
from server.sync.base_file import Base
from server.sync.errors import ServiceUnreachable
from server.sync.service_client import Patience
from server.sync.sync_desk import Direction
from server.sync.sync_report import SyncReport
from tests.server.sync.cut_proxy import CutProxy, When, cut_proxy
from tests.server.sync.world import World, categories, pages, world
from tests.sites import write_site

START = {
    "docs/a.md": "# A\n", "docs/b.mdx": "# B\n", "docs/g/c.md": "# C\n", "docs/g/d.md": "# D\n",
    "docs/g/_category_.yml": "label: G\nposition: 1\n", "docs/h/_category_.yml": "label: H\n",
    "docs/h/e.md": "# E\n", "docs/old.md": "# Old\n",
}  # fmt: skip
CHANGED = {
    "docs/a.md": "# A, changed\n", "docs/a.llms.md": "# A for agents\n", "docs/new.md": "# New\n",
    "docs/b.md": "# B as md\n", "docs/g/_category_.yml": "label: G\nposition: 3\n",
    "docs/h/_category_.yml": "label: H\ncollapsed: true\n", "docs/g/d.md": "# D of one\n",
}  # fmt: skip
OTHER = {"docs/g/d.md": "# D of the other\n", "docs/g/c.md": "# C of the other\n"}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("cut")) as made:
        yield made


@pytest.fixture(scope="module")
def proxy(one: World) -> Iterator[CutProxy]:
    with cut_proxy(one.server.port) as made:
        one.port = made.port
        yield made


def prepare(one: World, proxy: CutProxy, direction: Direction) -> None:
    """Both sides after a push, with changes on each, and most on the one that is to be written from."""
    proxy.allow(10**9)
    one.clear()
    write_site(one.here, START)
    assert one.push().is_complete
    source, target = (one.here, one.there) if direction == "push" else (one.there, one.here)
    write_site(source, CHANGED)
    for gone in ("docs/b.mdx", "docs/old.md"):
        (source / gone).unlink()
    write_site(target, OTHER)


def outcome(one: World, report: SyncReport) -> tuple[object, ...]:
    """Return what both sides have, what the base says, and what is in conflict."""
    sides = [(pages(site), categories(site)) for site in (one.here, one.there)]
    saved = base_file.load(one.here)
    assert isinstance(saved, Base)
    known = {path: state.content for path, state in saved.pages.items()}
    return (*sides, known, saved.categories, sorted(each.path for each in report.conflicts))


REQUESTS = {"push": 14, "pull": 8}
"""So many are asked without a disturbance."""


# An answer that is lost leaves more to find again than a request that was never heard: that is for nights.
IN_TURN = pytest.mark.parametrize("when", ["after", pytest.param("before", marks=pytest.mark.slow)])


@IN_TURN
@pytest.mark.parametrize("direction", ["push", "pull"])
def test_the_run_after_a_cut_ends_as_one_without(
    one: World, proxy: CutProxy, direction: Direction, when: When
) -> None:
    prepare(one, proxy, direction)
    proxy.allow(10**9)
    expected = outcome(one, one.run(direction, prune=True))
    number = len(proxy.seen)
    assert number == REQUESTS[direction]
    assert expected[-1] == ["docs/g/d"]
    for place in range(number):
        prepare(one, proxy, direction)
        proxy.allow(place, when)
        with pytest.raises(ServiceUnreachable, match="does not answer"):
            one.run(direction, prune=True)
        proxy.allow(10**9)
        assert outcome(one, one.run(direction, prune=True)) == expected, (place, proxy.seen)


@IN_TURN
def test_a_request_that_is_lost_once_is_sent_again(one: World, proxy: CutProxy, when: When) -> None:
    prepare(one, proxy, "push")
    proxy.allow(10**9)
    expected = outcome(one, one.push(prune=True))
    for place in range(len(proxy.seen)):
        prepare(one, proxy, "push")
        proxy.allow(place, when, once=True)
        report = one.push(prune=True, patience=Patience(losses=3, pause=0.001))
        assert outcome(one, report) == expected, (place, proxy.seen)


def test_a_base_that_was_lost_is_found_again_where_both_sides_are_the_same(
    one: World, proxy: CutProxy
) -> None:
    prepare(one, proxy, "push")
    shutil.copy(one.here / base_file.NAME, one.here / "kept.json")
    expected = outcome(one, one.push(prune=True))
    (one.here / "kept.json").replace(one.here / base_file.NAME)
    assert outcome(one, one.push(prune=True)) == expected
    with suppress(FileNotFoundError):
        Path(one.here / base_file.NAME).unlink()
    again = one.push(prune=True)
    assert {each.path for each in again.conflicts} == {"docs/g/c", "docs/g/d"}
    assert again.done == []
