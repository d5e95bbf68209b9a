"""Formulas and diagrams in whole sites: files that pages bring, style sheets, what earlier builds left."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from builder import diagrams
from builder.build import Result, build
from builder.diagrams import diagram
from builder.output import FolderOutput, MemoryOutput
from builder.plan.options import Options
from builder.preview import Preview, UnsavedText
from tests.builder.cache.test_edits import files
from tests.sites import build_site, write_site

pytest.importorskip("merman")

CONFIG = "title: T\nextras: [math, diagrams]\n"
FLOW = "```mermaid\nflowchart LR\n  A[{}] --> B\n```\n"
SITE = {
    "site.yml": CONFIG,
    "docs/index.mdx": "# Both\n\n$x$\n\n" + FLOW.format("One") + "\n" + FLOW.format("Two"),
    "docs/one.mdx": "# One\n\n" + FLOW.format("One"),
    "docs/math.mdx": "# Math\n\n$x$\n",
    "docs/plain.mdx": "# Plain\n",
    "docs/plain-too.md": "# Plain, too\n\n$x$\n\n" + FLOW.format("Three"),
}
IN_MD = [("docs/plain-too.md", "foreign-syntax")] * 2
"""The formula and the diagram of a page on which no extra acts."""
DRAWN = re.compile(r'src="/(_tp/diagram\.[0-9a-f]{10}\.svg)"')


def built(site: Path, out: Path) -> Result:
    return build(site, FolderOutput(out), Options(cache="keep", jobs=1))


def drawings(out: Path) -> set[str]:
    return {f"_tp/{file.name}" for file in (out / "_tp").glob("diagram.*.svg")}


def test_pages_bring_their_drawings_and_only_they_name_the_style_sheets(tmp_path: Path) -> None:
    made = build_site(tmp_path, SITE)
    assert [(one.file, one.code) for one in made.diagnostics] == IN_MD
    shown = {name: set(DRAWN.findall(made.text(f"docs/{name}.html"))) for name in ("index", "one", "plain")}
    assert (len(shown["index"]), len(shown["one"]), len(shown["plain"])) == (4, 2, 0)
    assert shown["one"] < shown["index"]
    assert {path for path in made.output.written if "/diagram." in path} == shown["index"]
    sheets = {
        name: set(re.findall(r"/_tp/(math|diagrams)\.\w+\.css", made.text(f"docs/{name}.html")))
        for name in ("index", "one", "math", "plain", "plain-too")
    }
    assert sheets == {
        "index": {"math", "diagrams"},
        "one": {"diagrams"},
        "math": {"math"},
        "plain": set(),
        "plain-too": set(),
    }


def test_pages_without_formulas_and_diagrams_are_the_same_as_without_the_extras(tmp_path: Path) -> None:
    plain = {"docs/plain.mdx": "# Plain\n\nCosts $5 or $6.\n\n```py\nx\n```\n", "docs/md.md": "$x$\n"}
    with_them = build_site(tmp_path / "a", {"site.yml": CONFIG, **plain})
    without = build_site(tmp_path / "b", {"site.yml": "title: T\n", **plain})
    for path in without.output.written:
        assert with_them.output.written[path] == without.output.written[path], path


def test_a_site_without_the_extras_shows_what_was_written(tmp_path: Path) -> None:
    made = build_site(tmp_path, {**SITE, "site.yml": "title: T\n"})
    text = made.text("docs/index.html")
    assert "<p>$x$</p>" in text
    assert 'class="language-mermaid"' in text
    assert "<math" not in text
    assert not re.search(r"_tp/(?:diagram|math)", " ".join(made.output.written))


def test_the_twin_has_the_fence_and_the_tex(tmp_path: Path) -> None:
    made = build_site(tmp_path, SITE)
    assert FLOW.format("One") in made.text("docs/one.md")
    assert "$x$" in made.text("docs/index.md")
    assert FLOW.format("One") in made.text("llms-full.txt")


def test_the_text_and_the_size_of_a_diagram_are_said(tmp_path: Path) -> None:
    page = FLOW.format("One") + "\n```mermaid\npie\n accDescr: Half and half.\n 'a' : 1\n```\n"
    page = page.replace("'a'", '"a"')
    text = build_site(tmp_path, {"site.yml": f"{CONFIG}language: de\n", "docs/index.mdx": page}).text(
        "docs/index.html"
    )
    assert 'alt="Diagramm (flowchart): One, B" width="' in text
    assert 'alt="Half and half."' in text
    assert "<summary>Quelltext des Diagramms</summary>" in text


def test_a_build_without_changes_leaves_all_drawings_and_draws_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = write_site(tmp_path / "site", SITE)
    first = built(site, tmp_path / "out")
    before = files(tmp_path / "out")
    monkeypatch.setattr(diagram, "draw", None)
    again = built(site, tmp_path / "out")
    assert files(tmp_path / "out") == before
    assert (again.files, again.diagnostics) == (first.files, first.diagnostics)


def test_a_drawing_that_was_removed_is_written_again(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    built(site, tmp_path / "out")
    before = files(tmp_path / "out")
    for path in drawings(tmp_path / "out"):
        (tmp_path / "out" / path).unlink()
    built(site, tmp_path / "out")
    assert files(tmp_path / "out") == before


def test_an_edit_draws_what_is_new_and_removes_what_no_page_has(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    built(site, tmp_path / "out")
    before = drawings(tmp_path / "out")
    drawn: list[str] = []
    page = site / "docs/index.mdx"
    page.write_text(page.read_text().replace("Two", "New"))
    diagram.draw.cache_clear()
    own = diagram._draw

    def watched(source: str) -> object:
        drawn.append(source)
        return own(source)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagram, "_draw", watched)
        built(site, tmp_path / "out")
    assert [source.strip() for source in drawn] == ["flowchart LR\n  A[New] --> B"]
    after = drawings(tmp_path / "out")
    assert (len(before & after), len(before - after), len(after - before)) == (2, 2, 2)


def test_several_processes_write_the_same(tmp_path: Path) -> None:
    many = {f"docs/p{number}.mdx": FLOW.format(f"{number % 7}") + "\n$x$\n" for number in range(20)}
    site = write_site(tmp_path / "site", {**SITE, **many})
    build(site, FolderOutput(tmp_path / "one"), Options(cache="no", jobs=1))
    build(site, FolderOutput(tmp_path / "two"), Options(cache="no", jobs=2))
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_the_preview_gives_what_a_build_writes(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    output = MemoryOutput()
    build(site, output)
    preview = Preview(site, Options())
    preview.update()
    preview.diagnostics()
    wanted = {path: data for path, data in output.written.items() if path.startswith("_tp/diagram")}
    assert {path: preview.get(path) for path in wanted} == wanted
    assert all(path in preview.places for path in wanted)
    assert preview.get("_tp/diagram.0000000000.svg") is None
    draft = preview.draft(UnsavedText("docs/one", "mdx", FLOW.format("Unsaved")))
    assert draft.html is not None
    for path in DRAWN.findall(draft.html.decode()):
        assert preview.get(path) == draft.files[path]
    preview.close()


def test_without_the_package_diagrams_are_code_and_that_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagram, "find_spec", lambda _: None)
    diagrams.is_installed.cache_clear()
    try:
        made = build_site(tmp_path, SITE)
    finally:
        monkeypatch.undo()
        diagrams.is_installed.cache_clear()
    told = [(one.file, one.code) for one in made.diagnostics if one.code != "diagrams-missing"]
    assert told == IN_MD
    assert made.codes.count("diagrams-missing") == 1
    assert 'class="language-mermaid"' in made.text("docs/one.html")
    assert "tp-diagram" not in made.text("docs/one.html")
    assert "<math" in made.text("docs/math.html")


def test_a_fault_is_told_with_its_line_in_the_page(tmp_path: Path) -> None:
    fence = "```mermaid\nflowchart LR\n  A --> B\n  C[oops --> D\n```"
    page = f"# A\n\n<Steps>\n<Step title='a'>\n\n{fence}\n\n</Step>\n</Steps>\n"
    made = build_site(tmp_path, {"site.yml": CONFIG, "docs/index.mdx": page})
    assert [(found.line, found.code) for found in made.result.diagnostics] == [(9, "diagram-invalid")]
    assert "oops" in made.text("docs/index.html")


def test_nothing_of_it_is_loaded_for_pages_without_it(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", {"site.yml": CONFIG, "docs/index.mdx": "# Plain\n\nText.\n"})
    seen = ("math_core", "merman", "xml", "builder.diagrams.drawer", "builder.diagrams.svg")
    code = (
        "import sys; from pathlib import Path; from builder.build import build; "
        "from builder.output import MemoryOutput; build(Path(sys.argv[1]), MemoryOutput()); "
        f"print([name for name in {seen} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(site)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
