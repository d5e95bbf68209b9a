"""The marks that Vue adds to pages of VitePress: values in braces, scripts, slots, short attributes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from builder.importer.literals import Call, CodeValue, Literal
from builder.importer.mdx_page import value_of
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece, SourceText
from builder.importer.read_literals import read_module, read_value
from builder.importer.source_page import read_page
from builder.markdown.mdx.scan.tags import Tag

_VALUE = re.compile(r"\{\{(?P<code>[^{}\n]*)\}\}")
_TAG = re.compile(r"<[A-Za-z][\w.-]*\s[^<>]{0,2000}>?")
_SHORT = re.compile(r"(?<=\s)(?P<sign>[@#])(?=[A-Za-z][\w.:-]*[\s=>/])")
_LONG = {"@": "v-on:", "#": "v-slot:"}
_BOUND = re.compile(
    r"(?<=\s)(?:v-bind)?:(?P<name>src|href)=\"(?:withBase\()?'(?P<place>[^'\"<>\n]{0,500})'\)?\"",
    re.IGNORECASE,
)
"""An address that is a text, or that of a file of the site."""


def with_long_names(body: str) -> str:
    """Return the body of a page in which attributes of tags have names that all readers of HTML take.

    Addresses that are texts are written as such.
    """
    if not any(_SHORT.search(found[0]) or _BOUND.search(found[0]) for found in _TAG.finditer(body)):
        return body
    code = [
        one for one in SourceText.of(body, is_mdx=False).pieces if one.sort in {"fence", "code", "comment"}
    ]
    starts = [one.start for one in code]

    def put(found: re.Match[str]) -> str:
        before = bisect_right(starts, found.start()) - 1
        if before >= 0 and found.start() < code[before].end:
            return found[0]
        named = _SHORT.sub(lambda sign: _LONG[sign["sign"]], found[0])
        return _BOUND.sub(r'\g<name>="\g<place>"', named)

    return _TAG.sub(put, body)


def leave_hidden(work: PageWork, piece: SourcePiece, tag: Tag) -> None:
    """Leave out what a browser does not show, but for the content of a slot; what imports do is known."""
    rewriting = work.rewriting
    inner = rewriting.text[tag.end : piece.end].rpartition("</")[0]
    if tag.name == "template" and any(one.name.startswith(("#", "v-slot")) for one in tag.attributes):
        rewriting.replace(piece.start, piece.whole[1], inner)
        return
    rest = re.sub(r"^[ \t]*import\b[^\n]*$", "", inner, flags=re.MULTILINE).strip()
    if rest:
        rewriting.tell(f"<{tag.name}>", piece.start, rewriting.text[slice(*piece.whole)])
    rewriting.remove_lines(*piece.whole)


def rewrite_values(work: PageWork) -> None:
    """Put in what is between two braces, as far as it is data; what only a program knows is told."""
    rewriting = work.rewriting
    if "{{" not in rewriting.text:
        return
    values, verbatim = _defined(work), list(_verbatim(work))

    def put(found: re.Match[str]) -> None:
        if any(start <= found.start() < end for start, end in verbatim):
            return
        value = _value(found["code"].strip(), values)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            rewriting.replace(found.start(), found.end(), str(value))
        else:
            rewriting.tell("value of Vue", found.start(), found[0])

    rewriting.each(_VALUE, put)


def _value(code: str, values: Mapping[str, Literal]) -> Literal:
    value = read_value(code)
    return value_of(values, code) if isinstance(value, CodeValue) else value


def _defined(work: PageWork) -> Mapping[str, Literal]:
    """Return the values that the page's scripts and its frontmatter define, and those of its address."""
    text, file = work.rewriting.text, work.page.file.partition("#")[0]
    scripts = [
        text[piece.tag.end : piece.end].rpartition("</")[0]
        for piece in work.rewriting.source.pieces
        if piece.tag is not None and piece.tag.name == "script" and piece.tag.kind == "open"
    ]
    module = read_module("\n".join(scripts))
    found = {name: _unwrapped(value) for name, value in module.names.items()}
    source = read_page(work.around.origin, file) if "frontmatter" in text else None
    fields: Mapping[str, object] = source.fields if source else {}
    return {**found, "$frontmatter": dict(fields), "frontmatter": dict(fields)}


def _unwrapped(value: Literal) -> Literal:
    """Return what `ref(value)` holds."""
    return (
        value.arguments[0] if isinstance(value, Call) and value.name == "ref" and value.arguments else value
    )


def _verbatim(work: PageWork) -> Iterator[tuple[int, int]]:
    """Yield the parts of a page in which braces are text."""
    for piece in work.rewriting.source.pieces:
        if piece.tag is not None and piece.close is not None and piece.tag.attribute("v-pre") is not None:
            yield piece.whole
    for found in re.finditer(r"^:::+[ ]*v-pre\b(?:[^:]|:(?!::))*", work.rewriting.text, re.MULTILINE):
        yield found.span()
