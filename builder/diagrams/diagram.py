"""A diagram: drawn light and dark, named by its content, with a text for those who do not see it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.util import find_spec

from msgspec import Struct

from builder.lazy_regex import lazy

FOLDER = "_tp"
"""The folder of the finished site in which files are named by their content."""
LONGEST_TEXT = 300
"""Characters of a text that is made of a diagram's labels."""

_LEADING = lazy(r"\A\s*(?:---\n.*?\n---\s*\n)?(?:\s*%%[^\n]*\n)*\s*", 16)
_KIND = lazy(r"[A-Za-z][\w-]*")
_ENDING = lazy(r"(?:Diagram|Chart|-beta|-v\d+)+\Z")


class Diagram(Struct, frozen=True):
    """A diagram as two files, and its size in pixels.

    `kind` is the word that it begins with; `told` is what its author says of it, and `labels` are the
    texts in it, for when that is nothing.
    """

    light: str
    dark: str
    width: int
    height: int
    kind: str
    told: str
    labels: str

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Both files by their output paths."""
        for svg in (self.light, self.dark):
            yield path_of(svg), svg.encode()


class DiagramFault(Struct, frozen=True):
    """The reason why a diagram is not drawn; `line` and `column` are in its source, from 1.

    It `is_large` when there is more in it than is drawn, and `is_spent` when that was found out by trying.
    """

    message: str
    line: int = 1
    column: int = 1
    is_large: bool = False
    is_spent: bool = False


_known: dict[bytes, Diagram] = {}


@cache
def is_installed() -> bool:
    """Return whether there is what draws diagrams."""
    return find_spec("merman") is not None


def remember(known: Mapping[bytes, Diagram]) -> None:
    """Take diagrams, by their keys, that this very engine has drawn, in place of those taken before."""
    _known.clear()
    _known.update(known)


def key(source: str) -> bytes:
    """Return a digest that tells a diagram from all others."""
    return hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def path_of(svg: str) -> str:
    """The output path of a drawing, which tells its content."""
    return f"{FOLDER}/diagram.{hashlib.blake2b(svg.encode(), digest_size=5).hexdigest()}.svg"


# For pages that come again, in the preview: and on a site the same diagram may stand on several pages.
@lru_cache(maxsize=64)
def draw(source: str) -> Diagram | DiagramFault:
    """Draw a diagram. Total."""
    return (_known.get(key(source)) if _known else None) or _draw(source)


def _draw(source: str) -> Diagram | DiagramFault:
    # Loaded here, as most pages have no diagram.
    from builder.diagrams import drawer, svg  # noqa: PLC0415

    try:
        answer = drawer.DRAWER.draw(source.encode("utf-8", "replace").decode())
    except drawer.Ended:
        return DiagramFault(
            "the diagram takes too long, or too much memory, to be drawn", is_large=True, is_spent=True
        )
    if "message" in answer and "resource limit" in answer["message"].lower():
        return DiagramFault("the diagram is too large to be drawn", is_large=True)
    if "message" in answer:
        return DiagramFault(_said(answer["message"]), answer["line"], answer["column"])
    try:
        light, dark = svg.checked(answer["light"]), svg.checked(answer["dark"])
    except svg.Unsafe as unsafe:
        return DiagramFault(f"the drawing is not shown, as {unsafe}")
    told = ". ".join(filter(None, (light.title.rstrip("."), light.description)))
    labels = _joined(light.labels)
    return Diagram(light.svg, dark.svg, light.width, light.height, kind_of(source), told, labels)


def kind_of(source: str) -> str:
    """The kind of a diagram in its own word: `sequence` for `sequenceDiagram`."""
    begin = _LEADING.match(source)
    found = _KIND.match(source, begin.end() if begin else 0)
    return _ENDING.sub("", found[0]) or found[0] if found else ""


def _joined(labels: tuple[str, ...]) -> str:
    """The labels as one text, as many as have room."""
    text = ""
    for label in labels:
        more = f", {label}" if text else label
        if len(text) + len(more) > LONGEST_TEXT:
            return f"{text or more[:LONGEST_TEXT]} …"
        text += more
    return text


def _said(message: str) -> str:
    """Return a message of merman as the rest of a sentence."""
    text = " ".join(message.split()).rstrip(".")[:300]
    return text[:1].lower() + text[1:]
