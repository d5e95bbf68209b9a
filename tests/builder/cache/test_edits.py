"""Edits of every kind: a build that takes from the cache writes what a build from nothing writes."""

from __future__ import annotations

import os
import random
import shutil
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.build import build
from builder.output import FolderOutput, MemoryOutput
from builder.plan.options import Options
from tests.sites import write_site

EDITS = 130
NAMES = ("a", "b", "guide/a", "guide/b", "guide/index", "guide/deep/c", "other/d")
LINES = (
    "Text with *marks*.",
    "## A heading {#here}",
    "[a](/docs/a#here) and [b](../docs/guide/b.md)",
    "![picture](/pic.png)",
    "[nowhere](/docs/guide/x)",
    "<Callout color='{color}'>\n\npaid\n\n</Callout>",
    "```py\nx = {number}\n```",
    ":::note\nhello\n:::",
    "[index](/docs/guide/)",
    "<Include src='/docs/_part.mdx' />",
    "<Box>%{word}</Box>",
)
CONFIG = (
    "title: One\n",
    "title: Two\nurl: https://x.example/base/\n",
    "title: One\nplan: premium\naccent: '#aa2200'\n",
    "title: One\nnav:\n  - {label: A, href: /docs/a}\nredirects:\n  /old: /docs/b\n",
    "title: One\nnav:\n  - {label: A, href: /docs/a}\nredirects:\n  /old: /docs/a\n",
    (
        "title: One\nnav:\n  - {label: M, items: [{label: G, href: /docs/guide/, sidebar: g}]}\n"
        "  - {label: Go, href: /docs/a, primary: true}\nfooter: {social: {email: a@b.example}}\n"
        "sidebar:\n  - {name: g, label: G, items: [{folder: docs/guide}]}\n  - docs/a\n"
    ),
    "title: One\nlanguage: de\nannouncement: {text: Hello}\n",
    (
        "title: One\ndocs_at: /\nextras: [includes, components, slug]\nvariables: {word: calm}\n"
        "sidebar: [{folder: docs}, {label: B, href: /docs/guide/b}]\nredirects: {/old/*: /docs/a}\n"
    ),
    "title: [\n",
)


class Site:
    """A site that is edited at random, in ways that `chance` chooses."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.chance = random.Random(seed)
        self.said: list[str] = []
        write_site(root, {"site.yml": CONFIG[0], "docs/a.md": "# A\n", "docs/guide/b.mdx": "# B\n"})

    def edit(self) -> None:
        """One edit."""
        edits: list[Callable[[], str]] = [self.page] * 6 + [self.config, self.theme] + [
            self.remove, self.rename, self.category, self.config, self.twin, self.picture, self.file,
            self.touch, self.sly, self.theme, self.part,
        ]  # fmt: skip
        self.said.append(self.chance.choice(edits)())

    def page(self) -> str:
        name = self.chance.choice(NAMES)
        suffix = self.chance.choice((".md", ".mdx"))
        lines = self.chance.choices(LINES, k=self.chance.randrange(6))
        body = (
            "\n\n".join(lines).replace("{number}", str(self.chance.random())).replace("{color}", self.color())
        )
        head = self.chance.choice(
            (
                "",
                "",
                f"title: {self.word()}\n",
                "draft: true\n",
                "slug: /moved\n",
                f"sidebar_position: {self.chance.randrange(9)}\n",
            )
        )
        for other in (".md", ".mdx"):
            (self.root / f"docs/{name}{other}").unlink(missing_ok=True)
        write_site(self.root, {f"docs/{name}{suffix}": f"---\n{head}---\n\n{body}\n" if head else body})
        return f"page {name}{suffix}"

    def remove(self) -> str:
        found = self.chance.choice([*self.pages(), None])
        if found:
            found.unlink()
        return f"remove {found}"

    def rename(self) -> str:
        found = self.pages()
        if not found:
            return "nothing to rename"
        old, name = self.chance.choice(found), self.chance.choice(NAMES)
        for other in (".md", ".mdx"):
            (self.root / f"docs/{name}{other}").unlink(missing_ok=True)
        new = self.root / f"docs/{name}{old.suffix}"
        new.parent.mkdir(parents=True, exist_ok=True)
        if old.exists():
            old.rename(new)
        return f"rename {old} {new}"

    def category(self) -> str:
        text = self.chance.choice(
            (f"label: {self.word()}\n", "position: 1\n", "collapsed: true\n", "label: [\n")
        )
        write_site(self.root, {"docs/guide/_category_.yml": text})
        return "category"

    def config(self) -> str:
        text = self.chance.choice(CONFIG)
        write_site(self.root, {"site.yml": text})
        return f"config {text}"

    def part(self) -> str:
        name = self.chance.choice(("docs/_part.mdx", "_components/Box.mdx"))
        write_site(self.root, {name: f"{self.word()} %{{word}} [b](/docs/guide/b.md) <Slot/>\n"})
        return f"part {name}"

    def twin(self) -> str:
        twin = self.root / f"docs/{self.chance.choice(NAMES)}.llms.md"
        if twin.exists():
            twin.unlink()
        else:
            twin.parent.mkdir(parents=True, exist_ok=True)
            twin.write_text(f"# Twin {self.word()}\n\n[a](/docs/a#there)\n")
        return f"twin {twin}"

    def picture(self) -> str:
        write_site(self.root, {"static/pic.png": _png(self.chance.randrange(1, 9))})
        return "picture"

    def file(self) -> str:
        write_site(self.root, {f"static/{self.chance.choice('xyz')}.txt": self.word()})
        return "file"

    def touch(self) -> str:
        for page in self.pages():
            page.touch()
        return "touch"

    def sly(self) -> str:
        """Another text of the same length and with the same time."""
        found = self.pages()
        if found:
            page = self.chance.choice(found)
            before = page.stat()
            page.write_bytes(page.read_bytes().swapcase())
            os.utime(page, ns=(before.st_atime_ns, before.st_mtime_ns))
        return "sly"

    def theme(self) -> str:
        own = self.root / "theme"
        if own.exists() and self.chance.random() < 0.4:
            shutil.rmtree(own)
        else:
            page = f"{{% include 'default/page.html' %}}<!-- {self.color()} -->"
            css = f"main {{ color: #{self.color()} }}"
            own_files = (("css/zz.css", css), ("templates/page.html", page))
            name, text = self.chance.choice(own_files)
            write_site(self.root, {f"theme/{name}": text})
        return "theme"

    def pages(self) -> list[Path]:
        found = (self.root / "docs").rglob("*.md*")
        return sorted(path for path in found if ".llms" not in path.name and path.name[0] != "_")

    def word(self) -> str:
        return self.chance.choice(("Alpha", "Beta", "Gamma", "Delta"))

    def color(self) -> str:
        return f"{self.chance.randrange(16**6):06x}"


def _png(width: int) -> bytes:
    """The beginning of a picture, which has its size."""
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, 4) + b"\x08\x02\0\0\0"


def spoil(out: Path, chance: random.Random) -> str:
    """Do what somebody may do to the output folder between two builds, and tell of it."""
    mine = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "manifest.json")
    file = chance.choice(mine)
    match chance.randrange(12):
        case 0:
            file.unlink()
        case 1 if file.suffix == ".html":
            file.write_bytes(file.read_bytes().swapcase())
        case 2:
            time.sleep(0.06)
        case 3:
            shutil.rmtree(out)
        case _:
            return ""
    return f"spoilt {file}"


def files(folder: Path) -> dict[str, bytes]:
    """Read all files in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize("seed", [1, *(pytest.param(each, marks=pytest.mark.slow) for each in (0, 2, 3))])
def test_a_build_with_the_cache_writes_what_one_from_nothing_writes(tmp_path: Path, seed: int) -> None:
    site, out = Site(tmp_path / "site", seed), tmp_path / "out"
    for _ in range(EDITS):
        for _ in range(site.chance.choice((0, 1, 1, 1, 2))):
            site.edit()
        clean, kept = MemoryOutput(), FolderOutput(out)
        wanted = build(site.root, clean, Options(trusted=True))
        given = build(site.root, kept, Options(trusted=True, cache="keep"))
        there = files(out)
        manifest = there.pop("_tp/manifest.json")
        assert there.keys() == clean.paths, site.said
        assert [path for path in clean.written if there[path] != clean.written[path]] == [], site.said
        for path, source in clean.copied.items():
            assert there[path] == (site.root / source).read_bytes(), site.said
        assert (given.diagnostics, given.pages, given.files) == (
            wanted.diagnostics,
            wanted.pages,
            wanted.files,
        )
        assert manifest
        site.said.append(spoil(out, site.chance))


def test_settings_alone_make_their_difference(tmp_path: Path) -> None:
    site, out = Site(tmp_path / "site", 0), tmp_path / "out"
    for text in (*CONFIG, *reversed(CONFIG)):
        write_site(site.root, {"site.yml": text})
        clean = MemoryOutput()
        build(site.root, clean, Options(trusted=True))
        for _ in range(3):
            build(site.root, FolderOutput(out), Options(trusted=True, cache="keep"))
            assert {
                path: data for path, data in files(out).items() if "manifest" not in path
            } == clean.written


def test_a_folder_that_a_written_sidebar_does_not_name_is_noticed(tmp_path: Path) -> None:
    pages = {"docs/a.md": "# A\n", "docs/x/one.md": "# One\n", "docs/y/two.md": "# Two\n"}
    write_site(tmp_path / "site", {"site.yml": "title: T\nsidebar: [docs/a, docs/x/one]\n", **pages})
    for position in (1, 3):
        for name, place in (("x", position), ("y", 2)):
            write_site(tmp_path / "site", {f"docs/{name}/_category_.yml": f"position: {place}\n"})
        clean = MemoryOutput()
        build(tmp_path / "site", clean, Options(trusted=True))
        for _ in range(3):
            build(tmp_path / "site", FolderOutput(tmp_path / "out"), Options(trusted=True, cache="keep"))
            assert files(tmp_path / "out")["docs/index.md"] == clean.written["docs/index.md"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_pages_stay_at_their_own_addresses_when_others_change(tmp_path: Path, jobs: int) -> None:
    settings = "title: T\ndocs_at: /\nextras: [slug]\n"
    texts = {f"docs/{name}.md": f"---\nslug: /of-{name}\n---\n\n# {name}\n" for name in "abc"}
    site, out = write_site(tmp_path / "site", {"site.yml": settings, "docs/x.md": "# X\n", **texts}), tmp_path
    for number in range(3):
        write_site(site, {"docs/x.md": f"# X {number}\n"})
        clean = MemoryOutput()
        wanted = build(site, clean, Options())
        given = build(site, FolderOutput(out / "out"), Options(cache="keep", jobs=jobs))
        there = files(out / "out")
        del there["_tp/manifest.json"]
        assert there == clean.written
        assert given.files == wanted.files
