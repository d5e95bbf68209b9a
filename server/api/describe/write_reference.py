"""Write a page of Twinpress's own documentation below a folder that is named on the command line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def write_page(arguments: Sequence[str], module: str, page: str, text: str) -> int:
    """Write `text` to `page` below the folder that is the one argument; gives the exit code.

    `module` is what the usage line calls the program.
    """
    if len(arguments) != 1:
        sys.stderr.write(f"usage: python -m {module} DIR\n")
        return 2
    file = Path(arguments[0]) / page
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return 0
