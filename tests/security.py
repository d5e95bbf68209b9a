"""What is dangerous in HTML, found by parsing it as a browser does and comparing with lists of what is not.

The lists are written here once more, and not taken from the code that they test.
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

import html5lib

_SVG = "{http://www.w3.org/2000/svg}"

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
"""What markdown, and raw HTML in it, may become."""

COMPONENTS = _allowed("markdown", "components")
"""The same with what components add: icons and buttons."""


def dangers(html: str, allowed: Allowed = MARKDOWN) -> list[str]:
    """What a browser would find in a fragment that is not on the lists; empty when it is safe."""
    return list(_found(html, allowed))


@lru_cache(maxsize=10_000)
def _found(html: str, allowed: Allowed) -> tuple[str, ...]:
    """The same; what many payloads come to is parsed once."""
    tree = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    return tuple(danger for element in tree.iter() for danger in _dangers(element, allowed))


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
