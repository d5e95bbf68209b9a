from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.server.cli.sites import BROKEN, GOOD
from tests.server.commands import COMMAND, environment
from tests.sites import write_site
from tests.waiting import PATIENCE, until

# A job in the background ignores Ctrl+C, and so would what it starts.
LISTENING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""


def start(
    arguments,
    cwd,
    stdin=None,
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    group=None,
    program=COMMAND,
    **extra,
):
    command = [sys.executable, "-c", LISTENING, program, *arguments]
    said = environment(**extra)
    streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    return subprocess.Popen(command, cwd=cwd, env=said, process_group=group, **streams)


def test_a_reader_that_leaves_early_is_no_trouble(tmp_path):
    page = "# Title\n\n" + "[x](nowhere.md)\n" * 300
    write_site(tmp_path, GOOD | {f"docs/p{n}.md": page for n in range(20)})
    process = start(["check"], tmp_path)
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(PATIENCE) == 141
    assert said == b""


@pytest.mark.parametrize("arguments", [["check"], ["--help"], ["check", "--help"], ["--version"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_explained(tmp_path, arguments, unbuffered):
    write_site(tmp_path, BROKEN)
    with Path("/dev/full").open("w") as full:
        process = start(arguments, tmp_path, stdout=full, PYTHONUNBUFFERED=unbuffered)
        _, said = process.communicate(timeout=PATIENCE)
    way_out = b"  the disk is full: make room and try again\n"
    assert (process.returncode, said) == (2, b"error: No space left on device\n" + way_out)


@pytest.mark.parametrize("arguments", [["check"], ["--help"]])
@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_stream_is_no_fault(tmp_path, arguments, closed):
    write_site(tmp_path, GOOD)
    process = start(["-c", f'exec "$@" {closed}>&-', "sh", COMMAND, *arguments], tmp_path, program="sh")
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert b"Traceback" not in said


def wait_until_at_work(process):
    """Wait until it has other processes, or has itself computed for longer than it takes to start."""
    proc, tick = Path(f"/proc/{process.pid}"), os.sysconf("SC_CLK_TCK")

    def works():
        computed = int((proc / "stat").read_text().rpartition(")")[2].split()[11]) / tick
        return computed > 1.0 or (proc / f"task/{process.pid}/children").read_text()

    until(works)


def wait_until_gone(group):
    """Wait until no process of the group is there; one that has ended stays until it is asked how."""

    def gone():
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        return False

    until(gone)


@pytest.mark.parametrize(
    ("jobs", "pauses"),
    [
        (1, ()),
        pytest.param(2, (), marks=pytest.mark.slow),
        pytest.param(2, (0.02,), marks=pytest.mark.slow),
        pytest.param(2, (0.3,), marks=pytest.mark.slow),
        (2, (0, 0.01, 0.05)),
    ],
)
def test_ctrl_c_ends_a_build_quietly_however_often_it_is_pressed(tmp_path, jobs, pauses):
    page = "# Title\n\n" + "word *word* `code`\n" * 400
    write_site(tmp_path, GOOD | {f"docs/p{n}.md": page for n in range(300)})
    # A terminal sends it to all processes, so they are a group of their own.
    process = start(["check", "-j", str(jobs)], tmp_path, group=0)
    wait_until_at_work(process)
    os.killpg(process.pid, signal.SIGINT)
    for pause in pauses:
        time.sleep(pause)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == b""
    assert said.strip() == b""
    wait_until_gone(process.pid)


def in_terminal(arguments, cwd, **extra):
    """Run the command with a terminal on all three streams; gives what the terminal got."""
    master, slave = pty.openpty()
    process = start(arguments, cwd, stdout=slave, stderr=slave, TERM="xterm", **extra)
    os.close(slave)
    shown = rest(master)
    process.wait(PATIENCE)
    return shown.decode()


def rest(master):
    """All that the terminal gets until its other end is closed."""
    shown = b""
    with suppress(OSError):
        while True:
            shown += os.read(master, 65536)
    os.close(master)
    return shown


def test_the_address_is_told_last_and_the_shell_gets_a_line_of_its_own(tmp_path):
    """The prompt for agents would push it out of a small terminal."""
    write_site(tmp_path, GOOD)
    master, slave = pty.openpty()
    process = start(["serve", "--port", "0"], tmp_path, stdout=slave, stderr=slave, TERM="xterm")
    os.close(slave)
    shown = b""
    while b"Ctrl+C stops." not in shown:
        shown += os.read(master, 65536)
    process.send_signal(signal.SIGINT)
    shown += rest(master)
    assert process.wait(PATIENCE) == 0
    prompt, address, end = shown.decode().partition(" is at ")
    assert address
    assert "Key: dpk_" in prompt
    # On a busy machine a bar may be shown behind it, and be taken away again.
    last = end.partition("stops.")[2]
    assert last.count("\n") >= 3
    assert last.endswith("\n")


def test_a_terminal_gets_colours_unless_it_wants_none(tmp_path):
    write_site(tmp_path, BROKEN)
    assert "\u001b[1;31merror" in in_terminal(["check"], tmp_path)
    plain = in_terminal(["check"], tmp_path, NO_COLOR="1")
    assert "error" in plain
    assert "\u001b[31m" not in plain
    assert "\u001b[1;31m" not in plain


def test_a_long_build_has_a_progress_bar_on_a_terminal_only(tmp_path):
    # In one process, much longer than the time after which the bar is worth showing, on any machine.
    page = "# Title\n\n" + "word *word* `code`\n" * 400
    write_site(tmp_path, GOOD | {f"docs/p{n}.md": page for n in range(250)})
    assert "/252" in in_terminal(["check", "-j", "1"], tmp_path)
    process = start(["check", "-j", "1"], tmp_path)
    _, said = process.communicate(timeout=PATIENCE)
    assert said == b""


STOPPED = """
import sys
from server import cli

class Stop:
    def find_spec(self, name, path, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stop())
cli.run()
"""


def test_ctrl_c_while_the_command_is_loaded_gives_no_traceback(tmp_path):
    command = [COMMAND.with_name("python"), "-c", STOPPED]
    ended = subprocess.run(command, capture_output=True, env=environment(), cwd=tmp_path, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")
