"""Standard output and standard error in colours. Apart, as rich is loaded only when something has colours."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from rich.console import Console
from rich.text import Text

from builder.report import Line, Style

STYLES: dict[Style, str] = {
    "message": "bold",
    "place": "bold",
    "error": "bold red",
    "warning": "bold yellow",
    "info": "bold cyan",
    "code": "dim",
    "gutter": "blue",
    "source": "",
    "hint": "green",
}
TOGETHER = 100
"""Lines that are printed by one call."""


class Stream(Console):
    """Rich's console, but for a reader that has gone: that is for the caller to know."""

    def __init__(self, *, stderr: bool) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Called within the handler of the error."""
        raise BrokenPipeError

    def print_lines(self, styled: Iterable[Line]) -> None:
        """Print lines, many at a time: rich looks at the terminal and its settings for each call."""
        whole = iter(styled)
        while some := list(islice(whole, TOGETHER)):
            lines = (Text.assemble(*((text, STYLES[style]) for text, style in line)) for line in some)
            self.print(Text("\n").join(lines))
