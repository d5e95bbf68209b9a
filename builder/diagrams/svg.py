"""The check of a drawing: elements and attributes of a list, each written anew, and styles that load nothing.

What draws is a library, and what it draws is anybody's. A browser shows the file as an image, in which it
runs no script and loads nothing; but the file has an address of its own, too. What is not on the list
is left out where it is an attribute, and is `Unsafe` where it is an element, an address, or a style that
could load something.
"""

from __future__ import annotations

import re
from html import escape
from xml.parsers import expat

from msgspec import Struct, field

from builder.lazy_regex import lazy

ELEMENTS = frozenset({
    "circle", "clipPath", "defs", "desc", "ellipse", "feBlend", "feColorMatrix", "feComposite",
    "feDropShadow", "feFlood", "feGaussianBlur", "feMerge", "feMergeNode", "feOffset", "filter", "g", "image",
    "line", "linearGradient", "marker", "mask", "path", "pattern", "polygon", "polyline", "radialGradient",
    "rect", "stop", "style", "svg", "symbol", "text", "textPath", "title", "tspan", "use",
})  # fmt: skip
GROUPS = frozenset({"a", "switch"})
"""Elements that become plain groups: a drawing leads nowhere."""
ATTRIBUTES = frozenset({
    "alignment-baseline", "aria-describedby", "aria-hidden", "aria-label", "aria-labelledby",
    "aria-roledescription", "class", "clip-path", "clip-rule", "clipPathUnits", "color",
    "color-interpolation-filters", "cx", "cy", "d", "direction", "dominant-baseline", "dx", "dy", "fill",
    "fill-opacity", "fill-rule", "filter", "filterUnits", "flood-color", "flood-opacity", "font-family",
    "font-size", "font-style", "font-weight", "fr", "fx", "fy", "gradientTransform", "gradientUnits",
    "height", "id", "in", "in2", "k1", "k2", "k3", "k4", "lengthAdjust", "letter-spacing", "marker-end",
    "marker-mid", "marker-start", "markerHeight", "markerUnits", "markerWidth", "mask", "maskUnits", "mode",
    "offset", "opacity", "operator", "orient", "overflow", "paint-order", "pathLength", "patternTransform",
    "patternUnits", "points", "preserveAspectRatio", "primitiveUnits", "r", "refX", "refY", "result", "role",
    "rotate", "rx", "ry", "shape-rendering", "spreadMethod", "startOffset", "stdDeviation", "stop-color",
    "stop-opacity", "stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin",
    "stroke-miterlimit", "stroke-opacity", "stroke-width", "style", "text-anchor", "text-decoration",
    "textLength", "transform", "transform-origin", "type", "values", "vector-effect", "version", "viewBox",
    "visibility", "width", "word-spacing", "writing-mode", "x", "x1", "x2", "xlink:href", "href", "y", "y1",
    "y2", "xml:space",
})  # fmt: skip
_PLACE = re.compile(r"#[\w.:-]{1,200}")
_PIXELS = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]{0,400000}")
_ADDRESS = lazy(r"url\(\s*(['\"]?)([^)]*?)\1\s*\)", re.IGNORECASE)
_URL = lazy(r"url\s*\(", re.IGNORECASE)
_LOADS = lazy(
    r"\\|<|@(?!keyframes\b|media\b|-webkit-keyframes\b)|expression|javascript|vbscript|behavior|-moz-binding"
    r"|(?:image|image-set|cross-fade|element|paint|src|attr|env)\s*\(",
    re.IGNORECASE,
)
"""What a style must not have: escapes, rules that load, functions that do, and what older browsers ran."""
_VIEW = re.compile(r"\s*(-?[\d.]+)[\s,]+(-?[\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)\s*")
_NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
_SHOWN = frozenset({"text", "tspan", "textPath"})
_OF_PAGE = frozenset({"width", "height", "style"})
"""What a drawing as a whole says for a page that it is put into."""
DEEPEST = 200
LARGEST = 20_000
"""Pixels of a side."""


class Unsafe(Exception):
    """The drawing has something that is not on the list."""


class Drawing(Struct, frozen=True):
    """A drawing that was written anew: its size in pixels, the texts in it, its own title and description."""

    svg: str
    width: int
    height: int
    labels: tuple[str, ...]
    title: str
    description: str


def checked(svg: str) -> Drawing:
    """The drawing. Raises Unsafe."""
    writer = _Writer()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = writer.start, writer.end
    parser.CharacterDataHandler = writer.text
    parser.StartDoctypeDeclHandler = parser.ProcessingInstructionHandler = writer.refuse
    try:
        parser.Parse(svg, True)
    except expat.ExpatError as error:
        raise Unsafe("it is no XML") from error
    return writer.drawing()


class _Writer(Struct):
    """Writes what is on the list."""

    out: list[str] = field(default_factory=list)
    within: list[str] = field(default_factory=list)
    size: tuple[int, int] = (0, 0)
    labels: dict[str, None] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    _label: list[str] = field(default_factory=list)

    def start(self, name: str, given: dict[str, str]) -> None:
        """Write the start of an element."""
        if name not in ELEMENTS and name not in GROUPS:
            raise Unsafe(f"it has the element `<{name[:40]}>`")
        is_whole = not self.within
        if len(self.within) >= DEEPEST or (is_whole and name != "svg"):
            raise Unsafe("it is no drawing, or too deep")
        self.within.append(name)
        if name in _SHOWN and self._label:
            self._label.append(" " if name == "tspan" and given.get("class", "").startswith("row") else "")
        elif name == "text":
            self._label.append("")
        hidden = _OF_PAGE if is_whole else frozenset()
        written = "".join(_attribute(name, *each) for each in given.items() if each[0] not in hidden)
        if is_whole:
            self.out.append(f"<svg {_NAMESPACES}{self._sized(given)}{written}>")
        else:
            self.out.append(f"<{'g' if name in GROUPS else name}{written}>")

    def end(self, name: str) -> None:
        """Write the end of an element."""
        self.within.pop()
        if name == "text":
            self.labels[" ".join("".join(self._label).split())] = None
            self._label.clear()
        self.out.append(f"</{'g' if name in GROUPS else name}>")

    def text(self, text: str) -> None:
        """Write text; that of a style is looked at first."""
        inside = self.within[-1]
        if inside == "style":
            _loads_nothing(text)
        elif inside in _SHOWN:
            self._label.append(text)
        elif inside in {"title", "desc"} and len(self.within) == 2:
            self.told[inside] = " ".join((self.told.get(inside, "") + text).split())
        self.out.append(escape(text, quote=False))

    def refuse(self, *_: object) -> None:
        """Refuse what no drawing has."""
        raise Unsafe("it has a document type or an instruction")

    def drawing(self) -> Drawing:
        """The whole drawing."""
        labels = tuple(label for label in self.labels if label)
        title, description = self.told.get("title", ""), self.told.get("desc", "")
        return Drawing("".join(self.out), *self.size, labels, title, description)

    def _sized(self, given: dict[str, str]) -> str:
        """The size of the drawing, as attributes: that of its view."""
        view = _VIEW.fullmatch(given.get("viewBox", ""))
        if view is None:
            raise Unsafe("it has no size")
        self.size = _side(view[3]), _side(view[4])
        return f' width="{self.size[0]}" height="{self.size[1]}"'


def _side(length: str) -> int:
    try:
        side = round(float(length) + 0.49)
    except ValueError as error:
        raise Unsafe("it has no size") from error
    if not 0 < side <= LARGEST:
        raise Unsafe("it is too large")
    return side


def _attribute(element: str, name: str, value: str) -> str:
    """An attribute; nothing of one that is not on the list."""
    if name not in ATTRIBUTES:
        return ""
    if name in {"href", "xlink:href"}:
        if element in GROUPS:
            return ""
        form = _PIXELS if element == "image" else _PLACE
        if not form.fullmatch(value):
            raise Unsafe("it has an address")
    elif name == "style":
        _loads_nothing(value)
    else:
        _leads_nowhere(value)
    return f' {name}="{escape(value)}"'


def _loads_nothing(style: str) -> None:
    found = _LOADS.search(style)
    if found:
        raise Unsafe(f"it has a style with `{found[0][:20]}`")
    _leads_nowhere(style)


def _leads_nowhere(value: str) -> None:
    """Raise Unsafe, unless all addresses are places in the drawing."""
    rest = _ADDRESS.sub(lambda found: "" if _PLACE.fullmatch(found[2]) else found[0], value)
    if _URL.search(rest):
        raise Unsafe("it has an address")
