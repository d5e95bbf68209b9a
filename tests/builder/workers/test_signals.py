from __future__ import annotations

import subprocess
import sys

from builder.workers.signals import interrupts_blocked

HELD = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


def held() -> bool:
    """Return whether a process that begins now is kept from hearing of Ctrl+C."""
    said = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    return said.stdout == "True\n"


def test_what_begins_in_the_block_never_hears_of_ctrl_c() -> None:
    with interrupts_blocked():
        assert held()
    assert not held()
