"""`llms-full.txt` of a large site: parted by section, each twin in one part, and no part too large."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from builder.build import build
from builder.output import FolderOutput
from builder.plan import llms_full
from builder.plan.layout import Layout, full_places, lay_out
from builder.plan.options import Options
from builder.preview import Later, Preview
from builder.site import load
from builder.store import ContentStore
from tests.builder.plan.test_llms_index import SITE, lines, random_site
from tests.sites import build_site, write_site

CASES = json.loads(Path(__file__).with_name("llms_full.json").read_text("utf-8"))
SEEDS = range(40)
SETTINGS = f"title: T\nurl: {SITE}\n"


def is_text(path: str) -> bool:
    """Return whether a file is the whole text, or may be a part of it."""
    return path == llms_full.NAME or llms_full.is_part(path)


def laid_out(folder: Path, files: Mapping[str, str]) -> Layout:
    """Lay out a site that is written to a folder."""
    with ContentStore(write_site(folder, files)) as store:
        return lay_out(load(store))


def texts(layout: Layout, twins: Mapping[str, str]) -> dict[str, str]:
    """The files of the text by output path, made of these twins."""
    found = list(layout.full.files(llms_full.KnownTwins(twins), full_places(layout)))
    assert len({each.path for each in found}) == len(found)
    return {each.path: each.make().decode() for each in found}


def sources(text: str) -> list[str]:
    """The addresses of the pages whose twins are in a file."""
    return re.findall(r"^---\n\nSource: (\S+)$", text, re.MULTILINE)


def walked(files: Mapping[str, str], output: str = llms_full.NAME) -> Iterator[str]:
    """Each file that one leads to, itself first."""
    yield output
    if not sources(files[output]):
        for line in lines(files[output]):
            yield from walked(files, line["url"].removeprefix(f"{SITE}/"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_site_has_these_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Mapping[str, object]
) -> None:
    monkeypatch.setattr(llms_full, "LARGEST", case["largest"])
    built = build_site(tmp_path, case["site"])
    expected = {path: "\n".join(text) for path, text in case["files"].items()}
    assert {path: built.text(path) for path in filter(is_text, built.output.written)} == expected
    assert [[found.code, found.message] for found in built.diagnostics] == case.get("found", [])


@pytest.mark.parametrize("seed", SEEDS)
def test_every_listed_page_is_in_one_part_and_no_part_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    layout, largest = laid_out(tmp_path, random_site(chance)), chance.randint(2_000, 9_000)
    words = ("Text.", "Ö words.", "Line\n\n", "x" * 40)
    twins = {
        page.path: f"# {page.title}\n\n{' '.join(chance.choices(words, k=chance.randint(0, 60)))}\n"
        for page in layout.site.pages
    }
    whole = texts(layout, twins)
    assert [*whole] == [llms_full.NAME]
    monkeypatch.setattr(llms_full, "LARGEST", largest)
    files = texts(layout, twins)
    if len(whole[llms_full.NAME].encode()) <= largest:
        assert files == whole
        return
    assert sorted(walked(files)) == sorted(files)
    every = [source for text in files.values() for source in sources(text)]
    assert sorted(every) == sorted(sources(whole[llms_full.NAME]))
    large = {path for path, text in files.items() if len(text.encode()) > largest}
    assert {path for path in large if len(sources(files[path])) != 1} == set()
    joined = "".join(files.values())
    assert [path for path, twin in twins.items() if twin.strip() in whole[llms_full.NAME]] == [
        path for path, twin in twins.items() if twin.strip() in joined
    ]


def test_the_limit_is_ten_megabytes() -> None:
    assert llms_full.LARGEST == 10_000_000


@pytest.mark.parametrize("more", [0, 1])
def test_a_text_of_just_the_limit_is_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    site = {"site.yml": SETTINGS, "docs/a.md": "# Ä\n\nText.\n", "docs/b/c.md": "# C\n"}
    whole = build_site(tmp_path, site).text(llms_full.NAME)
    monkeypatch.setattr(llms_full, "LARGEST", len(whole.encode()) - more)
    built = build_site(tmp_path, {})
    assert (built.text(llms_full.NAME) == whole) == (more == 0)
    assert ("docs/b/llms-full.txt" in built.output.written) == (more == 1)


def pages_of(*folders: str, size: int = 300) -> dict[str, str]:
    """Six pages in each folder."""
    return {
        f"docs/{folder}/p{number}.md": f"# {folder} {number}\n\n{'Words. ' * (size // 7)}\n"
        for folder in folders
        for number in range(6)
    }


def test_an_edit_of_a_page_writes_no_part_that_it_is_not_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llms_full, "LARGEST", 3_500)
    site = write_site(tmp_path / "site", {"site.yml": SETTINGS, **pages_of("a", "b", "c")})
    dist = tmp_path / "dist"

    def states() -> dict[str, tuple[int, int]]:
        build(site, FolderOutput(dist), Options())
        found = {path.relative_to(dist).as_posix(): path.stat() for path in dist.rglob("*.txt")}
        return {name: (at.st_ino, at.st_mtime_ns) for name, at in found.items() if is_text(name)}

    before = states()
    assert set(before) == {llms_full.NAME, *(f"docs/{each}/llms-full.txt" for each in "abc")}
    assert states() == before
    (site / "docs/b/p2.md").write_text("# b 2\n\nOther words.\n", "utf-8")
    after = states()
    changed = {name for name in after if after[name] != before.get(name)}
    assert set(after) == set(before)
    holds = {name for name in after if f"Source: {SITE}/docs/b/p2\n" in (dist / name).read_text("utf-8")}
    assert len(holds) == 1
    leaves = {name for name in changed if "\nSource: " in (dist / name).read_text("utf-8")}
    assert leaves == holds


def test_a_site_that_grows_small_again_has_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llms_full, "LARGEST", 2_500)
    site = write_site(tmp_path / "site", {"site.yml": SETTINGS, **pages_of("a", "b")})
    dist = tmp_path / "dist"
    build(site, FolderOutput(dist), Options())
    assert (dist / "docs/b/llms-full.txt").exists()
    for page in (site / "docs/b").iterdir():
        page.unlink()
    (site / "docs/a/p0.md").unlink()
    build(site, FolderOutput(dist), Options())
    assert list(dist.rglob("llms-full*.txt")) == [dist / llms_full.NAME]


WRITTEN = "Xylophones. " * 200
"""A twin that is much longer than its page, or that of a page with an `Include`."""


@pytest.mark.parametrize("kind", ["longer", "shorter"])
def test_what_sources_do_not_tell_is_found_out_from_twins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(llms_full, "LARGEST", 5_000)
    site = {"site.yml": SETTINGS + "extras: [includes]\n", "docs/_part.mdx": WRITTEN}
    if kind == "longer":
        site |= {f"docs/{each}/p.mdx": f"# {each}\n\n<Include src='/docs/_part.mdx' />\n" for each in "abc"}
    else:
        site |= {f"docs/{each}/p.md": f"# {each}\n\n<script>\n{WRITTEN}\n</script>\n" for each in "abc"}
    site |= {"static/docs/a/llms-full.txt": "mine"}
    built = build_site(tmp_path, site)
    names = sorted(filter(is_text, built.output.written))
    found = [source for name in names for source in sources(built.text(name))]
    assert sorted(found) == [f"{SITE}/docs/{each}/p" for each in "abc"]
    if kind == "longer":
        assert "path-conflict" not in built.codes
        assert names == ["docs/b/llms-full.txt", "docs/c/llms-full.txt", "llms-full-1.txt", llms_full.NAME]
        assert built.output.copied["docs/a/llms-full.txt"] == "static/docs/a/llms-full.txt"
    else:
        assert "path-conflict" in built.codes
        assert names == [llms_full.NAME]


def shown(preview: Preview) -> dict[str, bytes]:
    """The files of the text that a preview shows."""
    whole = preview.get(llms_full.NAME)
    assert isinstance(whole, Later)
    files = dict(whole.files())
    for name, data in files.items():
        part = preview.get(name)
        assert isinstance(part, Later)
        assert part.files()[name] == data
        assert name in preview.places
    return files


def test_the_preview_shows_the_parts_that_a_build_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llms_full, "LARGEST", 3_000)
    site = {"site.yml": SETTINGS, **pages_of("a", size=100), "docs/b.md": "[a](/docs/a/llms-full.txt)\n"}
    write_site(tmp_path, site)
    preview = Preview(tmp_path, Options(drafts=True))
    preview.update()
    assert preview.needs_all("docs/a/llms-full.txt")
    for size in (10, 700, 20, 900):
        more = f"# a 3\n\n{'Other words. ' * size}\n"
        write_site(tmp_path, {"docs/a/p3.md": more})
        preview.update({"docs/a/p3.md"})
        built = build_site(tmp_path, {}, Options(drafts=True))
        expected = {name: data for name, data in built.output.written.items() if is_text(name)}
        assert (len(expected) > 1) == (size > 100)
        assert shown(preview) == expected
        assert preview.diagnostics() == built.diagnostics
        assert ("broken-link" in built.codes) == (size < 100)
    preview.close()


def test_links_may_lead_to_the_parts_of_inner_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llms_full, "LARGEST", 2_500)
    links = "".join(f"[{each}](/docs/{each}/llms-full.txt)\n" for each in ("a", "a/b", "a/none"))
    built = build_site(tmp_path, {"site.yml": SETTINGS, **pages_of("a/b", "a/c"), "docs/a/index.md": links})
    assert "docs/a/b/llms-full.txt" in built.output.written
    assert [found.message for found in built.diagnostics if found.code == "broken-link"] != []
    assert all("/docs/a/none/" in found.message for found in built.diagnostics), built.diagnostics
