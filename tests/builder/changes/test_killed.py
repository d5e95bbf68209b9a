"""A whole change is there or it is not: its process is killed at each step of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.changes.plan_changes import ChangesPlan
from builder.changes.steps import (
    CategoryStep,
    DeleteStep,
    EditStep,
    MoveStep,
    Step,
    TextReplacement,
    WriteStep,
)
from builder.store import ContentStore
from tests.builder.changes.changed_sites import content, planned
from tests.builder.children import in_child
from tests.builder.store.test_crash import at_step, kill
from tests.builder.trees import in_memory, make

SITE = {
    "site.yml": "title: T\n",
    "docs/a.mdx": "A, see [b](./b)\n",
    "docs/b.md": "B\n",
    "docs/b.llms.md": "B for machines\n",
    "docs/old/c.md": "C\n",
}
STEPS: tuple[Step, ...] = (
    MoveStep("docs/b", "docs/new/b"),
    WriteStep("docs/new/d", "mdx", {"title": "D"}, "[b](./b)\n"),
    EditStep("docs/a", (TextReplacement("A, see", "A: see"),)),
    DeleteStep("docs/old/c"),
    CategoryStep("docs/new", {"label": "New"}),
)
MOST = 400
DAILY = (1, 12, 25, 40, 55, 70, 85)
"""Some of the steps at which it is killed each day."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as made:
        yield made


def killed_at(site: Path, plan: ChangesPlan, step: int) -> tuple[str, dict[str, bytes]]:
    """Make a change in a process that is killed at a step; what it said, and the site at the next opening."""
    make(site, SITE)

    def change() -> str:
        with ContentStore(site) as store:
            at_step(step, kill)
            store.put_back(plan.replacement)
        return "done"

    said = in_child(change)
    with ContentStore(site):
        found = content(site)
    shutil.rmtree(site)
    return said, found


def states(folder: Path) -> tuple[ChangesPlan, dict[str, bytes], dict[str, bytes]]:
    """The plan, and the site before and after it."""
    site = make(folder / "after", SITE)
    plan, before = planned(site, *STEPS), content(site)
    with ContentStore(site) as store:
        store.put_back(plan.replacement)
    return plan, before, content(site)


@pytest.mark.parametrize("step", DAILY)
def test_a_whole_change_killed_on_its_way_is_made_or_is_not(folder: Path, step: int) -> None:
    plan, before, after = states(folder)
    _, found = killed_at(folder / "site", plan, step)
    assert found in (before, after)


@pytest.mark.slow
def test_a_whole_change_killed_at_any_step_is_made_or_is_not(folder: Path) -> None:
    plan, before, after = states(folder)
    outcomes = []
    for step in range(1, MOST):
        said, found = killed_at(folder / "site", plan, step)
        assert found in (before, after), f"killed at step {step}"
        outcomes.append(found == after)
        if said == "done":
            break
    assert outcomes == sorted(outcomes), "once a change is decided, it is not taken back"
    assert (outcomes[0], outcomes[-1], len(outcomes) > max(DAILY)) == (False, True, True)
