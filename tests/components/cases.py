"""Reads the cases of this folder's fixtures.

A case is a title and four parts, each ended by a line with a dot: the component as JSON (see `tree.py`), its
HTML (broken at will between tags; an icon is `{icon name}`), its twin, and what it reports, a line each.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components import icons

FIXTURES = Path(__file__).parent / "fixtures"
_DOT = re.compile(r"^\.(?:\n|\Z)", re.MULTILINE)
_BETWEEN_TAGS = re.compile(r"(?<=>)\n\s*(?=<)")


@dataclass(frozen=True)
class Case:
    title: str
    node: Any
    html: str
    twin: str
    reports: list[str]


def cases():
    return [case for file in sorted(FIXTURES.glob("*.md")) for case in _read(file)]


def _read(file):
    *parts, rest = _DOT.split(file.read_text(encoding="utf-8"))
    assert rest == ""
    assert len(parts) % 5 == 0, file.name
    return [_case(*parts[start : start + 5]) for start in range(0, len(parts), 5)]


def _case(title, node, html, twin, reports):
    return Case(
        title=title.strip(),
        node=json.loads(node),
        html=_BETWEEN_TAGS.sub("", html.removesuffix("\n")),
        twin=twin.removesuffix("\n"),
        reports=reports.splitlines(),
    )


_NAMES = {shapes: name for group in icons.GROUPS.values() for name, shapes in group.items()}


def compact(html):
    """HTML as fixtures have it: icons by their names, on one line."""
    named = re.sub(
        r'<svg class="tp-icon" viewBox="0 0 24 24" aria-hidden="true">(.*?)</svg>',
        lambda found: f"{{icon {_NAMES[found[1]]}}}",
        html,
    )
    return _BETWEEN_TAGS.sub("", named)
