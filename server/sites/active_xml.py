"""Look through XML, such as SVG, for all that runs, that loads something, or that no reader can be sure of.

Nothing is expanded: a file that may declare entities is refused before it declares the first one. What
browsers may read differently than expat does (other encodings, entities from elsewhere, errors) is a fault,
too. An SVG has known elements only; links in it lead where links in pages may lead.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.parsers import expat

from msgspec import Struct, field

from builder.lazy_regex import lazy
from builder.links import urls
from builder.report import visible

_DEEPEST = 500
_SVG = "http://www.w3.org/2000/svg"
_RUNNING = {
    "http://www.w3.org/1999/xhtml": "HTML",
    "http://www.w3.org/1999/XSL/Transform": "a stylesheet",
    "http://www.w3.org/2001/xml-events": "event handlers",
    "http://www.w3.org/1998/Math/MathML": "MathML",
    "http://www.mozilla.org/xbl": "bindings",
    "http://www.mozilla.org/keymaster/gatekeeper/there.is.only.xul": "XUL",
}
_NAMES = (
    "a altGlyph altGlyphDef altGlyphItem animate animateColor animateMotion animateTransform circle "
    "clipPath defs desc ellipse feBlend feColorMatrix feComponentTransfer feComposite "
    "feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA "
    "feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset "
    "fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter flowPara flowRegion "
    "flowRoot flowSpan font font-face font-face-name font-face-src g glyph glyphRef hkern image line "
    "linearGradient marker mask metadata missing-glyph mpath path pattern polygon polyline "
    "radialGradient rect set solidcolor stop style svg switch symbol text textPath title tref tspan "
    "use view vkern"
)
_ELEMENTS = frozenset(_NAMES.split())
_LINKS = frozenset({"action", "base", "codebase", "formaction", "href", "poster", "src", "srcset"})
_STYLED = lazy(r"style|fill|stroke|filter|mask|clip-path|cursor|marker(?:-\w+)?|color-profile")
_PICTURES = frozenset({"feImage", "image"})
_RASTER = lazy(r"data:image/(?:png|jpe?g|gif|webp|avif)[;,]")
_IN_STYLE = lazy(r"#|data:(?:image/(?:png|jpe?g|gif|webp|avif)|(?:application/(?:x-)?)?font[\w/-]*)[;,]")
_URL = lazy(r"url\(\s*[\"']?\s*([^\s\"')]*)")
_SPACES = lazy(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202f\u2060\ufeff]+")
_PROGRAM = lazy(r"(?:java|vb|live)script:|data:text/|data:image/svg|data:[\w.+/-]*(?:html|xml)")
_ENTITY = lazy(rb"&(?!(?:amp|lt|gt|quot|apos);|#)")
_CSS = (
    "\\",
    "@import",
    "expression(",
    "behavior:",
    "-moz-binding",
    "image-set(",
    "image(",
    "src(",
    "@charset",
)


class _Fault(Exception):
    """The file is not taken; the text says why."""


def xml_fault(data: bytes, *, is_image: bool) -> str:
    """Return what a browser might run or load of the XML in `data`, or an empty string. Total.

    `is_image` says that it is an SVG; others may have anything that is not known to run.
    """
    try:
        _parse(data, _Judge(data, is_image))
    except _Fault as fault:
        return visible(str(fault))
    except expat.ExpatError as error:
        return f"not well-formed, so that it cannot be looked through for scripts ({error})"
    except (ValueError, LookupError):
        return "in an encoding other than UTF-8, so that it cannot be looked through for scripts"
    return ""


def _parse(data: bytes, judge: _Judge) -> None:
    if "\0" in data.decode("utf-8"):  # the sign of another encoding, which expat would find out
        raise ValueError
    parser = expat.ParserCreate("utf-8", " ")
    parser.buffer_text = True
    parser.XmlDeclHandler = judge.declared
    parser.StartDoctypeDeclHandler = judge.doctype
    parser.ProcessingInstructionHandler = judge.instruction
    parser.StartElementHandler = judge.start
    parser.EndElementHandler = judge.end
    parser.CharacterDataHandler = judge.text
    parser.Parse(data, True)


class _Judge(Struct):
    """Judges what expat tells of a file; each method raises _Fault for what a hosted site may not bring."""

    data: bytes
    is_image: bool
    depth: int = 0
    style: list[str] | None = field(default=None)

    def declared(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.casefold() not in {"utf-8", "utf8", "ascii", "us-ascii"}:
            raise _Fault("in an encoding other than UTF-8, so that it cannot be looked through for scripts")

    def doctype(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        if has_subset:
            raise _Fault("declares entities or attributes of its own")
        # Browsers know the entities of some document types, which expat leaves out.
        if _ENTITY.search(self.data):
            raise _Fault("uses entities that are declared elsewhere")

    def instruction(self, target: str, data: str) -> None:
        if target.casefold().startswith("xml-"):
            raise _Fault(f"has a processing instruction `{target[:40]}`, which loads a stylesheet")

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Fault(f"has more than {_DEEPEST} elements within each other")
        space, _, local = name.rpartition(" ")
        if space in _RUNNING:
            raise _Fault(f"has {_RUNNING[space]} in it")
        if self.is_image:
            self._drawn(space, local, attributes)
        elif space == _SVG:
            raise _Fault("has SVG in it, and is called otherwise")

    def _drawn(self, space: str, local: str, attributes: Mapping[str, str]) -> None:
        """Judge an element of a picture; programs that draw leave notes of other namespaces in it."""
        is_drawn = space in {"", _SVG}
        if is_drawn and local not in _ELEMENTS:
            raise _Fault(f"has an element `{local[:40]}`, which may run or load something")
        for attribute, value in attributes.items():
            _check_attribute(local if is_drawn else "", attribute.rpartition(" ")[2], value)
        if local == "style":
            self.style = []

    def text(self, text: str) -> None:
        if self.style is not None:
            self.style.append(text)

    def end(self, name: str) -> None:
        self.depth -= 1
        if self.style is not None:
            _check_css("".join(self.style))
            self.style = None


def _check_attribute(element: str, name: str, value: str) -> None:
    """Raise _Fault for an attribute that runs or loads something; `element` is empty for a program's note."""
    folded = name.casefold()
    if folded.startswith("on"):
        raise _Fault(f"has an event handler, `{name[:40]}`")
    plain = _SPACES.sub("", value).casefold()
    if _PROGRAM.search(plain):
        raise _Fault(f"has a script in `{name[:40]}`")
    if folded == "attributename" and _moves_link(plain):
        raise _Fault(f"changes `{value[:40]}` while it is shown")
    if folded in _LINKS:
        _check_link(element, name, value, plain)
    elif _STYLED.fullmatch(folded) or "url(" in plain:
        _check_css(value)


def _moves_link(name: str) -> bool:
    local = name.rpartition(":")[2]
    return local in {"href", "src", "base", "style"} or local.startswith("on")


def _check_link(element: str, name: str, value: str, plain: str) -> None:
    if plain.startswith("#") or not plain:
        return
    if element == "a" and name == "href" and urls.safe(value) is not None:
        return
    if element in _PICTURES and _RASTER.match(plain):
        return
    raise _Fault(f"loads something from elsewhere: `{name[:40]}` is `{value[:60]}`")


def _check_css(text: str) -> None:
    folded = text.casefold()
    fault = next((word for word in _CSS if word in folded), "")
    if fault:
        raise _Fault(f"has a style with `{fault}`, which may load something")
    for address in _URL.findall(folded):
        if not _IN_STYLE.match(address):
            raise _Fault(f"has a style that loads something from elsewhere: `{address[:60]}`")
