"""The cache that machines share: what is taken from it is right, and all that is wrong is not."""

from __future__ import annotations

import random
import re
import shutil
import struct
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from builder.build import Result, build
from builder.cache.errands import StoreRefused
from builder.cache.pack_names import PAGES, pack_names, untrusted
from builder.cache.packs import Seals, SharedPage
from builder.cache.shared_cache import PackStore, SharedCache
from builder.errors import StorageError
from builder.output import FolderOutput, MemoryOutput
from builder.plan.options import Options
from server.shared_caches.pack_folder import PackFolder
from tests.sites import write_site

SECRET, OTHER = b"s" * 32, b"o" * 32
SITE = {
    "site.yml": "title: Harbour\n",
    "docs/index.md": "# Harbour\n\n[a](guide/a.md) [b](guide/b.mdx)\n",
    "docs/guide/a.md": "# A\n\n[no](nowhere.md)\n\n```python\nx = 1\n```\n",
    "docs/guide/b.mdx": "# B\n\n<Card title='x' />\n",
    "pages/about.md": "# About\n",
}
PAGES_OF_SITE = 4


class Machine:
    """A machine without a cache of its own: it builds the site, with a shared cache in a folder."""

    def __init__(self, root: Path, store: PackStore) -> None:
        self.root, self.store = root, store
        self.number = 0

    def build(
        self,
        secret: bytes = SECRET,
        *,
        files: Mapping[str, str | bytes] = SITE,
        scope: str = "",
        verify: float = 0.0,
    ) -> tuple[Result, SharedCache, dict[str, bytes]]:
        """Build with an empty folder; gives the result, the cache and the files."""
        self.number += 1
        site, out = self.root / f"site{self.number}", self.root / f"out{self.number}"
        shared = SharedCache(self.store, self.store, secret=secret, scope=scope)
        options = Options(cache="keep", verify_cache=verify)
        result = build(write_site(site, files), FolderOutput(out), options, shared_cache=shared)
        return result, shared, contents(out)


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder but the list of them, by path."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """The machine; its cache is empty."""
    return Machine(tmp_path, PackFolder(tmp_path / "cache"))


def evil(page: SharedPage) -> SharedPage:
    """A page with other words, under the same keys."""
    body = page.content.body.replace(b"About", b"Evils")
    return replace(page, content=replace(page.content, body=body), html=page.html.replace(b"About", b"Evils"))


def codes(result: Result) -> list[str]:
    return [one.code for one in result.diagnostics if one.code.startswith("cache-")]


def packs(root: Path) -> list[Path]:
    return sorted(root.glob("cache/**/*.pack"))


def test_another_machine_takes_all_pages_and_writes_the_same(machine: Machine) -> None:
    _, first, files = machine.build()
    result, second, again = machine.build()
    assert (first.used, second.used, again) == (0, PAGES_OF_SITE, files)
    assert codes(result) == []
    assert "broken-link" in [one.code for one in result.diagnostics]


def test_an_edited_page_alone_is_rendered_and_sent(machine: Machine) -> None:
    machine.build()
    (pack,) = packs(machine.root)
    before = pack.stat().st_mtime_ns
    _, same, _ = machine.build()
    assert (same.used, pack.stat().st_mtime_ns) == (PAGES_OF_SITE, before)
    edited = {**SITE, "pages/about.md": "# About us\n"}
    _, shared, _ = machine.build(files=edited)
    assert (shared.used, machine.build(files=edited)[1].used) == (PAGES_OF_SITE - 1, PAGES_OF_SITE)


def test_a_page_whose_links_lead_elsewhere_by_now_is_rendered(machine: Machine) -> None:
    machine.build()
    moved = {name: text for name, text in SITE.items() if name != "docs/guide/b.mdx"}
    result, shared, _ = machine.build(files=moved)
    assert shared.used < len(shared.taken)
    assert [one.file for one in result.diagnostics if one.code == "broken-link"] == [
        "docs/guide/a.md",
        "docs/index.md",
    ]


def test_what_an_untrusted_build_sends_is_taken_by_its_own_next_builds_alone(machine: Machine) -> None:
    machine.build(b"", scope="refs/pull/7/merge")
    (pack,) = packs(machine.root)
    assert pack.relative_to(machine.root).parts[:2] == ("cache", "untrusted")
    assert pack.parent.parent.name.startswith("refs-pull-7-merge.")
    used = {
        "its own": machine.build(b"", scope="refs/pull/7/merge")[1].used,
        "another's": machine.build(b"", scope="8")[1].used,
        "a trusted one's": machine.build()[1].used,
    }
    assert used == {"its own": PAGES_OF_SITE, "another's": 0, "a trusted one's": 0}


def test_an_untrusted_build_takes_what_trusted_ones_sent_and_writes_nothing_there(machine: Machine) -> None:
    machine.build()
    before = {path: path.read_bytes() for path in packs(machine.root)}
    edited = {**SITE, "pages/about.md": "# Evil\n"}
    assert machine.build(b"", files=edited, scope="../../trusted")[1].used == PAGES_OF_SITE - 1
    assert {path: path.read_bytes() for path in before} == before
    assert {path.parts[-4] for path in packs(machine.root)} == {"cache", "untrusted"}


def test_pages_that_another_secret_has_signed_are_not_used_and_told(machine: Machine) -> None:
    machine.build(OTHER)
    result, shared, _ = machine.build()
    assert (shared.used, codes(result)) == (0, ["cache-refused"])
    assert machine.build()[1].used == PAGES_OF_SITE  # they have been replaced


def test_what_lies_unsigned_among_the_trusted_is_not_used(machine: Machine) -> None:
    machine.build(b"", scope="x")
    (pack,) = packs(machine.root)
    trusted = machine.root / "cache/trusted" / pack.parent.name / pack.name
    trusted.parent.mkdir(parents=True)
    shutil.move(pack, trusted)
    result, shared, _ = machine.build()
    assert (shared.used, codes(result)) == (0, ["cache-refused"])


def test_nothing_wrong_is_ever_taken(machine: Machine) -> None:
    """Damages, pages in the place of others, foreign secrets, old packs: the site is as without a cache."""
    chance = random.Random(21)
    _, _, right = machine.build()
    (pack,) = packs(machine.root)
    good = pack.read_bytes()
    seals, found = Seals(SECRET), Seals(SECRET).unpack(good)
    assert found
    every = found.pages
    for _ in range(2_000):
        data = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        taken = seals.unpack(bytes(data[: chance.choice([len(data), chance.randrange(len(data))])]))
        assert taken is None or all(every[path] == page for path, page in taken.pages.items())
    swapped = [
        (path, replace(every[other], key=every[path].key, files_key=every[path].files_key))
        for path, other in zip(every, [*every][1:], strict=False)
    ]
    for forger in (Seals(OTHER), Seals()):
        pack.write_bytes(forger.pack(swapped))
        result, shared, files = machine.build()
        assert (shared.used, codes(result), files) == (0, ["cache-refused"], right)


def test_an_old_pack_in_the_place_of_a_new_one_harms_nothing(machine: Machine) -> None:
    machine.build()
    (pack,) = packs(machine.root)
    old = pack.read_bytes()
    edited = {**SITE, "pages/about.md": "# About us\n"}
    _, _, right = machine.build(files=edited)
    pack.write_bytes(old)
    result, shared, files = machine.build(files=edited)
    assert (shared.used, codes(result), files) == (PAGES_OF_SITE - 1, [], right)


@pytest.mark.parametrize("wrong", [b"", b"no pack", bytes(100)])
def test_what_is_no_pack_is_told_and_replaced(machine: Machine, wrong: bytes) -> None:
    machine.build()
    (pack,) = packs(machine.root)
    pack.write_bytes(wrong)
    result, shared, _ = machine.build()
    assert (shared.used, codes(result)) == (0, ["cache-refused"])
    assert machine.build()[1].used == PAGES_OF_SITE


def test_a_sample_is_rendered_anew_and_a_wrong_page_is_told_and_mended(machine: Machine) -> None:
    _, _, right = machine.build()
    assert codes(machine.build(verify=1.0)[0]) == []
    (pack,) = packs(machine.root)
    found = Seals(SECRET).unpack(pack.read_bytes())
    assert found
    pages = [(path, evil(page)) for path, page in found.pages.items()]
    pack.write_bytes(Seals(SECRET).pack(pages))  # by somebody who knows the secret
    assert machine.build()[2] != right
    result, _, files = machine.build(verify=1.0)
    assert [one.file for one in result.diagnostics if one.code == "cache-wrong"] == ["pages/about.md"]
    assert files == right


def test_what_was_found_wrong_is_replaced_for_others(machine: Machine) -> None:
    _, _, right = machine.build()
    (pack,) = packs(machine.root)
    found = Seals(SECRET).unpack(pack.read_bytes())
    assert found
    pack.write_bytes(Seals(SECRET).pack((path, evil(page)) for path, page in found.pages.items()))
    machine.build(verify=1.0)
    result, shared, files = machine.build(verify=1.0)
    assert (shared.used, codes(result), files) == (PAGES_OF_SITE, [], right)


def test_a_page_with_other_html_alone_is_told(machine: Machine) -> None:
    _, _, right = machine.build()
    (pack,) = packs(machine.root)
    found = Seals(SECRET).unpack(pack.read_bytes())
    assert found
    pages = {path: replace(page, html=b"<p>Evil") for path, page in found.pages.items()}
    pack.write_bytes(Seals(SECRET).pack(pages.items()))
    assert b"<p>Evil" in machine.build()[2].values()
    result, _, files = machine.build(verify=1.0)
    assert (codes(result), files) == (["cache-wrong"] * PAGES_OF_SITE, right)


def test_a_page_that_is_right_is_not_told_when_others_have_changed(machine: Machine) -> None:
    machine.build()
    more = {**SITE, "docs/new.md": "# New\n", "docs/guide/a.md": "# Another title\n"}
    result, shared, files = machine.build(files=more, verify=1.0)
    assert (shared.used > 0, codes(result)) == (True, [])
    assert files == machine.build(files=more)[2]


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\0\0\0"
RICH = {
    "site.yml": "title: Harbour\nurl: https://docs.example\nextras: [math, diagrams, update]\n",
    "docs/index.mdx": "# Harbour\n\n![A](a.png)\n\n```mermaid\nflowchart LR\n  A --> B\n```\n",
    "docs/news.mdx": "---\nfeed: true\n---\n\n# News\n\n<Update label='One' date='2026-03-09'>\n\nText.\n"
    "\n</Update>\n",
    "docs/part.mdx": "# Part\n\nA $x$ and `code`.\n\n```python\ndef f(): ...\n```\n",
    "docs/a.png": PNG,
}


def test_a_page_brings_its_diagrams_feeds_and_places(machine: Machine) -> None:
    result, _, files = machine.build(files=RICH)
    assert [one.code for one in result.diagnostics] == []
    _, shared, found = machine.build(files=RICH)
    assert (shared.used, found) == (3, files)
    assert any(name.endswith(".svg") for name in found)
    assert b"<entry>" in b"".join(data for name, data in found.items() if name.endswith(".xml"))
    assert machine.build(b"", files=RICH)[2] == files


def test_a_page_gets_its_frame_anew_where_the_sidebar_has_changed(machine: Machine) -> None:
    machine.build()
    more = {**SITE, "docs/new.md": "# New\n"}
    _, shared, files = machine.build(files=more, secret=b"", scope="7")
    alone = Machine(machine.root / "alone", PackFolder(machine.root / "empty"))
    assert (shared.used, files) == (PAGES_OF_SITE - 1, alone.build(files=more)[2])


def test_an_output_that_is_no_folder_takes_pages_too(machine: Machine) -> None:
    machine.build()
    site, shared = write_site(machine.root / "memory", SITE), SharedCache(machine.store, None, secret=SECRET)
    output = MemoryOutput()
    build(site, output, Options(cache="keep"), shared_cache=shared)
    assert (shared.used, b"Harbour" in (output.get("docs/index.html") or b"")) == (PAGES_OF_SITE, True)


def test_a_site_whose_own_cache_cannot_be_written_says_so(machine: Machine) -> None:
    site = write_site(machine.root / "locked", {**SITE, ".twinpress": "a file"})
    shared = SharedCache(machine.store, machine.store, secret=SECRET)
    result = build(site, FolderOutput(machine.root / "out"), Options(cache="keep"), shared_cache=shared)
    assert (codes(result), packs(machine.root)) == (["cache-away"], [])


class Away:
    """A store that does not answer, or refuses."""

    name = "https://cache.example"

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.asked: list[str] = []

    def get(self, name: str) -> bytes | None:
        self.asked.append(name)
        time.sleep(self.seconds)
        raise StorageError("no answer")

    def put(self, name: str, data: bytes) -> None:
        raise AssertionError("nothing is sent to a store that is away")


@pytest.mark.parametrize("secret", [SECRET, b""])
@pytest.mark.parametrize("seconds", [0.0, 600.0])
def test_a_store_that_is_not_there_costs_little_and_is_told_once(
    tmp_path: Path, seconds: float, secret: bytes
) -> None:
    store = Away(seconds)
    result, shared, _ = Machine(tmp_path, store).build(secret)
    assert (shared.used, codes(result), len(store.asked)) == (0, ["cache-away"], 1)


class Guarded(PackFolder):
    """A store whose credential may not do everything."""

    def __init__(self, folder: Path, *refused: str) -> None:
        super().__init__(folder)
        self.refused = refused

    def get(self, name: str) -> bytes | None:
        self._check("get", name)
        return super().get(name)

    def put(self, name: str, data: bytes) -> None:
        self._check("put", name)
        super().put(name, data)

    def _check(self, *words: str) -> None:
        if any(" ".join(words).startswith(each) for each in self.refused):
            raise StoreRefused("refused")


def test_a_credential_that_only_writes_sends_all(tmp_path: Path) -> None:
    machine = Machine(tmp_path, Guarded(tmp_path / "cache", "get"))
    result, _, _ = machine.build()
    assert (codes(result), len(packs(tmp_path))) == (["cache-away"], 1)


def test_who_may_not_write_among_the_trusted_reads_them_and_is_told(tmp_path: Path) -> None:
    Machine(tmp_path, PackFolder(tmp_path / "cache")).build()
    before = {path: path.read_bytes() for path in packs(tmp_path)}
    guarded = Guarded(tmp_path / "cache", "put trusted", "get untrusted")
    pull_request, other = Machine(tmp_path / "a", guarded), Machine(tmp_path / "b", guarded)
    result, shared, _ = pull_request.build(b"", scope="7")
    assert (shared.used, codes(result)) == (PAGES_OF_SITE, ["cache-away"])  # of its own it may not read
    result, shared, _ = other.build(files={**SITE, "pages/about.md": "# About us\n"})
    assert (shared.used, codes(result)) == (PAGES_OF_SITE - 1, ["cache-away"])
    assert {path: path.read_bytes() for path in before} == before


def test_each_of_two_stores_is_told_for_itself(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    shared = SharedCache(Away(0.0), PackFolder(tmp_path / "cache"), secret=SECRET)
    result = build(site, FolderOutput(tmp_path / "out"), Options(cache="keep"), shared_cache=shared)
    assert (codes(result), len(packs(tmp_path))) == (["cache-away"], 1)


def test_a_pull_request_that_changes_nothing_sends_nothing(machine: Machine) -> None:
    machine.build()
    before = packs(machine.root)
    assert machine.build(b"", scope="7")[1].used == PAGES_OF_SITE
    assert packs(machine.root) == before


def test_faults_that_a_machine_may_be_the_reason_for_are_not_shared(machine: Machine) -> None:
    large = "flowchart LR\n" + "  A --> B\n" * 6_000
    files = {
        **SITE,
        "site.yml": "title: Harbour\nextras: [diagrams]\n",
        "docs/large.mdx": f"# Large\n\n```mermaid\n{large}```\n",
    }
    result, _, right = machine.build(files=files)
    assert "budget-exceeded" in [one.code for one in result.diagnostics]
    (pack,) = packs(machine.root)
    before = pack.stat().st_mtime_ns
    _, shared, found = machine.build(files=files)
    assert (shared.used, found, pack.stat().st_mtime_ns) == (PAGES_OF_SITE, right, before)


def test_a_trusted_build_takes_and_signs_nothing_that_others_have_left_on_its_machine(
    machine: Machine,
) -> None:
    """Such as the build of a pull request on the same runner, or a cache that lies in the repository."""
    _, _, right = machine.build(OTHER)
    shutil.rmtree(machine.root / "cache")
    machine.build(b"", scope="main")
    (pack,) = packs(machine.root)
    found = Seals().unpack(pack.read_bytes())
    assert found
    pack.write_bytes(Seals().pack((path, evil(page)) for path, page in found.pages.items()))
    site, out = write_site(machine.root / "runner", SITE), machine.root / "runner-out"

    def built(secret: bytes) -> dict[str, bytes]:
        shared = SharedCache(machine.store, machine.store, secret=secret, scope="main")
        build(site, FolderOutput(out), Options(cache="keep"), shared_cache=shared)
        return contents(out)

    assert built(b"") != right
    assert built(SECRET) == right
    assert machine.build(SECRET)[2] == right


@pytest.mark.parametrize("wrong", ["deep", "unknown code"])
def test_facts_that_no_build_would_write_are_refused_without_a_secret(machine: Machine, wrong: str) -> None:
    _, _, right = machine.build(b"", scope="7")
    (pack,) = packs(machine.root)
    found = Seals().unpack(pack.read_bytes())
    assert found

    def worse(page: SharedPage) -> SharedPage:
        facts = page.content.facts
        deep = bytes([facts[0] + 1]) + facts[1:] + b"\xa1x" + b"\x91" * 50_000 + b"\xc0"
        told = deep if wrong == "deep" else facts.replace(b"broken-link", b"broken-lynx")
        return replace(page, content=replace(page.content, facts=told))

    pack.write_bytes(Seals().pack((path, worse(page)) for path, page in found.pages.items()))
    result, _, files = machine.build(b"", scope="7")
    assert (codes(result), files) == (["cache-refused"], right)


def test_each_scope_has_a_prefix_of_its_own_that_leads_nowhere_else() -> None:
    scopes = [
        "",
        "all",
        "unnamed",
        "7",
        "a/b",
        "a-b",
        "a.b",
        "../../trusted",
        "trusted",
        "/",
        "..",
        "x" * 500,
        "x" * 501,
        "ä",
        "\udcff",
    ]
    prefixes = [untrusted(scope) for scope in scopes]
    assert len(set(prefixes)) == len(scopes)
    assert all(re.fullmatch(r"untrusted/[A-Za-z0-9_.-]{1,77}", each) for each in prefixes)
    assert not any(part in {".", ".."} for each in prefixes for part in each.split("/"))


def test_packs_are_by_folder_and_few_change_with_the_site() -> None:
    paths = [f"docs/f{folder}/p{page}" for folder in range(100) for page in range(10)]
    names = pack_names(paths)
    sizes = [list(names.values()).count(name) for name in set(names.values())]
    assert (len(sizes), max(sizes) <= 3 * PAGES) == (16, True)
    assert all(len({names[f"docs/f{folder}/p{page}"] for page in range(10)}) == 1 for folder in range(100))
    more = pack_names([*paths, "docs/f7/new", "docs/new/a"])
    assert {path: more[path] for path in paths} == names


def test_a_large_folder_is_in_several_packs() -> None:
    names = pack_names(f"docs/p{page}" for page in range(1_000))
    sizes = [list(names.values()).count(name) for name in set(names.values())]
    assert (len(sizes), max(sizes) < 2 * PAGES) == (16, True)
