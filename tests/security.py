"""Dangers in HTML, found by parsing it as a browser does and comparing with lists of what is not.

The lists are written here once more, and not taken from the code that they test. HTML in which each `<`
begins a tag that is written out in full is not parsed: a browser finds no other elements than these there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import html5lib

_SVG = "{http://www.w3.org/2000/svg}"

_ATTRIBUTES = r"(?: [a-zA-Z][a-zA-Z0-9:-]*(?:=\"[^\"\0]*\")?)*"
_DRAWN = r"circle|ellipse|line|path|polygon|polyline|rect"
_DRAWING = rf"<(?P<svg>svg{_ATTRIBUTES})>(?P<inside>(?:<(?:{_DRAWN}){_ATTRIBUTES} ?/>)*)</svg>"
_TEXTS = "iframe|math|noembed|noframes|noscript|plaintext|script|style|svg|textarea|title|xmp"
"""Elements whose content is read by other rules."""
_TAG = rf"<(?!(?:{_TEXTS})\b)(?P<tag>[a-z][a-z0-9-]*){_ATTRIBUTES} ?/?>"
_PIECE = re.compile(rf"[^<\0]+|{_DRAWING}|{_TAG}|</[a-z][a-z0-9-]*>")
_WITHIN = re.compile(rf"<(?P<tag>{_DRAWN}){_ATTRIBUTES} ?/>")
_ATTRIBUTE = re.compile(r" ([a-zA-Z][a-zA-Z0-9:-]*)(?:=\"([^\"]*)\")?")

_ADDRESSES = frozenset({"cite", "href", "poster", "src"})
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")


@dataclass(frozen=True, slots=True)
class Allowed:
    """Elements and attributes that are harmless. SVG elements are named with `svg:` before them."""

    elements: frozenset[str]
    attributes: frozenset[str]


def _allowed(*names: str) -> Allowed:
    lists = json.loads((Path(__file__).parent / "allowed.json").read_text("utf-8"))
    elements, attributes = (
        {one for name in names for one in lists[name][kind]} for kind in ("elements", "attributes")
    )
    return Allowed(frozenset(elements), frozenset(attributes))


MARKDOWN = _allowed("markdown")
"""The elements and attributes that markdown, and raw HTML in it, may become."""

COMPONENTS = _allowed("markdown", "components")
"""The same with what components add: icons and buttons."""


def dangers(html: str, allowed: Allowed = MARKDOWN) -> list[str]:
    """List what a browser would find in a fragment that is not on the lists; empty when it is safe."""
    return list(_found(html, allowed))


@lru_cache(maxsize=10_000)
def _found(html: str, allowed: Allowed) -> tuple[str, ...]:
    """The same; what many payloads come to is parsed once."""
    plain = plain_elements(html)
    # What is not on the lists is told as the parser finds it.
    if plain is not None and not any(danger for element in plain for danger in _dangers(element, allowed)):
        return ()
    return parsed_dangers(html, allowed)


def parsed_dangers(html: str, allowed: Allowed = MARKDOWN) -> tuple[str, ...]:
    """The same, with a browser's parser in any case."""
    tree = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    return tuple(danger for element in tree.iter() for danger in _dangers(element, allowed))


def plain_elements(html: str) -> list[Any] | None:
    """The elements of HTML that is written out in full; None for any other, which takes a parser."""
    found, at = list[Any](), 0
    while at < len(html):
        piece = _PIECE.match(html, at)
        if piece is None:
            return None
        at = piece.end()
        if piece["svg"]:
            found.append(Element(f"{_SVG}svg", _attributes(piece["svg"])))
            drawn = _WITHIN.finditer(piece["inside"])
            found += (Element(f"{_SVG}{each['tag']}", _attributes(each[0])) for each in drawn)
        elif piece["tag"]:
            found.append(Element(piece["tag"], _attributes(piece[0])))
    return found


def _attributes(tag: str) -> dict[str, str]:
    """The attributes of a tag; of two with one name the first one counts."""
    return {name: unescape(value) for name, value in reversed(_ATTRIBUTE.findall(tag))}


def dangerous_address(address: str) -> bool:
    """Return whether a browser would take an address for anything but http, https, mailto, tel or a path."""
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
