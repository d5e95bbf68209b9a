"""Find out what lies in a site, and what each file is by its name and size: no page is opened."""

from __future__ import annotations

import os
import re
import stat

from builder import paths
from builder.category import record as category
from builder.category.record import CategoryRecord
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.errors import InvalidPath
from builder.paths import Format
from builder.store import walk
from builder.store.names import COMPONENTS, SUFFIXES, WELL_KNOWN, is_hidden
from builder.store.page_reader import decode
from builder.store.records import PageFile, Scan, SiteFile
from builder.store.scan_findings import Folder, KnownCategory, ScanFindings, shown
from builder.store.walk import nfc

ROOTS = ("docs", "pages", "static")
SOURCES = (*ROOTS, COMPONENTS)
"""With what is no page, and is not copied."""
MAX_FOLDERS = 32
"""Folders within each other; a page's path allows fewer."""


_BACKUP = re.compile(r".*~|#.*#")
"""What editors leave beside a file; like hidden files it is none of the site's."""


def scan(root: int, known: dict[str, KnownCategory] | None = None) -> Scan:
    """All that lies in the site whose folder is open as `root`. Faults are diagnostics.

    `known` are category files that need not be read again; then it has those that are there now.
    """
    known = {} if known is None else known
    found = ScanFindings(known)
    for name in ROOTS:
        _enter(found, Folder(root, "", "", 0), name)
    known.clear()
    known.update(found.met)
    return found.result()


def _enter(found: ScanFindings, folder: Folder, name: str) -> None:
    """Walk a folder, if it is one."""
    file = folder.file(name)
    if folder.depth >= MAX_FOLDERS:
        found.say("path-invalid", file, f"this folder is more than {MAX_FOLDERS} deep, so it is left out")
        return
    try:
        descriptor = walk.open_folder(folder.descriptor, name)
    except FileNotFoundError:
        return  # gone since it was listed, or a root that this site does not have
    except walk.Blocked as blocked:
        found.blocked(file, blocked.kind, "a folder")
        return
    except OSError as error:
        found.say("page-unreadable", file, f"the folder cannot be read: {error.strerror}")
        return
    try:
        _walk(found, folder.inner(descriptor, name))
    finally:
        os.close(descriptor)


def _walk(found: ScanFindings, folder: Folder) -> None:
    try:
        with os.scandir(folder.descriptor) as entries:
            listed = sorted(entries, key=lambda entry: (nfc(entry.name) != entry.name, entry.name))
    except OSError as error:
        found.say("page-unreadable", folder.place, f"the folder cannot be read: {error.strerror}")
        return
    inner: dict[str, str] = {}
    for entry in listed:
        if is_hidden(entry.name) or _BACKUP.fullmatch(entry.name):
            continue
        if entry.is_symlink():
            found.blocked(folder.file(entry.name), "a symbolic link")
        elif entry.is_dir(follow_symlinks=False):
            _inner(found, folder, entry.name, inner)
        else:
            _entry(found, folder, entry)
    category_file(found, folder, [entry.name for entry in listed])


def _inner(found: ScanFindings, folder: Folder, name: str, inner: dict[str, str]) -> None:
    """Enter a folder, unless its name is a page's, or that of another folder in another normal form."""
    file = folder.file(name)
    first = inner.setdefault(nfc(name), name)
    if first != name:
        message = (
            f"`{shown(folder.file(first))}` and `{shown(file)}` are the same name; only the first is read"
        )
        found.say("path-conflict", file, message, "rename or delete one of them")
    elif name == WELL_KNOWN and folder.path != "static":
        return
    elif name.endswith(tuple(paths.PAGE_SUFFIXES)) and not folder.is_static:
        found.say("page-unreadable", file, "this is a folder, and its name is that of a page", "rename it")
    else:
        _enter(found, folder, name)


def _entry(found: ScanFindings, folder: Folder, entry: os.DirEntry[str]) -> None:
    file = folder.file(entry.name)
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return  # gone since it was listed
    if not stat.S_ISREG(about.st_mode):
        found.blocked(file, walk.kind_of(about.st_mode))
        return
    found.saw(file, about)
    if folder.is_static:
        site_file(found, folder, entry.name)
    else:
        content_file(found, folder, entry.name, about)


_FORMATS: dict[str, Format] = {suffix: format for format, suffix in SUFFIXES.items()}


def content_file(found: ScanFindings, folder: Folder, name: str, about: os.stat_result) -> None:
    """A file in `docs` or `pages`: a twin, a page, a category, or a file beside pages."""
    if name in category.FILES:
        return
    stem, dot, suffix = name.rpartition(".")
    if name.endswith(paths.TWIN_SUFFIX):
        path = f"{folder.path}/{nfc(name).removesuffix(paths.TWIN_SUFFIX)}"
        if found.fits(folder.file(name), about):
            found.twins.setdefault(path, folder.file(name))
    elif dot + suffix in paths.PAGE_SUFFIXES:
        _page(found, folder, stem, dot + suffix, about)
    elif dot + suffix.lower() in paths.PAGE_SUFFIXES:
        hint = f"rename it to `{stem}.{suffix.lower()}`"
        found.say("path-invalid", folder.file(name), f"`.{suffix}` is not in lower case", hint)
    else:
        site_file(found, folder, name)


def _page(found: ScanFindings, folder: Folder, stem: str, suffix: str, about: os.stat_result) -> None:
    file = folder.file(stem + suffix)
    path = f"{folder.path}/{nfc(stem)}"
    found.stems.add(path)
    try:
        if not file.isascii() and shown(file) != file:
            raise InvalidPath("its name is not valid UTF-8, so it is not published", hint="rename it")
        paths.parse(path)
        _check_form(path, file)
    except InvalidPath as error:
        found.say_invalid(file, error.message, error.hint)
        return
    if found.fits(file, about):
        found.pages.append(PageFile(path, file, _FORMATS[suffix]))


def _check_form(path: str, file: str) -> None:
    """Look-alikes such as the Kelvin sign, whose normal form is another, plain letter. Raises InvalidPath."""
    if path.isascii() and not file.isascii():
        raise InvalidPath(
            "its name has a character that only looks like a plain letter", hint="type the name again"
        )


def site_file(found: ScanFindings, folder: Folder, name: str) -> None:
    """A file that is copied to the same place as the pages beside it."""
    file = folder.file(name)
    fault = paths.file_fault(file)
    if fault:
        found.say("path-invalid", file, f"{fault}, so it is not published", "rename it")
        return
    root, _, below = f"{folder.path}/{nfc(name)}".partition("/")
    output = below if root != paths.DOCS else f"{root}/{below}"
    found.files.append(SiteFile(file, output))


def category_file(found: ScanFindings, folder: Folder, names: list[str]) -> None:
    """The folder's category file, the first one that counts."""
    present = [folder.file(name) for name in category.FILES if name in names]
    if not present or folder.is_static:
        return
    file, *others = present
    for other in others:
        message = f"`{file}` and `{other}` are both the category of `{folder.path}`; only the first is used"
        found.say("path-conflict", other, message, "delete one of them")
    try:
        path = folder.path if folder.path == paths.DOCS else paths.parse_folder(folder.path)
        data, _ = walk.read_file(folder.descriptor, file.rpartition("/")[2], category.MAX_TEXT)
    except InvalidPath as error:
        if "/_" in folder.path:
            found.say_invalid(file, error.message, error.hint)
        else:
            found.say("path-invalid", file, error.message, error.hint)
    except walk.TooLarge:
        found.say("category-invalid", file, f"is larger than {category.MAX_TEXT // 1024} KiB")
    except walk.Blocked as blocked:
        found.say("category-invalid", file, f"this is {blocked.kind}, not a file")
    except OSError as error:
        found.say("category-invalid", file, f"cannot be read: {error.strerror}")
    else:
        key, known = digest(data, path), found.known.get(file)
        if known is None or known[0] != key:
            known = key, *_category(data, file, path)
        found.met[file] = known
        _, found.categories[path], said = known
        found.category_files[path] = file
        found.diagnostics += said


def _category(data: bytes, file: str, path: str) -> tuple[CategoryRecord, tuple[Diagnostic, ...]]:
    """Read a category file; return its record and its faults."""
    # What reads YAML takes long to load, and most builds know what is in the file.
    from builder.category import file as categories  # noqa: PLC0415

    text, faults = decode(data, file)
    record, said = categories.read(text, file, path)
    return record, (*faults, *said)
