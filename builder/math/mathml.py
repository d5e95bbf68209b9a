"""The check of MathML: elements and attributes of a list, each written anew, and classes in place of styles.

What made the markup is a library, and what it was made of is anybody's. So nothing of it goes into a page but
what is named here: no address, no script, no style. What is not named is `Unknown`, and the formula is shown
as TeX.
"""

from __future__ import annotations

import re
from html import escape, unescape
from xml.parsers import expat

from builder.lazy_regex import lazy

ELEMENTS = frozenset({
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom",
    "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable",
    "mtd", "mtext", "mtr", "munder", "munderover",
})  # fmt: skip
HTML = frozenset({"b", "code", "em", "i", "s", "span", "u"})
"""Elements of HTML that stand in `mtext`."""
_BARE = frozenset({"a"})
"""Elements that go, while what they hold stays: formulas lead nowhere."""

_FLAG, _LENGTH = r"true|false", r"-?\d{0,3}(?:\.\d{1,10})?(?:em|rem|ex|px|pt|%)?"
ATTRIBUTES = {
    "accent": _FLAG,
    "accentunder": _FLAG,
    "columnspan": r"\d{1,3}",
    "depth": _LENGTH,
    "display": "block",
    "displaystyle": _FLAG,
    "fence": _FLAG,
    "form": "prefix|infix|postfix",
    "height": _LENGTH,
    "largeop": _FLAG,
    "linethickness": _LENGTH,
    "lspace": _LENGTH,
    "mathvariant": "normal",
    "maxsize": _LENGTH,
    "minsize": _LENGTH,
    "movablelimits": _FLAG,
    "notation": "box|horizontalstrike|(?:up|down)diagonalstrike|updiagonalstrike downdiagonalstrike",
    "rowspan": r"\d{1,3}",
    "rspace": _LENGTH,
    "scriptlevel": r"[+-]?\d",
    "separator": _FLAG,
    "stretchy": _FLAG,
    "symmetric": _FLAG,
    "voffset": _LENGTH,
    "width": _LENGTH,
}
"""The names of attributes, and the form of their values."""
_VALUES = {name: re.compile(form) for name, form in ATTRIBUTES.items()}
_DROPPED = frozenset({"id", "href", "xmlns"})
"""Attributes that say nothing in a page: two formulas could have the same id."""
_OWN_CLASS = re.compile(
    "menclose-((?:up|down)diagonalstrike|horizontalstrike)|math-core-((?:sans-)?serif)-font"
)
_SAID_ALREADY = re.compile(r"width:\d{0,3}(?:\.\d{1,10})?rem")
"""A declaration beside the attribute that says the same."""

CLASSES = {
    "width:100%": "wide",
    "width:50%": "half",
    "width:7.5%": "edge",
    "text-align:left": "left",
    "text-align:right": "right",
    "justify-items:start": "",
    "justify-items:end": "",
    "padding-left:0": "pl0",
    "padding-right:0": "pr0",
    "padding-left:0.1667em": "pl-thin",
    "padding-right:0.1667em": "pr-thin",
    "padding-left:0.2222em": "pl-mid",
    "padding-right:0.2222em": "pr-mid",
    "padding-left:0.2778em": "pl-thick",
    "padding-right:0.2778em": "pr-thick",
    "font-variant-caps:small-caps": "caps",
    "padding-left:1em": "pl1",
    "padding-left:0.1em": "pl01",
    "padding-right:0.1em": "pr01",
    "padding-top:0": "pt0",
    "padding-bottom:0": "pb0",
    "padding-top:0.1667em": "cfrac",
    "math-shift:compact": "cramped",
    "border-top:0.05em solid currentcolor": "bt",
    "border-top:0.05em dashed currentcolor": "bt-dashed",
    "border-bottom:0.05em solid currentcolor": "bb",
    "border-bottom:0.05em dashed currentcolor": "bb-dashed",
    "border-left:0.05em solid currentcolor": "bl",
    "border-left:0.05em dashed currentcolor": "bl-dashed",
    "border-right:0.05em solid currentcolor": "br",
    "border-right:0.05em dashed currentcolor": "br-dashed",
}
"""Declarations of styles, and the class in place of each, behind `tp-m-`; `parts/math.css` has them again."""
COLORS = {
    "#FF0000": "red",
    "#0000FF": "blue",
    "#00B9F2": "blue",
    "#03FF00": "green",
    "#FF8001": "orange",
    "#BF803F": "amber",
    "#FFEB3D": "amber",
    "#BF0140": "purple",
    "#800080": "purple",
    "#FB3199": "purple",
    "#808080": "gray",
    "#404040": "gray",
}
"""Colours by name, as math-core has them, and the theme's, which can be read on light and on dark pages."""
STEPS = (1, 2, 3, 4, 5, 6, 9, 12, 18, 36)
"""Negative spaces, in eighteenths of an em, that have a class."""
_NEGATIVE = re.compile(r"margin-left:-(\d{0,3}(?:\.\d{1,10})?)em")
_COLOR = re.compile(r"color:(#[0-9A-Fa-f]{6})")
_SPACE = lazy(r"\s*([:;])\s*")
_NAMED = lazy(r"&(?!amp;|lt;|gt;|quot;)[A-Za-z]+;")
"""Characters by names that HTML has and XML has not."""


class Unknown(Exception):
    """The markup has something that is not on the list."""


def checked(markup: str, tex: str) -> str:
    """The markup of one formula, written anew, with its TeX for those who read it as text. Raises Unknown."""
    writer = _Writer(tex)
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = writer.start, writer.end
    parser.CharacterDataHandler = writer.text
    parser.StartDoctypeDeclHandler = writer.refuse
    parser.ProcessingInstructionHandler = parser.CommentHandler = writer.refuse
    try:
        parser.Parse(_NAMED.sub(lambda found: unescape(found[0]), markup), True)
    except expat.ExpatError as error:
        raise Unknown("its MathML cannot be read") from error
    return "".join(writer.out)


class _Writer:
    """Writes what is on the list."""

    def __init__(self, tex: str) -> None:
        self.out: list[str] = []
        self._tex = tex
        self._within: list[str] = []

    def start(self, name: str, given: dict[str, str]) -> None:
        """Write the start of an element."""
        inside = self._within[-1] if self._within else ""
        self._within.append(name)
        if name in _BARE:
            return
        allowed = HTML if inside == "mtext" or inside in HTML else ELEMENTS
        if name not in allowed or (name == "math") == bool(inside):
            raise Unknown(f"its MathML has `<{name}>`, which is not shown")
        self.out.append(f"<{name}{self._alternative(name)}{_attributes(name, given)}>")

    def end(self, name: str) -> None:
        """Write the end of an element."""
        self._within.pop()
        if name not in _BARE:
            self.out.append(f"</{name}>")

    def text(self, text: str) -> None:
        """Write text."""
        self.out.append(escape(text, quote=False))

    def refuse(self, *_: object) -> None:
        """Refuse what no formula has."""
        raise Unknown("its MathML has more than elements and text")

    def _alternative(self, name: str) -> str:
        if name != "math":
            return ""
        return f' alttext="{escape(" ".join(self._tex.split()))}"'


def _attributes(name: str, given: dict[str, str]) -> str:
    classes: list[str] = []
    out: list[str] = []
    for attribute, value in given.items():
        form = _VALUES.get(attribute)
        if form is not None and form.fullmatch(value):
            out.append(f' {attribute}="{value}"')
        elif attribute == "style":
            for declaration in filter(None, _SPACE.sub(r"\1", value.strip()).split(";")):
                _styled(declaration, classes, out)
        elif attribute == "class" and (own := _OWN_CLASS.fullmatch(value)):
            classes.append(f"tp-m-{own[1] or own[2]}")
        elif attribute not in _DROPPED:
            raise Unknown(f"its MathML has `{attribute}` at `<{name}>`, which is not shown")
    if classes:
        out.append(f' class="{" ".join(classes)}"')
    return "".join(out)


def _styled(declaration: str, classes: list[str], out: list[str]) -> None:
    """Put a class or an attribute in the place of a declaration."""
    negative, color = _NEGATIVE.fullmatch(declaration), _COLOR.fullmatch(declaration)
    if color and color[1].upper() in COLORS:
        classes.append(f"tp-m-{COLORS[color[1].upper()]}")
    elif color:
        out.append(f' mathcolor="{color[1]}"')
    elif negative:
        eighteenths = float(negative[1] or 0) * 18
        classes.append(f"tp-m-back-{min(STEPS, key=lambda step: abs(step - eighteenths))}")
    elif _SAID_ALREADY.fullmatch(declaration):
        return
    elif declaration not in CLASSES:
        raise Unknown(f"its MathML has the style `{declaration}`, which is not shown")
    elif CLASSES[declaration]:
        classes.append(f"tp-m-{CLASSES[declaration]}")
