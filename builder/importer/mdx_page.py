"""Rewrite what systems with MDX share: statements, parts, expressions, tags, comments, indentation."""

from __future__ import annotations

import html
import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping

from builder.importer.html_elements import has_markdown_in_html, rewrite_html
from builder.importer.jsx_components import JsxSource
from builder.importer.literals import Call, Literal, Module, first_data, is_data, json_module
from builder.importer.page_work import PageWork
from builder.importer.pieces import SourcePiece
from builder.importer.read_literals import read_module, read_value
from builder.importer.tag_rules import Rule, TagRules
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.parts.component_file import OWN
from components.registry import COMPONENTS

Resolve = Callable[[PageWork, str], str]
"""Gives the file that an import names."""
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|ico|mp4|webm|pdf|zip)\Z", re.IGNORECASE)
_PROGRAMS = ("", *(f"{stem}.{end}" for stem in ("", "/index") for end in ("ts", "tsx", "js", "jsx", "mjs")))
_LINK = re.compile(r"(?<![\\!])\[(?P<text>[^\[\]\n\\]{1,200})\](?P<rest>\([^()\s]{1,500}\))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MOST_HOPS = 8
BOXES = ("div", "section", "center", "main", "article")
"""Elements that only give their content a look."""
_FENCE = re.compile(r"(?P<marks>`{3,}|~{3,})(?P<info>.*)")
_INTERRUPTS = re.compile(r"</?[A-Za-z]|`{3}|~{3}|#{1,6}[ \t]|:{3}|(?:[-*+]|\d{1,9}[.)])[ \t]")
_ITEM = re.compile(r"(?P<marker>[-*+]|\d{1,9}[.)])(?P<blanks>[ \t]+)(?=\S)")
_BLOCK = "\n"
"""A block of HTML, which ends with a blank line."""
_CODE = 4
"""Blanks before a line that is code where indentation counts."""
_BLANKS = frozenset({'" "', "' '", "`\u00a0`", '"\\n"', "'\\n'"})


def beside(work: PageWork, source: str) -> str:
    """Resolve an import from the page's own folder."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(work.page.file), source))


def rewrite_mdx(work: PageWork, rules: Mapping[str, Rule], resolve: Resolve = beside) -> TagRules:
    """Rewrite a page; imports of markdown become parts, and values that the page defines their text."""
    rewriting = work.rewriting
    text, module = rewriting.text, page_module(work)
    for piece in rewriting.source.pieces:
        if piece.sort == "statement":
            rewriting.remove_lines(piece.start, piece.end)
    values = {name: value for name, value in {**module.names, **module.exports}.items() if is_data(value)}
    values |= _images(work, module, resolve)
    values |= _imported_values(work, module, resolve)
    found = {"code": CODE_SPAN, **rules, **_parts(work, module, resolve, rules)}
    _components(work, module, resolve, found)
    tags = TagRules(work, found, values)
    tags.rewrite({*COMPONENTS, *OWN} if _is_shared(work) else COMPONENTS)
    rewrite_html(work, found)
    work.needs_mdx = work.needs_mdx or has_markdown_in_html(work)
    written = _Written(work)
    for piece in rewriting.source.pieces:
        if piece.sort == "expression" and not written.has(piece):
            _expression(work, piece, values)
        elif piece.sort == "comment" and text[piece.start] == "{":
            work.needs_mdx = True
    return tags


def page_module(work: PageWork) -> Module:
    """Return what the statements of a page import and define."""
    source = work.rewriting.source
    statements = (piece for piece in source.pieces if piece.sort == "statement")
    return read_module("\n".join(source.text[piece.start : piece.end] for piece in statements))


class _Written:
    """The parts of a page that are written anew as a whole."""

    def __init__(self, work: PageWork) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted((edit.start, edit.end) for edit in work.rewriting.edits):
            self._starts.append(start)
            self._ends.append(max(end, self._ends[-1] if self._ends else 0))

    def has(self, piece: SourcePiece) -> bool:
        """Return whether a piece lies within one of them."""
        before = bisect_right(self._starts, piece.start) - 1
        return before >= 0 and piece.end <= self._ends[before]


def _imported_values(work: PageWork, module: Module, resolve: Resolve) -> dict[str, Literal]:
    """Return the values that are imported from files of programs, data and other pages."""
    found: dict[str, Literal] = {}
    for name, (source, exported) in module.imports.items():
        is_page = source.endswith((".md", ".mdx"))
        if is_page and exported in {"default", "*"}:
            continue
        other = _module(work, resolve(work, source))
        value = {**other.exports} if exported == "*" else other.exports.get(exported)
        if value is not None and is_data(value):
            found[name] = value
    return found


def _module(work: PageWork, source: str) -> Module:
    """Return a file that a page imports; one without anything for what is no program or not there."""
    modules, file = work.around.modules, _file(work, source)
    if file not in modules:
        text = (work.around.origin.text(file) or "") if file and not _IMAGE.search(file) else ""
        modules[file] = json_module(text) if file.endswith(".json") else _program(text, file)
    return modules[file]


def _file(work: PageWork, source: str) -> str:
    """Return the file of an import, which may be written without its ending, "" for none."""
    is_whole = source.endswith((".md", ".mdx", ".json"))
    tried = [source] if is_whole else [f"{source}{end}" for end in _PROGRAMS]
    return next((each for each in tried if work.around.origin.has(each)), "")


def _program(text: str, file: str) -> Module:
    if file.endswith((".md", ".mdx")) and "export" not in text:
        return Module()
    return read_module(text)


def value_of(values: Mapping[str, Literal], name: str) -> Literal:
    """Return what a name or a way of names such as `a.b` stands for, None for what is not known."""
    first, *way = name.strip().split(".")
    return first_data(values.get(first), *way)


def _parts(work: PageWork, module: Module, resolve: Resolve, known: Mapping[str, Rule]) -> Mapping[str, Rule]:
    """Return the rules for names that are imported from markdown: they are parts of the new site."""
    found: dict[str, Rule] = {}
    for name, (source, exported) in module.imports.items():
        if (
            name[:1].isupper()
            and name not in known
            and not _is_component(work, resolve(work, source), exported)
        ):
            file = _markdown(work, resolve(work, source), exported)
            if file:
                found[name] = included(file)
    return found


def _is_component(work: PageWork, source: str, exported: str) -> bool:
    """Return whether a name that a page exports beside its text is a program, as a component is."""
    if exported in {"default", "*"} or not source.endswith((".md", ".mdx")):
        return False
    value = _module(work, source).exports.get(exported)
    return value is not None and not is_data(value)


def _components(work: PageWork, module: Module, resolve: Resolve, known: Mapping[str, Rule]) -> None:
    """Keep where components are written that a page defines or imports, so that they can be read."""
    sources, page = work.around.uses.sources, work.page
    for name, value in module.names.items():
        if name[:1].isupper() and not is_data(value) and name not in {*known, *sources}:
            text = "\n".join(
                work.rewriting.text[one.start : one.end]
                for one in work.rewriting.source.pieces
                if one.sort == "statement"
            )
            sources[name] = JsxSource(page.file, text, name)
    for name, (source, exported) in module.imports.items():
        if name[:1].isupper() and name not in {*known, *sources}:
            file = _file(work, resolve(work, source))
            text = (work.around.origin.text(file) or "") if file and not _IMAGE.search(file) else ""
            sources[name] = JsxSource(file, text, exported)


def _markdown(work: PageWork, source: str, name: str) -> str:
    """Return the file of markdown that an import leads to, through programs that hand it on; "" for none."""
    for _ in range(_MOST_HOPS):
        if source.endswith((".md", ".mdx")):
            return source if work.around.origin.has(source) else ""
        module = _module(work, source)
        value = module.exports.get(name)
        if isinstance(value, Call) and value.name == "import":
            inner, name = str(value.arguments[0]), str(value.arguments[1])
        else:
            inner, name = module.imports.get(getattr(value, "text", "").strip(), ("", ""))
        if not inner.startswith("."):
            return ""
        source = posixpath.normpath(posixpath.join(posixpath.dirname(_file(work, source)), inner))
    return ""


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
        tags.work.around.given.setdefault(file, set()).update(name for name, _ in given)
        src = html.escape(tags.work.part(file), quote=True)
        begin = tags.opening(piece, f'Include src="{src}"', given)
        tags.replace(piece, f"{begin} />")

    return Rule(act)


def _code_span(tags: TagRules, piece: SourcePiece, _: Tag) -> None:
    """Write code that holds no other tags with the signs of markdown."""
    inner = tags.rewriting.inner(piece)
    if not inner.strip() or "\n\n" in inner:
        return
    if tags.tree.within(piece):  # tags within are none in a code span
        tags.rewriting.replace(piece.start, piece.end, "")
        tags.rewriting.replace(*(piece.close or (piece.end, piece.end)), "")
        return
    if "%{" in inner:  # an attribute of a component, which code would show as it is written
        tags.replace(piece, inner)
        return
    value = read_value(inner.strip()[1:-1]) if inner.strip()[0] == "{" else None
    if isinstance(value, str) and value.strip() and "`" not in value:
        tags.replace(piece, _in_ticks(value))
    elif inner.strip()[0] != "{" and "`" not in inner:
        tags.replace(piece, "".join(_linked(inner)))


def _in_ticks(text: str) -> str:
    return f"`{' '.join(text.split())}`" if text.strip() else ""


def _linked(inner: str) -> Iterator[str]:
    """Yield the parts of code in which links stand, each as code, with the links round theirs."""
    pos = 0
    for found in _LINK.finditer(inner):
        yield _in_ticks(_plain(inner[pos : found.start()]))
        yield f"[{_in_ticks(_plain(found['text']))}]{found['rest']}"
        pos = found.end()
    yield _in_ticks(_plain(inner[pos:]))


def _plain(text: str) -> str:
    return html.unescape(_ESCAPED.sub(r"\1", text))


CODE_SPAN = Rule(_code_span)
"""Rewrites `<code>`."""


def _is_shared(work: PageWork) -> bool:
    """Return whether a text is a part or a component, which others give values for."""
    return work.placed is not None and "/_" in f"/{work.placed.path}"


def _expression(work: PageWork, piece: SourcePiece, values: Mapping[str, Literal]) -> None:
    inner = work.rewriting.text[piece.start + 1 : piece.end - 1].strip()
    if inner.startswith("#"):
        return  # the id of a heading
    if _is_shared(work):
        name = inner.removeprefix("props.")
        if work.rewriting.text[piece.start - 1 : piece.start] == "%":
            return  # an attribute of a component
        if name in work.around.given.get(work.page.file, ()):
            work.rewriting.insert(piece.start, "%")
            work.rewriting.replace(piece.start + 1, piece.end - 1, name)
            return
    value = read_value(inner) if inner[:1] in {"`", '"', "'"} else value_of(values, inner)
    value = re.sub(r"([{}<])", r"\\\1", value) if isinstance(value, str) and inner[0] == "`" else value
    if inner in _BLANKS:
        work.rewriting.replace(piece.start, piece.end, " ")
    elif isinstance(value, str | int | float):
        work.rewriting.replace(piece.start, piece.end, str(value))
    else:
        work.rewriting.tell("expression", piece.start, work.rewriting.text[piece.start : piece.end])
        work.rewriting.replace(piece.start, piece.end, "")


def unindented(text: str) -> str:
    """Return a page of MDX, where indentation is never code, as a page where four blanks begin code."""
    indents = _Indents()
    return "\n".join(map(indents.line, text.split("\n")))


class _Indents:
    """The lines so far: what is open, and of items the columns that their text had and has."""

    def __init__(self) -> None:
        self._items: list[tuple[int, int]] = []
        self._open = ""
        self._shift = 0
        self._begins = True

    def line(self, line: str) -> str:
        """Return the next line: what would be code as it stands moves to the place of its item."""
        text = line.strip()
        column = len(line) - len(line.lstrip())
        column += 3 * line[:column].count("\t")
        if not text:
            self._begins = True
            self._open = "" if self._open == _BLOCK else self._open
            return line
        if self._open:
            return self._within(line, text, column)
        while self._items and self._items[-1][0] > column:
            self._items.pop()
        before, now = self._items[-1] if self._items else (0, 0)
        if column - before >= _CODE and (self._begins or _INTERRUPTS.match(text)):
            self._shift = column - now
        else:
            self._shift = min(self._shift, column - now) if not self._begins else before - now
        self._start(text, column)
        return f"{' ' * (column - self._shift)}{line.lstrip()}" if self._shift else line

    def _within(self, line: str, text: str, column: int) -> str:
        """Return a line of a fence, a tag or raw text; fences and blocks of HTML move as a whole."""
        sign, moves = self._open[0], self._shift and self._open[0] in f"`~{_BLOCK}"
        is_last = text.startswith(self._open) and not text.strip(sign) if sign in "`~" else self._open in text
        self._open = "" if is_last else self._open
        return f"{' ' * max(0, column - self._shift)}{line.lstrip()}" if moves else line

    def _start(self, text: str, column: int) -> None:
        """Note what a line opens: a fence, raw text, a tag of several lines, an item."""
        fence, item = _FENCE.match(text), _ITEM.match(text)
        self._begins = bool(re.match(r"</?[A-Z]", text)) and text.endswith(">")
        if fence and not ("`" in fence["marks"] and "`" in fence["info"]):
            self._open = fence["marks"]
        elif text.startswith("<pre") and "</pre" not in text:
            self._open = "</pre"
        elif re.match(r"<[A-Za-z]", text) and ">" not in text:
            self._open = ">"
        elif re.match(r"</?[a-z]", text):
            self._open = _BLOCK
        elif item:
            width = column + len(item["marker"]) + min(len(item["blanks"]), _CODE)
            self._items.append((width, width - self._shift))
