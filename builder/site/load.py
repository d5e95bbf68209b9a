"""Read a whole site: configuration, every page's source and frontmatter, categories, files."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from builder import config, frontmatter
from builder.config import SiteConfig
from builder.diagnostics import Diagnostic
from builder.errors import ConfigError, StorageError, TwinpressError
from builder.markdown.first_heading import first_heading
from builder.site.pages import SitePage, readable
from builder.store import CategoryRecord, ContentStore, PageFile, SiteFile

CONFIG_FILE = "site.yml"
MISNAMED = "site.yaml"
Plan = Literal["free", "premium"]


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that is known before the first page is rendered. `pages` are sorted by path."""

    config: SiteConfig
    pages: tuple[SitePage, ...]
    drafts: tuple[SitePage, ...]
    categories: Mapping[str, CategoryRecord]
    files: tuple[SiteFile, ...]
    diagnostics: tuple[Diagnostic, ...]


def load(store: ContentStore, *, plan: Plan | None = None, drafts: bool = False) -> Site:
    """Read the site in `store`; `plan` overrides the configuration's, `drafts` keeps drafts as pages.

    Raises ConfigError when the folder is no site: it has neither `site.yml` nor pages.
    """
    settings, found = load_config(store)
    if plan is not None:
        settings = dataclasses.replace(settings, plan=plan)
    scan = store.scan()
    read = [_page(store, file) for file in scan.pages]
    found += scan.diagnostics
    pages = [page for page, _ in read if page is not None]
    shown = tuple(page for page in pages if drafts or not page.meta.draft)
    hidden = tuple(page for page in pages if page.meta.draft and not drafts)
    left_out = {page.file for page in hidden if page.document.frontmatter.get("draft") is True}
    said = tuple(each for _, each_found in read for each in each_found if each.file not in left_out)
    return Site(settings, shown, hidden, scan.categories, scan.files, (*found, *said))


def load_config(store: ContentStore) -> tuple[SiteConfig, tuple[Diagnostic, ...]]:
    """`site.yml`, or the defaults when it cannot be read, or when there is none but there are pages."""
    try:
        data = store.read_file(CONFIG_FILE)
    except FileNotFoundError:
        if not store.has_pages():
            raise ConfigError(
                "this folder is no site: it has no `site.yml`, no folder `docs` and no folder `pages`",
                path=str(store.root),
                hint="make one with `twinpress new my-docs`, or name the site's folder",
            ) from None
        settings, found = config.load("")
        return settings, (*found, *_misnamed(store))
    except StorageError as error:
        return SiteConfig(), (Diagnostic(CONFIG_FILE, 0, 0, "config-invalid", error.message, error.hint),)
    return config.load(data)


def _misnamed(store: ContentStore) -> Iterator[Diagnostic]:
    """A configuration that nobody reads."""
    try:
        store.read_file(MISNAMED)
    except FileNotFoundError:
        return
    except StorageError:
        pass  # whatever it is, it has the name of a configuration
    yield Diagnostic(MISNAMED, 0, 0, "config-invalid", "is not read", f"rename it to `{CONFIG_FILE}`")


def _page(store: ContentStore, file: PageFile) -> tuple[SitePage | None, tuple[Diagnostic, ...]]:
    try:
        source = store.read(file.path)
    except TwinpressError as error:
        return None, (Diagnostic(file.file, 0, 0, "page-unreadable", error.message, error.hint),)
    document = frontmatter.split(source.text, source.file)
    title = document.meta.title or first_heading(_shown(document.body), source.format) or readable(file.path)
    label = document.meta.sidebar_label or title
    twin = _shown(source.twin) if source.twin is not None else None
    page = SitePage(file.path, source.file, source.format, document, twin, title, label, file.twin_file or "")
    return page, (*source.diagnostics, *document.diagnostics)


def _shown(text: str) -> str:
    """A source as it is shown: no text may have the character NUL."""
    return text.replace("\0", "\ufffd")
