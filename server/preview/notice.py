"""Words for programs of the site's own theme that are not run, with the way out."""

from __future__ import annotations

from builder.plan.options import Options
from builder.report import counted, visible
from builder.theme import Programs

_SHOWN = "so the site is shown in the default theme."
_SAFE = f"are not run because of --safe, {_SHOWN}"
_CHANGED = (
    f"have changed since you agreed to run them. They are not run, {_SHOWN} To run them, stop "
    "`twinpress serve` and start it again; it asks."
)
_UNASKED = (
    f"are not run, {_SHOWN} They could do all that you can on this computer. If you know who wrote them, "
    "start `twinpress serve` in a terminal, where it asks you, or with --trust."
)


def named(programs: Programs) -> str:
    """Name the programs, such as `2 templates and 1 script in its folder theme`."""
    counts = ((len(programs.templates), "template"), (len(programs.scripts), "script"))
    found = " and ".join(counted(number, noun) for number, noun in counts if number)
    return f"{found or 'files'} in its folder theme"


def notice(programs: Programs, options: Options) -> str:
    """Say why programs of a site that is built with these options are not run, and how they would be."""
    changed = _CHANGED if options.agreed else _UNASKED
    why = changed if options.trusted else _SAFE
    return visible(f"This site's own programs ({named(programs)}) {why}")
