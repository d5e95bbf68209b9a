"""GFM's extended autolinks: addresses that are links as they stand.

    http://example.com/path      www.example.com      someone@example.com      mailto:someone@example.com

A web address goes on to white space or `<`, and gives back the punctuation at its end. It is found while
the text is parsed, so that a `_` or `*` within it marks no emphasis; mail addresses are looked for in
finished text. Neither begins within a word or a link; `<https://a.b>` within a link is text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt, rules_inline
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from builder.lazy_regex import lazy
from builder.markdown.commonmark.budget import TOKEN, Meter, exhausted, meter
from builder.markdown.commonmark.parser_states import InlineState

MAIL_RULE = "mail_addresses"

_START = lazy(r"(?<![A-Za-z0-9<=/@.+-])https?://|(?<![^\s*_~(])www\.")
_REST = lazy(r"[^\s<]*")
_TRAILING = frozenset("?!.,:*_~'\"[]")
_ENTITY = lazy(r"&[A-Za-z]+;\Z")
_LONGEST_ENTITY = 34
_MAIL = lazy(
    r"(?<![A-Za-z0-9.+_-])(mailto:)?[A-Za-z0-9.+_-]++@[A-Za-z0-9_-]++(?:\.[A-Za-z0-9][A-Za-z0-9_-]*+)+(?!@|\.[A-Za-z0-9])"
)


def plugin(md: MarkdownIt) -> None:
    """Look for mail addresses; web addresses are the inline parser's own business."""
    md.inline.ruler.at("autolink", bracketed)
    md.core.ruler.after("inline", MAIL_RULE, link_mail)


def starts(src: str) -> Sequence[int]:
    """The places where a web address may begin; nearly always none, which costs two searches."""
    if "://" in src or "www." in src:
        return [found.start() for found in _START.finditer(src)]
    return ()


def next_start(places: Sequence[int], pos: int, end: int) -> int:
    """The first of `places` after `pos` and before `end`, else `end`."""
    index = bisect_left(places, pos + 1)
    return min(places[index], end) if index < len(places) else end


def autolink(state: InlineState, places: Sequence[int]) -> bool:
    """Make a link of the address at `state.pos`, when one of `places` is there and a domain follows."""
    index = bisect_left(places, state.pos)
    if state.linkLevel or index == len(places) or places[index] != state.pos:
        return False
    domain = _domain(state)
    if not domain:
        return False
    rest = _REST.match(state.src, domain, state.posMax)
    text = _trim(state.src[state.pos : rest.end() if rest else domain])
    _push(state, f"http://{text}" if text.startswith("www.") else text, text)
    state.pos += len(text)
    return True


def bracketed(state: StateInline, silent: bool) -> bool:
    """Read `<https://a.b>` by markdown-it's rule. In a link it is text: a link holds no other one."""
    is_one = rules_inline.autolink(state, silent)
    if is_one and state.linkLevel and not silent:
        text = state.tokens[-2]
        text.level -= 1
        state.tokens[-3:] = [text]
    return is_one


def _push(state: InlineState, href: str, text: str) -> None:
    opening = state.push("link_open", "a", 1)
    opening.attrs = {"href": state.md.normalizeLink(href)}
    opening.markup, opening.info = "autolink", "auto"
    state.push("text", "", 0).content = text
    closing = state.push("link_close", "a", -1)
    closing.markup, closing.info = "autolink", "auto"


def _domain(state: InlineState) -> int:
    """The end of the domain of the address at `state.pos`, or 0 when it is none."""
    src, start = state.src, state.pos
    if src.startswith("http", start):
        name = begin = src.index("/", start) + 2
    else:
        name, begin = start, start + len("www.")
    return state.domains.end(src, name, begin, state.posMax, meter(state.env))


def _trim(address: str) -> str:
    """Without punctuation at the end, and without closing brackets that were opened before the address."""
    end, surplus = len(address), address.count(")") - address.count("(")
    while end:
        last = address[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
        elif last == ";":
            entity = _ENTITY.search(address, max(0, end - _LONGEST_ENTITY), end)
            end = entity.start() + 1 if entity else end
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]


def link_mail(state: StateCore) -> None:
    """Make links of mail addresses in text outside links."""
    for token in state.tokens:
        if token.children and "@" in token.content:
            token.children = list(_with_mail(token.children, state.md, meter(state.env)))
            if meter(state.env).left < 0:
                exhausted(state.env)
                return


def _with_mail(tokens: list[Token], md: MarkdownIt, of_page: Meter) -> Iterator[Token]:
    links = 0
    for token in tokens:
        if token.type in {"link_open", "link_close"}:
            links += token.nesting
        elif token.type == "html_inline" and token.content[:2].lower() in {"<a", "</"}:
            links = max(0, links + (1 if token.content[1] != "/" else -1))
        if links or token.type != "text" or "@" not in token.content:
            yield token
        else:
            yield from _split(token, md, of_page)


def _split(token: Token, md: MarkdownIt, of_page: Meter) -> Iterator[Token]:
    done, text = 0, token.content
    for found in _MAIL.finditer(text):
        if not found[0][-1].isalpha():
            continue
        if of_page.left < 0:
            break
        of_page.left -= 2 * TOKEN
        if found.start() > done:
            yield Token("text", "", 0, content=text[done : found.start()], level=token.level)
        href = md.normalizeLink(found[0] if found[1] else f"mailto:{found[0]}")
        yield Token("link_open", "a", 1, {"href": href}, level=token.level, markup="autolink", info="auto")
        yield Token("text", "", 0, content=found[0], level=token.level + 1)
        yield Token("link_close", "a", -1, level=token.level, markup="autolink", info="auto")
        done = found.end()
    if done < len(text):
        yield Token("text", "", 0, content=text[done:], level=token.level)
