"""Things that an editor, a careless copy or somebody with bad intent leaves in a site, through whole builds.

Each stands alone in a small site. Whatever it is, the pages beside it are built, a diagnostic names it, and
nothing outside the site's folder gets into the build or is changed by it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.build import build
from builder.output import MemoryOutput
from tests.builder.beside import OUTSIDE, around, built_beside
from tests.builder.children import drop_privileges, in_child
from tests.sites import write_site

GIB = 1 << 30


__all__ = ["around"]

Maker = Callable[[Path], object]


def _socket(path: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{here}/{path.name}")  # the address of a socket must be short
    os.close(here)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(GIB)


def _filled(folder: Path) -> None:
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/inner.md").write_text("inner")


def _link(target: str) -> Maker:
    return lambda path: path.symlink_to(target)


def _bytes(data: bytes) -> Maker:
    return lambda path: path.write_bytes(data)


KINDS: dict[str, Maker] = {
    "a named pipe": os.mkfifo,
    "a socket": _socket,
    "a folder": _filled,
    "a gibibyte": _sparse,
    "a link out of the site": _link("../../outside/secret.md"),
    "a link by its whole path": lambda path: path.symlink_to(path.parents[2] / "outside/secret.md"),
    "a link to a folder outside": _link("../../outside/in"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to its folder": _link("."),
    "a link to nowhere": _link("nowhere"),
    "a link to a device": _link("/dev/zero"),
    "a link to a page": _link("good.md"),
}
FILES = ("docs/x.md", "docs/x.mdx", "docs/good.llms.md", "docs/_category_.yml", "docs/x.png", "static/x")
HARMLESS = {
    ("a folder", "docs/x.png"),
    ("a folder", "static/x"),
}
"""Entries that there may be without anybody being told: folders with a dot in their name."""


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_named_and_the_rest_is_built(around: Path, kind: str, file: str) -> None:
    KINDS[kind](around / "site" / file)
    built = built_beside(around)
    named = [each for each in built.diagnostics if each.file == file]
    assert bool(named) is ((kind, file) not in HARMLESS), built.diagnostics
    assert all(each.message for each in named)


@pytest.mark.parametrize("file", ["site.yml", "docs", "pages", "static"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "a folder"])
def test_the_sites_own_places_may_be_anything(tmp_path: Path, kind: str, file: str) -> None:
    good = {
        "site.yml": "title: T\n",
        "docs/good.md": "words",
        "pages/good.md": "words",
        "static/good.css": "x",
    }
    site = write_site(
        tmp_path / "a/site", {name: text for name, text in good.items() if not name.startswith(file)}
    )
    write_site(tmp_path / "outside", OUTSIDE)
    KINDS[kind](site / file)
    output = MemoryOutput()
    found = build(site, output).diagnostics
    assert [each.file for each in found] == [file]
    assert all(" file, not a file" not in each.message for each in found)
    assert {name for name in output.paths if "good" in name and name.endswith((".html", ".css"))} == {
        place for name, place in PLACES.items() if name != file
    }
    assert not any(b"secretive" in data for data in output.written.values())


PLACES = {"docs": "docs/good.html", "pages": "good.html", "static": "good.css"}


def test_what_this_user_may_not_read_is_named(around: Path) -> None:
    built_beside(around)  # loads the theme, which that other user may have no right to read
    files = ("docs/locked.md", "docs/locked.png", "docs/_category_.yml", "site.yml")
    write_site(around / "site", dict.fromkeys(files, "secretive") | {"docs/closed/a.md": "secretive"})
    for path in (around / "site", *(around / "site").rglob("*")):
        path.chmod(0o755)
    for name in (*files, "docs/closed"):
        (around / "site" / name).chmod(0)
    around.chmod(0o755)

    def act() -> str:
        os.chdir(around / "site")  # as the folders above may be closed to that other user
        drop_privileges()
        output = MemoryOutput()
        found = build(Path(), output).diagnostics
        assert "docs/good.html" in output.written
        assert not any(b"secretive" in data for data in output.written.values())
        return "\n".join(sorted({each.file for each in found}))

    assert in_child(act).splitlines() == sorted((*files, "docs/closed"))
