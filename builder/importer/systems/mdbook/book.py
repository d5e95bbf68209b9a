"""Read a book of mdBook: `book.toml`, and `SUMMARY.md`, which says which chapters there are.

Forms: https://rust-lang.github.io/mdBook/format/summary.html and .../format/mdbook.html.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping

from builder.importer.old_site import Loss, NavPart, OldPage, OldSite, System
from builder.importer.page_summary import summary_entries
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.mdbook import chapter

_CONFIG, _SUMMARY = "book.toml", "SUMMARY.md"
_DRAFT = re.compile(r"^[ \t]*[-*+][ \t]+\[([^\]\n]+)\]\([ ]*\)[ \t]*$")
_INDEX = re.compile(r"(?:^|(?<=/))README$", re.IGNORECASE)


class MdBook:
    """The rules of mdBook."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "mdbook"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether there is a `book.toml`, or a summary alone."""
        return origin.has(_CONFIG) or origin.has(f"src/{_SUMMARY}")

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the book. Raises NoSource without a summary."""
        return _Book(origin, _config(origin)).site(choices)

    def rewrite(self, work: PageWork) -> None:
        """Rewrite includes, heading lists, formulas and the words behind a fence's language."""
        chapter.rewrite(work)


def _config(origin: SourceTree) -> Mapping[str, object]:
    text = origin.text(_CONFIG)
    try:
        return tomllib.loads(text) if text else {}
    except tomllib.TOMLDecodeError as error:
        raise NoSource(f"cannot be read: {error}", path=_CONFIG, hint="is it the file of a book?") from None


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

    def __init__(self, origin: SourceTree, config: Mapping[str, object]) -> None:
        self._origin = origin
        self._config = config
        self._src = posixpath.normpath(_text(config, "book.src") or "src")
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}

    def site(self, choices: Choices) -> OldSite:
        """Return all that the book has."""
        summary = self._origin.text(self._file(_SUMMARY))
        if summary is None:
            raise NoSource(f"there is no {_SUMMARY}", path=self._src, hint="name the folder with `book.toml`")
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
            syntax=frozenset({"mathjax"} if _at(self._config, "output.html.mathjax-support") else ()),
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
        preprocessors = _at(config, "preprocessor")
        for name in preprocessors if isinstance(preprocessors, dict) else ():
            if name not in {"links", "index"}:
                self._losses.append(Loss(f"preprocessor {name}", _CONFIG, 0, name))
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
