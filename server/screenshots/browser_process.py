"""Start an installed Chromium for one page, with its own sandbox, and end it with all that it has started.

It has a new empty profile, an environment of ours, no network, and two pipes. No shell is used.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from server.screenshots.devtools_pipe import DevtoolsPipe
from server.screenshots.launch import LaunchOrder

PROGRAM = "TWINPRESS_CHROMIUM"
"""The environment variable with the path of the browser, where it is not found by its name."""
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OTHER_USER = "nobody"
"""As whom the browser runs when we are root, for whom it has no sandbox."""
MEMORY = 2 * 1024**3
FILE = 64 * 1024**2
PROCESSOR = 30
"""Limits of each process of the browser: bytes of memory, bytes of a file, seconds of the processor."""
_HOME = "twinpress-look-"
_FORGOTTEN = 3600
_GOODBYE = 1.0
_SAID = 2_000
_NO_SANDBOX = (
    "No usable sandbox",
    "without --no-sandbox is not supported",
    "Failed to move to new namespace",
)
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--deny-permission-prompts",
    "--mute-audio",
    "--hide-scrollbars",
    "--js-flags=--max-old-space-size=256",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # What is not answered by us leaves through a proxy whose name nobody knows, so it never leaves.
    "--proxy-server=http://proxy.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class Browser(Struct, frozen=True):
    """An installed browser, and the user who runs it; None for the one who runs us."""

    program: str
    user: int | None = None
    group: int | None = None


class BrowserFailed(Exception):
    """The browser did not start, or has ended; the text says why, for people."""


def installed_browser(user: str = OTHER_USER) -> Browser | None:
    """Return the browser of this machine, None where there is none.

    Run as root, it becomes `user`. Raises LookupError where there is no such user.
    """
    program = os.environ.get(PROGRAM) or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None or not os.access(program, os.X_OK):
        return None
    if os.geteuid() != 0:
        return Browser(program)
    found = pwd.getpwnam(user)
    return Browser(program, found.pw_uid, found.pw_gid)


@asynccontextmanager
async def browser_process(browser: Browser) -> AsyncIterator[DevtoolsPipe]:
    """Run the browser for the time of the block. Raises BrowserFailed."""
    home = await asyncio.to_thread(_new_home, browser)
    try:
        async with _running(browser, home) as pipe:
            yield pipe
    except (EOFError, ConnectionError) as error:
        raise BrowserFailed(_why((home / "said").read_text(errors="replace"))) from error
    finally:
        shutil.rmtree(home, ignore_errors=True)  # at once: when the server stops, its threads have ended


@asynccontextmanager
async def _running(browser: Browser, home: Path) -> AsyncIterator[DevtoolsPipe]:
    commands, write = os.pipe()
    read, answers = os.pipe()
    try:
        process = await _started(browser, home, commands, answers)
    except BaseException:
        os.close(write)
        os.close(read)
        raise
    finally:
        os.close(commands)
        os.close(answers)
    try:
        async with DevtoolsPipe.of(read, write) as pipe:
            yield pipe
            with suppress(TimeoutError):  # so that it collects its own children
                async with asyncio.timeout(_GOODBYE):
                    await pipe.tell("Browser.close")
                    await process.wait()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _started(browser: Browser, home: Path, commands: int, answers: int) -> asyncio.subprocess.Process:
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(home), "TMPDIR": str(home)}
    order = LaunchOrder(
        command=(browser.program, *_FLAGS, f"--user-data-dir={home / 'profile'}", "about:blank"),
        environment=environment,
        commands=commands,
        answers=answers,
        user=browser.user,
        group=browser.group,
        memory=MEMORY,
        processor=PROCESSOR,
        file=FILE,
    )
    with (home / "said").open("wb") as said:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-m", "server.screenshots.launch", msgspec.json.encode(order).decode()),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=said,
            pass_fds=(commands, answers),
            cwd="/",
            env=environment,
            start_new_session=True,
        )


def _new_home(browser: Browser) -> Path:
    """Create the folder of a browser; those that killed servers have left are removed."""
    for old in Path(tempfile.gettempdir()).glob(f"{_HOME}*"):
        with suppress(OSError):
            if time.time() - old.lstat().st_mtime > _FORGOTTEN:
                shutil.rmtree(old, ignore_errors=True)
    home = Path(tempfile.mkdtemp(prefix=f"{_HOME}{os.getpid()}-"))
    if browser.user is not None and browser.group is not None:
        os.chown(home, browser.user, browser.group)
    return home


def _why(said: str) -> str:
    """Say why the browser has ended, from what it has written."""
    if any(sign in said for sign in _NO_SANDBOX):
        return (
            "Chromium cannot use its own sandbox on this machine, and is not run without: let users create "
            "user namespaces (the container, or `kernel.apparmor_restrict_unprivileged_userns`, forbids it)"
        )
    last = said.strip().rpartition("\n")[2][-_SAID:]
    return f"the browser has ended by itself, perhaps at a limit of its memory: {last or 'it said nothing'}"
