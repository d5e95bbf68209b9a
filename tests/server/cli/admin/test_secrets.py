from __future__ import annotations

from pathlib import Path

from tests.server.cli.admin.operator import Run


def test_the_master_key_is_rotated_in_its_file(run: Run, me: str, data: Path) -> None:
    file = data / "master.keys"
    first = run("secrets", "rotate")
    assert (first.returncode, first.stdout) == (0, "")
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    assert len(lines) == 2
    old = lines[1].partition(":")[0]
    done = run("secrets", "rewrap")
    assert (done.returncode, "0 secrets" in done.stderr, old in done.stderr) == (0, True, True)
    assert lines[1] in file.read_text()
    done = run("secrets", "rewrap", "--prune")
    assert (done.returncode, f"Removed: {old}" in done.stderr) == (0, True)
    assert lines[1] not in file.read_text()
    assert "All master keys are needed" in run("secrets", "rewrap", "--prune").stderr
    assert lines[0].partition(":")[2] not in done.stdout + done.stderr


def test_the_master_key_of_the_environment_is_printed_for_who_sets_it(run: Run, me: str, data: Path) -> None:
    keys = "first:" + "A" * 43 + "="
    done = run("secrets", "rotate", TWINPRESS_MASTER_KEYS=keys)
    new = done.stdout.removesuffix("\n")
    assert new.endswith(f",{keys}")
    assert "TWINPRESS_MASTER_KEYS" in done.stderr
    assert "AAAA" not in done.stderr
    done = run("secrets", "rewrap", "--prune", TWINPRESS_MASTER_KEYS=new)
    assert done.stdout == new.partition(",")[0] + "\n"
    assert not (data / "master.keys").exists()
    done = run("secrets", "rewrap", TWINPRESS_MASTER_KEYS="first:short")
    assert (done.returncode, "short" in done.stderr) == (2, False)
