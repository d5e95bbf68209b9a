"""The icons of other systems: the nearest of ours, by name."""

from __future__ import annotations

import re

from components.icons import KNOWN

_SETS = re.compile(
    r"^(?:material|octicons|simple|lucide|fa|tabler|mdi|heroicons|fontawesome[-/](?:solid|regular|brands))[-/:]"
)
_SIZE = re.compile(r"-(?:\d+|outline|outlined|filled|fill|solid|line|variant|box|circle)$")
_NEAR = {
    "book-open-page-variant": "book-open", "comments": "messages-square", "comment": "message-circle",
    "bolt-lightning": "zap", "gears": "settings", "arrows-rotate": "refresh-cw",
    "code-branch": "git-branch", "puzzle-piece": "puzzle", "chart-simple": "chart-column",
    "diagram-project": "workflow", "cubes": "boxes", "check-all": "check",
    "triangle-exclamation": "triangle-alert", "circle-exclamation": "circle-alert",
    "language-python": "code", "file-lines": "file-text", "file-document": "file-text",
    "wrench-cog": "wrench", "screwdriver-wrench": "wrench", "clock-fast": "timer", "scale-balance": "scale",
    "magnifying-glass": "search", "magnify": "search", "list-check": "list-checks",
    "circle-nodes": "network", "brain": "ai", "rocket-launch": "rocket", "layer-group": "layers",
    "toolbox": "toolbox", "plug-circle-bolt": "plug", "paper-plane": "send",
}  # fmt: skip


def icon_name(given: str) -> str:
    """Return our name of an icon, "" where there is none that is near."""
    name = _SETS.sub("", given.strip().casefold()).replace("_", "-")
    for _ in range(4):
        if name in KNOWN:
            return name
        if name in _NEAR:
            return _NEAR[name]
        shorter = _SIZE.sub("", name)
        if shorter == name:
            return ""
        name = shorter
    return ""
