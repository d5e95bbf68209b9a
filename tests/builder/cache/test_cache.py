"""The cache as a file: damaged, in other hands, carried elsewhere, used by two builds at once."""

from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from builder.build import Result, build
from builder.cache import Cache, database, keys
from builder.cache.checksum import opened, sealed
from builder.cache.database import Database
from builder.cache.entries import TEXT
from builder.code import highlight
from builder.errors import StorageError
from builder.frontmatter import KeptDocument
from builder.output import FolderOutput, MemoryOutput, NullOutput
from builder.output.written_files import Left, WrittenFiles, content_digest, decode
from builder.plan.options import Options
from builder.preview import Preview
from builder.render import Shared
from builder.site import load
from builder.store import FRESH, ContentStore, state_of
from tests.builder.cache.test_edits import files
from tests.sites import write_site

SITE = {
    "site.yml": "title: Harbour\n",
    "docs/index.md": "# Harbour\n\n[a](guide/a.md) [b](guide/b.md)\n",
    "docs/guide/a.md": "# A\n\n[no](nowhere.md)\n",
    "docs/guide/b.mdx": "# B\n\n<Card title='x' />\n",
}
CACHE = ".twinpress/cache/pages.db"


def built(site: Path, out: Path, *, cache: bool = True) -> Result:
    return build(site, FolderOutput(out), Options(cache="keep" if cache else "no"))


def rows(site: Path, query: str = "SELECT path, key FROM page ORDER BY path") -> list[tuple[object, ...]]:
    connection = sqlite3.connect(site / CACHE)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def flip(path: Path) -> None:
    """Other bytes in the middle of the file."""
    data = bytearray(path.read_bytes())
    for at in range(len(data) // 3, len(data) - 4000, 97):
        data[at] ^= 0x5A
    path.write_bytes(data)


def other_values(path: Path) -> None:
    """Rows that are not what a build writes."""
    connection = sqlite3.connect(path)
    connection.execute("UPDATE page SET facts = x'c1', body = x'c1'")
    connection.execute("UPDATE source SET data = x'80'")
    connection.execute("UPDATE output SET data = x'ff'")
    connection.commit()
    connection.close()


def of_another_kind(path: Path) -> None:
    """Values of types that no build writes, and rows that stand under another path."""
    connection = sqlite3.connect(path)
    connection.execute(
        "UPDATE page SET facts = NULL, key = 5, body = 'text', twin = 1.5 WHERE path LIKE '%a'"
    )
    connection.execute("UPDATE known SET key = 5, data = NULL WHERE path LIKE '%a'")
    connection.execute("UPDATE page SET search = (SELECT search FROM page WHERE path LIKE '%a')")
    connection.commit()
    connection.close()


def other_tables(path: Path) -> None:
    """A file that would do something when it is written to."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER t AFTER INSERT ON page BEGIN DELETE FROM source; END")
    connection.commit()
    connection.close()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(b"nothing of the kind " * 500),
    "cut off": lambda path: os.truncate(path, path.stat().st_size // 2),
    "flipped": flip,
    "other values": other_values,
    "another kind": of_another_kind,
    "other tables": other_tables,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_cache_is_made_anew_and_told_once(tmp_path: Path, damage: str) -> None:
    site = write_site(tmp_path / "site", SITE)
    before = built(site, tmp_path / "out")
    wanted = files(tmp_path / "out")
    DAMAGE[damage](site / CACHE)
    (site / "docs/index.md").touch()  # else a build that has seen all of it before reads nothing else
    after = built(site, tmp_path / "out")
    told = [found for found in after.diagnostics if found not in before.diagnostics]
    assert [found.code for found in told] == ["cache-damaged"]
    assert files(tmp_path / "out") == wanted
    assert built(site, tmp_path / "out").diagnostics == before.diagnostics
    assert len(rows(site)) == 3


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("DELETE FROM leaf", []),
        ("UPDATE leaf SET name = name || '.'", []),
        ("UPDATE leaf SET data = 5", ["cache-damaged"]),
        ("UPDATE leaf SET data = x'80'", ["cache-damaged"]),
    ],
)
def test_of_another_index_nothing_is_taken(tmp_path: Path, change: str, told: list[str]) -> None:
    site = write_site(tmp_path / "site", SITE)
    built(site, tmp_path / "out")
    connection = sqlite3.connect(site / CACHE)
    connection.execute(change)
    connection.commit()
    connection.close()
    (site / "docs/guide/a.md").write_text("# A\n\nA zebra.\n")
    said = built(site, tmp_path / "out").diagnostics
    clean = build(site, FolderOutput(tmp_path / "clean")).diagnostics
    assert [each.code for each in said if each not in clean] == told
    assert files(tmp_path / "out") == files(tmp_path / "clean")


def test_no_byte_that_has_changed_gets_into_a_page(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    built(site, tmp_path / "out")
    whole = (site / CACHE).read_bytes()
    page = site / "docs/guide/a.md"
    random = Random(5)
    used = [at for at, byte in enumerate(whole) if byte]
    told = 0
    for number in range(40):
        at = random.choice(used)
        (site / CACHE).write_bytes(bytes([*whole[:at], whole[at] ^ 1 << number % 8, *whole[at + 1 :]]))
        page.write_text(f"# A\n\nEdited for the {number}th time.\n")
        result = built(site, tmp_path / "out")
        build(site, FolderOutput(tmp_path / f"clean-{number}"))
        assert files(tmp_path / "out") == files(tmp_path / f"clean-{number}"), at
        told += "cache-damaged" in [found.code for found in result.diagnostics]
    assert told > 20


def test_a_folder_whose_name_is_damaged_is_told(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    built(site, tmp_path / "out")
    with closing(sqlite3.connect(site / CACHE)) as connection, connection:
        connection.execute("UPDATE output SET folder = x'00' WHERE folder LIKE '/%'")
    found = [each.code for each in built(site, tmp_path / "out").diagnostics]
    assert found.count("cache-damaged") == 1
    assert "cache-damaged" not in [each.code for each in built(site, tmp_path / "out").diagnostics]


def test_the_cache_of_another_version_is_made_anew_and_not_told(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    before = built(site, tmp_path / "out")
    connection = sqlite3.connect(site / CACHE)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert built(site, tmp_path / "out").diagnostics == before.diagnostics
    assert rows(site, "PRAGMA user_version") == [(database.FORMAT,)]


def test_an_empty_file_is_a_new_cache(tmp_path: Path) -> None:
    site = write_site(tmp_path, {**SITE, CACHE: b""})
    assert "cache-damaged" not in [found.code for found in built(site, tmp_path / "out").diagnostics]
    assert len(rows(site)) == 3


@pytest.mark.parametrize("name", [".twinpress", ".twinpress/cache", CACHE])
def test_a_cache_that_leads_elsewhere_is_left_alone(tmp_path: Path, name: str) -> None:
    site, elsewhere = write_site(tmp_path / "site", SITE), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "pages.db").write_bytes(b"")
    (site / name).parent.mkdir(parents=True, exist_ok=True)
    (site / name).symlink_to(elsewhere / "pages.db" if name == CACHE else elsewhere)
    result = built(site, tmp_path / "out")
    assert result.pages == 3
    assert files(elsewhere) == {"pages.db": b""}


def test_git_is_told_to_ignore_it(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    built(site, tmp_path / "out")
    assert (site / ".twinpress/cache/.gitignore").read_text() == "*\n"


def mark(site: Path) -> None:
    """Let the pages in the cache be told from those that are made anew: their links are `<b href=...>`."""
    connection = sqlite3.connect(site / CACHE)
    for path, key, body in connection.execute("SELECT path, key, body FROM page").fetchall():
        marked = opened(body, "body", path, key).replace(b"<a ", b"<b ")
        values = sealed(marked, "body", path, key), path
        connection.execute("UPDATE page SET body = ? WHERE path = ?", values)
    connection.commit()
    connection.close()


def test_a_preview_takes_what_a_build_has_kept(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    built(site, tmp_path / "out")
    mark(site)
    before = (site / CACHE).read_bytes()
    preview = Preview(site, Options(cache="read"))
    preview.update()
    assert b"<b href" in form(preview, "docs/index.html")
    (site / "docs/guide/a.md").write_text("# A\n\n[b](b.md) more\n")
    preview.update({"docs/guide/a.md"})
    assert b"<b href" not in form(preview, "docs/guide/a.html")
    preview.work(10.0)
    preview.close()
    assert b"<b href" in form(preview, "docs/index.html")
    assert (site / CACHE).read_bytes() == before


def form(preview: Preview, output: str) -> bytes:
    """A page of the preview."""
    found = preview.get(output)
    assert isinstance(found, bytes)
    return found


def test_a_page_that_was_not_edited_is_not_made_again_elsewhere(tmp_path: Path) -> None:
    site, clone = write_site(tmp_path / "site", SITE), tmp_path / "clone"
    built(site, tmp_path / "out")
    shutil.copytree(site, clone, copy_function=shutil.copyfile)  # with other times and other inodes
    mark(clone)
    (clone / "docs/guide/a.md").write_text("# A\n\n[b](b.md)\n")
    built(clone, tmp_path / "other")
    assert b"<b href" in (tmp_path / "other/docs/index.html").read_bytes()
    assert b"<b href" not in (tmp_path / "other/docs/guide/a.html").read_bytes()


def test_files_that_are_there_are_not_touched(tmp_path: Path) -> None:
    site, out = write_site(tmp_path / "site", {**SITE, "static/x.txt": "x"}), tmp_path / "out"
    first = built(site, out)
    before = {path: path.stat().st_ino for path in out.rglob("*") if path.is_file()}
    for _ in range(2):
        again = built(site, out)
        assert (again.diagnostics, again.files) == (first.diagnostics, first.files)
    after = {path: path.stat().st_ino for path in out.rglob("*") if path.is_file()}
    before.pop(out / "_tp/manifest.json")
    assert {path: after[path] for path in before if path.name != "x.txt"} == {
        path: inode for path, inode in before.items() if path.name != "x.txt"
    }


def test_pages_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    built(site, tmp_path / "out")
    (site / "docs/guide/a.md").unlink()
    built(site, tmp_path / "out")
    assert [path for path, _ in rows(site)] == ["docs/guide/b", "docs/index"]
    assert rows(site, "SELECT count(*) FROM source WHERE path <> 'site.yml'")[0][0] <= 2


@pytest.mark.parametrize("damaged", [False, True])
def test_twins_of_a_large_site_come_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: bool
) -> None:
    site = write_site(tmp_path / "site", SITE)
    build(site, FolderOutput(tmp_path / "clean"))
    monkeypatch.setattr("builder.site.reader.LARGE", 2)
    if damaged:
        monkeypatch.setattr(Database, "save", refused)
    for _ in range(2):
        built(site, tmp_path / "out")
        assert files(tmp_path / "out") == files(tmp_path / "clean")
        (site / "docs/guide/a.md").touch()


def refused(*_: object) -> None:
    raise database.Unusable("no room")


def test_output_folders_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    for name in ("a", "b", "c"):
        built(site, tmp_path / name)
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "b").rename(tmp_path / "elsewhere")
    (site / "docs/guide/a.md").write_text("# Another\n")
    built(site, tmp_path / "c")
    folders = {folder for (folder,) in rows(site, "SELECT folder FROM output")}
    of_c = {str(tmp_path / "c"), f"{database.BUILT} {tmp_path / 'c'}"}
    assert folders - of_c == {database.ANCHORS, database.INDEX, database.OWNER, database.PARTS}
    assert str(tmp_path / "c") in folders


def test_without_the_option_nothing_is_kept(tmp_path: Path) -> None:
    site = write_site(tmp_path, SITE)
    built(site, tmp_path / "out", cache=False)
    assert not (site / ".twinpress").exists()


def test_odd_texts_are_built_with_the_cache_as_without(tmp_path: Path) -> None:
    odd = {
        "docs/big.md": f"---\nnumber: {10**30}\n---\n\ntext",
        "docs/half.md": b'---\ntitle: "\\uD800"\n---\n\n\xed\xa0\x80 &#xD800;',
        "docs/nul.md": "a\0b",
        "docs/nan.md": "---\nx: .nan\n---\n",
    }
    site = write_site(tmp_path / "site", {**SITE, **odd})
    for _ in range(2):
        clean = MemoryOutput()
        assert built(site, tmp_path / "out").diagnostics == build(site, clean).diagnostics
        there = files(tmp_path / "out")
        assert all(there[path] == data for path, data in clean.written.items())


BUILD = """
import sys
from pathlib import Path
from builder.build import Options, build
from builder.output import FolderOutput
for _ in range(int(sys.argv[3])):
    build(Path(sys.argv[1]), FolderOutput(Path(sys.argv[2])), Options(cache="keep"))
"""


def test_builds_at_once_never_spoil_one_another(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    outs = [tmp_path / "one", tmp_path / "two"]
    command = [sys.executable, "-c", BUILD, str(site)]
    both = [subprocess.Popen([*command, str(out), "12"], stderr=subprocess.PIPE) for out in outs]
    number = 0
    while any(process.poll() is None for process in both):
        number += 1
        (site / "docs/guide/a.md").write_text(f"# A {number}\n\n{'word ' * (number % 50)}\n")
        os.utime(site / "docs/guide/a.md")
    assert [process.communicate()[1] for process in both] == [b"", b""]
    clean = MemoryOutput()
    build(site, clean)
    for out in outs:
        built(site, out)
        there = files(out)
        assert {path: there[path] for path in clean.written} == clean.written


PLAN = """
import sys
from pathlib import Path
from builder.build import Options, build
from builder.output import FolderOutput
build(Path(sys.argv[1]), FolderOutput(Path(sys.argv[2])), Options(cache="keep", plan=sys.argv[3]))
"""


def test_builds_at_once_into_one_folder_leave_what_one_of_them_makes(tmp_path: Path) -> None:
    paid = "# P\n\n<Accordion title='More'>\n\nThe secret.\n\n</Accordion>\n"
    site = write_site(tmp_path / "site", {**SITE, **{f"docs/p{n}.mdx": paid for n in range(40)}})
    clean = {}
    for plan in ("free", "premium"):
        build(site, FolderOutput(tmp_path / plan), Options(plan=plan))
        clean[plan] = files(tmp_path / plan)
    assert clean["free"] != clean["premium"]
    for number in range(4):
        out = str(tmp_path / f"out{number % 2}")  # a new one, and one that has been built into
        command = [sys.executable, "-c", PLAN, str(site), out]
        both = [subprocess.Popen([*command, plan], stderr=subprocess.PIPE) for plan in clean]
        assert [process.communicate()[1] for process in both] == [b"", b""]
        assert files(Path(out)) in clean.values()


@pytest.mark.parametrize("content", [b"", content_digest(b"a")])
def test_a_file_as_young_as_the_record_is_the_same_only_when_its_bytes_are(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"a")
    state, ledger = state_of(file.stat()), WrittenFiles()
    ledger.note_written("a", b"key", Left(state, content))
    young = decode(ledger.encode())
    assert not young.stays(
        "a", b"key", state, lambda *_: file.read_bytes()
    )  # it may change again within the same tick
    time.sleep(FRESH / 1e9)
    assert young.stays("a", b"key", state, lambda *_: file.read_bytes()) == bool(content)
    assert not young.stays("a", b"key", state, lambda *_: b"b")
    assert not young.stays("a", b"key", state, lambda *_: None)
    old = decode(ledger.encode())
    assert old.stays("a", b"key", state, pytest.fail)
    assert old.is_under("a", b"key")
    assert not old.is_under("a", b"ke")
    assert not old.stays("b", b"key", state, lambda *_: file.read_bytes())
    assert not old.stays("a", b"key", None, file.read_bytes)


def test_every_value_that_pages_share_has_a_part_in_a_key() -> None:
    shared = {"site", "nav", "edit_url", "feedback", "page_menu", "original", "reload", "theme"}
    shared |= {"feeds", "shows_days"}
    elsewhere = {"context", "theme_folders", "root", "sidebar", "places"}
    assert set(Shared.__struct_fields__) == shared | elsewhere | {"updated", "templates"}
    assert elsewhere == keys._OF_TREE
    assert {"updated", "templates"} == keys._OF_ONE


def test_keys_are_the_same_in_each_process() -> None:
    program = (
        "from builder.cache.keys import context_key\n"
        "from builder.links.table import LinkTable\n"
        "from builder.markdown.context import Context\n"
        "context = Context(True, (), LinkTable({}, frozenset()), extras=frozenset('abcdefgh'))\n"
        "print(context_key(context).hex())\n"
    )
    made = {
        subprocess.check_output([sys.executable, "-c", program], env=os.environ | {"PYTHONHASHSEED": seed})
        for seed in "123"
    }
    assert len(made) == 1


def test_a_check_takes_what_is_kept_and_writes_nothing(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    read = Options(cache="read")
    said = build(site, NullOutput(), read).diagnostics
    assert not (site / ".twinpress").exists()
    built(site, tmp_path / "out")
    (site / "docs/guide/a.md").write_text("# Another\n")
    before = (site / CACHE).read_bytes()
    assert len(build(site, NullOutput(), read).diagnostics) == len(said) - 1
    (site / CACHE).write_bytes(b"damaged" * 1000)
    assert len(build(site, NullOutput(), read).diagnostics) == len(said) - 1
    assert (site / CACHE).read_bytes() != before
    assert (site / CACHE).read_bytes() == b"damaged" * 1000


@pytest.mark.parametrize("ours", [True, False])
def test_code_is_taken_from_the_page_before_if_this_engine_made_it(tmp_path: Path, ours: bool) -> None:
    site = write_site(tmp_path / "site", {**SITE, "docs/code.md": "# C\n\n```python\nprint(1)\n```\n"})
    built(site, tmp_path / "out")
    [(key, data)] = rows(site, "SELECT key, body FROM page WHERE path = 'docs/code'")
    text = TEXT.decode(opened(data, "body", "docs/code", key))
    marked = {code: replace(each, html="<p>kept</p>\n") for code, each in text.code.items()}
    kept = replace(text, code=marked, engine=text.engine if ours else b"another")
    connection = sqlite3.connect(site / CACHE)
    assert isinstance(key, bytes)
    body = sealed(msgspec.msgpack.encode(kept), "body", "docs/code", key)
    connection.execute("UPDATE page SET body = ? WHERE path = 'docs/code'", (body,))
    connection.commit()
    connection.close()
    highlight.fence.cache_clear()
    (site / "docs/code.md").write_text("# C\n\nEdited.\n\n```python\nprint(1)\n```\n")
    built(site, tmp_path / "out")
    highlight.remember({})
    highlight.fence.cache_clear()
    assert ("<p>kept</p>" in (tmp_path / "out/docs/code.html").read_text()) is ours


def test_a_preview_takes_only_what_this_person_has_kept_at_this_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site from elsewhere may bring a cache that says what its pages are."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    site = write_site(tmp_path / "site", SITE)
    built(site, tmp_path / "out")
    mark(site)
    carried = tmp_path / "carried"
    shutil.copytree(site, carried)
    assert shows_mark(site)
    assert not shows_mark(carried)
    assert (tmp_path / "state/twinpress/secret").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert not shows_mark(site)
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    assert not shows_mark(site)


def shows_mark(site: Path) -> bool:
    preview = Preview(site, Options(cache="own"))
    preview.update()
    shown = b"<b href" in form(preview, "docs/index.html")
    preview.close()
    return shown


def test_of_processes_that_need_the_secret_at_once_one_makes_it(tmp_path: Path) -> None:
    code = "from builder.cache.owner import mark; print(mark('/site').hex())"
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path)}
    started = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE)
        for _ in range(6)
    ]
    said = {process.communicate()[0] for process in started}
    assert len(said) == 1
    assert [path.name for path in (tmp_path / "twinpress").iterdir()] == ["secret"]


def test_a_hint_to_a_part_that_is_missing_is_told_anew(tmp_path: Path) -> None:
    files = {"site.yml": "title: Harbour\n", "docs/index.mdx": "# A\n\n<Include src='./_parts/Foo.mdx' />\n"}
    site = write_site(tmp_path / "site", files)
    first = built(site, tmp_path / "out").diagnostics
    write_site(site, {"docs/_parts/foo.mdx": "Text.\n"})
    again = built(site, tmp_path / "out").diagnostics
    assert again == built(site, tmp_path / "anew", cache=False).diagnostics
    assert again != first


def test_a_text_that_is_gone_is_read_from_its_file(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", SITE)
    built(site, tmp_path / "out")
    time.sleep(0.1)  # else pages are too young to be known
    built(site, tmp_path / "out2")
    connection = sqlite3.connect(site / CACHE)
    connection.execute("DELETE FROM text")
    connection.commit()
    connection.close()
    with ContentStore(site) as store, closing(Cache(site, "keep")) as cache:
        pages = load(store, memory=cache.memory).pages
        page = next(each for each in pages if each.path == "docs/guide/a")
        assert isinstance(page.document, KeptDocument)
        sent = pickle.loads(pickle.dumps(page))
        assert sent.document.body == page.document.body == (site / "docs/guide/a.md").read_text()
        assert page.document.size == len(sent.document.body)
        (site / "docs/guide/a.md").write_text("# Another\n")
        with pytest.raises(StorageError, match="has changed since it was read"):
            _ = page.document.body
