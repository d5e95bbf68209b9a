from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.control.keys.key_text import KeyKind, generate, generate_management
from server.sync.base_file import NAME
from tests.ports import free_port
from tests.server.commands import COMMAND, environment, twinpress
from tests.server.sync.cut_proxy import cut_proxy
from tests.server.sync.world import World, bodies, world
from tests.sites import write_site
from tests.waiting import until

SITE = {
    "docs/a.md": "# A\n",
    "docs/g/b.md": "# B\n",
    "docs/g/_category_.yml": "label: G\n",
    "docs/x.png": "x",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("cli")) as made:
        yield made


@pytest.fixture
def one(shared: World) -> World:
    shared.clear()
    write_site(shared.here, SITE)
    return shared


def run(one: World, *arguments: str, key: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder."""
    return twinpress(*arguments, cwd=one.here, TWINPRESS_KEY=one.server.long if key is None else key)


def test_the_address_is_named_once(one: World) -> None:
    done = run(one, "push", "--to", one.address)
    assert (done.returncode, done.stdout) == (
        0,
        "docs/a: created\ndocs/g: category set: label\ndocs/g/b: created\n",
    )
    assert done.stderr == (
        "Stayed behind, as only pages and categories travel: docs/x.png, site.yml.\n"
        f"Pushed to {one.address}: 2 pages created, 1 category set.\n"
    )
    again = run(one, "push")
    assert (again.returncode, again.stdout) == (0, "")
    assert again.stderr.endswith(f"Nothing to push to {one.address}.\n")


def test_a_first_pull_fills_an_empty_folder(one: World, tmp_path: Path) -> None:
    one.push()
    (tmp_path / "new").mkdir()
    env = {"TWINPRESS_KEY": one.server.long}
    done = twinpress("pull", "new", "--from", one.address, cwd=tmp_path, **env)
    assert (done.returncode, done.stdout) == (
        0,
        "docs/a: created\ndocs/g: category set: label\ndocs/g/b: created\n",
    )
    assert "The folder has no site.yml" in done.stderr
    assert bodies(tmp_path / "new") == bodies(one.there)
    listed = twinpress("history", "docs/a", cwd=tmp_path / "new")
    assert "twinpress pull" in listed.stdout


def test_a_conflict_is_shown_with_the_way_out_which_works(one: World) -> None:
    one.push()
    write_site(one.here, {"docs/a.md": "# Ours\n"})
    write_site(one.there, {"docs/a.md": "# Theirs\x1b[31m\n"})
    done = run(one, "push")
    assert done.returncode == 1
    assert done.stdout == (
        "docs/a: conflict: changed here and there\n"
        "--- docs/a.md (theirs)\n+++ docs/a.md (ours)\n@@ -1 +1 @@\n-# Theirs␛[31m\n+# Ours\n"
    )
    assert "1 conflict; both sides are as they were." in done.stderr
    assert "`twinpress push --ours docs/a`" in done.stderr
    outside = twinpress("pull", "here", cwd=one.here.parent, TWINPRESS_KEY=one.server.long)
    assert "`twinpress pull here --theirs docs/a`" in outside.stderr
    settled = run(one, "push", "--ours", "docs/a")
    assert (settled.returncode, settled.stdout) == (0, "docs/a: replaced\n")


@pytest.mark.parametrize("path", ["docs/a.md", "./docs/a", "docs/a.llms.md", "docs/", "docs", ".", "./"])
def test_a_path_may_be_a_file_or_a_folder(one: World, path: str) -> None:
    one.push()
    write_site(one.here, {"docs/a.md": "# Ours\n"})
    write_site(one.there, {"docs/a.md": "# Theirs\n"})
    done = run(one, "pull", "--theirs", path)
    assert (done.returncode, done.stdout) == (0, "docs/a: replaced\n")
    assert bodies(one.here)["docs/a"] == "# Theirs\n"


def test_a_dry_run_shows_and_changes_nothing(one: World) -> None:
    one.push()
    (one.here / "docs/a.md").unlink()
    write_site(one.here, {"docs/n.md": "# N\n\n[x](nowhere.md)\n", "docs/g/_category_.yml": "label: H\n"})
    before = bodies(one.there), (one.here / NAME).read_bytes()
    done = run(one, "push", "--prune", "--dry-run")
    assert (done.returncode, done.stdout) == (
        0,
        "docs/a: would be deleted\ndocs/g: category would be set: label\ndocs/n: would be created\n",
    )
    assert (
        f"Would have pushed to {one.address}: 1 page created, 1 page deleted, 1 category set." in done.stderr
    )
    assert (bodies(one.there), (one.here / NAME).read_bytes()) == before


def test_diagnostics_are_shown_as_a_check_shows_them(one: World) -> None:
    write_site(one.here, {"docs/a.md": "# A\n\nSee [it](nowhere.md).\n"})
    done = run(one, "push", "--to", one.address)
    checked = twinpress("check", cwd=one.here)
    shown = done.stdout.split("docs/g/b: created\n")[1]
    assert "docs/a.md:3:10: error: there is no page or file" in shown
    assert checked.stdout.startswith(shown)
    assert done.returncode == 0


def test_a_refused_page_is_told_and_the_exit_code_says_so(one: World) -> None:
    write_site(one.here, {"docs/a.md": "---\ntitle: [1]\n---\n\nA\n"})
    done = run(one, "push", "--to", one.address)
    assert done.returncode == 1
    assert "docs/a: refused: frontmatter.title: " in done.stdout
    assert "[INVALID_BODY]" in done.stdout
    assert "docs/g/b: created" in done.stdout


def test_programs_get_one_object(one: World) -> None:
    one.push()
    write_site(one.here, {"docs/a.md": "# Ours\n", "docs/n.md": "# N\n\n[x](nowhere.md)\n"})
    write_site(one.there, {"docs/a.md": "# Theirs\n", "docs/g/b.md": "# B2\n"})
    done = run(one, "push", "--format", "json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["done"] == [{"path": "docs/n", "action": "created", "kind": "page", "fields": []}]
    assert [(each["path"], each["kind"]) for each in told["conflicts"]] == [("docs/a", "page")]
    assert told["conflicts"][0]["diff"].startswith("--- docs/a.md (theirs)\n")
    assert told["changed_on_the_other_side"] == ["docs/g/b"]
    assert told["stayed_behind"] == ["site.yml", "docs/x.png"]
    (found,) = told["diagnostics"]
    assert (found["file"], found["line"], found["code"]) == ("docs/n.md", 3, "broken-link")
    assert (told["command"], told["dry_run"], told["service"]) == ("push", False, one.address)


def key_file(folder: Path, text: str) -> str:
    (folder / "key").write_text(text)
    return str(folder / "key")


def test_the_key_may_be_in_a_file(one: World, tmp_path: Path) -> None:
    file = key_file(tmp_path, f"{one.server.long}\nmore\n")
    assert run(one, "push", "--to", one.address, "--key-file", file, key="").returncode == 0


def test_a_key_of_databases_is_known_as_one(one: World) -> None:
    done = run(one, "push", key=generate_management())
    assert (done.returncode, "this key opens databases" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "key", "words"),
    [
        ([], "", "set TWINPRESS_KEY, or name a file with --key-file\n  create one with `twinpress key"),
        ([], "svc_docs_short", "TWINPRESS_KEY: this is no key of a site\n  it begins with svc_docs_"),
        (["--key-file", "nowhere"], "", "'nowhere' does not exist"),
        ([], None, "the address of the service is not known yet\n  name it once: --to ADDRESS"),
        (["--to", "docs.example.com"], None, "is no address of a server"),
        (["--to", "https://me:secret@docs.example.com"], None, "is no address of a server"),
        (["--to", "http://docs.example.com"], None, "plain http to another machine"),
        (["--to", "ADDRESS", "--base", "nowhere"], None, "git does not give this commit"),
        (["--ours", "docs/a", "--theirs", "docs/a.md"], None, "--ours and --theirs name the same path"),
    ],
)  # fmt: skip
def test_what_cannot_begin_says_why(one: World, arguments: list[str], key: str | None, words: str) -> None:
    done = run(one, "push", *(one.address if each == "ADDRESS" else each for each in arguments), key=key)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""
    assert not (one.here / NAME).exists()


def test_a_wrong_key_and_a_missing_service_are_failures(one: World) -> None:
    wrong = run(one, "push", "--to", one.address, key=generate(KeyKind.LONG_LIVED))
    assert (wrong.returncode, "[BAD_KEY]" in wrong.stderr) == (2, True)
    nobody = run(one, "pull", "--from", f"http://127.0.0.1:{free_port()}")
    assert (nobody.returncode, "the service does not answer" in nobody.stderr) == (2, True)


def test_a_push_that_is_cut_off_goes_on_from_there(one: World) -> None:
    with cut_proxy(one.server.port) as proxy:
        proxy.allow(2)
        address = f"http://127.0.0.1:{proxy.port}"
        done = run(one, "push", "--to", address)
        assert (done.returncode, "the same command goes on from there" in done.stderr) == (2, True)
        proxy.allow(10**9)
        assert run(one, "push").returncode == 0
    assert set(bodies(one.there)) == {"docs/a", "docs/g/b"}


def started(one: World, *arguments: str) -> subprocess.Popen[str]:
    """The command as users start it, which may be ended by a signal."""
    env = environment(TWINPRESS_KEY=one.server.long)
    return subprocess.Popen([COMMAND, *arguments], cwd=one.here, env=env, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_ends_a_push_with_130_and_what_was_done_is_known(one: World) -> None:
    with cut_proxy(one.server.port) as proxy:
        proxy.meanwhile = lambda line: process.send_signal(signal.SIGINT) if line[:4] == b"POST" else None
        process = started(one, "push", "--to", f"http://127.0.0.1:{proxy.port}")
        _, said = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in said
    assert set(json.loads((one.here / NAME).read_text())["pages"]) == {"docs/a", "docs/g/b"}


MANY = {f"docs/p{number}.md": f"# {number}\n" for number in range(40)}


@pytest.mark.parametrize("request_number", [1, 2, 20, 39])
def test_a_push_that_was_killed_goes_on(one: World, request_number: int) -> None:
    write_site(one.here, MANY)
    with cut_proxy(one.server.port) as proxy:
        proxy.meanwhile = lambda _: process.kill() if len(proxy.seen) > request_number else None
        process = started(one, "push", "--to", f"http://127.0.0.1:{proxy.port}")
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert run(one, "push", "--to", one.address).returncode == 0
    assert bodies(one.there) == bodies(one.here)
    assert run(one, "push").stdout == ""


@pytest.mark.parametrize("written", [1, 20])
def test_a_pull_that_was_killed_goes_on(one: World, written: int) -> None:
    one.push()
    write_site(one.there, MANY | {"docs/a.md": "# Theirs\n"})
    process = started(one, "pull")
    until(lambda: len(list((one.here / "docs").glob("p*.md"))) >= written or process.poll() is not None)
    process.kill()
    process.communicate()
    assert run(one, "pull").returncode == 0
    assert bodies(one.here) == bodies(one.there)
    assert run(one, "pull").stdout == ""


@pytest.mark.parametrize("name", ["push", "pull"])
def test_help_gives_examples_and_exit_codes(tmp_path: Path, name: str) -> None:
    done = twinpress(name, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert (
        f"  twinpress {name} --dry-run" in done.stdout
        or f"  twinpress {name} --prune --dry-run" in done.stdout
    )
    assert "Exit codes: 0 done, 1 conflicts" in done.stdout
