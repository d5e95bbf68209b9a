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
_CASE = re.compile(
    r"^(?P<title>\S.*)\n\.\n(?P<node>.*?)\n\.\n(?P<html>.*?)^\.\n(?P<twin>.*?)^\.\n(?P<reports>.*?)^\.$",
    re.MULTILINE | re.DOTALL,
)

_BETWEEN_TAGS = re.compile(r"(?<=>)\n\s*(?=<)")


@dataclass(frozen=True)
class Case:
    title: str
    node: Any
    html: str
    twin: str
    reports: list[str]


def cases():
    return [
        _case(found)
        for file in sorted(FIXTURES.glob("*.md"))
        for found in _CASE.finditer(file.read_text("utf-8"))
    ]


def _case(found):
    return Case(
        title=found["title"],
        node=json.loads(found["node"]),
        html=_BETWEEN_TAGS.sub("", found["html"].removesuffix("\n")),
        twin=found["twin"].removesuffix("\n"),
        reports=found["reports"].splitlines(),
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
