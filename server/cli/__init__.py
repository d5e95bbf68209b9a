"""The command `twinpress`.

Importing this package must stay cheap: it declares the commands and their options, and each command's
work is loaded when it runs (`server/cli/loading.py`).
"""

import gc
import os
from typing import NoReturn

__all__ = ["run"]


def run() -> NoReturn:
    """Run the command line and end the process."""
    gc.disable()  # what is loaded stays, so that looking for what could be freed finds nothing
    try:
        from server.cli import main  # noqa: PLC0415 - Ctrl+C may come while it is loaded
    except KeyboardInterrupt:
        os._exit(130)
    main.run()
