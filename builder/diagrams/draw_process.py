"""The process that draws: what it does from its start to its end.

It is forked from a process that renders pages, or started with this file as its program: so it imports
nothing of Twinpress. A question is a line of JSON, and so is its answer.

    {"source": "flowchart LR\n a --> b"}
    {"light": "<svg ...", "dark": "<svg ..."}  or  {"message": "...", "line": 2, "column": 1}

A question that takes more than `SECONDS` of a processor ends the process; so does one that wants more memory
than `MEMORY`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from select import select
from typing import Any, BinaryIO

if sys.platform != "win32":
    import resource

SECONDS = 2.0
"""Of a processor, for one diagram."""
MEMORY = 512 * 1024 * 1024
"""Bytes of address space for the work, beside what the process has when it begins."""
IDLE = 60.0
"""Seconds without a question after which the process ends; the next one starts another."""
MOST_SVG = 2 * 1024 * 1024
"""Bytes of one drawing."""

FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
_LIGHT = {
    "darkMode": False, "background": "#ffffff", "primaryColor": "#e9edfc", "primaryBorderColor": "#6b7fd7",
    "primaryTextColor": "#1b2130", "secondaryColor": "#e3f4ea", "secondaryTextColor": "#1b2130",
    "tertiaryColor": "#f7f8fb", "tertiaryTextColor": "#1b2130", "tertiaryBorderColor": "#7f899b",
    "lineColor": "#5a6476", "textColor": "#1b2130", "titleColor": "#1b2130", "noteBkgColor": "#fdf3d7",
    "noteTextColor": "#1b2130", "noteBorderColor": "#b98f2d", "edgeLabelBackground": "#ffffff",
    "pie1": "#aebbff", "pie2": "#9fe0b8", "pie3": "#f5cf7a", "pie4": "#ffb489", "pie5": "#d3b3ff",
    "pie6": "#9cc2ff", "pie7": "#ff9fae", "pie8": "#bac3d1", "pieSectionTextColor": "#1b2130",
    "git0": "#3550d8", "git1": "#14663c", "git2": "#a3142b", "git3": "#7a4b00", "git4": "#6b2fb3",
    "git5": "#174ea6", "git6": "#8a3a06", "git7": "#4b5566",
    "gitBranchLabel0": "#ffffff", "gitBranchLabel1": "#ffffff", "gitBranchLabel2": "#ffffff",
    "gitBranchLabel3": "#ffffff", "gitBranchLabel4": "#ffffff", "gitBranchLabel5": "#ffffff",
    "gitBranchLabel6": "#ffffff", "gitBranchLabel7": "#ffffff",
}  # fmt: skip
_DARK = {
    **_LIGHT,
    "darkMode": True, "background": "#0f1117", "primaryColor": "#212a4d", "primaryBorderColor": "#8394e8",
    "primaryTextColor": "#e7eaf1", "secondaryColor": "#173626", "secondaryTextColor": "#e7eaf1",
    "tertiaryColor": "#161a23", "tertiaryTextColor": "#e7eaf1", "tertiaryBorderColor": "#78839a",
    "lineColor": "#9ba5b7", "textColor": "#e7eaf1", "titleColor": "#e7eaf1", "noteBkgColor": "#3a3013",
    "noteTextColor": "#f3e9cd", "noteBorderColor": "#a98a3c", "edgeLabelBackground": "#0f1117",
    "pie1": "#3f52a8", "pie2": "#1f6b42", "pie3": "#7a5a1a", "pie4": "#8a4a26", "pie5": "#5f3d8f",
    "pie6": "#2a5593", "pie7": "#8f3041", "pie8": "#4b5566", "pieSectionTextColor": "#e7eaf1",
    "git0": "#aebbff", "git1": "#7fdca8", "git2": "#ff9fae", "git3": "#f5cf7a", "git4": "#d3b3ff",
    "git5": "#9cc2ff", "git6": "#ffb489", "git7": "#b3bccb",
    "gitBranchLabel0": "#10131c", "gitBranchLabel1": "#10131c", "gitBranchLabel2": "#10131c",
    "gitBranchLabel3": "#10131c", "gitBranchLabel4": "#10131c", "gitBranchLabel5": "#10131c",
    "gitBranchLabel6": "#10131c", "gitBranchLabel7": "#10131c",
}  # fmt: skip


def _colours(theme: dict[str, Any], lines: str) -> dict[str, Any]:
    """The variables of a theme, with the colours that kinds of diagrams have of their own."""
    ink, line = theme["textColor"], theme["lineColor"]
    found = {**theme, "pieStrokeColor": theme["background"], "pieOuterStrokeColor": line}
    for number in range(12):
        found[f"cScale{number}"] = theme[f"pie{number % 8 + 1}"]
        found[f"cScaleLabel{number}"] = found[f"cScaleInv{number}"] = ink
    arch = dict.fromkeys(("archEdgeColor", "archEdgeArrowColor", "archGroupBorderColor"), line)
    return {**found, **arch, "xyChart": {"plotColorPalette": lines, "backgroundColor": theme["background"]}}


THEMES = {
    "light": _colours(_LIGHT, "#6b7fd7,#2f8f5b,#b8862d,#b5532a,#8a5cc2,#4a86d8"),
    "dark": _colours(_DARK, "#aebbff,#7fdca8,#f5cf7a,#ffb489,#d3b3ff,#9cc2ff"),
}
"""Colours of drawings on light and on dark pages, as in the theme's `base.css`."""


def options(theme: str) -> str:
    """Return what merman is told: no HTML in labels, nothing of the machine, bounds for strangers' input."""
    told = {
        "version": 2,
        "resources": {"profile": "constrained", "limits": {"max_svg_bytes": MOST_SVG}},
        "svg": {"pipeline": "resvg-safe", "diagram_id": "d"},
        "site_config": {
            "theme": "base",
            "look": "classic",
            "securityLevel": "strict",
            "htmlLabels": False,
            "fontFamily": FONT,
            "themeVariables": {"fontFamily": FONT, "fontSize": "16px", **THEMES[theme]},
            "flowchart": {"htmlLabels": False},
        },
    }
    return json.dumps(told)


def serve(questions: int, answers: int) -> None:
    """Answer questions until there are no more; both are descriptors of pipes."""
    _bound()
    with os.fdopen(questions, "rb") as reader, os.fdopen(answers, "wb") as writer:
        _answer_all(reader, writer)


def _answer_all(reader: BinaryIO, writer: BinaryIO) -> None:
    import merman  # type: ignore[import-untyped]  # noqa: PLC0415 - in this process alone, and bounded

    client, told = merman.Merman(), {theme: options(theme) for theme in THEMES}
    while _waits(reader) and (line := reader.readline()):
        source = json.loads(line)["source"]
        _limit(SECONDS)
        try:
            answer: dict[str, Any] = {theme: client.render_svg(source, told[theme]) for theme in THEMES}
        except Exception as error:  # noqa: BLE001 - whatever it is, the one who asked is told
            answer = _fault(client, source, error)
        _limit(0)
        writer.write(json.dumps(answer).encode() + b"\n")
        writer.flush()


def _fault(client: Any, source: str, error: Exception) -> dict[str, Any]:
    """Tell the fault of a source, and its place where merman's analysis finds it."""
    message = str(getattr(error, "message", "")) or str(error)
    with contextlib.suppress(Exception):
        found = json.loads(client.analyze_json(source, None))["diagnostics"]
        first = next(each for each in found if each["severity"] == "error")
        span = first.get("span") or {}
        return {
            "message": first["message"] if span else message,
            "line": int(span.get("line", 1)),
            "column": int(span.get("column", 1)),
        }
    return {"message": message, "line": 1, "column": 1}


def _waits(reader: BinaryIO) -> bool:
    """Return whether there is a question in time; where no pipe can be looked at, one is waited for."""
    return os.name != "posix" or bool(select([reader], [], [], IDLE)[0])


def _bound() -> None:
    """Give up memory beyond the limit, and dumps of it."""
    if sys.platform == "win32":
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = _address_space()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if used:
        most = used + MEMORY if hard == resource.RLIM_INFINITY else min(used + MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _address_space() -> int:
    """The bytes of address space that this process has; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - nothing else is loaded
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _limit(seconds: float) -> None:
    """Have the system end this process when it has worked for so long."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    serve(0, 1)
