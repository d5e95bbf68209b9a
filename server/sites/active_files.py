"""Files that a browser would run, which no hosted site may bring: its pages are read, and are no programs."""

from __future__ import annotations

from server.sites.active_xml import xml_fault

JUDGED = 4 << 20
"""Bytes of a file of XML that are looked through; a larger one counts as active."""

_XML = frozenset({"atom", "rdf", "rss", "svg", "xml", "xsd"})
_PAGE, _SCRIPT, _PROGRAM = "a page of HTML, which may run scripts", "a script", "a program"
_ACTIVE = (
    dict.fromkeys(("htm", "html", "hta", "htc", "mht", "mhtml", "shtm", "shtml", "xht", "xhtml"), _PAGE)
    | dict.fromkeys(("cjs", "js", "jsm", "jsx", "mjs", "ts", "tsx", "vbs"), _SCRIPT)
    | dict.fromkeys(("jar", "swf", "wasm"), _PROGRAM)
    | dict.fromkeys(("xsl", "xslt"), "a stylesheet that turns XML into pages")
    | {"svgz": "a compressed SVG, which cannot be looked through", "htaccess": "settings of a web server"}
)


def is_judged(name: str) -> bool:
    """Return whether it depends on the content of a file of this name whether it is active."""
    return _suffix(name) in _XML


def is_active(name: str, data: bytes) -> str:
    """Return the reason why a browser might run something of this file, or an empty string. Total.

    `data` are all its bytes; they count only if `is_judged(name)`. Pages (`.md`, `.mdx`) are not active.
    """
    suffix = _suffix(name)
    if suffix in _ACTIVE:
        return _ACTIVE[suffix]
    if suffix not in _XML:
        return ""
    if len(data) > JUDGED:
        return f"larger than {JUDGED:,} bytes, up to which such files are looked through for scripts"
    return xml_fault(data, is_image=suffix == "svg")


def _suffix(name: str) -> str:
    """Return the ending, read as loosely as any server or system might: `a.HTML. ` is one of HTML."""
    return name.rpartition("/")[2].rstrip(". ").rpartition(".")[2].casefold()
