"""Trees that attack: nothing outside is read, nothing runs, and the import ends with a report."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from builder.importer.loss_report import LossReport, markdown
from builder.importer.new_site import NewSite, import_site
from builder.importer.old_site import System
from builder.importer.page_work import Choices
from builder.importer.read_toml import NoToml, read_toml
from builder.importer.source_files import NoSource
from builder.importer.source_tree import SourceTree
from builder.importer.systems.known_systems import SYSTEMS
from builder.importer.write_site import write_site
from tests.builder.importer.imported import imported, write_origin

MARKS: list[str] = []
"""The events of the interpreter that are told while `watched`."""
_RUNS = ("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "os.spawn", "ctypes.dlopen")


class Hostile(Struct, frozen=True):
    """A system: its configuration, the folder of its pages, their ending, and how a page includes another."""

    config: str
    text: str
    folder: str
    ending: str
    include: Callable[[str], str]
    summary: str = ""


_RUN = "require('fs').writeFileSync('%s/ran', 'x');"
KINDS: Mapping[System, Hostile] = {
    "docusaurus": Hostile(
        "docusaurus.config.js",
        f"{_RUN} module.exports = {{presets: [['classic', {{}}]]}};",
        "docs/",
        "md",
        lambda name: f"import X from './{name}.md';\n\n<X />\n",
    ),
    "mintlify": Hostile(
        "docs.json",
        '{"name": "T", "navigation": {"groups": [{"group": "G", "pages": ["a", "b", "big", "\\ud800"]}]}}',
        "",
        "mdx",
        lambda name: f"import X from '/{name}.mdx';\n\n<X />\n",
    ),
    "fumadocs": Hostile(
        "source.config.ts",
        f"{_RUN} export const docs = defineDocs({{dir: 'content/docs'}})",
        "content/docs/",
        "mdx",
        lambda name: f"<include>./{name}.mdx</include>\n",
    ),
    "mkdocs": Hostile(
        "mkdocs.yml",
        "site_name: !!python/object/apply:os.system ['touch %s/ran']\nhooks: [hook.py]\n"
        "plugins: [macros, include-markdown]\nmarkdown_extensions: [pymdownx.snippets]\n",
        "docs/",
        "md",
        lambda name: f'--8<-- "docs/{name}.md"\n\n{{% include "{name}.md" %}}\n\n{{! {name}.md !}}\n',
    ),
    "starlight": Hostile(
        "astro.config.mjs",
        f"{_RUN} export default defineConfig({{integrations: [starlight({{title: 'T'}})]}})",
        "src/content/docs/",
        "mdx",
        lambda name: f"import X from './{name}.mdx';\n\n<X />\n",
    ),
    "vitepress": Hostile(
        ".vitepress/config.mts",
        f"{_RUN} export default {{title: '\\ud800'}}",
        "",
        "md",
        lambda name: f"<!--@include: ./{name}.md-->\n\n<<< ./{name}.md\n",
    ),
    "mdbook": Hostile(
        "book.toml",
        '[book]\ntitle = "T"\n[preprocessor.x]\ncommand = "touch %s/ran"\n',
        "src/",
        "md",
        lambda name: f"{{{{#include {name}.md}}}}\n",
        "src/SUMMARY.md",
    ),
    "gitbook": Hostile(
        ".gitbook.yaml", "root: ./\n", "", "md", lambda name: f'{{% include "{name}.md" %}}\n', "SUMMARY.md"
    ),
}
SECRET = "Nobody may see this"
OUTSIDE = ("secret.md", "secret.mdx", "secret.txt", "secret.png")


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if MARKS and (event.startswith(_RUNS) or (event == "open" and "secret" in str(arguments[0]))):
        MARKS.append(f"{event} {arguments}")


sys.addaudithook(_hook)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Collect the programs that are run, and the files outside that are opened, in the block."""
    MARKS.append("begin")
    try:
        yield MARKS
    finally:
        MARKS.clear()


def _tree(root: Path, kind: Hostile) -> Path:
    """Write a tree with all attacks that a small one can hold, beside files that nobody may read."""
    for place in (root, root / "inner"):
        write_origin(place, dict.fromkeys(OUTSIDE, SECRET))
    ways = ("../secret", "../../secret", "../../../../secret", f"{root}/secret", "b", "a", "gone")
    includes = "\n".join(kind.include(way) for way in ways)
    links = "".join(
        f"[x]({'../' * depth}secret.txt) ![y]({'../' * depth}secret.png)\n" for depth in range(1, 6)
    )
    folder = root / "inner" / "site" / kind.folder
    pages = {"a": f"# A\n\n{includes}\n{links}", "b": f"# B\n\n{kind.include('a')}\n"}
    files = {f"{kind.folder}{name}.{kind.ending}": text for name, text in pages.items()}
    if kind.summary:
        files[kind.summary] = "".join(
            f"- [{name}]({name}.md)\n" for name in ("a", "b", "big", "link", "fifo")
        )
    config = kind.text.replace("%s", str(root))
    site = write_origin(root / "inner" / "site", {kind.config: config, "hook.py": "1 / 0", **files})
    _write_oddities(folder, kind.ending, root)
    return site


def _write_oddities(folder: Path, ending: str, root: Path) -> None:
    with (folder / f"big.{ending}").open("wb") as file:
        file.truncate(100 << 20)
    (folder / f"link.{ending}").symlink_to(root / "secret.md")
    (folder / "linked").symlink_to(root)
    (folder / "loop").symlink_to(".")
    os.mkfifo(folder / f"fifo.{ending}")
    if os.geteuid() == 0:
        with suppress(OSError):
            os.mknod(folder / f"device.{ending}", 0o600 | stat.S_IFCHR, os.makedev(1, 5))
    for name in (b"b\xff.", b"n\nl.", b'q"`|<x>.', b"\xed\xa0\x80."):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name + ending.encode())).write_text(f"# N\n\n{name!r}")


@pytest.mark.parametrize("system", KINDS)
def test_nothing_outside_is_read_and_nothing_runs(tmp_path: Path, system: System) -> None:
    site = _tree(tmp_path, KINDS[system])
    with SourceTree(site) as origin, watched() as marks:
        new = import_site(origin, SYSTEMS[system], Choices(), lambda *_: None)
        files = write_site(new, origin, tmp_path / "new", lambda *_: None)
        assert marks == ["begin"]
    told = told_of(new)
    assert not (tmp_path / "ran").exists()
    written = b"".join((tmp_path / "new" / file).read_bytes() for file in files)
    assert SECRET.encode() not in written + told
    for why in (b"more than", b"a symbolic link", b"a named pipe", b"no UTF-8"):
        assert why in told


def told_of(new: NewSite) -> bytes:
    """Return all that a report says."""
    report = LossReport(
        new.old.system, {old: page.file for old, page in new.placed.pages.items()}, (), new.losses
    )
    return markdown(report).encode() + msgspec.json.encode(report)


@pytest.mark.parametrize("system", KINDS)
def test_includes_that_multiply_are_bounded(tmp_path: Path, system: System) -> None:
    kind = KINDS[system]
    pages = {f"p{number}": kind.include(f"p{number + 1}") * 6 for number in range(5)}
    files = {f"{kind.folder}{name}.{kind.ending}": f"# {name}\n\n{text}" for name, text in pages.items()}
    if kind.summary:
        files[kind.summary] = "- [p](p1.md)\n"
    new = imported(tmp_path, system, {kind.config: kind.text, **files})
    assert sum(map(len, new.texts.values())) < 8 << 20


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 8)}]\n" for number in range(1, 30)
)
CONFIGS = {
    "nothing": "",
    "bytes": "".join(map(chr, range(256))),
    "list": "[]",
    "null": "null",
    "deep lists": "[" * 60_000,
    "deep mappings": '{"a":' * 60_000,
    "deep calls": f"export default {'f(' * 20_000}",
    "spreads": f"export default {{{'...a, ' * 20_000}}}",
    "bomb": BOMB,
    "dots": f"a{'.a' * 40_000} = 1",
}


@pytest.mark.parametrize("text", CONFIGS.values(), ids=list(CONFIGS))
@pytest.mark.parametrize("system", KINDS)
def test_a_configuration_that_cannot_be_read_is_refused_or_passed_over(
    tmp_path: Path, system: System, text: str
) -> None:
    kind = KINDS[system]
    files = {
        kind.config: text,
        f"{kind.folder}a.{kind.ending}": "# A\n",
        kind.summary or "b.md": "- [A](a.md)\n",
    }
    with suppress(NoSource):
        assert imported(tmp_path, system, files).old.pages


PAGES = {
    "bomb": f"---\n{BOMB}---\n\nText\n",
    "deep YAML": f"---\na: {'[' * 5_000}\n---\n\nText\n",
    "deep TOML": f"+++\na = {'[' * 30_000}\n+++\n\nText\n",
    "long TOML": f"+++\na{'.a' * 30_000} = 1\n+++\n\nText\n",
    "odd fields": "---\n1: 2\n? [a]\n: b\ntitle: [1]\nslug: {a: b}\nid: 3\nsidebar_position: x\n---\n\nT\n",
    "half characters": '---\ntitle: "\\uD800"\nslug: "\\uDFFF"\n---\n\n<A b={"\\ud800"} />\n\n&#xD800;\n',
    "deep tags": "<Tabs>" * 3000,
    "deep quotes": "> " * 3000,
}


@pytest.mark.parametrize("text", PAGES.values(), ids=list(PAGES))
@pytest.mark.parametrize("system", KINDS)
def test_a_page_that_attacks_is_a_page_or_told(tmp_path: Path, system: System, text: str) -> None:
    kind = KINDS[system]
    files = {f"{kind.folder}a.{kind.ending}": text, kind.summary or "b.txt": "- [A](a.md)\n"}
    told_of(imported(tmp_path, system, {kind.config: kind.text, **files}))


@pytest.mark.parametrize("text", ["a = 1", "[a.b]\nc = '" + "." * 150 + "'"])
def test_usual_toml_is_read(text: str) -> None:
    assert read_toml(text)["a"]


@pytest.mark.parametrize("text", ["a" + ".a" * 300 + " = 1", "a = " + "[" * 5000, "a = 'x'" * 50_000, "a ="])
def test_toml_that_takes_time_is_refused(text: str) -> None:
    with pytest.raises(NoToml):
        read_toml(text)


@pytest.mark.parametrize(
    "data", ["# Ä\n".encode("utf-16"), "# Ä\r\n".encode("utf-8-sig"), "# Ä\n".encode("cp1252")]
)
def test_texts_of_other_encodings_are_read(tmp_path: Path, data: bytes) -> None:
    new = imported(tmp_path, "mkdocs", {"mkdocs.yml": "site_name: T\n", "docs/a.md": data})
    assert new.texts["docs/a.md"].endswith("# Ä {#a}\n")


def test_a_file_that_git_keeps_elsewhere_is_told(tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    files = {"mkdocs.yml": "site_name: T\n", "docs/a.md": "![x](x.png)\n", "docs/x.png": pointer}
    write_origin(tmp_path / "site", files)
    with SourceTree(tmp_path / "site") as origin:
        assert origin.data("docs/x.png") is None
        assert "Git LFS" in origin.refused["docs/x.png"]


@pytest.mark.slow
def test_a_hundred_thousand_files_are_imported(tmp_path: Path) -> None:
    site = write_origin(tmp_path, {"mkdocs.yml": "site_name: T\n", "docs/a.md": "# A\n"})
    for number in range(100_000):
        os.close(os.open(site / "docs" / f"{number}.png", os.O_CREAT | os.O_WRONLY))
    with SourceTree(site) as origin:
        new = import_site(origin, SYSTEMS["mkdocs"], Choices(), lambda *_: None)
    assert len(new.copies) == 100_000
