"""Running text as HTML. Images get their size, so that nothing on the page moves, and all but the first are
loaded when they are needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import unescape

from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from builder.html import rewrite
from builder.images import header
from builder.lazy_regex import lazy
from builder.links.resolved import Kind
from builder.markdown.commonmark import media
from builder.markdown.commonmark.footnote_html import RENDERERS as FOOTNOTES
from builder.markdown.commonmark.footnote_html import way_back
from builder.markdown.html.formulas import Formulas
from builder.markdown.html.page_gatherer import ComponentPage, Sheet, attribute_places
from builder.markdown.mdx.chunk.chunks import Place
from builder.markdown.mdx.chunk.places import Places, Searches
from builder.markdown.mdx.destinations import Destination
from builder.markdown.mdx.inline_marks import Mark
from components.base import SLOT, Child
from components.icons import icon

NO_ALT = "the image has no text for those who do not see it"
ALT_HINT = 'write it into the brackets, or `<img alt="" src="...">` for mere decoration'

_IMG = lazy(r"<img((?: [\w-]+=\"[^\"]*\")*)>")
_PIXELS = lazy("[1-9][0-9]{0,4}")
_ATTRIBUTE = lazy(r" ([\w-]+)=\"([^\"]*)\"")

_TAGS = {
    "em_open": "<em>",
    "em_close": "</em>",
    "strong_open": "<strong>",
    "strong_close": "</strong>",
    "s_open": "<del>",
    "s_close": "</del>",
    "softbreak": "\n",
    "hardbreak": "<br>\n",
    "dropped": "",
}

MAX_ADDRESSES = 4 * 1024 * 1024
"""Characters of all addresses and titles on a page."""


class Pictures:
    """The images of one page, in the order of the page."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    def attributes(self, src: str, given: Mapping[str, object]) -> dict[str, str | int | float]:
        """Return the attributes of an image with the final address `src`, beside the author's own."""
        found: dict[str, str | int | float] = {}
        context = self._sheet.context
        if size := header.of_address(src, context.base, context.sizes):
            found |= _missing(size, given)
        if self._sheet.number("image") > 1 and "loading" not in given:
            found["loading"] = "lazy"
        return found

    def raw(self, html: str, place: Callable[[], Place]) -> str:
        """The same for the images in raw HTML with final addresses; `place` is that of the next one."""

        def whole(tag: re.Match[str]) -> str:
            given = {name: unescape(value) for name, value in _ATTRIBUTE.findall(tag[1])}
            at = place()
            if "alt" not in given:
                self.without_alt(at)
            more = self.attributes(given.get("src", ""), given).items()
            added = "".join(f' {name}="{value}"' for name, value in more)
            return f"<img{tag[1]}{added}>"

        return _IMG.sub(whole, html) if "<img" in html else html

    def without_alt(self, place: Place) -> None:
        """Say that the image at `place` tells nothing."""
        self._sheet.found(place, "image-alt", NO_ALT, ALT_HINT)


def _missing(size: tuple[int, int], given: Mapping[str, object]) -> dict[str, int]:
    """The sides that an author has not given, in proportion to the one that was."""
    own = dict(zip(("width", "height"), size, strict=True))
    sides = {name: str(given[name]) for name in own if name in given}
    if len(sides) != 1:
        return {} if sides else own
    (name, length), (other,) = *sides.items(), own.keys() - sides
    return {other: max(1, round(own[other] * int(length) / own[name]))} if _PIXELS.fullmatch(length) else {}


class RawHtml(str):
    """A piece of an author's raw HTML among the pieces that are ours."""

    __slots__ = ()


class InlineHtml:
    """Renders the children of inline tokens; the token itself is told by its index, for places."""

    def __init__(self, sheet: Sheet, tokens: Sequence[Token], formulas: Formulas) -> None:
        self._formulas = formulas
        self.words = sheet.context.words
        self._sheet = sheet
        self._tokens = tokens
        self._places = Places(tokens, sheet.reading.body)
        self._refused = False
        self._ends: list[str] = []
        self._searches = Searches(tokens, self._places)
        self._left = MAX_ADDRESSES
        self._pictures = Pictures(sheet)

    def render(self, children: Sequence[Token], index: int, out: list[str]) -> None:
        """Append the HTML of `children`, the children of the token at `index`."""
        for token in children:
            kind = token.type
            if kind == "text":
                out.append(escapeHtml(token.content))
            elif kind == "code_inline":
                out.append(f"<code>{escapeHtml(token.content)}</code>")
            elif kind in _TAGS:
                out.append(_TAGS[kind])
            else:
                out.append(_RULES[kind](self, token, index))

    def place(self, index: int, at: int = 0) -> Place:
        """A place in the text of the inline token at `index`."""
        return self._places.place(index, at)

    def _link_open(self, token: Token, index: int) -> str:
        if "href" not in token.attrs:
            return f"<a{self._attributes(token, index)}>"
        href = self._address(token.attrs["href"], index, "link")
        self._refused = href is None
        if href is None:
            return self._refuse(token, index)
        if len(token.attrs) == 1 and token.markup != "autolink":
            return f'<a href="{escapeHtml(href)}">'
        self._left -= len(str(token.attrs.get("title", "")))
        # On paper the address of a link is written out, but not after an address.
        bare = {"class": "tp-bare"} if token.markup == "autolink" else {}
        token.attrs = {**token.attrs, "href": href, **bare}
        return f"<a{self._attributes(token, index)}>"

    def _refuse(self, token: Token, index: int) -> str:
        """Return the text for the start of a refused link; nothing, unless the link is its own text."""
        if token.markup != "autolink":
            return ""
        place = self._searches.text(index, f"<{token.attrs['href']}>")
        if place.chunk.text.startswith("<", place.offset):
            place.chunk.edit(place.offset, place.offset + 1, "\\<")
        return "&lt;"

    def _link_close(self, token: Token, _: int) -> str:
        if not self._refused:
            return "</a>"
        self._refused = False
        return "&gt;" if token.markup == "autolink" else ""

    def _image(self, token: Token, index: int) -> str:
        alt = _alt(token.children)
        src = self._address(token.attrs["src"], index, "image")
        if src is None:
            return escapeHtml(alt)
        self._left -= len(str(token.attrs.get("title", "")))
        if not alt and not token.meta.get("alt"):
            self._pictures.without_alt(self._place_of(token.attrs["src"], index))
        token.attrs = {**token.attrs, "src": src, "alt": alt, **self._pictures.attributes(src, token.attrs)}
        return f"<img{self._attributes(token, index)}>"

    def _media(self, token: Token, index: int) -> str:
        src = self._address(token.attrs["src"], index, "image")
        if src is None:
            return escapeHtml(token.content)
        return media.player(token.tag, src, token.content, str(token.attrs.get("title", "")))

    def _address(self, address: object, index: int, kind: Kind, raw: Place | None = None) -> str | None:
        """The final address of a link or image, None when it is refused; the twin gets the absolute one.

        `raw` is where it stands, for one in raw HTML.
        """
        sited = address if isinstance(address, Destination) else None
        text = sited.plain if sited is not None else str(address)
        if not text:
            self._empty(address, index, kind)
            return None
        definition = sited.definition if sited else None
        part = None
        if self._sheet.expanded is not None:
            known = self.place(index, sited.start) if sited else raw
            part = definition or known or self._searches.text(index, text)
        resolved = self._sheet.resolve(text, kind, part)
        if resolved.problem or (resolved.fragment and resolved.path is not None):
            known = self.place(index, sited.start) if sited else raw
            place = definition or known or self._searches.text(index, text)
            self._sheet.note_link(resolved, text, place)
        if sited and not definition and resolved.absolute != text:
            self._places.edit(index, sited.start, sited.stop, sited.written(resolved.absolute))
        refused = resolved.problem is not None and resolved.problem[0] == "link-unsafe"
        return None if refused or not self._affordable(resolved.href, index) else resolved.href

    def _place_of(self, address: object, index: int) -> Place:
        """Return the place of an address."""
        if not isinstance(address, Destination):
            return self._searches.text(index, str(address))
        return address.definition or self.place(index, address.start)

    def _empty(self, address: object, index: int, kind: Kind) -> None:
        """A link or image without a target."""
        definition = address.definition if isinstance(address, Destination) else None
        message = f"the target of this {kind} is empty"
        self._sheet.found(
            definition or self._searches.text(index, ""), f"broken-{kind}", message, "write an address"
        )

    def _affordable(self, href: str, index: int) -> bool:
        """Return whether the page may have another address; one long definition may be used by many links."""
        before, self._left = self._left, self._left - len(href)
        if before >= 0 > self._left:
            message = "the addresses of the page's links are too long; the rest are left out"
            self._sheet.found(self.place(index), "budget-exceeded", message)
        return self._left >= 0

    def _element_open(self, token: Token, index: int) -> str:
        return f"<{token.tag}{self._attributes(token, index)}>"

    def _attributes(self, token: Token, index: int) -> str:
        """The attributes as HTML; an id that is taken is left out."""
        id_ = token.attrs.get("id")
        if id_ is not None and not self._sheet.own(str(id_)):
            self._sheet.found(
                self.place(index), "heading-id-taken", f"the id `{id_}` is taken", "choose another"
            )
            token.attrs = {name: value for name, value in token.attrs.items() if name != "id"}
        return "".join(f' {name}="{escapeHtml(str(value))}"' for name, value in token.attrs.items())

    def _component(self, token: Token, index: int) -> str:
        return self._html(token.meta["mark"], index, ())

    def _span_open(self, token: Token, index: int) -> str:
        """Return the HTML before the text that a component holds; that after it waits for the end."""
        mark: Mark = token.meta["mark"]
        if mark.component is None:
            return ""
        before, _, after = self._html(mark, index, (Child("text", SLOT),)).partition(SLOT)
        self._ends.append(after)
        return before

    def _html(self, mark: Mark, index: int, children: Sequence[Child]) -> str:
        """The HTML of a component with its children; "" where the tag is none."""
        if mark.component is None:
            return ""
        where = attribute_places(lambda at: self.place(index, at), mark.start, mark.tag)
        page = ComponentPage(self._sheet.context.embed_hosts, self._sheet, where)
        return str(mark.component.html(children, page))

    def _span_close(self, _: Token, __: int) -> str:
        return self._ends.pop()

    def _icon(self, token: Token, _: int) -> str:
        return str(icon(token.content, token.meta.get("name", "")))

    def _formula(self, token: Token, index: int) -> str:
        return self._formulas.inline(token, self.place(index, token.meta["at"]))

    def _raw(self, token: Token, index: int) -> str:
        return RawHtml(self.raw(token.content, index))

    def raw(self, html: str, index: int) -> str:
        """Raw HTML with its addresses resolved."""

        def final(address: str, attribute: str) -> str | None:
            place = self._searches.attribute(index, attribute, address)
            return self._address(address, index, "link" if attribute == "href" else "image", place)

        return self._pictures.raw(rewrite.resolved(html, final), partial(self._searches.image, index))


def _alt(children: Sequence[Token] | None) -> str:
    """The text of an image's label."""
    parts = []
    for token in children or ():
        if token.type in {"text", "code_inline", "text_special", "media", "math_inline"}:
            parts.append(token.content)
        elif token.type == "image":
            parts.append(_alt(token.children))
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
    return "".join(parts)


_RULES: dict[str, Callable[[InlineHtml, Token, int], str]] = {
    "link_open": InlineHtml._link_open,
    "link_close": InlineHtml._link_close,
    "image": InlineHtml._image,
    "media": InlineHtml._media,
    "element_open": InlineHtml._element_open,
    "element_close": lambda _, token, __: f"</{token.tag}>",
    "inline_component": InlineHtml._component,
    "span_component_open": InlineHtml._span_open,
    "span_component_close": InlineHtml._span_close,
    "icon": InlineHtml._icon,
    "math_inline": InlineHtml._formula,
    "html_inline": InlineHtml._raw,
    "text_special": lambda _, token, __: escapeHtml(token.content),
    "footnote_ref": lambda _, token, __: FOOTNOTES["footnote_ref"](None, [token], 0, None, {}),
    "footnote_anchor": lambda self, token, _: way_back(token, self.words),
}
