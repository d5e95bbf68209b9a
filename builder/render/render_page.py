"""The page job: one source in, its files and facts out. A pure function of picklable values."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from msgspec.structs import replace

from builder import search
from builder.diagnostics import Diagnostic
from builder.markdown.body import render
from builder.markdown.context import Context
from builder.markdown.page import Body, BodySource
from builder.render.dependencies import Asked, Listener
from builder.render.rendered_page import PageContent, RenderedPage, RenderedText
from builder.render.shared import Shared
from builder.render.twin_links import TwinLinks, of_twin
from builder.render.view import page_view
from builder.site import SitePage
from components import twin


def render_page(page: SitePage, shared: Shared) -> RenderedPage:
    """Render one page. Total: a fault of the builder itself is the diagnostic `internal-error`."""
    return framed(page, make(page, shared.context), shared)


def lost_page(page: SitePage, shared: Shared, error: Exception) -> RenderedPage:
    """Return a page whose rendering ended for a reason from outside: its source is shown."""
    body = _failed(body_source(page), error, shown=shared.context.premium)
    return framed(page, _content(page, RenderedText(body, body.diagnostics)), shared)


def framed(page: SitePage, content: PageContent, shared: Shared) -> RenderedPage:
    """Return a page with its content, as it is published."""
    html = frame(page, content, shared)
    return RenderedPage(page.path, page.file, page.place, content, html, pointer=shared.pointer)


def make(page: SitePage, context: Context) -> PageContent:
    """Make a page's content of its source. Total, as `render_page` is."""
    listener = Listener(context, context.site_digest)
    text = render_text(page, listener.context)
    return _content(page, text, listener.asked())


def given_up(page: SitePage, context: Context, found: Diagnostic) -> PageContent:
    """Return the content of a page that was not made: what `found` says, and its source.

    Of its text the search has nothing. It is right until the source is another.
    """
    source = body_source(page)
    text = source.text if context.premium else _HIDDEN
    says = f"{found.file}: {found.message} ({found.code}; {found.hint})"
    notice = f"<p><strong>{html.escape(says, quote=False)}</strong></p>"
    shown = f"<pre><code>{html.escape(text, quote=False)}</code></pre>"
    twin = page.twin if page.twin is not None else derived_twin(page, Body("", text))
    part = search.page_part(page, Body("", "")) if page.is_listed else None
    return PageContent(
        Body(notice + shown, ""), twin, (found,), None, part, Listener(context, context.site_digest).asked()
    )


def frame(page: SitePage, content: PageContent, shared: Shared) -> bytes:
    """The whole HTML document of a page."""
    return shared.page(page.url, page_view(page, content.body, shared), shared.part_of(page.path))


def _content(page: SitePage, text: RenderedText, asked: Asked | None = None) -> PageContent:
    """The text with the page's twin and its part of the search, which no review needs."""
    body = text.body
    twin = page.twin if page.twin is not None else derived_twin(page, body)
    # A twin that an author wrote by hand says other words than the page, and an excerpt shows what was found.
    part = search.page_part(page, body, "" if page.twin else twin) if page.is_listed else None
    rest = replace(body, twin="", diagnostics=(), sections=())
    return PageContent(rest, twin, text.diagnostics, text.twin_links, part, asked)


def render_text(page: SitePage, context: Context) -> RenderedText:
    """Render what the author wrote, and look at the hand-written twin. Total, as `render_page` is."""
    body = _body(body_source(page), context)
    links, told = _twin_links(page, context)
    faults = _feed_faults(page, body) if page.meta.feed and "update" in context.extras else ()
    return RenderedText(body, (*body.diagnostics, *faults, *told), links)


def _feed_faults(page: SitePage, body: Body) -> Iterator[Diagnostic]:
    """Tell what the page's feed will lack."""
    if not body.updates:
        message = "the page's feed is empty: the page has no `Update`"
        yield Diagnostic(page.file, 0, 0, "feed-invalid", message, "add an `Update`, or remove `feed`")
    for entry in body.updates:
        if not entry.date:
            message = f"`{entry.label}` is not in the page's feed, as it has no day"
            hint = 'add a day, as in `date="2026-03-09"`'
            yield Diagnostic(page.file, entry.line, entry.column, "feed-invalid", message, hint)


def body_source(page: SitePage) -> BodySource:
    """Return the body of a page as its author wrote it."""
    document = page.document
    own = document.meta.variables
    return BodySource(document.body, page.format, page.file, document.first_line, page.path, own)


def _body(source: BodySource, context: Context) -> Body:
    try:
        return render(source, context)
    except Exception as error:  # noqa: BLE001 - the rest of the site must be built; it is reported
        return _failed(source, error, shown=context.premium)


def _twin_links(page: SitePage, context: Context) -> tuple[TwinLinks | None, tuple[Diagnostic, ...]]:
    """The links of the page's hand-written twin, seen from the page's place, and what is wrong with them."""
    if page.twin is None:
        return None, ()
    source = BodySource(page.twin, "md", page.twin_file, 1, page.path)
    return of_twin(page.twin_file, _body(source, context))


def derived_twin(page: SitePage, body: Body) -> str:
    """The twin of a page that has no hand-written one: title, description, body."""
    text = body.twin.strip("\n")
    title, rest = (f"# {twin.plain(page.title)}", text) if body.heading is None else _heading(text)
    about = page.meta.description or ""
    said = not about or _begins_with(rest, about)
    parts = (title, "" if said else f"> {twin.plain(about)}", rest)
    return "\n\n".join(part for part in parts if part) + "\n"


def _begins_with(text: str, about: str) -> bool:
    """Return whether the first paragraph says the description word for word."""
    first, _, _ = text.partition("\n\n")
    words = " ".join([*first.split(), ""])
    return words.startswith((f"{about} ", f"{twin.plain(about)} "))


_HEADING = re.compile(r" {0,3}#[ \t][^\n]*|[^\n]+\n {0,3}=+[ \t]*(?=\n|$)")


def _heading(text: str) -> tuple[str, str]:
    """The heading that a body begins with, in either form, and the rest."""
    found = _HEADING.match(text)
    end = found.end() if found else 0
    return text[:end], text[end:].strip("\n")


_HIDDEN = "This page cannot be shown."


def _failed(source: BodySource, error: Exception, *, shown: bool) -> Body:
    """Return the body of a page that cannot be rendered: its source, where the plan hides nothing."""
    message = f"{type(error).__name__}: {error}"
    found = Diagnostic(source.file, source.first_line, 1, "internal-error", message)
    text = source.text if shown else _HIDDEN
    return Body(f"<pre><code>{html.escape(text, quote=False)}</code></pre>", text, diagnostics=(found,))
