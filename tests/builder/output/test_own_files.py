"""The folder `_tp` of a finished site is the build's own: nothing of the site's gets into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.build import Result, build
from builder.errors import OutputError
from builder.output import FolderOutput, MemoryOutput
from tests.sites import Files, build_site, write_site

SITE: Files = {
    "site.yml": "title: T\nplan: premium\n",
    "docs/a.mdx": '# A\n\n<Callout color="#7c3aed">\ntext\n</Callout>\n',
}
FOREIGN = b"alert(document.domain)"


def own_files(folder: Path) -> list[str]:
    """The files in `_tp` that a build of the site makes; their names are no secret."""
    paths = build_site(folder / "like", SITE).output.paths
    own = sorted(path for path in paths if path.startswith("_tp/") and not path.startswith("_tp/search/"))
    kinds = {path.rpartition(".")[2] for path in own}
    assert kinds == {"css", "js", "json", "txt"}
    return own


def _twice(site: Path) -> Result:
    """Into a fresh folder, and again."""
    build(site, FolderOutput(site / "dist"))
    return build(site, FolderOutput(site / "dist"))


def _check(site: Path, file: str) -> None:
    result = _twice(site)
    found = [each for each in result.diagnostics if each.file == file]
    assert [each.code for each in found] == ["path-conflict"]
    assert f"`{file}`" in found[0].message
    assert not [
        path for path in (site / "dist").rglob("*") if path.is_file() and path.read_bytes() == FOREIGN
    ]


def test_a_file_in_the_place_of_one_of_the_builds_own_is_left_out_and_named(tmp_path: Path) -> None:
    for number, path in enumerate(own_files(tmp_path)):
        _check(write_site(tmp_path / str(number), {**SITE, f"static/{path}": FOREIGN}), f"static/{path}")


@pytest.mark.parametrize("path", ["manifest.json", "manifest.json/y", "other.txt", "reload.js", ".x"])
@pytest.mark.parametrize("folder", ["static/_tp", "static/_TP", "pages/_tp"])
def test_any_file_that_would_be_among_them_is_left_out(tmp_path: Path, folder: str, path: str) -> None:
    file = f"{folder}/{path}"
    site = write_site(tmp_path, {**SITE, file: FOREIGN})
    if path == ".x":  # hidden files are none of the site's
        assert [each.code for each in _twice(site).diagnostics] == []
        assert not list((site / "dist").rglob(".x"))
    else:
        _check(site, file)


def test_a_file_in_the_place_of_the_folder_is_left_out(tmp_path: Path) -> None:
    _check(write_site(tmp_path, {**SITE, "static/_tp": FOREIGN}), "static/_tp")


def test_a_redirect_into_the_folder_is_told_at_its_place(tmp_path: Path) -> None:
    redirects = "redirects:\n  /_tp/a: /docs/a\n  /_tp/: /docs/a\n  /ok: /docs/a\n"
    built = build_site(tmp_path, {**SITE, "site.yml": f"title: T\n{redirects}"})
    found = [(each.code, each.file, each.line) for each in built.diagnostics if each.file == "site.yml"]
    assert found == [("path-conflict", "site.yml", 3), ("path-conflict", "site.yml", 4)]
    assert "_tp/a.html" not in built.output.paths
    assert "ok.html" in built.output.paths


def test_the_preview_shows_the_same(tmp_path: Path) -> None:
    own = own_files(tmp_path)
    site = write_site(tmp_path / "site", {**SITE, **{f"static/{path}": FOREIGN for path in own}})
    output = MemoryOutput()
    build(site, output)
    assert output.copied == {}
    assert FOREIGN not in output.written.values()


def test_a_foreign_file_in_their_place_stops_the_build_before_anything_is_written(tmp_path: Path) -> None:
    script = next(path for path in own_files(tmp_path) if path.endswith(".js"))
    site = write_site(tmp_path / "site", {**SITE, f"dist/{script}": FOREIGN})
    with pytest.raises(OutputError, match="earlier build"):
        build(site, FolderOutput(site / "dist"))
    assert [path.name for path in (site / "dist").rglob("*") if path.is_file()] == [Path(script).name]
