"""Read the sidebars of a set of documents: a file, which is parsed and never run, or the folders.

https://docusaurus.io/docs/sidebar. A category whose link is a generated index has a page with that
address; it becomes a page that lists what is in it.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from builder.importer.literals import Literal, as_text, json_module
from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage
from builder.importer.source_page import read_yaml
from builder.importer.systems.docusaurus.documents import PAGE, DocFile, as_number, is_index, unnumbered
from builder.importer.systems.docusaurus.docusaurus_config import DocSet, DocusaurusConfig
from builder.yaml.safe import YamlFault

_DEEPEST = 40
_MOST = 5_000
"""Lists that are read, so that files which name one another take bounded time."""
_LAST = float("inf")


class Sidebars:
    """The sidebars of one set. `pages` are those of generated indexes."""

    def __init__(
        self, config: DocusaurusConfig, docs: DocSet, documents: Mapping[str, DocFile], inside: str
    ) -> None:
        self._config = config
        self._docs = docs
        self._documents = documents
        self._inside = inside
        self.pages: list[OldPage] = []
        self._left = _MOST
        self._name = "defaultSidebar"
        text = config.origin.text(f"{docs.folder}.json") if docs.locale else None
        words = json_module(text or "").exports.get("default")
        self._words = words if isinstance(words, dict) else {}

    def parts(self) -> Iterator[NavPart]:
        """Yield each sidebar; the folders as they are where there is no file."""
        found = self._read()
        if not found:
            is_named = self._docs.key != "default"
            label = self._label_of(self._docs.key if is_named else "defaultSidebar", "defaultSidebar")
            yield NavPart(tuple(self._generated(".")), label, self._unique("defaultSidebar"))
            return
        for name, items in found.items():
            self._name = name
            entries = tuple(self._entries(items, 0))
            is_alone = len(found) == 1 and self._docs.key == "default" and not self._docs.is_default
            label = self._label() if is_alone else self._label_of(name)
            yield NavPart(entries, label, self._unique(name))

    def _unique(self, sidebar: str) -> str:
        """Return the name of a sidebar among those of all instances, "" in another version or language."""
        if not self._docs.is_default:
            return ""
        return sidebar if self._docs.key == "default" else f"{self._docs.key}-{sidebar}"

    def _read(self) -> Mapping[str, Literal]:
        file = self._docs.sidebar
        if not file:
            return {}
        module = self._config.read(file)
        found = module.exports.get("default")
        if not isinstance(found, dict):
            found = {name: value for name, value in module.exports.items() if isinstance(value, list | dict)}
        if not found:
            self._config.lose("sidebar that cannot be read", file)
        return found

    def _said(self, kind: str, label: str, part: str = "") -> str:
        """Return a label in the language of the set, as the file of its translations has it."""
        found = self._words.get(f"sidebar.{self._name}.{kind}.{label}{part}")
        return (as_text(found.get("message")) if isinstance(found, dict) else "") or label

    def _label(self) -> str:
        """Return the label of a version's or language's only sidebar."""
        return " ".join(filter(None, (self._docs.version, self._docs.locale)))

    def _label_of(self, name: str, sidebar: str = "") -> str:
        """Return the label of the header's entry for a sidebar, else its name made readable."""
        items = self._config.at("themeConfig", "navbar", "items")
        for item in items if isinstance(items, list) else []:
            key = as_text(item.get("docsPluginId"), "default") if isinstance(item, dict) else ""
            is_own = key == self._docs.key and item.get("sidebarId") == (sidebar or name)
            if is_own and as_text(item.get("label")):
                return f"{item['label']} {self._label()}".strip()
        plain = re.sub(r"[-_]?sidebars?$", "", name, flags=re.IGNORECASE)
        plain = "" if plain == "default" else plain
        readable = re.sub(r"(?<=[a-z])(?=[A-Z])|[-_]", " ", plain).strip().capitalize() or "Docs"
        return f"{readable} {self._label()}".strip()

    def _entries(self, items: Literal, depth: int) -> Iterator[NavEntry]:
        items = self._config.follow(items, self._docs.sidebar)
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return
        if isinstance(items, dict):
            for label, inner in items.items():
                yield NavEntry(self._said("category", label), items=tuple(self._entries(inner, depth + 1)))
            return
        for item in items if isinstance(items, list) else []:
            if isinstance(item, str):
                yield from self._doc_entry(item, "")
            elif isinstance(item, dict) and "type" not in item:
                yield from self._entries(item, depth + 1)
            elif isinstance(item, dict):
                yield from self._entry(item, depth)
            elif isinstance(found := self._config.follow(item, self._docs.sidebar), list | dict):
                yield from self._entries(found if isinstance(found, list) else [found], depth + 1)
            else:
                self._config.lose("entry of a sidebar that is no data", item)

    def _entry(self, item: Mapping[str, Literal], depth: int) -> Iterator[NavEntry]:
        kind, label = item.get("type"), as_text(item.get("label"))
        if kind in {"doc", "ref"}:
            yield from self._doc_entry(as_text(item.get("id")), label and self._said("doc", label))
        elif kind == "link":
            yield NavEntry(self._said("link", label), href=as_text(item.get("href")))
        elif kind == "autogenerated":
            yield from self._generated(as_text(item.get("dirName"), "."))
        elif kind == "category":
            yield self._category(item, label, depth)
        else:
            yield from self._other(kind, label or as_text(item.get("value")))

    def _other(self, kind: Literal, text: str) -> Iterator[NavEntry]:
        shown = html.unescape(re.sub(r"<[^<>]*>", "", text)).strip()
        self._config.lose(f"entry of a sidebar of type {as_text(kind)}", text, "a heading" if shown else "")
        if shown:
            yield NavEntry(" ".join(shown.split()), is_heading=True)

    def _category(self, item: Mapping[str, Literal], label: str, depth: int) -> NavEntry:
        link, page = item.get("link"), ""
        items = tuple(self._entries(item.get("items"), depth + 1))
        if isinstance(link, dict) and link.get("type") == "doc":
            found = self._document(as_text(link.get("id")))
            page = found.page.file if found else ""
        elif isinstance(link, dict) and link.get("type") == "generated-index":
            page = self._index(label, link, items)
        collapsed = item.get("collapsed")
        folded = collapsed if isinstance(collapsed, bool) else None
        return NavEntry(self._said("category", label), page, items=items, collapsed=folded)

    def _document(self, id_: str) -> DocFile | None:
        found = self._documents.get(id_)
        plain = "/".join(unnumbered(part)[0] for part in id_.split("/"))
        return found or self._documents.get(plain)

    def _doc_entry(self, id_: str, label: str) -> Iterator[NavEntry]:
        found = self._document(id_)
        if found is None:
            self._config.lose("entry of a sidebar whose document is not there", id_)
        elif not found.is_draft:
            yield NavEntry(label, found.page.file)

    def _index(self, label: str, link: Mapping[str, object], items: Sequence[NavEntry]) -> str:
        """Add the page of a generated index; return its file, which is that of the sidebar with its name."""
        title = as_text(link.get("title"), label)
        slug = as_text(link.get("slug"), f"/category/{slugged(label)}").strip("/")
        place = self._docs.folder if self._docs.locale else self._docs.sidebar or self._docs.folder
        file = f"{place}#{slug}"
        if any(page.file == file for page in self.pages):
            return file
        if self._words:
            shown = self._said("category", label, ".link.generated-index.title")
            title = shown if shown != label else self._said("category", title)
        fields = {"title": title, "sidebar_label": self._said("category", label)}
        address = f"/{self._docs.route}/{slug}".replace("//", "/")
        body = "".join(f"{part}\n" for part in self._listed(as_text(link.get("description")), items))
        self.pages.append(OldPage(file, address, posixpath.join(self._inside, slug), body, 1, fields))
        return file

    def _listed(self, description: str, items: Iterable[NavEntry]) -> Iterator[str]:
        if description:
            yield from (description, "")
        addresses = {each.page.file: each.page for each in self._documents.values()}
        addresses |= {page.file: page for page in self.pages}
        for item in items:
            page = addresses.get(item.page)
            title = str(page.fields.get("title") or posixpath.basename(page.name)) if page else item.href
            label = (item.label or title).replace("[", "\\[").replace("]", "\\]")
            target = page.address if page else item.href
            if label and not item.is_heading:
                yield f"- [{label}](<{target}>)" if target else f"- {label}"

    def _generated(self, folder: str) -> Iterator[NavEntry]:
        """Yield the entries of a folder as Docusaurus orders them: by position, then by name."""
        inner = posixpath.normpath(folder)
        prefix = "" if inner == "." else f"{inner}/"
        tree = _Tree({}, {})
        for each in (one for one in self._documents.values() if not one.is_draft):
            if each.inner.startswith(prefix):
                tree.add(each.inner.removeprefix(prefix).split("/"), each)
        yield from self._tree(tree, posixpath.join(self._docs.folder, prefix).rstrip("/"))

    def _tree(self, tree: _Tree, folder: str) -> Iterator[NavEntry]:
        ordered: list[tuple[float, str, NavEntry]] = []
        for name, document in tree.documents.items():
            position = _LAST if document.position is None else document.position
            ordered.append((position, name, NavEntry("", document.page.file)))
        for name, inner in tree.folders.items():
            ordered.append(self._folder(name, inner, posixpath.join(folder, name)))
        yield from (entry for _, _, entry in sorted(ordered, key=lambda one: one[:2]))

    def _folder(self, name: str, tree: _Tree, place: str) -> tuple[float, str, NavEntry]:
        """Return the position, name and entry of a folder, by its `_category_` file and its index page."""
        about = self._about(place)
        clean, number = unnumbered(name)
        index = next((one for one in tree.documents if is_index(one, clean)), "")
        link = about.get("link")
        named = self._document(str(link.get("id"))) if isinstance(link, dict) and link.get("id") else None
        page = tree.documents.pop(index).page.file if index and named is None else ""
        label = as_text(about.get("label"), clean)
        if named is not None:
            tree.remove(named)
            page = named.page.file
        items = tuple(self._tree(tree, place))
        if isinstance(link, dict) and link.get("type") == "generated-index" and not page:
            page = self._index(label, link, items)
        collapsed = about.get("collapsed")
        folded = collapsed if isinstance(collapsed, bool) else None
        position = as_number(about.get("position"))
        position = number if position is None else position
        return (
            _LAST if position is None else position,
            name,
            NavEntry(self._said("category", label), page, "", items, collapsed=folded),
        )

    def _about(self, folder: str) -> Mapping[str, object]:
        """Return what the `_category_` file of a folder says."""
        places = [folder]
        if self._docs.original:
            places.append(f"{self._docs.original}{folder.removeprefix(self._docs.folder)}")
        for file in (f"{place}/_category_.{end}" for place in places for end in ("json", "yml", "yaml")):
            text = self._config.origin.text(file)
            if text is None:
                continue
            try:
                found = read_yaml(text).value
            except YamlFault as fault:
                self._config.losses.append(Loss("category file that cannot be read", file, 1, fault.message))
                continue
            return found if isinstance(found, dict) else {}
        return {}


class _Tree(Struct):
    """Documents by name, and folders of them."""

    documents: dict[str, DocFile]
    folders: dict[str, _Tree]

    def add(self, way: Sequence[str], document: DocFile) -> None:
        """Put a document at the end of a way of names."""
        here = self
        for folder in way[:-1]:
            here = here.folders.setdefault(folder, _Tree({}, {}))
        here.documents[PAGE.sub("", way[-1])] = document

    def remove(self, document: DocFile) -> None:
        """Take out a document that stands right here."""
        self.documents = {name: one for name, one in self.documents.items() if one.id != document.id}


def slugged(label: str) -> str:
    """Return a label as Docusaurus makes an address of it."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", label.strip().lower()))
