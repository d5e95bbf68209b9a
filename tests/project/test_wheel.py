"""The wheel holds everything that the command needs, and works without its sources.

No network is needed: the wheel is built with the hatchling of this environment, and installed alone. What it
depends on comes from this environment by a `.pth` file, in which the editable install of the sources does
not count: Python reads no `.pth` files of a folder that a `.pth` file names.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("builder", "components", "server", "themes")


def _run(*arguments: str | Path, cwd: Path) -> str:
    done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment into which the wheel, and nothing else, is installed."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    _run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=folder)
    place = _run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    Path(place, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return folder


def test_the_wheel_has_every_file_of_the_packages(wheel: Path) -> None:
    tracked = _run("git", "ls-files", "-z", *PACKAGES, cwd=ROOT).split("\0")
    present = {name for name in tracked if name and (ROOT / name).is_file()}
    assert present
    assert present - set(zipfile.ZipFile(wheel).namelist()) == set()


def test_the_wheel_has_nothing_but_the_packages_and_its_own_record(wheel: Path) -> None:
    folders = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {each for each in folders if not each.endswith(".dist-info")} == set(PACKAGES)


def test_an_installed_wheel_runs_its_own_code(environment: Path) -> None:
    names = ", ".join(PACKAGES)
    script = f"import {names}; print(*(each.__file__ for each in ({names})))"
    places = _run(environment / "bin" / "python", "-c", script, cwd=environment).split()
    assert len(places) == len(PACKAGES)
    assert all(Path(place).is_relative_to(environment) for place in places)


def test_an_installed_wheel_creates_builds_and_serves_a_site(environment: Path) -> None:
    smoke = ROOT / ".ci" / "smoke.py"
    told = _run(sys.executable, smoke, environment / "bin" / "twinpress", cwd=environment)
    assert "The package works" in told
