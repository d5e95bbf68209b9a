"""Read a site of MkDocs: `mkdocs.yml`, its navigation and its plugins.

https://www.mkdocs.org/user-guide/configuration/. Tags of YAML such as `!ENV` and `!!python/name:` are read as
texts; nothing is loaded or run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

import yaml

from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.origin import NoOrigin, Origin
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import read_page
from builder.importer.systems.mkdocs import pages

_CONFIGS = ("mkdocs.yml", "mkdocs.yaml", "zensical.yml")
_PAGE = re.compile(r"\.(?:md|markdown|mdown|mkdn|mkd)$", re.IGNORECASE)
_INDEX = frozenset({"index", "readme"})
_TAG = re.compile(r"(?<![^\s\[{,-])!(?:![\w/.:-]+|[A-Za-z][\w/.:-]*)")
_KEPT = {"title": "title", "description": "description", "sidebar_title": "sidebar_label"}
_COLORS = {
    "red": "#ef5552", "pink": "#e92063", "purple": "#ab47bd", "deep purple": "#7e56c2", "indigo": "#4051b5",
    "blue": "#2094f3", "light blue": "#02a6f2", "cyan": "#00bdd6", "teal": "#009485", "green": "#4cae4f",
    "light green": "#8bc34b", "lime": "#cbdc38", "yellow": "#ffec3d", "amber": "#ffc105", "orange": "#ffa724",
    "deep orange": "#ff6e42", "brown": "#795649", "grey": "#757575", "blue grey": "#546d78",
}  # fmt: skip
"""The names of Material's colours."""


class MkDocs:
    """The rules of MkDocs."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "mkdocs"

    def finds(self, origin: Origin) -> bool:
        """Return whether there is a configuration of MkDocs."""
        return any(map(origin.has, _CONFIGS))

    def read(self, origin: Origin, choices: Choices) -> OldSite:
        """Read the site. Raises NoOrigin where its configuration cannot be read."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite blocks, lists of attributes, marks and fences."""
        pages.rewrite(work)


class _Site:
    """A site that is read."""

    def __init__(self, origin: Origin, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._file = next(filter(origin.has, _CONFIGS))
        self._config = _loaded(origin.text(self._file) or "", self._file)
        self._docs = posixpath.normpath(self._text("docs_dir") or "docs")
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}

    def read(self) -> OldSite:
        """Return all that the site has."""
        found = self._origin.files(self._docs)
        for file in sorted(found, key=_index_last):
            if _PAGE.search(file):
                self._page(file)
        if not self._pages:
            raise NoOrigin("there are no pages", path=self._docs, hint="is the folder of `docs_dir` in it?")
        nav = self._config.get("nav")
        entries = tuple(self._entries(nav)) if isinstance(nav, list) else tuple(self._folder(""))
        self._plugins()
        return OldSite(
            "mkdocs",
            tuple(self._pages.values()),
            (NavPart(entries),),
            self._settings(),
            {file: f"/{self._inner(file)}" for file in found if self._is_copied(file)},
            redirects=self._redirects(),
            roots=(self._docs,),
            base=re.sub(r"^https?://[^/]*", "", self._text("site_url")).rstrip("/"),
            losses=tuple(self._losses),
        )

    def _text(self, *way: str) -> str:
        found: object = self._config
        for key in way:
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, str) else ""

    def _inner(self, file: str) -> str:
        return posixpath.relpath(file, self._docs)

    def _page(self, file: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        folder, name = posixpath.split(_PAGE.sub("", self._inner(file)))
        is_index = name.casefold() in _INDEX
        name = posixpath.join(folder, "index" if is_index else name)
        address = f"/{posixpath.join(folder, '') if is_index else f'{name}/'}"
        if self._config.get("use_directory_urls") is False:
            address = f"/{name}.html"
        fields = {new: source.fields[old] for old, new in _KEPT.items() if old in source.fields}
        hidden = source.fields.get("hide")
        if isinstance(hidden, list) and "toc" in hidden:
            fields["hide_toc"] = True
        self._losses += source.losses
        for key, value in source.fields.items():
            if key not in {*_KEPT, "hide"}:
                self._losses.append(Loss(f"frontmatter `{key}`", file, 1, f"{key}: {value}"))
        self._pages[file] = OldPage(file, address, name, source.body, source.first_line, fields)

    def _entries(self, listed: object) -> Iterator[NavEntry]:
        for each in listed if isinstance(listed, list) else []:
            if isinstance(each, str):
                yield from self._entry("", each)
            elif isinstance(each, dict):
                for label, inner in each.items():
                    if isinstance(inner, list):
                        yield _group(str(label), tuple(self._entries(inner)))
                    elif isinstance(inner, str):
                        yield from self._entry(str(label), inner)

    def _entry(self, label: str, target: str) -> Iterator[NavEntry]:
        file = posixpath.normpath(posixpath.join(self._docs, target))
        if file in self._pages:
            yield NavEntry(label, file)
        elif re.match(r"[a-z][a-z0-9+.-]*:|//|/", target, re.IGNORECASE):
            yield NavEntry(label or target, href=target)
        elif self._origin.has_folder(file):
            yield _group(label, tuple(self._folder(self._inner(file))))
        else:
            self._losses.append(Loss("entry of the navigation that is not there", self._file, 0, target))

    def _folder(self, folder: str) -> Iterator[NavEntry]:
        """Yield the entries of a folder without a navigation: by name, its index page first."""
        prefix = f"{folder}/" if folder else ""
        inner = sorted(self._inner(file) for file in self._pages)
        here = [path.removeprefix(prefix) for path in inner if path.startswith(prefix)]
        pages_here = sorted((path for path in here if "/" not in path), key=_index_first)
        yield from (NavEntry("", posixpath.join(self._docs, prefix, path)) for path in pages_here)
        for name in dict.fromkeys(path.split("/")[0] for path in here if "/" in path):
            yield _group(_readable(name), tuple(self._folder(f"{prefix}{name}")))

    def _is_copied(self, file: str) -> bool:
        theme = posixpath.normpath(self._text("theme", "custom_dir") or "overrides")
        is_theme = f"{file}/".startswith(f"{theme}/")
        return not is_theme and not _PAGE.search(file) and not file.endswith((".py", ".pages", ".pyc"))

    def _plugins(self) -> None:
        known = {"search", "redirects", "exclude", "awesome-pages", "autorefs", "offline", "minify", "social"}
        for name, options in self._named_plugins():
            if name.removeprefix("material/") not in known:
                self._losses.append(Loss(f"plugin {name}", self._file, 0, f"{name}: {options or ''}".strip()))

    def _named_plugins(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        listed = self._config.get("plugins")
        if isinstance(listed, dict):
            listed = [{name: options} for name, options in listed.items()]
        for each in listed if isinstance(listed, list) else []:
            for name, options in each.items() if isinstance(each, dict) else [(each, None)]:
                yield str(name), options if isinstance(options, dict) else {}

    def _redirects(self) -> Mapping[str, str]:
        """Return the redirects of the plugin: from addresses to files of pages, or to other addresses."""
        found: dict[str, str] = {}
        for name, options in self._named_plugins():
            listed = options.get("redirect_maps")
            if name == "redirects" and isinstance(listed, dict):
                for old, new in listed.items():
                    path, sign, anchor = str(new).partition("#")
                    file = posixpath.join(self._docs, path)
                    page = self._pages.get(posixpath.normpath(file))
                    target = f"{page.address}{sign}{anchor}" if page else str(new)
                    found[f"/{_PAGE.sub('', str(old)).removesuffix('index')}"] = target
        return found

    def _settings(self) -> Mapping[str, object]:
        theme = self._config.get("theme")
        palette = theme.get("palette") if isinstance(theme, dict) else None
        first = palette[0] if isinstance(palette, list) and palette else palette
        primary = first.get("primary") if isinstance(first, dict) else None
        repository = self._text("repo_url").rstrip("/")
        settings: dict[str, object] = {
            "title": self._text("site_name"),
            "description": self._text("site_description"),
            "url": (self._choices.url or self._text("site_url")).rstrip("/"),
            "docs_at": "/",
            "language": self._text("theme", "language"),
            "logo": _rooted(self._text("theme", "logo")),
            "favicon": _rooted(self._text("theme", "favicon")),
            "accent": _COLORS.get(str(primary), ""),
            "edit_url": self._edit_url(repository),
            "nav": [{"label": self._text("repo_name") or "Repository", "href": repository}]
            if repository
            else None,
            "footer": {"text": self._text("copyright")} if self._text("copyright") else None,
        }
        return {name: value for name, value in settings.items() if value}

    def _edit_url(self, repository: str) -> str:
        uri = self._text("edit_uri")
        if uri.startswith("http"):
            return f"{uri.rstrip('/')}/{{path}}"
        return ""


def _loaded(text: str, file: str) -> Mapping[str, object]:
    """Read the configuration; tags are left out, so that what they stand before is a text or a list."""
    try:
        found = yaml.safe_load(_TAG.sub("", text))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NoOrigin(f"cannot be read: {error}", path=file, hint="is it YAML?") from None
    if not isinstance(found, dict):
        raise NoOrigin("is no mapping of settings", path=file, hint="is it the configuration of MkDocs?")
    return found


def _index_last(file: str) -> tuple[bool, str]:
    return posixpath.basename(file).casefold().startswith("readme."), file


def _index_first(path: str) -> tuple[bool, str]:
    return _PAGE.sub("", path).casefold() not in _INDEX, path


def _group(label: str, items: tuple[NavEntry, ...]) -> NavEntry:
    """Return a group; a page without a label at its begin that is an index stands for it."""
    first = items[0] if items else NavEntry()
    name = _PAGE.sub("", posixpath.basename(first.page)).casefold()
    if first.page and not first.label and not first.items and name in _INDEX:
        return NavEntry(label, first.page, items=items[1:])
    return NavEntry(label, items=items)


def _readable(name: str) -> str:
    return re.sub(r"[-_]+", " ", name).strip().capitalize()


def _rooted(path: str) -> str:
    return path if not path or re.match(r"[a-z]+:|/", path) else f"/{path}"
