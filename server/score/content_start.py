"""Find where the content begins in the text that a converter makes of a page, behind titles and menus."""

from __future__ import annotations

import re
from collections.abc import Sequence

_STYLE = re.compile(r"[{}\s]*[a-z0-9_-]+\s*:\s*[^;]+;")
_CODE = (
    re.compile(r"^\s*(?:function|var|const|let|import|export)\b"),
    re.compile(r"^\s*//"),
    re.compile(r"[{};]\s*$"),
)
_LINKS = re.compile(r"\[[^\]]+\]\([^)]+\)")
_UNDERLINE = re.compile(r"[=-]+")
_LABEL = 40


def percent(text: str) -> int:
    """Return the percent of a text that come before its content."""
    return int(100 * _start(text) / len(text) + 0.5) if text else 0


def _start(text: str) -> int:
    lines = text.split("\n")
    place = 0
    for number, line in enumerate(lines):
        if _begins(lines, number, line.strip()):
            return place
        place += len(line) + 1
    return place


def _begins(lines: Sequence[str], number: int, line: str) -> bool:
    if not line:
        return False
    below = lines[number + 1].strip() if number + 1 < len(lines) else ""
    if re.match(r"#{1,4}\s+\S", line) or (len(below) >= 2 and _UNDERLINE.fullmatch(below)):
        return _has_text(lines, number)
    if _is_code(line) or _density(line) > 0.5 or line.startswith("]("):
        return False
    return len(line) >= 80 or (len(line) >= 40 and line[-1] in ".!?")


def _has_text(lines: Sequence[str], heading: int) -> bool:
    """Return whether a heading has sentences or a table below it, within six lines."""
    start = heading + 1
    if start < len(lines) and _UNDERLINE.fullmatch(lines[start].strip()):
        start += 1
    seen = 0
    for number in range(start, len(lines)):
        line = lines[number].strip()
        if not line or _is_code(line):
            continue
        seen += 1
        if seen > 6:
            return False
        if _density(line) > 0.5 or re.match(r"\*\s+\[|\]\(", line):
            continue
        below = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if re.match(r"#{1,6}\s", line) or (len(below) >= 2 and _UNDERLINE.fullmatch(below)):
            return False
        if re.match(r"\|.+\|", line) or len(line) > _LABEL or (len(line) >= 10 and line[-1] in ".!?"):
            return True
    return False


def _is_code(line: str) -> bool:
    return bool(_STYLE.search(line)) or any(each.search(line) for each in _CODE)


def _density(line: str) -> float:
    return sum(map(len, _LINKS.findall(line))) / len(line)
