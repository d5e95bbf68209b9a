"""Read a site of Docusaurus: its configuration and sidebars, which are parsed and never run.

Addresses: https://docusaurus.io/docs/docs-introduction, .../create-doc and .../sidebar. A document's id is
its folder and its name, without the numbers in front of them; its address the same below the route, unless
the frontmatter has a slug; `index`, `README` and a file named as its folder stand for the folder.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate

from msgspec import Struct

from builder.importer.literals import Call, Literal, Module, first_data, read_module, texts
from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.origin import NoOrigin, Origin
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import SourcePage, read_page
from builder.importer.systems import docusaurus_pages
from builder.yaml.safe import YamlFault
from builder.yaml.safe import load as load_yaml

_CONFIGS = tuple(f"docusaurus.config.{ending}" for ending in ("ts", "js", "mts", "mjs", "cjs"))
_PAGE = re.compile(r"\.mdx?$", re.IGNORECASE)
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
_UNTOLD = frozenset({"id", "slug", *_KEPT})


class Docusaurus:
    """The rules of Docusaurus."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "docusaurus"

    def finds(self, origin: Origin) -> bool:
        """Return whether there is a configuration of Docusaurus."""
        return any(map(origin.has, _CONFIGS))

    def read(self, origin: Origin, choices: Choices) -> OldSite:
        """Read the site. Raises NoOrigin where its configuration is no data."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite tags, admonitions, fences and statements."""
        docusaurus_pages.rewrite(work)


class _Docs(Struct, frozen=True):
    """One set of documents: the folder that they are in, and the address below which readers have them."""

    folder: str
    route: str
    options: Mapping[str, Literal]
    sidebar: str


class _Document(Struct, frozen=True):
    """A document with the id by which sidebars name it."""

    id: str
    page: OldPage
    source: SourcePage
    position: float | None


class _Site:
    """A site that is read."""

    def __init__(self, origin: Origin, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._file = next(filter(origin.has, _CONFIGS))
        module = read_module(origin.text(self._file) or "")
        config = module.exports.get("default")
        if not isinstance(config, dict):
            hint = "what it exports must be an object that can be read without running it"
            raise NoOrigin("cannot be read without running it", path=self._file, hint=hint)
        self._config: Mapping[str, Literal] = config
        self._losses: list[Loss] = []

    def read(self) -> OldSite:
        """Return all that the site has."""
        pages: list[OldPage] = []
        parts: list[NavPart] = []
        documents: dict[str, _Document] = {}
        for docs in self._doc_sets():
            found = {document.id: document for document in self._documents(docs)}
            pages += [document.page for document in found.values()]
            parts += self._sidebars(docs, found)
            documents |= found
        if not pages:
            raise NoOrigin("there are no documents", path=self._file, hint="is the folder of `docs` in it?")
        files = dict(self._files())
        return OldSite(
            "docusaurus",
            tuple(pages),
            tuple(parts),
            self._settings(documents),
            files,
            redirects={},
            roots=tuple(
                dict.fromkeys((*self._static_folders(), *(docs.folder for docs in self._doc_sets()), ""))
            ),
            base=self._text("baseUrl").rstrip("/"),
            losses=tuple(self._losses),
        )

    def _text(self, *way: str) -> str:
        found = first_data(self._config, *way)
        return found if isinstance(found, str) else ""

    def _lose(self, what: str, old: object = "", line: int = 0) -> None:
        self._losses.append(Loss(what, self._file, line, str(old)))

    def _doc_sets(self) -> Iterator[_Docs]:
        """Yield the sets of documents: that of the preset, and those of plugins."""
        for name, options in self._plugins():
            own = options.get("docs") if name.endswith("preset-classic") or name == "classic" else options
            is_docs = name.endswith(("preset-classic", "plugin-content-docs")) or name == "classic"
            if not is_docs or own is False:
                continue
            given = own if isinstance(own, dict) else {}
            folder = _str(given.get("path"), "docs")
            route = _str(given.get("routeBasePath"), "docs").strip("/")
            yield _Docs(posixpath.normpath(folder), route, given, _file_of(given.get("sidebarPath")))

    def _plugins(self) -> Iterator[tuple[str, Mapping[str, Literal]]]:
        for kind in ("presets", "plugins"):
            listed = self._config.get(kind)
            for each in listed if isinstance(listed, list) else []:
                name = each[0] if isinstance(each, list) and each else each
                options = each[1] if isinstance(each, list) and len(each) > 1 else {}
                if isinstance(name, Call):
                    name = name.arguments[0] if name.arguments else ""
                if isinstance(name, str):
                    yield name, options if isinstance(options, dict) else {}

    def _documents(self, docs: _Docs) -> Iterator[_Document]:
        """Yield the documents of a set, by file."""
        included = [*map(_glob, texts(docs.options.get("include")) or ["**/*.{md,mdx}"])]
        excluded = [*map(_glob, texts(docs.options.get("exclude")) or _EXCLUDED)]
        for file in self._origin.files(docs.folder):
            inner = posixpath.relpath(file, docs.folder)
            if not _PAGE.search(inner) or any(part.startswith("_") for part in inner.split("/")):
                continue
            if any(p.fullmatch(inner) for p in included) and not any(p.fullmatch(inner) for p in excluded):
                source = read_page(self._origin, file)
                if source is not None:
                    yield self._document(docs, source, inner)

    def _document(self, docs: _Docs, source: SourcePage, inner: str) -> _Document:
        folders, name = posixpath.split(_PAGE.sub("", inner))
        clean = "/".join(filter(None, (_unnumbered(part)[0] for part in folders.split("/"))))
        base, number = _unnumbered(name)
        own = source.fields.get("id")
        id_ = "/".join(filter(None, (clean, str(own) if own else base)))
        address = _address(docs.route, clean, base, id_, source.fields.get("slug"))
        fields = {new: source.fields[old] for old, new in _KEPT.items() if old in source.fields}
        self._losses += source.losses
        for key in source.fields:
            if key not in _UNTOLD:
                self._losses.append(
                    Loss(f"frontmatter `{key}`", source.file, 1, f"{key}: {source.fields[key]}")
                )
        position = source.fields.get("sidebar_position", number)
        name = posixpath.join(folders, "index" if name.casefold() == "readme" else name)
        if docs.route and self._is_apart(docs):
            name = posixpath.join(docs.route, name)
        page = OldPage(source.file, address, name, source.body, source.first_line, fields, is_mdx=True)
        return _Document(id_, page, source, float(position) if isinstance(position, int | float) else None)

    def _is_apart(self, docs: _Docs) -> bool:
        """Return whether the route is not the prefix of all documents, which `docs_at` stands for."""
        return docs.route != self._docs_at().strip("/")

    def _docs_at(self) -> str:
        routes = {docs.route for docs in self._doc_sets()}
        return f"/{next(iter(routes))}" if len(routes) == 1 else "/"

    def _sidebars(self, docs: _Docs, documents: Mapping[str, _Document]) -> Iterator[NavPart]:
        if not docs.sidebar:
            yield NavPart(tuple(self._generated(".", docs, documents)))
            return
        file = posixpath.normpath(docs.sidebar)
        text = self._origin.text(file)
        module = _json_module(text) if file.endswith(".json") else read_module(text or "")
        found = module.exports.get("default")
        if not isinstance(found, dict):
            found = {name: value for name, value in module.exports.items() if isinstance(value, list | dict)}
        if text is None or not found:
            self._lose("sidebar that cannot be read", docs.sidebar)
            yield NavPart(tuple(self._generated(".", docs, documents)))
            return
        listed = {name: tuple(self._entries(items, docs, documents)) for name, items in found.items()}
        is_one = len(listed) == 1
        for name, entries in listed.items():
            yield NavPart(entries, "" if is_one else self._label_of(name, entries))

    def _label_of(self, sidebar: str, entries: Sequence[NavEntry]) -> str:
        """Return the label of the navigation bar's entry for a sidebar, else its name made readable."""
        items = first_data(self._config, "themeConfig", "navbar", "items")
        for item in items if isinstance(items, list) else []:
            if (
                isinstance(item, dict)
                and item.get("sidebarId") == sidebar
                and isinstance(item.get("label"), str)
            ):
                return str(item["label"])
        return re.sub(r"(?<=[a-z])(?=[A-Z])|[-_]", " ", sidebar).strip().capitalize()

    def _entries(self, items: Literal, docs: _Docs, documents: Mapping[str, _Document]) -> Iterator[NavEntry]:
        if isinstance(items, dict):
            for label, inner in items.items():
                yield NavEntry(label, items=tuple(self._entries(inner, docs, documents)))
            return
        for item in items if isinstance(items, list) else []:
            if isinstance(item, str):
                yield from self._doc_entry(item, "", documents)
            elif isinstance(item, dict) and "type" not in item:
                yield from self._entries(item, docs, documents)
            elif isinstance(item, dict):
                yield from self._entry(item, docs, documents)
            else:
                self._lose("entry of a sidebar that is no data", getattr(item, "text", item))

    def _entry(
        self, item: Mapping[str, Literal], docs: _Docs, documents: Mapping[str, _Document]
    ) -> Iterator[NavEntry]:
        kind, label = item.get("type"), _str(item.get("label"))
        if kind in {"doc", "ref"}:
            yield from self._doc_entry(_str(item.get("id")), label, documents)
        elif kind == "link":
            yield NavEntry(label, href=_str(item.get("href")))
        elif kind == "autogenerated":
            yield from self._generated(_str(item.get("dirName"), "."), docs, documents)
        elif kind == "category":
            yield self._category(item, label, docs, documents)
        else:
            self._lose(f"entry of a sidebar of type {kind}", label or item.get("value", ""))

    def _category(
        self, item: Mapping[str, Literal], label: str, docs: _Docs, documents: Mapping[str, _Document]
    ) -> NavEntry:
        link = item.get("link")
        page = ""
        if isinstance(link, dict) and link.get("type") == "doc":
            found = documents.get(_str(link.get("id")))
            page = found.page.file if found else ""
        items = tuple(self._entries(item.get("items"), docs, documents))
        collapsed = item.get("collapsed")
        return NavEntry(
            label, page, items=items, collapsed=collapsed if isinstance(collapsed, bool) else None
        )

    def _doc_entry(self, id_: str, label: str, documents: Mapping[str, _Document]) -> Iterator[NavEntry]:
        found = documents.get(id_)
        if found is None:
            self._lose("entry of a sidebar whose document is not there", id_)
        else:
            yield NavEntry(label, found.page.file)

    def _generated(self, folder: str, docs: _Docs, documents: Mapping[str, _Document]) -> Iterator[NavEntry]:
        """Yield the entries of a folder as Docusaurus orders them: by position, then by name."""
        prefix = "" if folder in {"", "."} else f"{posixpath.normpath(folder)}/"
        tree = _Tree.of(
            (posixpath.relpath(each.page.file, docs.folder).removeprefix(prefix), each)
            for each in documents.values()
            if posixpath.relpath(each.page.file, docs.folder).startswith(prefix)
        )
        yield from self._tree(tree, posixpath.join(docs.folder, prefix))

    def _tree(self, tree: _Tree, folder: str) -> Iterator[NavEntry]:
        ordered: list[tuple[float, str, NavEntry]] = []
        for name, document in tree.documents.items():
            position = document.position if document.position is not None else float("inf")
            ordered.append((position, name, NavEntry("", document.page.file)))
        for name, inner in tree.folders.items():
            ordered.append(self._folder(name, inner, posixpath.join(folder, name)))
        yield from (entry for _, _, entry in sorted(ordered, key=lambda one: one[:2]))

    def _folder(self, name: str, tree: _Tree, place: str) -> tuple[float, str, NavEntry]:
        """Return the position, name and entry of a folder, by its `_category_` file and its index page."""
        about = self._about(place)
        clean, number = _unnumbered(name)
        index = next((one for one in tree.documents if _is_index(one, clean)), "")
        page = tree.documents.pop(index).page.file if index else ""
        position = about.get("position", number)
        items = tuple(self._tree(tree, place))
        label = _str(about.get("label"), clean)
        collapsed = about.get("collapsed")
        entry = NavEntry(
            label, page, items=items, collapsed=collapsed if isinstance(collapsed, bool) else None
        )
        return float(position) if isinstance(position, int | float) else float("inf"), name, entry

    def _about(self, folder: str) -> Mapping[str, object]:
        """Return what the `_category_` file of a folder says."""
        for ending in ("json", "yml", "yaml"):
            text = self._origin.text(f"{folder}/_category_.{ending}")
            if text is None:
                continue
            try:
                found = load_yaml(text).value
            except YamlFault as fault:
                self._losses.append(
                    Loss(
                        "category file that cannot be read", f"{folder}/_category_.{ending}", 1, fault.message
                    )
                )
                continue
            return found if isinstance(found, dict) else {}
        return {}

    def _static_folders(self) -> Sequence[str]:
        return texts(self._config.get("staticDirectories")) or ["static"]

    def _files(self) -> Iterator[tuple[str, str]]:
        """Yield the files that are copied: those of static folders, and those beside documents."""
        for folder in self._static_folders():
            for file in self._origin.files(folder):
                yield file, f"/{posixpath.relpath(file, folder)}"
        for docs in self._doc_sets():
            for file in self._origin.files(docs.folder):
                if not re.search(r"\.(?:mdx?|jsx?|tsx?|json|ya?ml)$", file):
                    yield file, f"/{posixpath.join(docs.route, posixpath.relpath(file, docs.folder))}"

    def _settings(self, documents: Mapping[str, _Document]) -> Mapping[str, object]:
        url = self._choices.url or self._text("url")
        base = self._text("baseUrl").strip("/")
        settings: dict[str, object] = {
            "title": self._text("title"),
            "description": self._text("tagline"),
            "url": f"{url.rstrip('/')}/{base}".rstrip("/") if url else "",
            "docs_at": self._docs_at(),
            "language": self._text("i18n", "defaultLocale"),
            "favicon": _rooted(self._text("favicon")),
            "logo": _rooted(self._text("themeConfig", "navbar", "logo", "src")),
            "social_image": _rooted(self._text("themeConfig", "image")),
        }
        return {name: value for name, value in settings.items() if value}


_EXCLUDED = ["**/_*.{js,jsx,ts,tsx,md,mdx}", "**/_*/**", "**/*.test.{js,jsx,ts,tsx}", "**/__tests__/**"]


class _Tree(Struct):
    """Documents by name, and folders of them."""

    documents: dict[str, _Document]
    folders: dict[str, _Tree]

    @staticmethod
    def of(listed: Iterator[tuple[str, _Document]]) -> _Tree:
        """Return the tree of some documents by their paths."""
        root = _Tree({}, {})
        for path, document in listed:
            *folders, name = path.split("/")
            here = root
            for folder in folders:
                here = here.folders.setdefault(folder, _Tree({}, {}))
            here.documents[_PAGE.sub("", name)] = document
        return root


def _str(value: Literal, default: str = "") -> str:
    return value if isinstance(value, str) else default


def _file_of(value: Literal) -> str:
    """Return the file that a path names: a text, or `require.resolve("./x")`."""
    if isinstance(value, Call) and value.name in {"require.resolve", "path.resolve", "resolve", "require"}:
        return "/".join(each for each in value.arguments if isinstance(each, str))
    return _str(value)


def _rooted(path: str) -> str:
    return path if not path or re.match(r"[a-z]+:|/", path) else f"/{path}"


def _unnumbered(name: str) -> tuple[str, float | None]:
    """Part a name from the number in front of it, which is none in a version or a date."""
    found = _NUMBER.match(name)
    if not found or _NO_NUMBER.match(name):
        return name, None
    return name[found.end() :], float(re.match(r"\d+", name)[0])  # type: ignore[index]


def _is_index(name: str, folder: str) -> bool:
    base = _unnumbered(name)[0].casefold()
    return base in {"index", "readme", folder.casefold()}


def _address(route: str, folders: str, base: str, id_: str, slug: object) -> str:
    """Return the address of a document."""
    if isinstance(slug, str) and slug:
        inner = slug.strip("/") if slug.startswith("/") else posixpath.normpath(posixpath.join(folders, slug))
    elif posixpath.basename(id_) == base and _is_index(base, posixpath.basename(folders)):
        inner = f"{folders}/"
    else:
        inner = id_
    return f"/{posixpath.join(route, inner)}".replace("//", "/")


def _glob(pattern: str) -> re.Pattern[str]:
    """Return the expression for a glob with `**` and `{a,b}`."""
    alternatives = [pattern]
    while any("{" in one for one in alternatives):
        alternatives = [each for one in alternatives for each in _expanded(one)]
    return re.compile("|".join(map(_one_glob, alternatives)))


def _expanded(pattern: str) -> Sequence[str]:
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        return [pattern.replace("{", "[{]")]
    return [pattern[: found.start()] + each + pattern[found.end() :] for each in found[1].split(",")]


def _one_glob(pattern: str) -> str:
    parts = [translate(part).removeprefix("(?s:").removesuffix(r")\Z") for part in pattern.split("**/")]
    return "(?:.*/)?".join(part.replace(".*", "[^/]*") for part in parts).replace("[^/]*[^/]*", ".*")


def _json_module(text: str | None) -> Module:
    try:
        found = json.loads(text or "")
    except ValueError:
        found = None
    return Module({"default": found})
