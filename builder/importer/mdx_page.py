"""Rewrite what systems with MDX share: statements, imported parts, expressions, tags, comments."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Mapping

from builder.importer.literals import Literal, Module, is_data
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.read_literals import read_module
from builder.importer.tag_rules import Rule, TagRules
from builder.markdown.mdx.scan.tags import Tag
from components.registry import COMPONENTS

Resolve = Callable[[PageWork, str], str]
"""Gives the file that an import names."""
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|ico|mp4|webm|pdf|zip)\Z", re.IGNORECASE)
_BLANKS = frozenset({'" "', "' '", "`\u00a0`", '"\\n"', "'\\n'"})


def beside(work: PageWork, source: str) -> str:
    """Resolve an import from the page's own folder."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(work.page.file), source))


def rewrite_mdx(work: PageWork, rules: Mapping[str, Rule], resolve: Resolve = beside) -> TagRules:
    """Rewrite a page; imports of markdown become parts, and values that the page defines their text."""
    rewriting = work.rewriting
    statements = [piece for piece in rewriting.source.pieces if piece.sort == "statement"]
    text = rewriting.text
    module = read_module("\n".join(text[piece.start : piece.end] for piece in statements))
    for piece in statements:
        rewriting.remove_lines(piece.start, piece.end)
    values = {name: value for name, value in {**module.names, **module.exports}.items() if is_data(value)}
    values |= _images(work, module, resolve)
    values |= _imported_values(work, module, resolve)
    tags = TagRules(work, {**rules, **_parts(work, module, resolve, rules)}, values)
    tags.rewrite(COMPONENTS)
    for piece in rewriting.source.pieces:
        if piece.sort == "expression":
            _expression(work, piece, values)
        elif piece.sort == "comment" and text[piece.start] == "{":
            work.needs_mdx = True
    return tags


def _imported_values(work: PageWork, module: Module, resolve: Resolve) -> dict[str, Literal]:
    """Return the values that are imported from other pages' files."""
    found: dict[str, Literal] = {}
    for name, (source, exported) in module.imports.items():
        if not source.endswith((".md", ".mdx")) or exported in {"default", "*"}:
            continue
        text = work.around.origin.text(resolve(work, source))
        value = read_module(text).exports.get(exported) if text and "export" in text else None
        if value is not None and is_data(value):
            found[name] = value
    return found


def _parts(work: PageWork, module: Module, resolve: Resolve, known: Mapping[str, Rule]) -> Mapping[str, Rule]:
    """Return the rules for names that are imported from markdown: they are parts of the new site."""
    found: dict[str, Rule] = {}
    for name, (source, _) in module.imports.items():
        if name[:1].isupper() and name not in known and source.endswith((".md", ".mdx")):
            file = resolve(work, source)
            if work.around.origin.has(file):
                found[name] = included(file)
    return found


def _images(work: PageWork, module: Module, resolve: Resolve) -> Mapping[str, Literal]:
    """Return the names of imported files that are no program, each with its path from the page."""
    found: dict[str, Literal] = {}
    for name, (source, _) in module.imports.items():
        path = source.partition("?")[0]
        if not _IMAGE.search(path):
            continue
        file = resolve(work, path)
        here = posixpath.dirname(work.page.file) or "."
        found[name] = posixpath.relpath(file, here) if work.around.origin.has(file) else path
    return found


def included(file: str) -> Rule:
    """Return the rule for a tag that stands for a file; its attributes are the part's variables."""

    def act(tags: TagRules, piece: SourcePiece, tag: Tag) -> None:
        given = [(one.name, text) for one in tag.attributes if (text := tags.text(one)) is not None]
        src = html.escape(tags.work.part(file), quote=True)
        begin = tags.opening(piece, f'Include src="{src}"', given)
        tags.replace(piece, f"{begin} />")

    return Rule(act)


def _expression(work: PageWork, piece: SourcePiece, values: Mapping[str, Literal]) -> None:
    inner = work.rewriting.text[piece.start + 1 : piece.end - 1].strip()
    if inner.startswith("#"):
        return  # the id of a heading
    value = values.get(inner)
    if inner in _BLANKS:
        work.rewriting.replace(piece.start, piece.end, " ")
    elif isinstance(value, str | int | float):
        work.rewriting.replace(piece.start, piece.end, str(value))
    else:
        work.rewriting.tell("expression", piece.start, work.rewriting.text[piece.start : piece.end])
        work.rewriting.replace(piece.start, piece.end, "")
