"""Have the operating system end a process when it comes to a step: SIGKILL, as when memory is short.

A step is told by events of Python's own (`sys.addaudithook`), each by its name and by a pattern of its
arguments: when the last of them is about to happen, behind all others in this order, the process is killed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from collections.abc import Mapping, Sequence

STRIKE = "TP_TEST_STRIKE"
"""The environment variable that has the step."""
Step = Sequence[tuple[str, str]]


def order(step: Step) -> dict[str, str]:
    """Return what the environment of a forked command has to have for it to be killed there."""
    return {STRIKE: json.dumps(step)}


def obey(environment: Mapping[str, str]) -> None:
    """Have this process killed at the step that its environment names, if it names one."""
    if STRIKE not in environment:
        return
    left = [(event, re.compile(pattern)) for event, pattern in json.loads(environment[STRIKE])]
    lock = threading.Lock()

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event != left[0][0] or not left[0][1].search(" ".join(map(str, arguments))):
            return
        with lock:
            if len(left) == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            left.pop(0)

    sys.addaudithook(hook)
