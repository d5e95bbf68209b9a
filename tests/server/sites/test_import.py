"""Import sites as their owners pack them."""

from __future__ import annotations

import io
import os
import resource
import signal
import tarfile
import unicodedata
from pathlib import Path

import pytest

from builder.errors import PathConflict, StorageError
from server.sites.omissions import Omission
from server.sites.read_archive import import_archive
from tests.builder.children import in_child
from tests.server.sites.archives import (
    KINDS,
    SITE,
    files_in,
    imported,
    member,
    refused,
    tarred,
    zipped,
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("around", ["", "boats-main/", "./", "./boats/"])
def test_a_packed_site_is_imported(tmp_path: Path, kind: str, around: str) -> None:
    archive = KINDS[kind]({around + name: data for name, data in SITE.items()})
    report, files = imported(archive, tmp_path)
    assert files == SITE
    assert (report.pages, report.files, report.bytes) == (1, 3, sum(map(len, SITE.values())))
    assert (report.left_out, report.left_out_files, report.notes) == ((), 0, ())


def test_an_archive_may_be_a_path(tmp_path: Path) -> None:
    (tmp_path / "boats.zip").write_bytes(zipped(SITE).getvalue())
    assert import_archive(tmp_path / "boats.zip", tmp_path / "site").pages == 1
    assert files_in(tmp_path / "site") == SITE


def test_the_folders_of_an_archive_need_no_entries_and_may_have_some(tmp_path: Path) -> None:
    archive = zipped(
        {"a/": b"", "a/docs/": b"", "a/./docs/": b"", "a/empty/": b""}
        | {f"a/{n}": d for n, d in SITE.items()}
    )
    assert imported(archive, tmp_path)[1] == SITE


LEFT_OUT = {
    "node_modules/a/index.js": ("node_modules/", "packages of programs"),
    "node_modules/b/c.md": ("node_modules/", "packages of programs"),
    ".git/config": (".git/", "the history of git"),
    ".twinpress/state/keys": (".twinpress/", "keys, history and caches of whoever packed the site"),
    "docs/.DS_Store": (".DS_Store", "a note of macOS"),
    "docs/node_modules/a.md": ("docs/node_modules/", "packages of programs"),
    "docs/Thumbs.db": ("Thumbs.db", "a note of Windows"),
    "docs/._index.md": ("._*", "notes of macOS"),
    "static/Icon\r": ("Icon␍", "a note of macOS"),
    "docs/.hidden/a.md": ("docs/.hidden/", "its name begins with a dot"),
    "docs/.well-known/a": ("docs/.well-known/", "its name begins with a dot"),
    "docs/logo.png.bak": ("docs/logo.png.bak", "a backup of an editor"),
    "docs/index.md~": ("docs/index.md~", "a backup of an editor"),
    "dist/index.html": ("dist/", "the output of a build"),
    "theme/css/base.css": (
        "theme/",
        "a hosted site has the default theme: no templates, scripts and styles of its own",
    ),
    "src/main.py": ("src/", "no part of a site, which has `site.yml`, `docs/`, `pages/`, `static/`"),
    "README.md": ("README.md", "no part of a site, which has `site.yml`, `docs/`, `pages/`, `static/`"),
    "docs/demo.html": ("docs/demo.html", "a page of HTML, which may run scripts"),
    "static/app.js": ("static/app.js", "a script"),
    "static/evil.svg": ("static/evil.svg", "has an event handler, `onload`"),
    "docs/a\u202eb.png": (
        "docs/a<U+202E>b.png",
        "its name has a backslash, or a character that is not to be seen, so it would not be published",
    ),
}


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_what_is_left_out_is_told_with_the_reason(tmp_path: Path, kind: str) -> None:
    evil = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    archive = KINDS[kind](
        {f"boats/{name}": evil for name in LEFT_OUT} | {f"boats/{n}": d for n, d in SITE.items()}
    )
    report, files = imported(archive, tmp_path)
    assert files == SITE
    assert report.left_out_files == len(LEFT_OUT)
    lines = dict.fromkeys(LEFT_OUT.values())
    assert report.left_out == tuple(
        Omission(*line, files=list(LEFT_OUT.values()).count(line)) for line in lines
    )


def test_a_folder_beside_that_of_macos_is_the_site(tmp_path: Path) -> None:
    archive = zipped(
        {"__MACOSX/boats/._site.yml": b"", ".DS_Store": b""} | {f"boats/{n}": d for n, d in SITE.items()}
    )
    report, files = imported(archive, tmp_path)
    assert files == SITE
    assert [line.path for line in report.left_out] == ["__MACOSX/", ".DS_Store"]


def test_links_are_left_out_and_lead_nowhere(tmp_path: Path) -> None:
    links = [
        member("docs/latest", tarfile.SYMTYPE, "/etc"),
        member("docs/passwords.md", tarfile.SYMTYPE, "/etc/passwd"),
        member("docs/hard.md", tarfile.LNKTYPE, "docs/index.md"),
    ]
    report, files = imported(tarred(SITE | {"docs/latest/a.md": b"a"}, *links), tmp_path)
    assert files == SITE | {"docs/latest/a.md": b"a"}
    assert [(line.path, line.why) for line in report.left_out] == [
        ("docs/latest", "a symbolic link, which is not followed"),
        ("docs/passwords.md", "a symbolic link, which is not followed"),
        ("docs/hard.md", "a hard link, which is not followed"),
    ]


def test_of_many_files_only_some_are_named_and_all_counted(tmp_path: Path) -> None:
    report, _ = imported(zipped(SITE | {f"docs/{n}.html": b"" for n in range(500)}), tmp_path)
    assert (len(report.left_out), report.left_out_files) == (100, 500)


@pytest.mark.parametrize(
    ("names", "title"),
    [
        (["docs/index.md", "src/main.py"], "My documentation"),
        (["sea_boats-main/pages/index.mdx"], "Sea boats"),
        (["docs/a/b.md"], "My documentation"),
    ],
)
def test_pages_without_settings_get_some(tmp_path: Path, names: list[str], title: str) -> None:
    report, files = imported(zipped(dict.fromkeys(names, b"")), tmp_path)
    assert files["site.yml"].decode() == f'title: "{title}"\n'
    assert report.notes == ("there was no `site.yml`, so one was created: give the site its title there",)
    assert (report.pages, report.files) == (1, 2)


def test_settings_of_the_other_ending_get_the_right_name(tmp_path: Path) -> None:
    report, files = imported(zipped({"site.yaml": b"title: A\n", "docs/a.md": b""}), tmp_path)
    assert files == {"site.yml": b"title: A\n", "docs/a.md": b""}
    assert report.notes == ("`site.yaml` is called `site.yml` now",)


@pytest.mark.parametrize("names", [[], ["a.txt"], ["src/docs.py", "README.md"], ["a/site.yml/b", "b/c"]])
def test_an_archive_without_a_site_is_refused_and_says_what_a_site_is(
    tmp_path: Path, names: list[str]
) -> None:
    refusal = refused(zipped(dict.fromkeys(names, b"")), tmp_path)
    assert "there is no site in the archive" in refusal.message
    assert (
        refusal.hint
        == "a site is a folder with `site.yml`, and pages in `docs/` or `pages/`; pack that folder"
    )


def test_a_site_deep_in_an_archive_is_named(tmp_path: Path) -> None:
    refusal = refused(zipped({"code/website/site.yml": b"", "code/main.py": b""}), tmp_path)
    assert refusal.hint == "there is `code/website/site.yml`: pack that folder alone"


def test_names_are_normalised(tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", "docs/\xe9t\xe9.md")
    assert set(imported(zipped(SITE | {name: b""}), tmp_path)[1]) == {*SITE, "docs/\xe9t\xe9.md"}


def test_a_zip_of_macos_says_nothing_of_its_encoding(tmp_path: Path) -> None:
    data = zipped(SITE | {"docs/\xe9t\xe9.md": b""}).getvalue()
    unsaid = io.BytesIO(data.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00"))
    assert "docs/\xe9t\xe9.md" in imported(unsaid, tmp_path)[1]


def test_backslashes_of_windows_are_slashes(tmp_path: Path) -> None:
    archive = zipped({name.replace("/", "\\"): data for name, data in SITE.items()}, system=0)
    assert imported(archive, tmp_path)[1] == SITE


def test_a_page_that_cannot_be_shown_is_told(tmp_path: Path) -> None:
    report, files = imported(zipped(SITE | {"docs/My Page.md": b""}), tmp_path)
    assert "docs/My Page.md" in files
    note = (
        "not shown before they are renamed: `docs/My Page.md` (`My Page` has a space, which a content path"
        " cannot have)"
    )
    assert report.notes == (note,)


def test_a_well_known_folder_is_the_sites(tmp_path: Path) -> None:
    files = SITE | {"static/.well-known/security.txt": b"Contact:"}
    assert imported(zipped(files), tmp_path)[1] == files


def test_an_empty_folder_is_filled_and_another_one_left_alone(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    assert imported(zipped(SITE), tmp_path)[1] == SITE
    with pytest.raises(PathConflict, match="there is something in the folder"):
        import_archive(zipped({"site.yml": b"title: B"}), tmp_path / "site")
    assert files_in(tmp_path / "site") == SITE


def test_a_folder_filled_meanwhile_is_left_alone(tmp_path: Path) -> None:
    class Filling(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            (tmp_path / "site").mkdir(exist_ok=True)
            if any(tmp_path.glob(".tp-import-*")):
                (tmp_path / "site/mine").write_text("mine")
            return super().read(size)

    with pytest.raises(PathConflict):
        import_archive(Filling(zipped(SITE).getvalue()), tmp_path / "site")
    assert files_in(tmp_path) == {"site/mine": b"mine"}


def test_a_link_in_the_folders_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "site").symlink_to("elsewhere")
    with pytest.raises(PathConflict):
        import_archive(zipped(SITE), tmp_path / "site")
    assert files_in(tmp_path) == {}


def test_what_a_crash_has_left_is_removed_by_the_next_import(tmp_path: Path) -> None:
    class Crashing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if any(tmp_path.glob(".tp-import-*/docs/index.md")):
                os.kill(os.getpid(), signal.SIGKILL)
            return super().read(size)

    archive = Crashing(zipped({"docs/index.md": b""} | SITE).getvalue())
    assert in_child(lambda: str(import_archive(archive, tmp_path / "site"))) == "killed"
    assert [path.name[:11] for path in tmp_path.iterdir()] == [".tp-import-"]
    assert imported(zipped(SITE), tmp_path)[1] == SITE


def test_a_file_system_that_refuses_is_told_and_nothing_stays(tmp_path: Path) -> None:
    archive = zipped(SITE | {"static/large": b"a" * 100_000})

    def act() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        with pytest.raises(StorageError) as refusal:
            import_archive(archive, tmp_path / "site")
        return f"{refusal.value.hint}, {[*tmp_path.iterdir()]}"

    assert in_child(act) == "the file may not be that large here, []"


def test_an_import_leaves_another_one_beside_it_alone(tmp_path: Path) -> None:
    class Another(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if any(tmp_path.glob(".tp-import-*")) and not (tmp_path / "other").exists():
                import_archive(zipped(SITE), tmp_path / "other")
            return super().read(size)

    import_archive(Another(zipped(SITE).getvalue()), tmp_path / "site")
    assert files_in(tmp_path / "site") == files_in(tmp_path / "other") == SITE


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file or directory"):
        import_archive(zipped(SITE), tmp_path / "nowhere/site")


def test_a_page_may_lie_in_a_folder_called_like_junk(tmp_path: Path) -> None:
    files = SITE | {
        "docs/desktop.ini/a.md": b"",
        "docs/dist/a.md": b"",
        "docs/theme/a.md": b"",
        "docs/node_modules.md": b"",
        "docs/NODE_MODULES/a.md": b"",
    }
    assert imported(zipped(files), tmp_path)[1] == files
