"""Read a space of GitBook as it is kept in git: `.gitbook.yaml`, `SUMMARY.md`, pages.

https://gitbook.com/docs/getting-started/git-sync/content-configuration. A page's address is its path without
ending; `README.md` stands for its folder.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from builder.importer.old_site import Loss, NavPart, OldPage, OldSite, System
from builder.importer.page_summary import summary_entries
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_links import parts_of
from builder.importer.source_page import read_page, read_yaml
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.gitbook import gitbook_pages
from builder.yaml.safe import YamlFault

_CONFIG = ".gitbook.yaml"
_OLD_CONFIG = "book.json"
_VALUES = ".gitbook/vars.yaml"
_ASSETS = ".gitbook/assets"
_KEPT = {"title": "title", "description": "description", "hidden": "unlisted"}
_EMBED = re.compile(r"\{%[ ]*embed\b")
_NO_PAGES = re.compile(r"/(?:\.[^/]+|node_modules|_book|_layouts)/")
_BLOCK = re.compile(r"\{%[ ]*(?:hint|tabs|content-ref|code|embed|stepper)\b")


class GitBook:
    """The rules of GitBook."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "gitbook"

    def finds(self, origin: SourceTree) -> bool:
        """Return whether there is a configuration of GitBook, or a summary with GitBook's blocks on pages."""
        if origin.has(_CONFIG) or origin.has_folder(".gitbook"):
            return True
        if origin.has(_OLD_CONFIG) and "plugins" in (origin.text(_OLD_CONFIG) or ""):
            return True
        if not origin.has("SUMMARY.md") or origin.has("book.toml"):
            return False
        return any(
            _BLOCK.search(origin.text(file) or "") for file in origin.files()[:200] if file.endswith(".md")
        )

    def read(self, origin: SourceTree, choices: Choices) -> OldSite:
        """Read the space. Raises NoSource without pages."""
        return _Space(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite the blocks of GitBook."""
        gitbook_pages.rewrite(work)


class _Space:
    """A space that is read."""

    def __init__(self, origin: SourceTree, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}
        self._is_old = origin.has(_OLD_CONFIG) and not origin.has(_CONFIG)
        self._config = self._read_config()
        self._root = posixpath.normpath(str(self._config.get("root") or ".").lstrip("/") or ".")

    def _read_config(self) -> Mapping[str, object]:
        """Read the settings: YAML, of which the JSON of older books is a part."""
        return self._yaml(_OLD_CONFIG if self._is_old else _CONFIG)

    def _yaml(self, file: str) -> Mapping[str, object]:
        try:
            found = read_yaml(self._origin.text(file) or "").value
        except YamlFault as fault:
            self._losses.append(Loss("settings that cannot be read", file, 1, fault.message))
            return {}
        return found if isinstance(found, dict) else {}

    def _values(self) -> Mapping[str, str]:
        """Return the texts that pages name."""
        files = dict.fromkeys((_VALUES, posixpath.normpath(f"{self._root}/{_VALUES}")))
        found = {
            name: value
            for file in files
            if self._origin.has(file)
            for name, value in self._yaml(file).items()
        }
        return {
            str(name): str(value) for name, value in found.items() if isinstance(value, str | int | float)
        }

    def _structure(self, name: str, default: str) -> str:
        structure = self._config.get("structure")
        found = structure.get(name) if isinstance(structure, dict) else None
        return posixpath.normpath(posixpath.join(self._root, str(found or default)))

    def read(self) -> OldSite:
        """Return all that the space has."""
        summary_file, home = self._structure("summary", "SUMMARY.md"), self._structure("readme", "README.md")
        files = self._origin.files("" if self._root == "." else self._root)
        for file in sorted(files, key=lambda one: (one != home, one)):
            if file.endswith(".md") and file != summary_file and not _NO_PAGES.search(f"/{file}"):
                self._page(file, home)
        if not self._pages:
            raise NoSource("there are no pages", path=self._root, hint="is the folder of the space?")
        summary = self._origin.text(summary_file) or ""
        entries = summary_entries(summary, lambda path: self._target(path, summary_file))
        return OldSite(
            "gitbook",
            tuple(self._pages.values()),
            (NavPart(entries),) if entries else (),
            {name: value for name, value in self._settings(summary).items() if value},
            dict(self._files(files)),
            redirects=dict(self._redirects()),
            roots=(self._root, ""),
            values=self._values(),
            losses=tuple(self._losses),
            shows_descriptions=True,
        )

    def _target(self, path: str, summary: str) -> str:
        file = posixpath.normpath(posixpath.join(posixpath.dirname(summary), path))
        if file not in self._pages:
            self._losses.append(Loss("entry of the summary that is not there", summary, 0, path))
            return ""
        return file

    def _page(self, file: str, home: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        name = posixpath.splitext(posixpath.relpath(file, self._root))[0]
        if file == home:
            name = "index"
        name = re.sub(r"(?:^|(?<=/))readme$", "index", name, flags=re.IGNORECASE)
        is_index = posixpath.basename(name) == "index"
        fields = source.kept_fields(_KEPT)
        self._losses += source.lost_fields(_KEPT)
        ending = ".html" if self._is_old else ""
        address = f"/{name.removesuffix('index')}" if is_index else f"/{name}{ending}"
        self._pages[file] = OldPage(file, address, name, source.body, source.first_line, fields)

    def _files(self, files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield the files that are copied; those of `.gitbook/assets` are `assets` here."""
        for file in files:
            inner = posixpath.relpath(file, self._root)
            if f"/{inner}".startswith(("/.git/", "/node_modules/", "/_book/")):
                continue
            if inner.startswith(".gitbook/assets/"):
                yield file, f"/{inner.removeprefix('.gitbook/')}"
            elif not file.endswith((".md", ".yaml", ".yml")) and not inner.startswith("."):
                yield file, f"/{inner}"
        for file in self._origin.files(_ASSETS) if self._root != "." else ():
            yield file, f"/{file.removeprefix('.gitbook/')}"

    def _redirects(self) -> Iterator[tuple[str, str]]:
        """Yield the redirects that lead somewhere: to a file, or an address of the space."""
        listed = self._config.get("redirects")
        addresses = {page.address.strip("/"): page.address for page in self._pages.values()}
        for old, new in listed.items() if isinstance(listed, dict) else ():
            path, rest = parts_of(str(new))
            file = posixpath.normpath(posixpath.join(self._root, path.lstrip("/")))
            page = self._pages.get(file) or self._pages.get(f"{file}/README.md")
            target = page.address if page else addresses.get(path.strip("/"))
            target = str(new) if target is None and str(new).startswith(("http://", "https://")) else target
            if target is None or str(old).strip("/") in addresses:
                self._losses.append(Loss("redirect to what is not there", _CONFIG, 0, f"{old} -> {new}"))
            else:
                yield f"/{str(old).strip('/')}", f"{target}{rest if '://' not in target else ''}"

    def _settings(self, summary: str) -> Mapping[str, object]:
        home = next(iter(self._pages.values()))
        title = re.search(r"^#[ ]+([^\n<{]+)", home.body, re.MULTILINE)
        given = self._config.get("title") if self._is_old else home.fields.get("title")
        return {
            "plan": "premium" if any(_EMBED.search(page.body) for page in self._pages.values()) else "",
            "title": given if isinstance(given, str) else title[1].strip() if title else "",
            "url": self._choices.url,
            "docs_at": "/",
        }
