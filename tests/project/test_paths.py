"""Every file, folder and module that the guides for contributors name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDES = ("CONTRIBUTING.md", "SECURITY.md", "README.md", "sample-site/docs/project/architecture.mdx")
PLACES = "|".join(("builder", "components", "server", "themes", "tests", "sample-site", r"\.ci", r"\.github"))
PATH = re.compile(rf"`((?:{PLACES})/[^`\s]*)`")
MODULE = re.compile(r"python -m ((?:builder|components|server|tests)(?:\.\w+)+)")
WRITTEN = {"tests/artifacts/pictures/"}
"""Paths that tests write, and no clone has."""
TASKS = 20


def _text(guide: str) -> str:
    return (ROOT / guide).read_text("utf-8")


def _named(guide: str) -> set[str]:
    """Paths of the repository in a guide; those with a `<name>` to be filled in are patterns."""
    return {re.sub(r"<\w+>", "*", path) for path in PATH.findall(_text(guide))}


@pytest.mark.parametrize("guide", GUIDES)
def test_every_path_that_a_guide_names_exists(guide: str) -> None:
    named = _named(guide) - WRITTEN
    assert sorted(path for path in named if not list(ROOT.glob(path.rstrip("/")))) == []


@pytest.mark.parametrize("guide", GUIDES)
def test_every_module_that_a_guide_runs_exists(guide: str) -> None:
    modules = [name.replace(".", "/") for name in MODULE.findall(_text(guide))]
    assert [name for name in modules if not (ROOT / f"{name}.py").is_file()] == []


def _tasks() -> dict[str, str]:
    """The map: what somebody wants to change, and where to go for it."""
    part = _text("CONTRIBUTING.md").split("## Where to change what\n", 1)[1].split("\n## ", 1)[0]
    rows = [row.strip("| ").split(" | ") for row in part.splitlines() if row.startswith("|")]
    return {task: " ".join(places) for task, *places in rows[2:]}


def test_the_map_of_tasks_names_a_place_for_each() -> None:
    tasks = _tasks()
    assert len(tasks) >= TASKS
    assert [task for task, places in tasks.items() if not PATH.search(places)] == []


def test_every_recipe_that_the_map_leads_to_is_there() -> None:
    headings = re.findall(r"^## (.+)$", _text("CONTRIBUTING.md"), re.MULTILINE)
    slugs = {re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-")) for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", _text("CONTRIBUTING.md"))) <= slugs


def test_every_package_has_its_row_in_the_layout() -> None:
    packages = {
        f"{top}/{path.name}/"
        for top in ("builder", "server")
        for path in (ROOT / top).iterdir()
        if (path / "__init__.py").is_file()
    }
    assert sorted(packages - _named("CONTRIBUTING.md")) == []
