"""The progress bar of rich. A module of its own, as rich's bars are loaded only when one is shown."""

from __future__ import annotations

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from server.cli.terminal import console


def bar(unit: str) -> Progress:
    """A bar that counts such units, on standard error that leaves nothing behind; it is not started yet."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
        console=console.notes(),
        transient=True,
    )
