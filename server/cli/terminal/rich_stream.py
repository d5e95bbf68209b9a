"""Standard output and standard error in colours. Apart, as rich is loaded only when something has colours."""

from __future__ import annotations

from rich.console import Console


class Stream(Console):
    """Rich's console, but for a reader that has gone: that is for the caller to know."""

    def __init__(self, *, stderr: bool) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Called within the handler of the error."""
        raise BrokenPipeError
