"""Sites whose pages include files: what a build writes, what it makes anew, what it says."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from builder.build import build
from builder.output import FolderOutput, MemoryOutput
from builder.plan.options import Options
from builder.produce.check_site import check_site
from builder.site import load, sources_digest
from builder.store import ContentStore
from tests.builder.trees import make
from tests.sites import build_site, write_site

SITE = {
    "site.yml": "title: T\nextras: [includes, components]\nvariables: {product: Rocket}\n",
    "docs/index.mdx": "# %{product}\n\n<Include src='_parts/a.mdx' />\n",
    "docs/other.mdx": "Other.\n",
    "docs/guide/_category_.yml": "label: Guide\nvariables: {product: Boat}\n",
    "docs/guide/x.mdx": "---\nvariables: {speed: fast}\n---\n%{product} %{speed} <Box>in</Box>\n",
    "docs/guide/code.mdx": "```py file='/examples/app.py'\n```\n",
    "docs/_parts/a.mdx": "## Part\n\nShared words.\n",
    "docs/_parts/picture.png": "not copied",
    "docs/_parts/_category_.yml": "label: x\n",
    "docs/_draft.mdx": "---\nbroken: [\n---\n",
    "_components/Box.mdx": "[ <Slot/> ]\n",
    "examples/app.py": "print(1)\n",
}
CHANGES = {
    "docs/_parts/a.mdx": ("New words.\n", {"docs/index"}),
    "_components/Box.mdx": ("( <Slot/> )\n", {"docs/guide/x"}),
    "examples/app.py": ("print(2)\n", {"docs/guide/code"}),
    "docs/guide/_category_.yml": ("label: Guide\nvariables: {product: Ship}\n", {"docs/guide/x"}),
}


def _built(root: Path) -> dict[str, bytes]:
    output = MemoryOutput()
    build(root, output, Options(url="https://o.example"))
    return output.written | dict.fromkeys(output.copied, b"")


def test_parts_are_expanded_everywhere_and_are_no_pages(tmp_path: Path) -> None:
    files = _built(make(tmp_path, SITE))
    assert not [name for name in files if "/_" in f"/{name}" and not name.startswith(("_tp/", "_redirects"))]
    assert b"Shared words." in files["docs/index.html"]
    assert b"Shared words." in files["docs/index.md"]
    assert b"Shared words." in files["llms-full.txt"]
    assert b"<title>Rocket" in files["docs/index.html"]
    assert b"Boat fast [ in ]" in files["docs/guide/x.md"]


def test_nothing_is_said_of_parts(tmp_path: Path) -> None:
    found = check_site(make(tmp_path, SITE), Options())
    assert [f"{one.file} {one.code}" for one in found.diagnostics] == []


def test_without_the_extra_they_are_what_they_ever_were(tmp_path: Path) -> None:
    make(tmp_path, SITE | {"site.yml": "title: T\n"})
    found = {(one.file, one.code) for one in check_site(tmp_path, Options()).diagnostics}
    assert ("docs/_parts/a.mdx", "path-invalid") in found
    assert "docs/_parts/picture.png" in _built(tmp_path)


def test_an_edit_makes_those_anew_that_include_it(tmp_path: Path) -> None:
    root, options = make(tmp_path / "site", SITE), Options(cache="keep")
    _write(root, tmp_path / "out", options)
    for file, (text, users) in CHANGES.items():
        before = _states(tmp_path / "out")
        (root / file).write_text(text)
        _write(root, tmp_path / "out", options)
        after = _states(tmp_path / "out")
        assert {name for name in after if before[name] != after[name]} == users
        assert _written(tmp_path / "out") == _built_pages(root)


def _write(root: Path, folder: Path, options: Options) -> None:
    build(root, FolderOutput(folder), options)


def _states(folder: Path) -> dict[str, int]:
    """Of each page the time at which it was written."""
    names = ("docs/index", "docs/other", "docs/guide/x", "docs/guide/code")
    return {name: (folder / f"{name}.md").stat().st_mtime_ns for name in names}


def _written(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.html").read_bytes() for name in _states(folder)}


def _built_pages(root: Path) -> dict[str, bytes]:
    output = MemoryOutput()
    build(root, output, Options())
    return {
        name: output.written[f"{name}.html"]
        for name in ("docs/index", "docs/other", "docs/guide/x", "docs/guide/code")
    }


def test_own_components_cannot_take_a_name_of_the_language(tmp_path: Path) -> None:
    make(
        tmp_path,
        SITE
        | {
            "_components/Card.mdx": "x",
            "_components/Slot.mdx": "x",
            "_components/Bad.mdx": "---\nattributes: {a: list}\n---\n",
            "_components/Torn.mdx": "---\nattributes:\n  a: [\n---\n",
        },
    )
    found = [
        one for one in check_site(tmp_path, Options()).diagnostics if one.code == "own-component-invalid"
    ]
    assert [(one.file, one.line) for one in found] == [
        ("_components/Bad.mdx", 1),
        ("_components/Card.mdx", 0),
        ("_components/Slot.mdx", 0),
        ("_components/Torn.mdx", 3),
    ]


@pytest.mark.parametrize(("trusted", "codes"), [(True, []), (False, ["include-refused"])])
def test_folders_beside_the_site_are_for_those_who_trust_it(
    tmp_path: Path, trusted: bool, codes: list[str]
) -> None:
    files = {"site/site.yml": SITE["site.yml"] + "last_updated: false\n", "code/app.py": "print(3)\n"}
    make(tmp_path, files | {"site/docs/a.mdx": "```py file='../../code/app.py'\n```\n"})
    options = Options(trusted=trusted, include_roots=(str(tmp_path / "code"),))
    assert [one.code for one in check_site(tmp_path / "site", options).diagnostics] == codes


TITLED = {
    "site.yml": "title: T\nextras: [includes]\nvariables: {v: '2'}\n",
    "docs/a.mdx": "<Include src='_head.mdx' />\n\nText.\n",
    "docs/b.mdx": "---\ntitle: Own\n---\n<Include src='_head.mdx' />\n",
    "docs/c.mdx": "Text.\n\n<Include src='_head.mdx' />\n",
    "docs/_head.mdx": "---\nx: 1\n---\n# Install %{v}\n\nMore.\n",
}


def test_a_page_that_begins_with_a_part_has_the_title_of_that(tmp_path: Path) -> None:
    site = build_site(tmp_path, TITLED)
    lines = site.text("llms.txt").splitlines()
    assert [line.partition("](")[0] for line in lines if line.startswith("- [")] == [
        "- [Docs",
        "- [C",
        "- [Install 2",
        "- [Own",
    ]
    assert site.text("docs/a.html").count("<h1") == 1
    assert "<title>Install 2" in site.text("docs/a.html")


@pytest.mark.parametrize(("deep", "title"), [(2, "Deep 2"), (8, "Deep 2"), (9, "A")])
def test_the_title_may_come_from_a_part_of_a_part(tmp_path: Path, deep: int, title: str) -> None:
    files = {f"docs/_{n}.mdx": f"<Include src='_{n + 1}.mdx' />\n" for n in range(1, deep)}
    files |= {f"docs/_{deep}.mdx": "# Deep %{v}\n", "docs/a.mdx": "<Include src='_1.mdx' />\n"}
    site = build_site(tmp_path, {"site.yml": TITLED["site.yml"], **files})
    assert f"- [{title}](" in site.text("llms.txt")
    assert ("<h1" in site.text("docs/a.html"), site.text("docs/a.html").count("<h1")) == (True, 1)
    assert site.codes == ([] if deep < 9 else ["include-cycle"])


def test_parts_that_include_each_other_give_no_title(tmp_path: Path) -> None:
    files = {"docs/_1.mdx": "<Include src='_2.mdx' />\n", "docs/_2.mdx": "<Include src='_1.mdx' />\n"}
    site = build_site(tmp_path, {**TITLED, **files, "docs/a.mdx": "<Include src='_1.mdx' />\n"})
    assert site.codes == ["include-cycle"]
    assert "- [A](" in site.text("llms.txt")


def test_the_digest_of_a_site_is_another_when_code_that_it_shows_is(tmp_path: Path) -> None:
    page = "```py file='../code/app.py'\n```\n"
    write_site(tmp_path, {"site.yml": SITE["site.yml"], "docs/a.mdx": page, "code/app.py": "1\n"})

    def now() -> bytes:
        with ContentStore(tmp_path) as store:
            return sources_digest(load(store))

    first = now()
    assert now() == first
    (tmp_path / "code/app.py").write_text("2\n")
    assert now() != first


def test_titles_and_descriptions_have_the_values_of_variables(tmp_path: Path) -> None:
    head = 'title: "Move to %{new}"\ndescription: "From %{old} to %{new}."\nvariables: {old: "1"}\n'
    config = "title: T\nurl: https://o.example\nvariables: {new: '2'}\n"
    site = build_site(tmp_path, {"site.yml": config, "docs/g/a.mdx": f"---\n{head}---\n\nText.\n"})
    for file in ("docs/g/a.html", "docs/g/a.md", "docs/g/index.html", "llms.txt"):
        assert "Move to 2" in site.text(file)
        assert "From 1 to 2." in site.text(file)
        assert "%{" not in site.text(file)


def test_an_anchor_alone_in_a_part_is_one_of_the_page(tmp_path: Path) -> None:
    part = "## Own\n\n[own](#own) [page](#page) [none](#none)\n"
    files = {"docs/g/_p.mdx": part, "docs/a.mdx": "<Include src='g/_p.mdx' />\n\n## Page\n"}
    site = build_site(tmp_path, {"site.yml": SITE["site.yml"], **files})
    assert [(one.code, "none" in one.message) for one in site.diagnostics] == [("broken-anchor", True)]
    for name in ("own", "page"):
        assert f'<a href="#{name}">{name}</a>' in site.text("docs/a.html")


def test_what_is_no_text_in_an_included_file_is_told_at_its_place(tmp_path: Path) -> None:
    files = {
        "site.yml": "title: T\nextras: [includes, components]\n",
        "docs/a.mdx": "<Include src='_p.mdx' />\n\n<Box />\n",
        "docs/b.mdx": "```md file='_p.mdx'\n```\n\n```py file='x.py'\n```\n",
        "docs/_p.mdx": b"One\ncaf\xe9\n",
        "docs/x.py": b"x = 1\0\n",
        "_components/Box.mdx": b"\xff",
        "_components/box.png": b"\xff",
    }
    found = check_site(write_site(tmp_path, files), Options()).diagnostics
    assert [(one.file, one.line, one.column, one.code) for one in found] == [
        ("_components/Box.mdx", 1, 1, "page-encoding"),
        ("docs/_p.mdx", 2, 4, "page-encoding"),
        ("docs/x.py", 1, 6, "nul-character"),
    ]


@pytest.mark.slow
def test_an_edit_of_a_part_makes_its_fifty_users_anew_among_a_thousand_pages(tmp_path: Path) -> None:
    root, options = tmp_path / "site", Options(cache="keep")
    users = {f"docs/p{number}" for number in range(0, 1_000, 20)}
    files = {"site.yml": SITE["site.yml"], "docs/_part.mdx": "Shared.\n", "docs/_other.mdx": "Other.\n"}
    for name in (f"docs/p{number}" for number in range(1_000)):
        files[f"{name}.mdx"] = f"<Include src='{'_part' if name in users else '_other'}.mdx' />\n"
    _write(make(root, files), tmp_path / "out", options)
    before = _rendered(root)
    (root / "docs/_part.mdx").write_text("New words.\n")
    _write(root, tmp_path / "out", options)
    assert len(before) == 1_000
    assert {path for path, _ in _rendered(root) - before} == users
    said = {file.stem for file in tmp_path.glob("out/docs/p*.html") if "New words." in file.read_text()}
    assert {f"docs/{name}" for name in said} == users


def _rendered(root: Path) -> set[tuple[str, int]]:
    """The pages in the cache, each with the number of its row: a page that is rendered gets a new one."""
    with closing(sqlite3.connect(root / ".twinpress/cache/pages.db")) as connection:
        return set(connection.execute("SELECT path, rowid FROM page"))
