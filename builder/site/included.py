"""Find out what pages of a site may include: variables by folder, parts, own components."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from builder.category.record import CategoryRecord
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.digests import digest
from builder.markdown.context import INCLUDING, VARIABLE, SiteParts
from builder.site.pages import SitePage, readable, with_digest
from builder.store import ContentStore, Scan, SiteFile
from builder.store.names import COMPONENTS
from builder.store.part_files import PartFiles, refusal, way

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
    store: ContentStore, config: SiteConfig, scan: Scan, pages: Iterable[SitePage]
) -> IncludedFiles:
    """Read all parts, own components and code that these pages may include."""
    if not includes(config):
        return IncludedFiles()
    files = PartFiles(store.root)
    own = [f"{COMPONENTS}/{name}" for name in files.names(COMPONENTS)]
    texts = [(file, files.read(file)) for file in (*(file for file, _ in scan.parts), *own)]
    mdx = [page for page in pages if page.format == "mdx"]
    bodies = [(page.file, page.document.body) for page in mdx]
    code = sorted(
        {file for name, text in (*bodies, *((f, p.text) for f, p in texts)) for file in _code(name, text)}
    )
    texts += [(file, files.read(file)) for file in code[:_MOST_CODE]]
    found = [(file, part.text.encode(errors="surrogatepass"), part.problem) for file, part in texts]
    said = tuple(_faults(files, own)) if "components" in config.extras else ()
    return IncludedFiles(digest(found), said, dict(_titles(files, mdx, frozenset(config.extras))))


def _code(file: str, text: str) -> Iterator[str]:
    """The files that the fences of a text may show."""
    if "file=" in text:
        yield from (way(file, found[1]) for found in _FILE.finditer(text))


def _titles(files: PartFiles, pages: Iterable[SitePage], extras: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the titles of pages that have none of their own, and begin with a part."""
    for page in pages:
        if page.title != readable(page.path) or page.meta.title is not None:
            continue
        begin = _BEGIN.match(page.document.body)
        if begin is None:
            continue
        file = way(page.file, begin[1])
        part = files.read(file) if not refusal(file, is_part=True) else None
        title = _heading(part.text, extras) if part and not part.problem else None
        if title:
            yield page.path, title


def _heading(text: str, extras: frozenset[str]) -> str | None:
    # What parses pages takes long to load, and most builds read few.
    from builder import frontmatter  # noqa: PLC0415
    from builder.markdown.first_heading import first_heading  # noqa: PLC0415

    return first_heading(frontmatter.split(text, "", None).body, "mdx", extras)


def with_title(page: SitePage, titles: Mapping[str, str]) -> SitePage:
    """The page with the title that a part gives it."""
    title = titles.get(page.path)
    if title is None:
        return page
    return with_digest(replace(page, title=title, label=page.meta.sidebar_label or title))


def _faults(files: PartFiles, own: list[str]) -> Iterator[Diagnostic]:
    """Yield what is wrong with own components."""
    from builder.markdown.parts import component_file  # noqa: PLC0415 - most sites have none

    for file in own:
        name, dot, suffix = file.rpartition("/")[2].partition(".")
        if dot and suffix == "mdx" and not name.startswith("_"):
            yield from component_file.faults(name, file, files.read(file).text)


def own_components(root: Path, config: SiteConfig) -> Mapping[str, tuple[str, ...]]:
    """The names of the attributes of each own component of the site in the folder `root`."""
    if "components" not in config.extras:
        return {}
    from builder.markdown.parts import component_file  # noqa: PLC0415 - most sites have none

    files = PartFiles(root)
    texts = {
        name.removesuffix(".mdx"): files.read(f"{COMPONENTS}/{name}") for name in files.names(COMPONENTS)
    }
    return {
        name: tuple(component_file.read(part.text).attributes)
        for name, part in texts.items()
        if component_file.NAME.fullmatch(name) and not part.problem
    }


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


def titled(page: SitePage, scopes: Mapping[str, Mapping[str, str]]) -> SitePage:
    """The page with the values of variables in its title and label."""
    if page.format != "mdx" or "%{" not in f"{page.title}{page.label}":
        return page
    known = {**SiteParts(None, scopes).variables(page.path), **page.meta.variables}

    def value(found: re.Match[str]) -> str:
        return known.get(found[1], found[0])

    title, label = page.title, page.label
    if known:
        title, label = VARIABLE.sub(value, title), VARIABLE.sub(value, label)
    elif page.meta.title is None:  # braces in a heading are an expression then, which is left out
        title = VARIABLE.sub("%", title)
        label = label if page.meta.sidebar_label else title
    return page if (title, label) == (page.title, page.label) else with_digest(
        replace(page, title=title, label=label)
    )  # fmt: skip
