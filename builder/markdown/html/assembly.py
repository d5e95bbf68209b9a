"""Components put together: the HTML of their children first, then their own around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from markdown_it.token import Token
from msgspec.structs import replace

from builder.links.resolved import Kind
from builder.markdown.html.code import CodeHtml
from builder.markdown.html.inline import InlineHtml
from builder.markdown.html.page_gatherer import ComponentPage, Sheet, Where, attribute_places
from builder.markdown.mdx.cursor.spots import ComponentOpening
from components.admonition import Admonition
from components.attributes import attributes
from components.base import Child, Component, Refused

_READ_WHOLE = frozenset({"paragraph_open", "heading_open", "component_open", "alert_open"})
"""Tokens that the renderer reads with all up to their end."""

ALERT_CONTENT = 4
"""Where an alert's content begins: after its own token, and the three of its title."""


class BlockRenderer(Protocol):
    """The part of the renderer that blocks are rendered with."""

    sheet: Sheet
    tokens: Sequence[Token]
    code: CodeHtml
    inline: InlineHtml

    def token(self, index: int) -> int:
        """Append the HTML of a token; the index of the next."""

    def divert(self, out: list[str]) -> list[str]:
        """Let what is appended go to `out`; returns where it went before."""


def component(renderer: BlockRenderer, token: Token, index: int) -> tuple[str, int]:
    """The HTML of the component that the token at `index` opens, and the index after its end."""
    opening: ComponentOpening = token.meta["opening"]
    where = attribute_places(opening.spot.place, opening.spot.start, opening.tag)
    sheet = renderer.sheet
    before = len(sheet.toc)
    children, end = _children(renderer, index + 1, "component_close")
    made = _resolved(renderer, opening.component, where)
    page = ComponentPage(sheet.context.embed_hosts, sheet, where)
    html = made.html(children, page)
    sheet.toc[before:before] = page.entries
    return str(html), end


def alert(renderer: BlockRenderer, token: Token, index: int) -> tuple[str, int]:
    """The HTML of the alert that the token at `index` opens, and the index after its end."""
    children, end = _children(renderer, index + ALERT_CONTENT, "alert_close")
    sheet = renderer.sheet
    place = renderer.code.place(token)
    page = ComponentPage(sheet.context.embed_hosts, sheet, lambda _: place)
    return str(Admonition(token.meta["type"]).html(children, page)), end


def link_attributes(kind: type[Component]) -> Mapping[str, Kind]:
    """The names of a component's attributes that are links, and those that are addresses of images."""
    if kind not in _links:
        of_kind: dict[str, Kind] = {}
        for name, attribute in attributes(kind).items():
            if attribute.kind in _ADDRESSES:
                of_kind[name] = _ADDRESSES[attribute.kind]
        _links[kind] = of_kind
    return _links[kind]


_ADDRESSES: Mapping[str, Kind] = {"link": "link", "image": "image"}
_links: dict[type[Component], Mapping[str, Kind]] = {}


def _resolved(renderer: BlockRenderer, made: Component, where: Where) -> Component:
    """The component with its links as they are in HTML."""
    changes = {}
    for name, kind in link_attributes(type(made)).items():
        address = getattr(made, name)
        if address:
            place = where(name)
            resolved = renderer.sheet.resolve(address, kind, place)
            renderer.sheet.note_link(resolved, address, place)
            changes[name] = resolved.href or Refused()
    return replace(made, **changes) if changes else made


def _children(renderer: BlockRenderer, index: int, closing: str) -> tuple[list[Child], int]:
    """Return the children up to the token of type `closing` that ends them, and the index after it."""
    children: list[Child] = []
    run: list[str] = []
    depth, outer = 0, renderer.divert(run)
    while depth or renderer.tokens[index].type != closing:
        token = renderer.tokens[index]
        child = None if depth else _child(renderer, token, index)
        if child is None:
            depth += token.nesting if token.type not in _READ_WHOLE else 0
            index = renderer.token(index)
        else:
            children.extend([*_text(run), child[0]])
            run.clear()
            index = child[1]
    children.extend(_text(run))
    renderer.divert(outer)
    return children, index + 1


def _child(renderer: BlockRenderer, token: Token, index: int) -> tuple[Child, int] | None:
    """A child that is known by its kind, and the index after it; None for a part of a text."""
    if token.type == "component_open":
        toc = renderer.sheet.toc
        before = len(toc)
        html, end = component(renderer, token, index)
        opening: ComponentOpening = token.meta["opening"]
        headings = tuple(entry.id for entry in toc[before:])
        return Child("component", html, opening.component, headings=headings), end
    if token.type == "fence":
        fence = renderer.code.fence(token)
        return Child("fence", fence.html, title=fence.title, language=fence.language), index + 1
    if token.type == "inline":
        out: list[str] = []
        renderer.inline.render(token.children or (), index, out)
        return Child("title", "".join(out)), index + 1
    return None


def _text(run: Sequence[str]) -> list[Child]:
    html = "".join(run)
    return [Child("text", html)] if html.strip() else []
