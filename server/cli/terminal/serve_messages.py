"""The messages of `twinpress serve` in the terminal."""

from __future__ import annotations

import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from rich.text import Text

from builder.report import Problem, counted, duration, lines_of, visible
from server.cli.terminal import console
from server.cli.terminal.progress import Bar
from server.cli.terminal.server_lines import access_line, address
from server.http.logged_request import LoggedRequest
from server.preview.snapshot import Snapshot
from server.prompt import mcp_lines, mcp_writing_line, prompt

MOST_TOLD = 30
"""Problems of one build that are shown: the terminal takes its time, and requests wait meanwhile."""
FILES_NAMED = 3


class ServeMessages:
    """Tells the address once and then every state; keeps the last problems, to tell only what is new.

    `bar` shows the progress of the first build, and `browser` asks for one to be opened after it.
    """

    def __init__(self, site: Path, bar: Bar, *, browser: bool) -> None:
        self._prefix = console.prefix(site, Path.cwd())
        self._bar = bar
        self._browser = browser
        self._address = ""
        self._key = ""
        self._known: frozenset[Problem] = frozenset()
        self._notice = ""
        self._welcomed = False
        self._checked = False

    def listening(self, host: str, port: int, wanted: int) -> None:
        """Keep the address until the site is there to be looked at."""
        self._address = address(host, port)
        if wanted not in (0, port):
            with self._aside():
                console.note(f"Port {wanted} is in use, so this is on port {port}.")

    def fault(self, text: str) -> None:
        """Say what Twinpress failed at."""
        with self._aside():
            console.note(text)

    def access(self, request: LoggedRequest) -> None:
        """Say what an agent asked for."""
        with self._aside():
            console.log(access_line(request))

    def earlier(self, keys: int, *, counts: bool) -> None:
        """Say that there are keys that outlive the one which is made now: a site may come with some."""
        if not keys:
            return
        can = "open this site, too: `twinpress key list` shows more" if counts else "open nothing with --safe"
        with self._aside():
            console.note(f"  {counted(keys, 'key')} from before can {can}.")

    def key(self, text: str) -> None:
        """Keep the key until the address is known."""
        self._key = text

    def built(self, snapshot: Snapshot, changed: frozenset[str]) -> None:
        """Say where the site is to be seen, or what a change has brought; problems when all are known."""
        if snapshot.complete:
            self._bar.stop()
        with self._aside():
            if not self._welcomed:
                self._welcome(snapshot)
            elif snapshot.complete and not self._checked:
                console.note(f"  All pages are checked, after {duration(snapshot.seconds)}.")
            self._withheld(snapshot.notice)
            if snapshot.complete:
                self._checked = True
                self._problems(snapshot.problems)
            if changed:
                self._rebuilt(snapshot, changed)

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """The terminal for the block; one that is gone, or a full disk in its place, stops no work."""
        with suppress(OSError), self._bar.aside():
            yield

    def _welcome(self, snapshot: Snapshot) -> None:
        self._welcomed = True
        self._clients(snapshot.base)
        if self._key:  # before the address, which stays to be seen so in a small terminal
            console.note("")
            console.note("  To let an agent write for an hour, paste this to it:")
            console.note("")
            _hand_over(prompt(self._address, self._key, 60))
        home = f"{self._address}{snapshot.base}/"
        title = visible(snapshot.title) or "Your site"
        console.notes().print(
            Text.assemble("\n  ", (title, "bold"), " is at ", (home, "bold underline cyan"))
        )
        console.note(f"  {_size(snapshot)}")
        console.note("  Changes appear as you save. Ctrl+C stops.")
        console.note("")
        if self._browser:
            # Some browsers' commands end only with the browser.
            Thread(target=_browse, args=(home,), daemon=True).start()

    def _clients(self, base: str) -> None:
        """Say how agents are connected; the line with the key is a result, as the prompt is."""
        console.note("")
        console.note("  For agents that speak MCP, add one of these; reading needs no key:")
        console.note("")
        for line in mcp_lines(f"{self._address}{base}/mcp"):
            console.note(f"    {line}")
        if self._key:
            _hand_over(mcp_writing_line(self._address, self._key))

    def _withheld(self, notice: str) -> None:
        """Say that programs of the site are not run, when it has just turned out."""
        if notice and notice != self._notice:
            console.note(f"  {notice}")
            console.note("")
        self._notice = notice

    def _rebuilt(self, snapshot: Snapshot, changed: frozenset[str]) -> None:
        clock = time.strftime("%H:%M:%S")
        what = "not rebuilt" if snapshot.stale else f"rebuilt in {duration(snapshot.seconds)}"
        problems = summary(snapshot.problems)
        console.note(f"{clock}  {what}: {named(changed)}{f'  ({problems})' if problems else ''}")

    def _problems(self, problems: tuple[Problem, ...]) -> None:
        new = [problem for problem in problems if problem not in self._known]
        for problem in new[:MOST_TOLD]:
            console.tell(lines_of(problem, self._prefix))
        if len(new) > MOST_TOLD:
            console.note(f"  ... and {len(new) - MOST_TOLD:,} more: see `twinpress check`")
        self._known = frozenset(problems)


def _hand_over(text: str) -> None:
    """Print a prompt as a result: standard error may be kept as a log, in which no key belongs."""
    lines = [f"    {line}" if line else "" for line in text.splitlines()]
    with suppress(OSError):  # nobody reads it
        console.write("\n".join([*lines, "", ""]))
        sys.stdout.flush()


def _browse(address: str) -> None:
    if not webbrowser.open(address):
        console.note("  No browser could be opened; open the address yourself.")


def _size(snapshot: Snapshot) -> str:
    if not snapshot.paths:
        return "It could not be built yet; the reason is below."
    pages = counted(snapshot.pages, "page")
    if not snapshot.complete:
        return f"{pages}, drafts shown; each is rendered when you open it, and all are being checked"
    return f"{pages}, built in {duration(snapshot.seconds)}, drafts shown"


def named(changed: frozenset[str]) -> str:
    """The files that changed, or the first of them and how many more."""
    files = sorted(changed)
    more = f" and {len(files) - FILES_NAMED} more" if len(files) > FILES_NAMED else ""
    return ", ".join(files[:FILES_NAMED]) + more


def summary(problems: tuple[Problem, ...]) -> str:
    """`2 errors, 1 warning`, or nothing."""
    errors = sum(problem.level == "error" for problem in problems)
    counts = ((errors, "error"), (len(problems) - errors, "warning"))
    return ", ".join(counted(number, noun) for number, noun in counts if number)
