"""Read a book of mdBook: `book.toml`, and `SUMMARY.md`, which says which chapters there are.

Forms: https://rust-lang.github.io/mdBook/format/summary.html and .../format/mdbook.html.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping

from builder.importer.old_site import Loss, NavPart, OldPage, OldSite, System
from builder.importer.origin import NoOrigin, Origin
from builder.importer.page_work import Choices, PageWork
from builder.importer.pieces import Piece
from builder.importer.source_page import read_page
from builder.importer.summary import summary_entries

_CONFIG, _SUMMARY = "book.toml", "SUMMARY.md"
_DRAFT = re.compile(r"^[ \t]*[-*+][ \t]+\[([^\]\n]+)\]\([ ]*\)[ \t]*$")
_INDEX = re.compile(r"(?:^|(?<=/))README$", re.IGNORECASE)
_MACRO = re.compile(r"(?P<escape>\\)?\{\{#(?P<name>\w+)[ \t]*(?P<rest>[^}\n]*?)[ \t]*\}\}")
_HEADING_LIST = re.compile(r"^(#{1,6}[ \t][^\n]*?)[ \t]*\{(?P<list>[^{}\n]*)\}[ \t]*$", re.MULTILINE)
_ID = re.compile(r"(?:^|\s)#([^\s.#{}]+)")
_TEX = re.compile(r"\\\\\((?P<inline>[^\n]+?)\\\\\)|\\\\\[(?P<block>.+?)\\\\\]", re.DOTALL)
_DEFINITION = re.compile(r"^[ ]{0,3}:[ \t]+\S", re.MULTILINE)
_ANCHOR = re.compile(r"^.*\bANCHOR(?P<end>_END)?:[ \t]*(?P<name>[\w-]+).*$", re.MULTILINE)


class MdBook:
    """The rules of mdBook."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "mdbook"

    def finds(self, origin: Origin) -> bool:
        """Return whether there is a `book.toml`, or a summary alone."""
        return origin.has(_CONFIG) or origin.has(f"src/{_SUMMARY}")

    def read(self, origin: Origin, choices: Choices) -> OldSite:
        """Read the book. Raises NoOrigin without a summary."""
        return _Book(origin, _config(origin)).site(choices)

    def rewrite(self, work: PageWork) -> None:
        """Rewrite includes, heading lists, formulas and the words behind a fence's language."""
        _Chapter(work).rewrite()


def _config(origin: Origin) -> Mapping[str, object]:
    text = origin.text(_CONFIG)
    try:
        return tomllib.loads(text) if text else {}
    except tomllib.TOMLDecodeError as error:
        raise NoOrigin(f"cannot be read: {error}", path=_CONFIG, hint="is it the file of a book?") from None


def _at(config: Mapping[str, object], way: str) -> object:
    found: object = config
    for name in way.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _text(config: Mapping[str, object], way: str) -> str:
    found = _at(config, way)
    return found if isinstance(found, str) else ""


class _Book:
    """A book that is read."""

    def __init__(self, origin: Origin, config: Mapping[str, object]) -> None:
        self._origin = origin
        self._config = config
        self._src = posixpath.normpath(_text(config, "book.src") or "src")
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}

    def site(self, choices: Choices) -> OldSite:
        """Return all that the book has."""
        summary = self._origin.text(self._file(_SUMMARY))
        if summary is None:
            raise NoOrigin(f"there is no {_SUMMARY}", path=self._src, hint="name the folder with `book.toml`")
        entries = summary_entries(summary, self._chapter)
        self._losses += _drafts(summary, self._file(_SUMMARY))
        self._page(self._not_found(), "404", is_standalone=True)
        files = dict(self._others())
        base = _text(self._config, "output.html.site-url")
        return OldSite(
            "mdbook",
            tuple(self._pages.values()),
            (NavPart(entries),),
            self._settings(choices),
            files,
            redirects=self._redirects(),
            roots=(self._src,),
            base="" if base.startswith(".") else base.rstrip("/"),
            losses=tuple(self._losses),
        )

    def _file(self, name: str) -> str:
        return posixpath.normpath(posixpath.join(self._src, name))

    def _not_found(self) -> str:
        return self._file(_text(self._config, "output.html.input-404") or "404.md")

    def _chapter(self, path: str) -> str:
        """Read the chapter at a path of the summary; return its file, "" where there is none."""
        file = self._file(path)
        if not self._page(file, posixpath.splitext(path)[0]):
            self._losses.append(Loss("chapter whose file is not there", self._file(_SUMMARY), 0, path))
            return ""
        return file

    def _page(self, file: str, name: str, *, is_standalone: bool = False) -> bool:
        """Read a chapter; return whether there is one."""
        if file in self._pages:
            return True
        source = read_page(self._origin, file)
        if source is None:
            return False
        name = _INDEX.sub("index", posixpath.normpath(name))
        address = f"/{name.removesuffix('index')}" if posixpath.basename(name) == "index" else f"/{name}.html"
        self._losses += source.losses
        self._pages[file] = OldPage(
            file,
            address,
            name,
            source.body,
            source.first_line,
            _fields(source.fields),
            is_standalone=is_standalone,
        )
        return True

    def _others(self) -> Iterator[tuple[str, str]]:
        """Yield the files that are copied: all but markdown, each with its address."""
        for file in self._origin.files(self._src):
            if not file.endswith(".md"):
                yield file, f"/{posixpath.relpath(file, self._src)}"

    def _redirects(self) -> Mapping[str, str]:
        found = _at(self._config, "output.html.redirect")
        redirects = found.items() if isinstance(found, dict) else ()
        return {old: _joined(old, new) for old, new in redirects if isinstance(new, str)}

    def _settings(self, choices: Choices) -> Mapping[str, object]:
        text, config = _text, self._config
        settings: dict[str, object] = {
            "title": text(config, "book.title"),
            "description": text(config, "book.description"),
            "language": text(config, "book.language"),
            "url": choices.url,
            "docs_at": "/",
            "edit_url": text(config, "output.html.edit-url-template"),
        }
        repository = text(config, "output.html.git-repository-url")
        if repository:
            settings["nav"] = [{"label": "Repository", "href": repository}]
        for name in ("additional-css", "additional-js", "theme", "playground", "search", "print", "fold"):
            value = _at(config, f"output.html.{name}")
            if value and name in {"additional-css", "additional-js", "theme"}:
                self._losses.append(Loss(f"`{name}` of book.toml", _CONFIG, 0, str(value)))
        return {name: value for name, value in settings.items() if value}


def _drafts(summary: str, file: str) -> Iterator[Loss]:
    """Yield the chapters that have no page yet."""
    for number, line in enumerate(summary.split("\n"), 1):
        if found := _DRAFT.match(line):
            yield Loss("draft chapter", file, number, found[1], "it has no page")


def _fields(fields: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in fields.items() if name in {"title", "description"}}


def _joined(old: str, new: str) -> str:
    """Return where a redirect leads, from the root: the book's are relative to the old page."""
    if re.match(r"[A-Za-z][\w+.-]*:|//|/", new):
        return new
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(old), new))


class _Chapter:
    """A chapter that is rewritten."""

    def __init__(self, work: PageWork) -> None:
        self._work = work
        self._rewriting = work.rewriting

    def rewrite(self) -> None:
        """Rewrite all forms of the book's own."""
        for found in _MACRO.finditer(self._rewriting.text):
            self._macro(found)
        for found in _TEX.finditer(self._rewriting.text):
            self._formula(found)
        for piece in self._rewriting.source.pieces:
            if piece.sort == "fence":
                self._fence(piece)
        self._rewriting.each(_HEADING_LIST, self._heading)
        self._rewriting.each(_DEFINITION, lambda _: self._extra("definition-lists"))

    def _extra(self, name: str) -> None:
        self._rewriting.extras.add(name)
        self._work.needs_mdx = True

    def _macro(self, found: re.Match[str]) -> None:
        rewriting, name = self._rewriting, found["name"]
        if found["escape"]:
            rewriting.replace(found.start(), found.start() + 1, "")
        elif name == "title":
            rewriting.remove_lines(found.start(), found.end())
        elif name in {"include", "rustdoc_include", "playground", "playpen"} and found["rest"]:
            self._include(found, name)

    def _include(self, found: re.Match[str], name: str) -> None:
        """Put in what a file holds; a text that has no chapter of its own becomes a part."""
        target, _, rest = found["rest"].split()[0].partition(":")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(self._work.page.file), target))
        text = self._work.around.origin.text(file)
        if text is None:
            self._rewriting.tell("include of a file that is not there", found.start(), found[0])
            return
        start, end = found.span()
        if file.endswith(".md") and not rest and self._is_block(start, end) and self._is_part(file, text):
            self._rewriting.replace(start, end, f'<Include src="{self._work.part(file)}" />')
            return
        text = _without_anchors(_lines(text, rest)).rstrip("\n")
        if name in {"playground", "playpen"}:
            text = f"```rust\n{text}\n```"
        indent = self._rewriting.indent(start)
        self._rewriting.replace(start, end, text.replace("\n", f"\n{indent}"))

    def _is_block(self, start: int, end: int) -> bool:
        """Return whether an include is alone on its line, and not in code."""
        text = self._rewriting.text
        line = text[text.rfind("\n", 0, start) + 1 : start], text[end:].partition("\n")[0]
        return not self._in_code(start) and not "".join(line).strip()

    def _in_code(self, at: int) -> bool:
        pieces = self._rewriting.source.pieces
        return any(piece.sort in {"fence", "code"} and piece.start <= at < piece.end for piece in pieces)

    def _is_part(self, file: str, text: str) -> bool:
        """Return whether a file can be a part: it is no chapter, and its links are the same from there."""
        is_chapter = any(page.file == file for page in self._work.around.site.pages)
        here, there = posixpath.dirname(self._work.page.file), posixpath.dirname(file)
        return not is_chapter and (here == there or "](" not in text)

    def _heading(self, found: re.Match[str]) -> None:
        id_ = _ID.search(found["list"])
        start = found.start("list") - 1
        self._rewriting.replace(start, found.end("list") + 1, f"{{#{id_[1]}}}" if id_ else "")

    def _formula(self, found: re.Match[str]) -> None:
        if self._in_code(found.start()):
            return
        tex = found["inline"] or found["block"]
        self._extra("math")
        sign = "$" if found["inline"] else "$$"
        self._rewriting.replace(found.start(), found.end(), f"{sign}{tex.strip()}{sign}")

    def _fence(self, piece: Piece) -> None:
        text = self._rewriting.text
        end = text.find("\n", piece.start)
        info = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*").match(text, piece.start)
        words = text[info.end() : end] if info and end > 0 else ""
        if info and "," in words:
            self._rewriting.replace(info.end(), end, words.split(",")[0].strip())


def _lines(text: str, rest: str) -> str:
    """Return the part of a text that `:anchor`, `:3`, `:3:9`, `:3:` or `::9` names."""
    first, colon, last = rest.partition(":")
    if not rest:
        return text
    lines = text.split("\n")
    if first and not first.isdigit():
        return _anchored(text, first)
    start = int(first) - 1 if first else 0
    end = int(last) if last.isdigit() else len(lines) if colon else start + 1
    return "\n".join(lines[start:end])


def _anchored(text: str, name: str) -> str:
    kept, inside = [], False
    for line in text.split("\n"):
        found = _ANCHOR.match(line)
        if found and found["name"] == name:
            inside = not found["end"]
        elif inside:
            kept.append(line)
    return "\n".join(kept)


def _without_anchors(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _ANCHOR.match(line))
