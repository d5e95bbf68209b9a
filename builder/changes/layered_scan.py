"""A scan of a site with some of its files changed: as it would be found if they were on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from builder import paths
from builder.category import file as categories
from builder.category.record import FILES, CategoryRecord
from builder.diagnostics import Diagnostic
from builder.errors import InvalidPath
from builder.store import PAGE_LIMIT, PageFile, Scan, SiteFile
from builder.store.names import COMPONENTS, SUFFIXES, is_content
from builder.store.page_reader import decode
from builder.unicode import normal

Changed = Mapping[str, "bytes | None"]
"""The bytes of files by their names on disk, None for one that is gone."""


def with_changed_files(scan: Scan, changed: Changed, names: Mapping[str, str]) -> Scan:
    """Return the scan with changed files; `names` are all files by their names in NFC, after the changes."""
    pages = {page.path: page for page in scan.pages}
    for path in {path for file in changed for path in _page_paths(file)}:
        pages.pop(path, None)
        if (page := _page(path, names, changed)) is not None:
            pages[path] = page
    records, said = _categories(scan.categories, changed, names)
    kept = tuple(one for one in scan.diagnostics if one.file not in changed)
    return replace(
        scan,
        pages=tuple(sorted(pages.values(), key=lambda page: page.path)),
        categories=records,
        files=tuple(sorted(_files(scan.files, changed), key=lambda file: file.output)),
        diagnostics=tuple(sorted((*kept, *said))),
        parts=tuple(sorted(_parts(scan.parts, changed))),
    )


def _page_paths(file: str) -> Iterator[str]:
    """The content path of the page that a file is of, if it is of one."""
    nfc = normal("NFC", file)
    if not is_content(nfc) or nfc.rpartition("/")[2] in FILES:
        return
    for suffix in (paths.TWIN_SUFFIX, *paths.PAGE_SUFFIXES):
        if nfc.endswith(suffix):
            yield nfc.removesuffix(suffix)
            return


def _page(path: str, names: Mapping[str, str], changed: Changed) -> PageFile | None:
    try:
        paths.parse(path)
    except InvalidPath:
        return None
    for format, suffix in SUFFIXES.items():
        file = names.get(path + suffix)
        if file and len(changed.get(file) or b"") <= PAGE_LIMIT:
            return PageFile(path, file, format, names.get(path + paths.TWIN_SUFFIX))
    return None


def _categories(
    records: Mapping[str, CategoryRecord], changed: Changed, names: Mapping[str, str]
) -> tuple[Mapping[str, CategoryRecord], tuple[Diagnostic, ...]]:
    """The categories with those whose files are others, and what is wrong with these."""
    found, said = dict(records), list[Diagnostic]()
    for folder in {file.rpartition("/")[0] for file in changed if file.rpartition("/")[2] in FILES}:
        path = normal("NFC", folder)
        found.pop(path, None)
        present = (names.get(f"{path}/{name}", "") for name in FILES)
        file = next((each for each in present if each), "")
        data = changed.get(file)
        if data is not None:
            text, faults = decode(data, file)
            found[path], more = categories.read(text, file, path)
            said += (*faults, *more)
    return found, tuple(said)


def _files(files: Iterable[SiteFile], changed: Changed) -> Iterator[SiteFile]:
    yield from (file for file in files if file.file not in changed)
    for file, data in changed.items():
        root, _, below = normal("NFC", file).partition("/")
        if data is not None and below and not is_content(file) and not paths.file_fault(file):
            yield SiteFile(file, f"{root}/{below}" if root == paths.DOCS else below)


def _parts(parts: Iterable[tuple[str, Diagnostic]], changed: Changed) -> Iterator[tuple[str, Diagnostic]]:
    yield from (each for each in parts if each[0] not in changed)
    for file, data in changed.items():
        if data is None or "/_" not in file or file.startswith(f"{COMPONENTS}/"):
            continue
        for path in _page_paths(file):
            try:
                paths.parse(path)
            except InvalidPath as error:
                yield file, Diagnostic(file, 0, 0, "path-invalid", error.message, error.hint)
