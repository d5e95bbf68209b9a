"""Programs that a site brings are run by `twinpress serve` only when its reader has agreed to them."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.server.cli.sites import GOOD
from tests.server.cli.terminal.test_terminal import rest, start
from tests.server.commands import COMMAND, PATIENCE, environment, serving, twinpress
from tests.server.forked_command import ForkedCommand
from tests.sites import write_site
from tests.waiting import until

FOOTER = "theme/templates/footer.html"
ASKS = b"Run them?"
STARTED = b"Ctrl+C stops."


def runs(name):
    """A template that leaves a file in the folder above the site when it is run."""
    return f"{{{{ cycler.__init__.__globals__.os.popen('touch {name}').read() }}}}"


@pytest.fixture
def site(tmp_path):
    return write_site(tmp_path / "site", GOOD | {FOOTER: runs(tmp_path / "was-run")})


@pytest.fixture
def home(tmp_path):
    return {"XDG_CONFIG_HOME": str(tmp_path / "configuration")}


def read_until(master, *words):
    shown = b""
    while not any(word in shown for word in words):
        shown += os.read(master, 65536)
    return shown


@contextmanager
def in_terminal(site, home, *arguments, answer=None, until=STARTED):
    """Run `twinpress serve` in a terminal that gives the answer; gives what is shown until the last words."""
    master, slave = pty.openpty()
    command = [COMMAND, "serve", site, "--port", "0", *arguments]
    env = environment(TERM="xterm", **home)
    process = ForkedCommand(command, cwd=site.parent, env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    try:
        shown = read_until(master, ASKS, STARTED)
        assert (ASKS in shown) is (answer is not None), shown
        if answer is not None:
            os.write(master, answer.encode() + b"\n")
        if until not in shown:
            shown += read_until(master, until)
        yield shown.decode()
        process.send_signal(signal.SIGINT)
        rest(master)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()


def answers(home):
    folder = Path(home["XDG_CONFIG_HOME"]) / "twinpress/trust"
    return list(folder.iterdir()) if folder.is_dir() else []


def test_programs_run_only_after_a_yes_which_is_kept_for_these_very_programs(site, home, tmp_path):
    was_run = tmp_path / "was-run"
    with in_terminal(site, home, answer="", until=b"are not run") as shown:  # Enter alone
        assert "programs of its own: 1 template in its folder theme" in shown
        assert "theme/templates/footer.html" in shown
        assert "are not run" in shown
    assert not was_run.exists()
    assert answers(home) == []
    with in_terminal(site, home, answer="yes"):
        pass
    assert was_run.exists()
    [kept] = answers(home)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert str(site) in kept.read_text()
    assert not list(site.rglob("*trust*"))
    with in_terminal(site, home) as shown:
        assert (
            "Runs the site's own programs (1 template in its folder theme), as you have agreed to." in shown
        )
        assert "Run them?" not in shown
    was_run.unlink()
    write_site(site, {"theme/css/mine.css": "a { color: red }"})  # no program
    with in_terminal(site, home) as shown:
        assert "Run them?" not in shown
    was_run.unlink()
    write_site(site, {"theme/js/more.js": "1"})
    with in_terminal(site, home, answer="no") as shown:
        assert "other programs of its own than those that you agreed to" in shown
    assert not was_run.exists()


def test_always_is_for_the_folder_and_not_for_another_in_its_place(site, home, tmp_path):
    with in_terminal(site, home, answer="a"):
        pass
    write_site(site, {FOOTER: runs(tmp_path / "later")})
    with in_terminal(site, home) as shown:
        assert "as you have agreed to, always" in shown
    assert (tmp_path / "later").exists()
    keeps_inode = site.rename(tmp_path / "moved")
    shutil.copytree(keeps_inode, site)
    with in_terminal(site, home, answer="n"):
        pass


def test_a_site_without_programs_asks_nothing(tmp_path, home):
    assert twinpress("new", "site", cwd=tmp_path, **home).returncode == 0
    with in_terminal(tmp_path / "site", home) as shown:
        assert "programs" not in shown


def test_an_answer_that_is_none_is_asked_again(site, home):
    master, slave = pty.openpty()
    command = ["serve", str(site), "--port", "0"]
    process = start(command, site.parent, stdin=slave, stdout=slave, stderr=slave, TERM="xterm", **home)
    os.close(slave)
    read_until(master, ASKS)
    os.write(master, b"perhaps\n")
    assert b"is none of" in read_until(master, b"is none of")

    def has_ended() -> bool:
        """Press Ctrl+C, again where Python heard it and then began to wait for the answer all the same."""
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        return process.poll() is not None

    until(has_ended)
    rest(master)
    assert process.wait(PATIENCE) in (1, 130)
    assert answers(home) == []


@pytest.mark.parametrize(
    ("option", "said", "ran"),
    [
        (None, "or with --trust.", False),
        ("--safe", "are not run because of --safe", False),
        ("--trust", "because of --trust", True),
    ],
)
def test_without_a_terminal_nobody_is_asked(site, home, tmp_path, option, said, ran):
    with serving(site, "--port", "0", *([option] if option else []), **home) as preview:
        preview.says(said)
        assert preview.get("/docs/").status == 200
        assert (tmp_path / "was-run").exists() is ran
        assert sum("programs" in line for line in preview.lines) == 1
    assert answers(home) == []


def test_programs_that_come_or_change_while_the_site_is_served_do_not_run(site, home, tmp_path):
    (site / FOOTER).unlink()
    with serving(site, "--port", "0", **home) as preview:
        assert preview.get("/docs/").status == 200
        write_site(site, {FOOTER: runs(tmp_path / "was-run"), "docs/index.md": "# Start\n\nAnew.\n"})
        preview.says("are not run")
        until(lambda: "Anew." in preview.get("/docs/").text)
    with in_terminal(site, home, answer="y"):
        until((tmp_path / "was-run").exists)
    (tmp_path / "was-run").unlink()
    with serving(site, "--port", "0", **home) as preview:
        preview.says("as you have agreed to.")
        write_site(site, {FOOTER: runs(tmp_path / "pulled") + "Pulled."})
        preview.says("have changed since you agreed to run them")
        assert "Pulled." not in preview.get("/docs/").text
    assert not (tmp_path / "pulled").exists()


def test_both_options_at_once_are_refused(site, home):
    done = twinpress("serve", "--safe", "--trust", site, cwd=site, **home)
    assert done.returncode == 2
    assert "choose one" in done.stderr


def test_an_answer_that_cannot_be_read_is_told_with_its_place(site, home):
    with in_terminal(site, home, answer="y"):
        pass
    [kept] = answers(home)
    kept.write_text("{")
    done = twinpress("serve", site, cwd=site, **home)
    assert done.returncode == 2
    assert str(kept) in done.stderr
    assert "delete the file" in done.stderr


APART = "sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads"
STATIC = {
    "static/own.html": "<script>1</script>",
    "static/own.svg": "<svg/>",
    "static/own.xml": "<a/>",
    "static/own.txt": "1",
}


def policies(site, home, *options):
    """Of the files that the site brings: the one of those that browsers run, if they agree."""
    with serving(site, "--port", "0", *options, **home) as preview:
        names = [f"/own.{each}" for each in ("html", "svg", "xml", "txt")]
        *run, text = (preview.get(each).headers.get("content-security-policy") for each in names)
        assert text is None
        assert "content-security-policy" not in preview.get("/docs/").headers
        [policy] = set(run)
        return policy


def test_files_that_a_stranger_s_site_brings_run_apart_or_not_at_all(site, home):
    write_site(site, STATIC)
    assert policies(site, home, "--safe") == "sandbox"
    assert policies(site, home, "--trust") is None
    assert policies(site, home) == "sandbox"  # its programs are withheld
    with in_terminal(site, home, answer="y"):
        pass
    assert policies(site, home) is None
    (site / FOOTER).unlink()  # no longer what was agreed to
    assert policies(site, home) == APART
    assert policies(site, home, "--safe") == "sandbox"
    assert policies(site, home, "--trust") is None


def test_programs_that_go_take_the_agreement_with_them(site, home):
    write_site(site, STATIC)
    with in_terminal(site, home, answer="y"):
        pass
    with serving(site, "--port", "0", **home) as preview:
        assert "content-security-policy" not in preview.get("/own.html").headers
        (site / FOOTER).unlink()
        until(lambda: preview.get("/own.html").headers.get("content-security-policy") == APART)


SITE_API = "/api/v1/pages/ai/site"


@pytest.mark.parametrize(("option", "status", "says"), [("--safe", 401, "nothing"), ("--trust", 200, "too")])
def test_a_key_that_a_site_brings_is_told_and_opens_nothing_with_safe(site, home, option, status, says):
    made = twinpress("key", "create", site, "--kind", "long-lived", cwd=site, **home).stdout.split()[0]
    with serving(site, "--port", "0", option, **home) as preview:
        assert says in preview.says("1 key from before can open")
        assert preview.get(SITE_API, Authorization=f"Bearer {made}").status == status
        later = twinpress("key", "create", site, "--kind", "long-lived", cwd=site, **home).stdout.split()[0]
        assert preview.get(SITE_API, Authorization=f"Bearer {later}").status == 200


BEHIND = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
job = os.fork()
if not job:
    os.setpgid(0, 0)
    os.execv(sys.argv[1], sys.argv[1:])
sys.stdin.readline()
os.kill(job, 2)
os.kill(job, 18)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
"""


def test_a_job_in_the_background_asks_nothing_and_is_not_stopped_by_it(site, home, tmp_path):
    master, slave = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
    command = [sys.executable, "-c", BEHIND, COMMAND, "serve", site, "--port", "0"]
    process = subprocess.Popen(command, env=environment(**home), **streams)
    os.close(slave)
    try:
        shown = read_until(master, ASKS, b"are not run")
        assert ASKS not in shown
        os.write(master, b"\n")
        rest(master)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize("folder", ["/proc/nowhere", "file/below"])
def test_who_has_no_folder_of_their_own_is_served_and_asked_each_time(site, tmp_path, folder):
    (tmp_path / "file").touch()
    nowhere = {"XDG_CONFIG_HOME": str(tmp_path / folder)}
    with serving(site, "--port", "0", **nowhere) as preview:
        preview.says("are not run")
    for _ in range(2):
        with in_terminal(site, nowhere, answer="yes") as shown:
            assert "your answer cannot be kept" in shown
        assert (tmp_path / "was-run").exists()
