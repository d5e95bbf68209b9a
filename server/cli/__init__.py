"""The command `twinpress`.

Importing this package must stay cheap: it declares the commands and their options, and each command's
work is loaded when it runs (`server/cli/later.py`).
"""

from server.cli.main import main, run

__all__ = ["main", "run"]
