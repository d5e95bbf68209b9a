"""Render one page from a text that is not saved, in the site as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from builder.diagnostics import Diagnostic
from builder.paths import Format
from builder.plan.options import Options
from builder.plan.prepare import prepare
from builder.preview.site_state import State
from builder.render import site_digest
from builder.render.render_page import frame, make
from builder.site import Site, SitePage, read_at_place
from builder.site.included import titled, variable_scopes
from builder.store import ContentStore, Source
from builder.store.page_reader import decode
from builder.store.write_plan import make_draft


class UnsavedText(Struct, frozen=True):
    """The text of a page, with its frontmatter, that is to be looked at before it is saved."""

    path: str
    format: Format
    text: str


class DraftPage(Struct, frozen=True):
    """A page as it would be shown once it is saved: its `url`, with the base path, and its document.

    `html` is None where the text is none of a page; `diagnostics` say why. `files` are those that the
    page brings.
    """

    url: str
    html: bytes | None
    diagnostics: tuple[Diagnostic, ...]
    files: Mapping[str, bytes] = {}


def draft_page(
    root: Path, store: ContentStore, options: Options, state: State, unsaved: UnsavedText
) -> DraftPage:
    """The page, if its file had this text; its twin stays as it is.

    Raises InvalidPath, PageTooLarge, and ThemeError as `prepare` does.
    """
    path = make_draft(unsaved.path, unsaved.format, unsaved.text, None).path
    known = next((page for page in state.site.pages if page.path == path), None)
    source, twin_file = _source(replace(unsaved, path=path), known), known.twin_file if known else ""
    found = read_at_place(source, twin_file, state.site.config)
    if found.page is None:
        return DraftPage("", None, found.diagnostics)
    scopes = variable_scopes(state.site.config, state.site.categories)
    page = titled(found.page, scopes)
    prepared = prepare(root, store, _beside(state.site, page), options)
    shared = prepared.shared
    context = replace(shared.context, site_digest=site_digest(shared.context))
    made = make(page, context)
    html = frame(page, made, shared)
    told = tuple(sorted({*found.diagnostics, *made.diagnostics}))
    return DraftPage(state.site.config.base_path + page.url, html, told, made.body.files())


def _source(unsaved: UnsavedText, known: SitePage | None) -> Source:
    """The text as it would be read, in the place of the page that is known."""
    path, format = unsaved.path, unsaved.format
    file = known.file if known is not None and known.format == format else f"{path}.{format}"
    found = decode(unsaved.text.encode(), file)[1]
    return Source(path, format, unsaved.text, known.twin if known else None, "", file, tuple(found))


def _beside(site: Site, page: SitePage) -> Site:
    """The site with this page in the place of the one at its path."""
    others = [one for one in site.pages if one.path != page.path]
    return replace(site, pages=tuple(sorted((*others, page), key=lambda one: one.path)))
