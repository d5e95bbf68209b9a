"""Whole built pages, parsed as a browser does and compared with lists of what the theme is made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import html5lib

from tests.security import COMPONENTS, MARKDOWN, Allowed, dangerous_address

ARTICLE = Allowed(MARKDOWN.elements | COMPONENTS.elements, MARKDOWN.attributes | COMPONENTS.attributes)
OWN = ("data-pages", "data-search", "data-style", "data-index", "data-misspelt")
"""Attributes in which the theme has addresses of its own files."""
FRAME: dict[str, frozenset[str]] = {
    name: frozenset([*attributes.split(), "class", "id"])
    for name, attributes in json.loads((Path(__file__).parent / "frame.json").read_text("utf-8")).items()
}
"""The elements of the templates and what each may have."""
FRAME |= {
    name: COMPONENTS.attributes | {"transform"} for name in COMPONENTS.elements if name.startswith("svg:")
}

_HEAD = Path(__file__).parents[2] / "themes/default/templates/head.html"
_SVG = "{http://www.w3.org/2000/svg}"


@lru_cache(maxsize=4)
def parsed(html: str) -> Any:
    """The page as a tree, which is only looked at: several questions are asked of one page in a row."""
    return html5lib.HTMLParser(namespaceHTMLElements=False).parse(html)


def faults(html: str, allowed: Allowed = ARTICLE) -> list[str]:
    """List what should not be in a page, with `allowed` in its article; empty when it is safe."""
    tree = parsed(html)
    article = next(tree.iter("article"), None)
    inside = (
        set() if article is None else {id(element) for element in article.iter() if element is not article}
    )
    return [
        fault
        for element in tree.iter()
        for fault in _faults(element, None if id(element) not in inside or _is_nearest(element) else allowed)
    ]


def scripts(html: str) -> list[tuple[str, str]]:
    """The address and the text of each script of a page; data for search engines is none that runs."""
    found = [each for each in parsed(html).iter("script") if each.get("type") != "application/ld+json"]
    return [(element.get("src", ""), element.text or "") for element in found]


def policy(html: str) -> dict[str, list[str]]:
    """The page's policy, by directive."""
    (meta,) = (
        each for each in parsed(html).iter("meta") if each.get("http-equiv") == "Content-Security-Policy"
    )
    rules = (rule.split() for rule in meta.get("content").split(";") if rule.strip())
    return {rule[0]: rule[1:] for rule in rules}


def _is_nearest(element: Any) -> bool:
    """Return whether it is the not-found page's list of near pages, or loads what that is made of."""
    early = element.tag == "link" and element.get("rel") in {"preload", "modulepreload"}
    return element.get("class") == "tp-nearest" or (early and element.get("href", "").startswith("/_tp/"))


def _faults(element: Any, allowed: Allowed | None) -> Iterator[str]:
    """List what is wrong with an element, which is outside of the article where nothing is `allowed`."""
    if not isinstance(element.tag, str):
        yield f"comment {element.text!r}"
        return
    name = element.tag.replace(_SVG, "svg:")
    if name not in (allowed.elements if allowed else FRAME):
        yield f"element {name}"
    known = allowed.attributes if allowed else FRAME.get(name, frozenset[str]())
    yield from (f"attribute {key} of {name}" for key in element.attrib if key not in known)
    yield from _addresses(element)


def _addresses(element: Any) -> Iterator[str]:
    for key in {"href", "src", "poster", "cite", *OWN} & set(element.attrib):
        address = element.get(key)
        if dangerous_address(address) and not (element.tag == "link" and address == _icon()):
            yield f"{key} {address!r}"
    if element.tag == "meta" and element.get("http-equiv") == "refresh":
        delay, _, address = element.get("content").partition("; url=")
        if delay != "0" or dangerous_address(address):
            yield f"refresh {address!r}"


@cache
def _icon() -> str:
    """The theme's own icon, the one address that is data."""
    links = parsed(_HEAD.read_text("utf-8")).iter("link")
    return next(href for link in links if (href := link.get("href", "")).startswith("data:"))
