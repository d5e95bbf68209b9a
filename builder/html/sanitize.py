"""Authors' raw HTML: what of it may reach a page, as data, and the one gate that it passes.

`clean` is run once over the whole rendered body of a page that has raw HTML. What the renderer made itself
must survive with classes and ids that authors may not use: `mark` signs it with a nonce that no author can
know, and `clean` takes the signature for a pass. Highlighted code is kept out of it: `slot` holds its place,
`fill` puts it back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b

import nh3

from builder.lazy_regex import lazy
from builder.links import urls

TAGS = frozenset({
    "a", "abbr", "article", "aside", "audio", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite",
    "code", "col", "colgroup", "data", "dd", "del", "details", "dfn", "div", "dl", "dt", "em",
    "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i",
    "img", "input", "ins", "kbd", "li", "mark", "ol", "p", "picture", "pre", "q", "rp", "rt", "ruby",
    "s", "samp", "section", "small", "source", "span", "strong", "sub", "summary", "sup", "table",
    "tbody", "td", "tfoot", "th", "thead", "time", "tr", "track", "u", "ul", "var", "video", "wbr",
})  # fmt: skip
"""Elements that authors may use in `md` pages."""

DROPPED_WITH_CONTENT = frozenset({
    "applet", "embed", "frame", "frameset", "head", "iframe", "math", "noembed", "noframes", "noscript",
    "object", "script", "select", "style", "svg", "template", "textarea", "title", "xmp",
})  # fmt: skip
"""Elements whose content is no text for readers."""

ATTRIBUTES: dict[str, frozenset[str]] = {
    "*": frozenset(
        {"aria-hidden", "aria-label", "class", "dir", "hidden", "id", "lang", "title", "translate"}
    ),
    "a": frozenset({"download", "href", "hreflang", "rel", "target"}),
    "audio": frozenset({"controls", "loop", "muted", "preload", "src"}),
    "blockquote": frozenset({"cite"}),
    "col": frozenset({"span"}),
    "colgroup": frozenset({"span"}),
    "data": frozenset({"value"}),
    "del": frozenset({"cite", "datetime"}),
    "details": frozenset({"open"}),
    "img": frozenset({"alt", "decoding", "height", "loading", "sizes", "src", "srcset", "width"}),
    "input": frozenset({"checked", "disabled", "type"}),
    "ins": frozenset({"cite", "datetime"}),
    "li": frozenset({"value"}),
    "ol": frozenset({"reversed", "start", "type"}),
    "q": frozenset({"cite"}),
    "source": frozenset({"height", "media", "sizes", "src", "srcset", "type", "width"}),
    "td": frozenset({"colspan", "headers", "rowspan"}),
    "th": frozenset({"abbr", "colspan", "headers", "rowspan", "scope"}),
    "time": frozenset({"datetime"}),
    "track": frozenset({"default", "kind", "label", "src", "srclang"}),
    "video": frozenset(
        {"controls", "height", "loop", "muted", "playsinline", "poster", "preload", "src", "width"}
    ),
}
"""Attributes that authors may use, for every element and for each."""

ADDRESSES = frozenset({"cite", "href", "poster", "src"})
"""Attributes that hold one address; `srcset` holds several."""

OURS = frozenset({"role", "tabindex"})
"""Attributes that only the renderer may use, signed as its classes and ids are."""

_RESERVED = "tp-"
_OWN = lazy(r' (?:(?:class|id)="(?=tp-)|(?:role|tabindex)=")')
_ID = lazy(r"\S{1,200}")
_CANDIDATE = lazy(r"[^\s,]\S*[^\s,](?:\s+[\d.]+[wx])?")


def nonce(text: str) -> str:
    """The signature of a page, made of its source: who wrote it into the source would change it."""
    return "n" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def mark(html: str, nonce: str) -> str:
    """Sign what the renderer made.

    Only for markup without raw HTML in it: there every quote of the author's is escaped.
    """
    return _OWN.sub(rf"\g<0>{nonce} ", html)


def slot(index: int, nonce: str) -> str:
    """A place for HTML that `clean` is not to see."""
    return f'<figure class="{nonce}:{index}"></figure>'


def fill(html: str, nonce: str, slots: Sequence[str]) -> str:
    """Put `slots` into their places."""
    return re.sub(rf'<figure class="{nonce}:(\d+)"></figure>', lambda place: slots[int(place[1])], html)


def clean(html: str, nonce: str) -> str:
    """The body with nothing in it but what the tables above allow, as one balanced tree."""
    return _cleaner(nonce).clean(html)


def attribute(tag: str, name: str, value: str) -> str | None:
    """An author's attribute as it may stay, or None. `tag` and `name` in lower case, `value` decoded."""
    if name not in ATTRIBUTES["*"] and name not in ATTRIBUTES.get(tag, ()):
        return None
    if name in ADDRESSES:
        return urls.safe(value)
    rule = _RULES.get(name)
    return rule(value) if rule else value


@lru_cache(maxsize=8)
def _cleaner(nonce: str) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(TAGS),
        clean_content_tags=set(DROPPED_WITH_CONTENT),
        attributes={tag: set(names | (OURS if tag == "*" else set())) for tag, names in ATTRIBUTES.items()},
        attribute_filter=_filter(nonce),
        set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
        link_rel=None,
        url_schemes=set(urls.SCHEMES),
    )


def _filter(nonce: str) -> Callable[[str, str, str], str | None]:
    signature = f"{nonce} "

    def keep(tag: str, name: str, value: str) -> str | None:
        if value.startswith(signature):
            return value[len(signature) :]
        if name == "class" and value.startswith(f"{nonce}:"):
            return value
        return attribute(tag, name, value)

    return keep


def _class(value: str) -> str | None:
    return " ".join(name for name in value.split() if name.startswith("language-")) or None


def _id(value: str) -> str | None:
    return value if _ID.fullmatch(value) and not value.lower().startswith(_RESERVED) else None


def _rel(value: str) -> str | None:
    return " ".join(word for word in value.lower().split() if word in urls.RELATIONS) or None


def _target(value: str) -> str | None:
    return value if value == "_blank" else None


def _preload(value: str) -> str | None:
    return value if value in {"none", "metadata"} else "metadata"


def _srcset(value: str) -> str | None:
    """All candidates or none: a set with a hole shows the wrong image."""
    candidates = [found[0].split() for found in _CANDIDATE.finditer(value)]
    safe = all(urls.safe(parts[0]) is not None for parts in candidates)
    return ", ".join(map(" ".join, candidates)) if safe and candidates else None


def _size(value: str) -> str | None:
    return value if value.isascii() and value.isdecimal() else None


_RULES: dict[str, Callable[[str], str | None]] = {
    "class": _class,
    "height": _size,
    "id": _id,
    "preload": _preload,
    "rel": _rel,
    "srcset": _srcset,
    "target": _target,
    "width": _size,
}
"""What must be true of a value, for attributes that take more than any text."""
