"""Find out what pages of a site may include: variables by folder, parts, own components."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from builder import frontmatter
from builder.category.record import CategoryRecord
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.markdown.context import DEEPEST_PART, INCLUDING, VARIABLE, SiteParts
from builder.site.pages import SitePage, readable, with_digest
from builder.site.reader import heading
from builder.store import Scan, SiteFile
from builder.store.names import COMPONENTS
from builder.store.part_files import SUFFIXES, PartFiles, refusal, way
from builder.store.source_reader import SourceReader

_FILE = re.compile(r"""\bfile=["']([^"'\n]{1,1000})["']""")
_BEGIN = re.compile(r"""\s*<Include\s[^<>]*?\bsrc=["']([^"'\n]{1,1000})["']""")
_MOST_CODE = 10_000


class IncludedFiles(Struct, frozen=True):
    """A digest of all that pages include, and what is wrong with it; empty where pages include nothing.

    `titles` are those of pages, by content path, that begin with a part which has their heading.
    """

    digest: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()
    titles: Mapping[str, str] = {}


def includes(config: SiteConfig) -> bool:
    """Return whether the pages of a site may include files."""
    return not INCLUDING.isdisjoint(config.extras)


def included_files(
    store: SourceReader, config: SiteConfig, scan: Scan, pages: Iterable[SitePage]
) -> IncludedFiles:
    """Read all parts, own components and code that these pages may include."""
    if not includes(config):
        return IncludedFiles()
    files = store.parts()
    own = [f"{COMPONENTS}/{name}" for name in files.names(COMPONENTS)]
    texts = [(file, files.read(file)) for file in (*(file for file, _ in scan.parts), *own)]
    mdx = [page for page in pages if page.format == "mdx"]
    bodies = ((page.file, page.document.body) for page in mdx)
    code = sorted(
        {file for name, text in (*bodies, *((f, p.text) for f, p in texts)) for file in _code(name, text)}
    )
    texts += [(file, files.read(file)) for file in code[:_MOST_CODE]]
    # What a variable names can be any file that is there.
    others = list(_states(store, scan)) if any("%{" in file for file in code) else []
    found: list[object] = [*others]
    found += [(file, part.text.encode(errors="surrogatepass"), part.problem) for file, part in texts]
    shown = (part for file, part in texts if file not in own or file.endswith(SUFFIXES))
    no_text = sorted({one for part in shown for one in part.found})
    said = (*_faults(files, own, config), *no_text)
    return IncludedFiles(digest(found), said, dict(_titles(files, mdx, frozenset(config.extras))))


def _states(store: SourceReader, scan: Scan) -> Iterator[tuple[str, int, int]]:
    """The files beside pages, each with its size and the time of its last change."""
    for each in scan.files:
        with suppress(OSError):  # it is gone since it was listed
            about = (store.root / each.file).lstat()
            yield each.file, about.st_size, about.st_mtime_ns


def _code(file: str, text: str) -> Iterator[str]:
    """The files that the fences of a text may show."""
    if "file=" in text:
        yield from (way(file, found[1]) for found in _FILE.finditer(text))


def _titles(files: PartFiles, pages: Iterable[SitePage], extras: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the titles of pages that have none of their own, and begin with a part."""
    for page in pages:
        if page.title != readable(page.path) or page.meta.title is not None:
            continue
        title = _title(files, page, extras) if _BEGIN.match(page.document.body) else None
        if title:
            yield page.path, title


def _title(files: PartFiles, page: SitePage, extras: frozenset[str]) -> str | None:
    """Return the first heading of the part that a page begins with, or of the one that this begins with."""
    file, body = page.file, page.document.body
    for _ in range(DEEPEST_PART):
        begin = _BEGIN.match(body)
        file = way(file, begin[1]) if begin else ""
        part = files.read(file) if begin and not refusal(file, is_part=True) else None
        if part is None or part.problem:
            return None
        document = frontmatter.split(part.text, "")
        body = document.body
        if document.meta.draft or (title := heading(body, "mdx", extras)):
            return None if document.meta.draft else title
    return None


def with_title(page: SitePage, titles: Mapping[str, str]) -> SitePage:
    """The page with the title that a part gives it."""
    title = titles.get(page.path)
    if title is None:
        return page
    return with_digest(replace(page, title=title, label=page.meta.sidebar_label or title))


def _faults(files: PartFiles, own: Iterable[str], config: SiteConfig) -> tuple[Diagnostic, ...]:
    """Return what is wrong with own components."""
    if "components" not in config.extras:
        return ()
    # Loaded here, as most sites have none, and it loads what reads tags.
    from builder.site.own_components import faults  # noqa: PLC0415

    return tuple(faults(files, own))


def published_files(config: SiteConfig, files: tuple[SiteFile, ...]) -> tuple[SiteFile, ...]:
    """Of the files beside pages those that are copied: where pages may include some, no `_` ones."""
    if not includes(config):
        return files
    return tuple(file for file in files if file.file.startswith("static/") or "/_" not in file.file)


def variable_scopes(
    config: SiteConfig, categories: Mapping[str, CategoryRecord]
) -> Mapping[str, Mapping[str, str]]:
    """The variables of the site ("") and of folders, of those that have any."""
    scopes = {path: record.variables for path, record in categories.items() if record.variables}
    return {"": config.variables, **scopes} if config.variables else scopes


def labelled(
    categories: Mapping[str, CategoryRecord], scopes: Mapping[str, Mapping[str, str]]
) -> Mapping[str, CategoryRecord]:
    """The categories with the values of variables in their labels: those that the folder's own page has."""
    named = {path: record for path, record in categories.items() if "%{" in (record.label or "")}
    if not named or not scopes:
        return categories
    parts = SiteParts(None, scopes)
    return {**categories, **{path: _labelled(record, parts) for path, record in named.items()}}


def _labelled(record: CategoryRecord, parts: SiteParts) -> CategoryRecord:
    known = parts.variables(f"{record.path}/index")
    label = VARIABLE.sub(lambda found: known.get(found[1], found[0]), record.label or "")
    return replace(record, label=" ".join(label.split()) or None)


def titled(page: SitePage, scopes: Mapping[str, Mapping[str, str]]) -> SitePage:
    """The page with the values of variables in its title, label and description."""
    if page.format != "mdx" or not has_names(page):
        return page
    known = {**SiteParts(None, scopes).variables(page.path), **page.meta.variables}

    def value(found: re.Match[str]) -> str:
        return known.get(found[1], found[0])

    title, label, about = page.title, page.label, page.meta.description
    if known:
        about = VARIABLE.sub(value, about) if about else about
        title, label = VARIABLE.sub(value, title), VARIABLE.sub(value, label)
    elif page.meta.title is None:  # braces in a heading are an expression then, which is left out
        title = VARIABLE.sub("%", title)
        label = label if page.meta.sidebar_label else title
    if (title, label, about) == (page.title, page.label, page.meta.description):
        return page
    document = replace(page.document, meta=replace(page.meta, description=about))
    return with_digest(replace(page, title=title, label=label, document=document))


def has_names(page: SitePage) -> bool:
    """Return whether what others say of a page may have names of variables."""
    return "%{" in page.title or "%{" in page.label or "%{" in (page.meta.description or "")
