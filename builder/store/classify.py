"""Tell what a file in `docs`, `pages` or `static` is, by its name."""

from __future__ import annotations

import os

from builder import paths
from builder.category import record as category
from builder.category.record import CategoryRecord
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.errors import InvalidPath
from builder.paths import Format
from builder.store import walk
from builder.store.decoding import decode
from builder.store.names import SUFFIXES
from builder.store.records import PageFile, SiteFile
from builder.store.scan_findings import Folder, ScanFindings
from builder.store.walk import nfc

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
        paths.parse(path)
        _check_form(path, file)
    except InvalidPath as error:
        found.say("path-invalid", file, error.message, error.hint)
        return
    if found.fits(file, about):
        found.pages.append(PageFile(path, file, _FORMATS[suffix]))


def _check_form(path: str, file: str) -> None:
    """Look-alikes such as the Kelvin sign, whose normal form is another, plain letter. Raises InvalidPath."""
    if path.isascii() and not file.isascii():
        raise InvalidPath(
            "its name has a character that only looks like a plain letter", hint="type the name anew"
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
    """What a category file says, and what is wrong with it."""
    # What reads YAML takes long to load, and most builds know what is in the file.
    from builder.category import file as categories  # noqa: PLC0415

    text, faults = decode(data, file)
    record, said = categories.read(text, file, path)
    return record, (*faults, *said)
