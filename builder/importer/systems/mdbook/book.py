"""Read a book of mdBook: `book.toml`, and `SUMMARY.md`, which says which chapters there are.

Forms: https://rust-lang.github.io/mdBook/format/summary.html and .../format/mdbook.html.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterator, Mapping

from msgspec.structs import replace

from builder.importer.old_site import Loss, NavPart, OldPage, OldSite, System
from builder.importer.page_summary import summary_entries
from builder.importer.page_work import Choices, PageWork
from builder.importer.read_toml import NoToml, read_toml
from builder.importer.source_page import read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.mdbook import chapter

_CONFIG, _SUMMARY = "book.toml", "SUMMARY.md"
_DRAFT = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\[([^\]\n]+)\]\([ ]*\)[ \t]*$")
_KNOWN = frozenset({"links", "index", "admonish", "mermaid", "katex", "toc", "linkcheck"})
"""Preprocessors whose forms are rewritten, or that leave no trace on pages."""
_HTML = frozenset({
    "site-url", "redirect", "edit-url-template", "git-repository-url", "cname", "input-404", "print", "code",
    "mathjax-support", "copy-fonts", "search", "definition-lists", "admonitions",
})  # fmt: skip
"""Settings of pages that are read, or are as they are here."""
_SIGNS = ("favicon.svg", "favicon.png", "favicon.ico")
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
        return read_toml(text) if text else {}
    except NoToml as error:
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
        self._choose_language(choices)
        summary = self._origin.text(self._file(_SUMMARY))
        if summary is None:
            raise NoSource(f"there is no {_SUMMARY}", path=self._src, hint="name the folder with `book.toml`")
        entries = summary_entries(summary, self._chapter)
        self._losses += _drafts(summary, self._file(_SUMMARY))
        moved = self._first_is_home()
        self._page(self._not_found(), "404", is_standalone=True)
        self._languages()
        files = dict(self._others())
        base = _text(self._config, "output.html.site-url")
        return OldSite(
            "mdbook",
            tuple(self._pages.values()),
            (NavPart(entries),),
            self._settings(choices),
            files,
            redirects={**moved, **self._redirects()},
            roots=(self._src,),
            syntax=frozenset(self._syntax()),
            base="" if base.startswith(".") else base.rstrip("/"),
            has_neighbours=True,
            losses=tuple(self._losses),
        )

    def _choose_language(self, choices: Choices) -> None:
        """Take the folder of one language, where each has one; the others are told."""
        if self._origin.has(self._file(_SUMMARY)):
            return
        files = [file for file in self._origin.files(self._src) if posixpath.basename(file) == _SUMMARY]
        codes = [posixpath.relpath(posixpath.dirname(file), self._src) for file in files]
        codes = [code for code in codes if "/" not in code]
        wanted = (*choices.locales, _text(self._config, "book.language"), "en", *codes[:1])
        chosen = next((code for code in wanted if code in codes), "")
        for code in codes:
            if code != chosen:
                self._losses.append(Loss("translation of the book", f"{self._src}/{code}", 0, code))
        self._src = posixpath.join(self._src, chosen) if chosen else self._src

    def _first_is_home(self) -> Mapping[str, str]:
        """Put the first chapter at the root, where books show it too, and return what leads there now."""
        addresses = {page.address for page in self._pages.values()}
        moved: dict[str, str] = {}
        first = next(iter(self._pages.values()), None)
        if first is not None and "/" not in addresses and not first.address.endswith("/"):
            self._pages[first.file] = replace(first, address="/")
            moved[first.address] = first.file
        if first is not None and _at(self._config, "output.html.print.enable") is not False:
            moved["/print.html"] = first.file
        return moved

    def _syntax(self) -> Iterator[str]:
        if _at(self._config, "output.html.mathjax-support"):
            yield "mathjax"
        if isinstance(_at(self._config, "preprocessor.katex"), dict):
            yield "katex"
        signs = _at(self._config, "output.html.code.hidelines")
        for language, sign in signs.items() if isinstance(signs, dict) else ():
            yield f"hidelines {language} {sign}"

    def _languages(self) -> None:
        """Tell of translations, which stand beside the book as catalogues of texts."""
        for file in self._origin.files("po"):
            if file.endswith(".po"):
                self._losses.append(Loss("translation of the book", file, 0, posixpath.basename(file)[:-3]))

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
            chapter.without_admonish(source.body),
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
        if sign := self._favicon():
            theme = _text(self._config, "output.html.theme") or "theme"
            yield posixpath.normpath(f"{theme}{sign}"), sign

    def _redirects(self) -> Mapping[str, str]:
        """Return the redirects of the configuration that lead somewhere."""
        listed = _at(self._config, "output.html.redirect")
        addresses = {page.address for page in self._pages.values()}
        found: dict[str, str] = {}
        for key, new in listed.items() if isinstance(listed, dict) else ():
            old = posixpath.normpath(posixpath.join("/", str(key)))
            target = _joined(old, str(new), addresses)
            if target and old not in addresses:
                found[old] = target
            else:
                self._losses.append(Loss("redirect to what is not there", _CONFIG, 0, f"{key} -> {new}"))
        return found

    def _favicon(self) -> str:
        """Return the sign of the book's own theme."""
        theme = _text(self._config, "output.html.theme") or "theme"
        return next((f"/{sign}" for sign in _SIGNS if self._origin.has(f"{theme}/{sign}")), "")

    def _settings(self, choices: Choices) -> Mapping[str, object]:
        text, config = _text, self._config
        cname = text(config, "output.html.cname")
        settings: dict[str, object] = {
            "title": text(config, "book.title"),
            "description": text(config, "book.description"),
            "language": text(config, "book.language"),
            "url": choices.url or (f"https://{cname}" if cname else ""),
            "favicon": self._favicon(),
            "docs_at": "/",
            "edit_url": text(config, "output.html.edit-url-template"),
        }
        repository = text(config, "output.html.git-repository-url")
        if repository:
            settings["nav"] = [{"label": "Repository", "href": repository}]
        html = _at(config, "output.html")
        for name, value in html.items() if isinstance(html, dict) else ():
            if name not in _HTML and value not in (False, "", [], {}):
                self._losses.append(Loss(f"`{name}` of book.toml", _CONFIG, 0, str(value)))
        preprocessors = _at(config, "preprocessor")
        for name in preprocessors if isinstance(preprocessors, dict) else ():
            if name not in _KNOWN:
                self._losses.append(Loss(f"preprocessor {name}", _CONFIG, 0, name))
        return {name: value for name, value in settings.items() if value}


def _drafts(summary: str, file: str) -> Iterator[Loss]:
    """Yield the chapters that have no page yet."""
    for number, line in enumerate(summary.split("\n"), 1):
        if found := _DRAFT.match(line):
            yield Loss("draft chapter", file, number, found[1], "it has no page")


def _fields(fields: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in fields.items() if name in {"title", "description"}}


def _joined(old: str, new: str, addresses: Container[str]) -> str:
    """Return where a redirect leads: from the old page, or from the root; "" where there is nothing."""
    if re.match(r"[A-Za-z][\w+.-]*:|//", new):
        return new
    path, _, rest = new.partition("#")
    rest = f"#{rest}" if rest else ""
    places = [
        posixpath.normpath(posixpath.join("/", posixpath.dirname(old), path)),
        posixpath.normpath(posixpath.join("/", path)),
    ]
    for place in places:
        home = f"{place.removesuffix('index.html').rstrip('/')}/" if place.endswith("/index.html") else place
        if place in addresses or home in addresses:
            return f"{home if home in addresses else place}{rest}"
    leaves = posixpath.normpath(posixpath.join(posixpath.dirname(old).lstrip("/"), path)).startswith("../")
    return f"{places[0]}{rest}" if leaves or path.startswith("/") else ""
