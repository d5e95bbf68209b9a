"""Read the documents of a set: their ids, by which sidebars name them, and their addresses.

https://docusaurus.io/docs/create-doc. A document's id is its folder and its name, without the numbers in
front of them; its address the same below the route, unless the frontmatter has a slug; `index`, `README` and
a file named as its folder stand for the folder.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterator

from msgspec import Struct

from builder.importer.globs import globs, is_matched
from builder.importer.literals import texts
from builder.importer.old_site import Loss, OldPage
from builder.importer.source_page import SourcePage, read_page
from builder.importer.source_tree import SourceTree
from builder.importer.systems.docusaurus.docusaurus_config import DocSet

PAGE = re.compile(r"\.mdx?$", re.IGNORECASE)
_NUMBER = re.compile(r"^\d+\s*[-_.]+\s*(?=[^-_.\s\d])(?!\d)")
_NO_NUMBER = re.compile(r"^\d+[-_.]\d+")
_KEPT = {
    "title": "title",
    "description": "description",
    "sidebar_label": "sidebar_label",
    "sidebar_position": "sidebar_position",
    "hide_title": "hide_title",
    "hide_table_of_contents": "hide_toc",
    "draft": "draft",
    "unlisted": "unlisted",
}
_UNTOLD = frozenset({"id", "slug", "format", "mdx", *_KEPT})
_EXCLUDED = ["**/_*.{js,jsx,ts,tsx,md,mdx}", "**/_*/**", "**/*.test.{js,jsx,ts,tsx}", "**/__tests__/**"]
_MDX_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<ticks>`{3,})mdx-code-block[ \t]*$")


class DocFile(Struct, frozen=True):
    """A document with the id by which sidebars name it; `inner` is its path from the folder of the set."""

    id: str
    page: OldPage
    position: float | None
    losses: tuple[Loss, ...] = ()
    inner: str = ""

    @property
    def is_draft(self) -> bool:
        """True if the old site showed it to nobody."""
        return self.page.fields.get("draft") is True


def read_documents(origin: SourceTree, docs: DocSet, inside: str, *, detects: bool) -> Iterator[DocFile]:
    """Yield the documents of a set, by file.

    `inside` is the path in the new site's content; with `detects`, only files that end in `.mdx` are MDX.
    """
    included = globs(texts(docs.options.get("include")) or ["**/*.{md,mdx}"])
    excluded = globs(texts(docs.options.get("exclude")) or _EXCLUDED)
    numbered = docs.options.get("numberPrefixParser") is not False
    for file in origin.files(docs.folder):
        inner = posixpath.relpath(file, docs.folder)
        if not PAGE.search(inner) or any(part.startswith("_") for part in inner.split("/")):
            continue
        if is_matched(inner, included) and not is_matched(inner, excluded):
            source = read_page(origin, file)
            if source is not None:
                yield _document(docs, source, inner, inside, detects=detects, numbered=numbered)


def _document(
    docs: DocSet, source: SourcePage, inner: str, inside: str, *, detects: bool, numbered: bool
) -> DocFile:
    folders, name = posixpath.split(PAGE.sub("", inner))
    part = unnumbered if numbered else _whole
    clean = "/".join(filter(None, (part(each)[0] for each in folders.split("/"))))
    base, number = part(name)
    own = source.fields.get("id")
    id_ = "/".join(filter(None, (clean, str(own) if own else base)))
    address = _address(docs.route, clean, base, id_, source.fields.get("slug"))
    is_folder = address.endswith("/") and is_index(base, posixpath.basename(clean)) and bool(clean)
    stem = posixpath.join(folders, "index" if is_folder or name.casefold() == "readme" else name)
    page = old_page(source, address, posixpath.join(inside, stem), detects=detects)
    position = as_number(source.fields.get("sidebar_position"))
    return DocFile(id_, page, number if position is None else position, tuple(page_losses(source)), inner)


def old_page(source: SourcePage, address: str, name: str, *, detects: bool) -> OldPage:
    """Return a page with the fields that it keeps."""
    fields = source.kept_fields(_KEPT)
    is_md = source.file.casefold().endswith(".md")
    is_plain = source.fields.get("format", "detect" if detects else "mdx") in {"md", "detect"} and is_md
    body = without_mdx_fences(source.body)
    return OldPage(source.file, address, name, body, source.first_line, fields, is_mdx=not is_plain)


def page_losses(source: SourcePage) -> Iterator[Loss]:
    """Yield what a page's frontmatter says that the new one cannot."""
    yield from source.lost_fields(_UNTOLD)


def without_mdx_fences(text: str) -> str:
    """Return a text with the content of blocks of `mdx-code-block`, which is a part of the page."""
    if "mdx-code-block" not in text:
        return text
    lines, closing = text.split("\n"), ""
    for number, line in enumerate(lines):
        found = _MDX_FENCE.match(line)
        if closing and line.strip() == closing:
            lines[number], closing = "", ""
        elif found and not closing:
            lines[number], closing = "", found["ticks"]
    return "\n".join(lines)


def as_number(value: object) -> float | None:
    """Return a number that positions can be; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _whole(name: str) -> tuple[str, float | None]:
    return name, None


def unnumbered(name: str) -> tuple[str, float | None]:
    """Part a name from the number in front of it, which is none in a version or a date."""
    found = _NUMBER.match(name)
    digits = re.match(r"\d{1,15}", name)
    if not found or not digits or _NO_NUMBER.match(name):
        return name, None
    return name[found.end() :], float(digits[0])


def is_index(name: str, folder: str) -> bool:
    """Return whether a document stands for its folder."""
    base = unnumbered(name)[0].casefold()
    return base in {"index", "readme", folder.casefold()}


def _address(route: str, folders: str, base: str, id_: str, slug: object) -> str:
    """Return the address of a document."""
    if isinstance(slug, str) and slug.strip():
        whole = slug if slug.startswith("/") else f"{folders}/{slug}"
        inner = posixpath.normpath(f"/{whole}").strip("/")
        inner = f"{inner}/" if slug.endswith("/") and inner else inner
    elif posixpath.basename(id_) == base and is_index(base, posixpath.basename(folders)):
        inner = f"{folders}/"
    else:
        inner = id_
    return f"/{route}/{inner}".replace("///", "/").replace("//", "/")
