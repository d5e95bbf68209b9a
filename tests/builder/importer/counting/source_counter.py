"""Count the constructs of a page of another system, with a parser that shares nothing with the importer's.

1. The frontmatter is cut off by its lines, and its fields are counted.
2. Fences are taken out line by line, at any indentation: the systems nest them in lists, tabs and tags.
3. Tags are taken out by a tokenizer that knows code spans, comments, quotes and braces.
4. Openings of blocks (`:::`, `!!!`, `===`) are taken out by their lines.
5. markdown-it reads what remains, without its indentation: headings, links, images, tables.
"""

from __future__ import annotations

import re
from itertools import pairwise

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from msgspec import Struct

from builder.importer.old_site import System
from tests.builder.importer.counting.tag_reader import Tag, tags_of


class Construct(Struct, frozen=True):
    """A thing of the source: its kind, a text by which it is found again on the built page, its lines."""

    kind: str
    key: str
    line: int
    end: int


class Fence(Struct, frozen=True):
    """A fence: the words behind its marks, its code, its lines."""

    info: str
    code: str
    line: int
    end: int


_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*$\r?\n?", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(
    r"^(?P<lead>[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d+[.)][ \t]+)?)(?P<marks>`{3,}|~{3,})(?P<info>.*)$"
)
_OPENING = re.compile(
    r"^[ \t]*(?::{3,}(?P<colons>[a-z-]*)(?P<title>[^\n]*)|(?P<bangs>!!!|\?\?\?\+?|///)[ \t]+(?P<word>[\w-]+)"
    r"[^\n\"|]*(?:[\"|][ \t]*(?P<named>[^\n]*?)\"?)?)[ \t]*$"
)
_TAB = re.compile(r"^[ \t]*===[+!]?[ \t]+[\"'](?P<label>[^\n]*?)[\"'][ \t]*$")
_ALERT = re.compile(r"^[ \t]*>[ \t]*\[!(?P<type>[A-Za-z]+)\]")
_INCLUDE = re.compile(
    r"^[ \t]*-{1,}8<-{1,}[ \t]+[\"'](?P<file>[^\"'\n]+)[\"']|"
    r"^[ \t]*\{\{[ \t]*#(?:rustdoc_|playground_)?include[ \t]+(?P<path>[^}\s:]+)"
)
_DOCSTRINGS = re.compile(r"^:::[ ]+[\w.]+[ ]*$(?:\n[ ]{4,}[^\n]*)*", re.MULTILINE)
_IMPORT = re.compile(r"^import[ ]+(\w+)[ ]+from[ ]+['\"]([^'\"\n]+\.mdx?)['\"]", re.MULTILINE)
_WITHIN = frozenset({"a", "b", "code", "em", "i", "kbd", "mark", "span", "strong", "sub", "sup"})
_ID = re.compile(
    r"[ \t]*(?:\\?\{[ \t]*:?[ \t]*#(?P<id>[^\s{}]+)[^{}]*\}|"
    r"\{/\*[ \t]*#(?P<comment>[^\s*]+)[ \t]*\*/\})[ \t]*$"
)
_COMMENT = re.compile(r"<!--.*?-->|\{/\*.*?\*/\}", re.DOTALL)
_STATEMENT = re.compile(
    r"^(?:import\s[^\n]*?(?:from\s+)?['\"][^'\"\n]+['\"];?|export\s+\{[^}]*\}[^\n]*)$", re.MULTILINE
)
_MARKDOWN = (
    MarkdownIt("commonmark", {"html": False})
    .enable(["table", "strikethrough"])
    .use(footnote_plugin)
    .disable("code")
)
_KEY = re.compile(r"[^\W_]+")


def words(text: str) -> str:
    """Return the words of a text, by which texts are compared."""
    return " ".join(_KEY.findall(text)).casefold()


class SourceCounter:
    """The constructs of one page."""

    def __init__(self, system: System, text: str, *, is_mdx: bool) -> None:
        self.system = system
        self.is_mdx = is_mdx
        self.fields: dict[str, object] = {}
        self.fences: list[Fence] = []
        self.imports: dict[str, str] = {}
        self.tags: list[Tag] = []
        self.found: list[Construct] = []
        self._read(text.replace("\r\n", "\n"))

    def _read(self, text: str) -> None:
        front = _FRONT.match(text)
        if front:
            self._fields(front[1])
            text = "\n" * front[0].count("\n") + text[front.end() :]
        text = self._without_fences(text)
        if self.system == "mkdocs":
            text = _DOCSTRINGS.sub(lambda found: _blank(found[0]), text)
        self.imports = dict(_IMPORT.findall(text))
        text = _COMMENT.sub(lambda found: _blank(found[0]), text)
        if self.is_mdx:
            text = _STATEMENT.sub(lambda found: _blank(found[0]), text)
        text = self._without_tags(text)
        text = self._without_openings(text)
        self._prose(text)

    def _fields(self, text: str) -> None:
        try:
            fields = yaml.safe_load(text)
        except yaml.YAMLError:
            fields = None
        self.fields = fields if isinstance(fields, dict) else {}
        for name, value in list(self.fields.items()):
            if isinstance(value, dict):
                self.fields.update({f"{name}.{inner}": each for inner, each in value.items()})
                del self.fields[name]
        for name in self.fields:
            self.found.append(Construct("frontmatter field", str(name), 1, text.count("\n") + 2))

    def _without_fences(self, text: str) -> str:
        lines = text.split("\n")
        number = 0
        while number < len(lines):
            opened = _FENCE.match(lines[number])
            if opened is None or ("`" in opened["marks"] and "`" in opened["info"]):
                number += 1
                continue
            number = self._fence(lines, number, opened)
        return "\n".join(lines)

    def _fence(self, lines: list[str], first: int, opened: re.Match[str]) -> int:
        marks = opened["marks"]
        closing = re.compile(rf"^[ \t>]*{re.escape(marks[0])}{{{len(marks)},}}[ \t]*$")
        last = next((n for n in range(first + 1, len(lines)) if closing.match(lines[n])), len(lines) - 1)
        quoted = ">" in opened["lead"]
        code = [re.sub(r"^[ \t]*>[ \t]?", "", line) if quoted else line for line in lines[first + 1 : last]]
        self.fences.append(Fence(opened["info"].strip(), "\n".join(code), first + 1, last + 1))
        for number in range(first, last + 1):
            lines[number] = ""
        return last + 1

    def _without_tags(self, text: str) -> str:
        kept: list[str] = []
        last = 0
        for start, end, tag in tags_of(text):
            is_within = tag is not None and tag.name in _WITHIN
            kept += (text[last:start], "\u2060" if is_within else _blank(text[start:end]))
            last = end
            if tag is not None:
                self.tags.append(tag)
        return "".join((*kept, text[last:]))

    def _without_openings(self, text: str) -> str:
        return "\n".join(self._line(number, line) for number, line in enumerate(text.split("\n"), 1))

    def _line(self, number: int, line: str) -> str:
        tab, opening, alert = _TAB.match(line), _OPENING.match(line), _ALERT.match(line)
        if self.system == "mkdocs" and tab:
            self._add("tab", tab["label"], number)
            return ""
        if alert:
            self._add("admonition", alert["type"], number)
            return re.sub(r"\[![A-Za-z]+\]", "", line)
        if opening and (opening["colons"] or opening["bangs"]):
            is_closed = (opening["bangs"] or "").startswith("???") or opening["colons"] == "details"
            title = opening["named"] or (opening["title"] or "").strip(" []") or opening["word"] or ""
            self._add("details" if is_closed else "admonition", title if is_closed else "", number)
            return ""
        if opening or re.match(r"^[ \t]*(?::{3,}|///)[ \t]*$", line):
            return ""
        found = _INCLUDE.search(line)
        if found:
            self._add("include", found["file"] or found["path"], number)
            return ""
        return line.lstrip(" \t")

    def _prose(self, text: str) -> None:
        env: dict[str, object] = {}
        for token in _MARKDOWN.parse(text, env):
            line = (token.map or [0])[0] + 1
            if token.type == "table_open":
                self._add("table", "", line)
            elif token.type == "footnote_open":
                self._add("footnote", "", line)
            elif token.type == "inline":
                self._inline(token, line)
        self._headings(text)

    def _headings(self, text: str) -> None:
        tokens = _MARKDOWN.parse(text)
        for opened, inner in pairwise(tokens):
            if opened.type == "heading_open" and (opened.map or [0, 9])[1] - (opened.map or [0])[0] <= 2:
                line = (opened.map or [0])[0] + 1
                ids = _ID.search(inner.content)
                title = _ID.sub("", inner.content)
                self._add("heading", _shown(_MARKDOWN.parseInline(title)[0]), line)
                if ids:
                    self._add("explicit id", ids["id"] or ids["comment"], line)

    def _inline(self, token: Token, line: int) -> None:
        children = token.children or []
        for child in children:
            if child.type == "softbreak":
                line += 1
            elif child.type == "image":
                self._add("image", str(child.attrs.get("src", "")), line)
            elif child.type == "link_open":
                self._add("link", str(child.attrs.get("href", "")), line)
            elif child.type == "code_inline":
                self._add("code span", child.content, line)

    def _add(self, kind: str, key: str, line: int) -> None:
        self.found.append(Construct(kind, key, line, line))


def _shown(token: Token) -> str:
    return "".join(child.content for child in token.children or [] if child.type in {"text", "code_inline"})


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", "", text) or " "
