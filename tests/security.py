"""What is dangerous in HTML, found by parsing it as a browser does and comparing with lists of what is not.

The lists are written here once more, and not taken from the code that they test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

import html5lib

_SVG = "{http://www.w3.org/2000/svg}"

_ELEMENTS = frozenset(
    "a abbr article aside audio b bdi bdo blockquote br caption cite code col colgroup data dd del details dfn div dl"
    " dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd li mark ol p picture pre q"
    " rp rt ruby s samp section small source span strong sub summary sup table tbody td tfoot th thead time tr track u"
    " ul var video wbr".split()
)
_ATTRIBUTES = frozenset(
    "abbr alt aria-controls aria-describedby aria-hidden aria-label aria-labelledby aria-selected checked cite class"
    " colspan controls data-language datetime decoding default dir disabled download headers height hidden href"
    " hreflang id kind label lang loading loop media muted open playsinline poster preload rel reversed role rowspan"
    " scope sizes span src srclang srcset start tabindex target title translate type value width".split()
)
_ADDRESSES = frozenset({"cite", "href", "poster", "src"})
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")


@dataclass(frozen=True, slots=True)
class Allowed:
    """Elements and attributes that are harmless. SVG elements are named with `svg:` before them."""

    elements: frozenset[str]
    attributes: frozenset[str]


MARKDOWN = Allowed(_ELEMENTS, _ATTRIBUTES)
"""What markdown, and raw HTML in it, may become."""

COMPONENTS = Allowed(
    _ELEMENTS
    | {"button"}
    | {f"svg:{name}" for name in "svg path circle rect line polyline polygon g".split()},
    _ATTRIBUTES
    | set(
        "cx cy d data-copy data-host data-label data-src data-sync fill height points r rx ry stroke stroke-linecap"
        " stroke-linejoin stroke-width viewBox width x x1 x2 y y1 y2 focusable for name".split()
    ),
)
"""The same with what components add: icons and tab buttons."""


def dangers(html: str, allowed: Allowed = MARKDOWN) -> list[str]:
    """What a browser would find in a fragment that is not on the lists; empty when it is safe."""
    tree = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    return [danger for element in tree.iter() for danger in _dangers(element, allowed)]


def dangerous_address(address: str) -> bool:
    """Whether a browser would take an address for anything but http, https, mailto, tel or a path."""
    text = re.sub(r"[\t\n\r]", "", address.strip("".join(map(chr, range(33)))))
    if text.replace("\\", "/").startswith("//"):
        return True
    scheme = _SCHEME.match(text)
    return scheme is not None and scheme[1].lower() not in {"http", "https", "mailto", "tel"}


def _dangers(element: Any, allowed: Allowed) -> Iterator[str]:
    tag = element.tag
    if not isinstance(tag, str):
        yield f"comment {element.text!r}"
        return
    if tag == "DOCUMENT_FRAGMENT":
        return
    name = f"svg:{tag.removeprefix(_SVG)}" if tag.startswith(_SVG) else tag
    if name not in allowed.elements:
        yield f"element {name}"
    if name == "input" and (element.get("type") != "checkbox" or element.get("disabled") is None):
        yield "input that is no task"
    for attribute, value in element.attrib.items():
        if attribute not in allowed.attributes:
            yield f"attribute {attribute} of {name}"
        elif attribute in _ADDRESSES and dangerous_address(unescape(value)):
            yield f"{attribute} {value!r}"
        elif attribute == "srcset" and any(map(dangerous_address, re.split(r"[,\s]+", value))):
            yield f"srcset {value!r}"
