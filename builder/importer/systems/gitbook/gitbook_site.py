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
from builder.importer.source_page import read_page
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.gitbook import gitbook_pages
from builder.yaml.safe import YamlFault
from builder.yaml.safe import load as load_yaml

_CONFIG = ".gitbook.yaml"
_KEPT = {"title": "title", "description": "description", "hidden": "unlisted"}
_UNSEEN = frozenset({"icon", "layout", "cover", "coverY", "coverHeight"})
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
        self._config = self._read_config()
        self._root = posixpath.normpath(str(self._config.get("root") or "."))

    def _read_config(self) -> Mapping[str, object]:
        try:
            found = load_yaml(self._origin.text(_CONFIG) or "").value
        except YamlFault as fault:
            self._losses.append(Loss("settings that cannot be read", _CONFIG, 1, fault.message))
            return {}
        return found if isinstance(found, dict) else {}

    def _structure(self, name: str, default: str) -> str:
        structure = self._config.get("structure")
        found = structure.get(name) if isinstance(structure, dict) else None
        return posixpath.normpath(posixpath.join(self._root, str(found or default)))

    def read(self) -> OldSite:
        """Return all that the space has."""
        summary_file, home = self._structure("summary", "SUMMARY.md"), self._structure("readme", "README.md")
        files = self._origin.files("" if self._root == "." else self._root)
        for file in sorted(files, key=lambda one: (one != home, one)):
            if file.endswith(".md") and file != summary_file and "/.gitbook/" not in f"/{file}":
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
            losses=tuple(self._losses),
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
        fields = {new: source.fields[old] for old, new in _KEPT.items() if old in source.fields}
        self._losses += source.losses
        for key, value in source.fields.items():
            if key not in _KEPT and key not in _UNSEEN:
                self._losses.append(Loss(f"frontmatter `{key}`", file, 1, f"{key}: {value}"))
        address = f"/{name.removesuffix('index')}" if is_index else f"/{name}"
        self._pages[file] = OldPage(file, address, name, source.body, source.first_line, fields)

    def _files(self, files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield the files that are copied; those of `.gitbook/assets` are `assets` here."""
        for file in files:
            inner = posixpath.relpath(file, self._root)
            if inner.startswith(".gitbook/assets/"):
                yield file, f"/{inner.removeprefix('.gitbook/')}"
            elif not file.endswith((".md", ".yaml", ".yml")) and not inner.startswith("."):
                yield file, f"/{inner}"

    def _redirects(self) -> Iterator[tuple[str, str]]:
        listed = self._config.get("redirects")
        for old, new in listed.items() if isinstance(listed, dict) else ():
            file = posixpath.normpath(posixpath.join(self._root, str(new)))
            page = self._pages.get(file)
            yield f"/{str(old).strip('/')}", page.address if page else str(new)

    def _settings(self, summary: str) -> Mapping[str, object]:
        home = next(iter(self._pages.values()))
        title = re.search(r"^#[ ]+(.+)$", home.body, re.MULTILINE)
        return {"title": title[1].strip() if title else "", "url": self._choices.url, "docs_at": "/"}
