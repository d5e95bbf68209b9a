"""A docstring opens with what the thing is or does: the rule of CONTRIBUTING, held over all code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUESTIONS = {"how", "what", "whatever", "when", "where", "whether", "which", "who", "whoever", "why"}
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _openings(source: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            yield getattr(node, "name", "the module"), text.split()[0].split("'")[0].strip(",:").lower()


def _asking(path: Path) -> list[str]:
    openings = _openings(path.read_text("utf-8"))
    return [f"{path.relative_to(ROOT)}: {name}" for name, word in openings if word in QUESTIONS]


@pytest.mark.parametrize("package", ["builder", "components", "server", "tests"])
def test_no_docstring_opens_with_a_question(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert [place for path in files for place in _asking(path)] == []
    assert files


@pytest.mark.parametrize("opening", ["What it is.", "Whether it is so.", "Who's there."])
def test_a_question_is_found(opening: str) -> None:
    assert [word for _, word in _openings(f'"""{opening}"""') if word in QUESTIONS]
