"""The navigation of a site of Mintlify, with the pages that are made from API descriptions it names.

https://mintlify.com/docs/organize/navigation. An entry is a page, `GET /path` of a description, or a group;
a group that names a description and no pages has all of its operations, by tag.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

import msgspec

from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage
from builder.importer.page_work import Choices
from builder.importer.systems.mintlify.api_operations import (
    METHODS,
    OPERATION,
    ApiDescriptions,
    ApiOperation,
    attributes,
    head_of,
    lines_of,
    text_of,
)
from builder.importer.systems.mintlify.mintlify_settings import old_tabs

_GROUPS = ("languages", "versions", "tabs", "anchors", "dropdowns", "products", "menu", "groups", "pages")
_LABELS = ("tab", "anchor", "dropdown", "product", "language", "version", "group", "item")
_PARTS = frozenset({"tabs", "anchors", "dropdowns", "products"})
_DEEPEST = 12
_MOST_MADE = 2_000
_DIRECTORY = "api-reference"


class MintlifyNavigation:
    """The navigation; pages that it makes are added to those of the site."""

    def __init__(
        self,
        config: Mapping[str, object],
        file: str,
        pages: dict[str, OldPage],
        descriptions: ApiDescriptions,
        choices: Choices,
    ) -> None:
        self.losses: list[Loss] = []
        self.offered: dict[str, list[str]] = {"languages": [], "versions": []}
        self._config = config
        self._file = file
        self._pages = pages
        self._descriptions = descriptions
        self._choices = choices
        self._made: dict[tuple[str, str], str] = {}

    def read(self) -> tuple[NavPart, ...]:
        """Return the parts of the navigation."""
        found = self._config.get("navigation")
        tabs = old_tabs(self._config)
        if isinstance(found, list) and tabs:
            return tuple(self._old_parts(found, tabs))
        return tuple(self._parts(found, 0, ""))

    def _old_parts(self, groups: Sequence[object], tabs: Sequence[tuple[str, str]]) -> Iterator[NavPart]:
        """Yield the parts of `mint.json`: a group is in the tab whose folder its first page is in."""
        entries = [entry for each in groups for entry in self._entries([each], 0, "")]
        by_tab: dict[str, list[NavEntry]] = {"": [], **{label: [] for label, _ in tabs}}
        for entry in entries:
            first = next(_pages_of(entry), "")
            label = next((label for label, folder in tabs if first.startswith(f"{folder}/")), "")
            by_tab[label].append(entry)
        yield from (NavPart(tuple(items), label) for label, items in by_tab.items() if items)

    def _parts(self, navigation: object, depth: int, spec: str) -> Iterator[NavPart]:
        """Yield a part for each tab, anchor or drop-down; a site without them has one."""
        if isinstance(navigation, list):
            yield NavPart(tuple(self._entries(navigation, 0, spec)))
            return
        if not isinstance(navigation, dict) or depth > _DEEPEST:
            return
        spec = _spec_of(navigation) or spec
        kinds = [name for name in _GROUPS if isinstance(navigation.get(name), list)]
        for kind in kinds:
            listed = self._chosen(kind, navigation[kind])
            if kind in _PARTS:
                for each in listed:
                    yield from self._part(each, depth, spec)
            elif kind in {"languages", "versions"}:
                for each in listed:
                    yield from self._parts(each, depth + 1, spec)
            else:
                yield NavPart(tuple(self._entries(listed, 0, spec)))
        if not kinds and _spec_of(navigation):
            yield NavPart(tuple(self._operations(navigation)))

    def _part(self, each: object, depth: int, spec: str) -> Iterator[NavPart]:
        inner = list(self._parts(each, depth + 1, spec))
        label = _label(each)
        if inner and not any(part.label for part in inner):
            yield NavPart(tuple(entry for part in inner for entry in part.entries), label)
        elif inner:
            yield from inner
        elif isinstance(each, dict) and isinstance(each.get("href"), str):
            yield NavPart((NavEntry(label, href=str(each["href"])),), "")

    def _chosen(self, kind: str, listed: object) -> Sequence[object]:
        """Return what is imported: of languages and versions the first one, and those asked for."""
        entries = listed if isinstance(listed, list) else []
        self.offered.get(kind, []).extend(map(_label, entries))
        wanted = {"languages": self._choices.locales, "versions": self._choices.versions}.get(kind)
        if wanted is None or not entries or wanted == ("all",):
            return entries
        first = next((one for one in entries if isinstance(one, dict) and one.get("default")), entries[0])
        chosen = [one for one in entries if one is first or _label(one) in wanted]
        for one in entries:
            if one not in chosen:
                now = "its pages are there, and in no navigation"
                loss = Loss(f"{kind[:-1]} that is not imported", self._file, 0, _label(one), now, "changed")
                self.losses.append(loss)
        return chosen

    def _entries(self, listed: Sequence[object], depth: int, spec: str) -> Iterator[NavEntry]:
        for each in listed if depth < _DEEPEST else []:
            if isinstance(each, str):
                yield from self._entry(each, spec)
            elif isinstance(each, dict):
                yield from self._group(each, depth, spec)

    def _group(self, each: Mapping[str, object], depth: int, spec: str) -> Iterator[NavEntry]:
        spec, lists = (
            _spec_of(each) or spec,
            [each[name] for name in _GROUPS if isinstance(each.get(name), list)],
        )
        inner: list[object] = [one for found in lists if isinstance(found, list) for one in found]
        items = tuple(self._entries(inner, depth + 1, spec))
        if not inner and _spec_of(each):
            items = tuple(self._operations(each))
        named = each.get("root")
        root = self._file_of(named) if isinstance(named, str) else ""
        label, href = _label(each), each.get("href")
        if items or root:
            collapsed = None if "expanded" not in each else not each["expanded"]
            yield NavEntry(label, root, items=items, collapsed=collapsed)
        elif isinstance(href, str):
            yield NavEntry(label, href=href)

    def _entry(self, name: str, spec: str) -> Iterator[NavEntry]:
        file = self._file_of(name)
        operation = None if file else OPERATION.fullmatch(" ".join(name.split()))
        if file:
            yield NavEntry("", file)
        elif re.match(r"https?://", name):
            yield NavEntry(name, href=name)
        elif operation is not None and operation["method"].lower() in METHODS:
            told = name if operation["file"] or not spec else f"{spec} {name}"
            found = self._descriptions.operation(told) or self._descriptions.operation(name)
            if found is not None:
                yield NavEntry("", self._made_page(found, _DIRECTORY))
            else:
                self.losses.append(Loss("page made from an API description", self._file, 0, name))
        else:
            self.losses.append(Loss("entry of the navigation that is not there", self._file, 0, name))

    def _operations(self, each: Mapping[str, object]) -> Iterator[NavEntry]:
        """Yield all operations of the description that a group names, by tag."""
        spec, given = _spec_of(each), each.get("openapi")
        directory = str(given.get("directory") or "") if isinstance(given, dict) else ""
        description = self._descriptions.of(spec)
        if description is None:
            self.losses.append(Loss("group made from an API description", self._file, 0, spec))
            return
        by_tag: dict[str, list[NavEntry]] = {}
        for operation in description.operations():
            made = self._made_page(operation, directory.strip("/") or _DIRECTORY)
            if made:
                by_tag.setdefault(operation.tag, []).append(NavEntry("", made))
        for tag, items in by_tag.items():
            yield from (NavEntry(tag, items=tuple(items)),) if tag else items

    def _made_page(self, operation: ApiOperation, directory: str) -> str:
        """Return the file of the page that stands for an operation; it is made where there is none."""
        key = operation.method, operation.path
        if key not in self._made and len(self._made) < _MOST_MADE:
            name = posixpath.join(directory, *map(_slug, filter(None, (operation.tag, operation.title))))
            number, file = 1, f"{name}.mdx"
            while file in self._pages:
                number, file = number + 1, f"{name}-{number + 1}.mdx"
            page = OldPage(file, f"/{file.removesuffix('.mdx')}", file.removesuffix(".mdx"), "", is_mdx=True)
            self._pages[file] = operation_page(page, operation)
            self._made[key] = file
        return self._made.get(key, "")

    def _file_of(self, name: str) -> str:
        name = posixpath.normpath(name.strip("/"))
        tried = (f"{name}{ending}" for ending in (".mdx", ".md", "/index.mdx", "/index.md", ""))
        return next((file for file in tried if file in self._pages), "")


def operation_page(page: OldPage, operation: ApiOperation) -> OldPage:
    """Return a page with an operation: itself on top, its parameters and answers below the page's text."""
    fields = {"title": operation.title, **page.fields}
    said = operation.said.get("description")
    head = [head_of(operation)]
    if isinstance(said, str) and said.strip() and not page.body.strip():
        head.append(text_of(said))
    return with_lines(msgspec.structs.replace(page, fields=fields), head, list(lines_of(operation)))


def with_lines(page: OldPage, above: Sequence[str], below: Sequence[str]) -> OldPage:
    """Return a page with paragraphs above and below its text; its own lines keep their numbers."""
    own = page.body.rstrip("\n").split("\n")
    before = "\n\n".join((*above, "")).split("\n") if above else []
    after = "\n\n".join(("", *below, "")).split("\n") if below else [""]
    last = page.first_line + len(own) - 1
    numbers = [page.first_line] * len(before) + [page.first_line + at for at in range(len(own))]
    numbers += [last] * len(after)
    return msgspec.structs.replace(page, body="\n".join((*before, *own, *after)), lines=tuple(numbers))


def endpoint_of(told: str) -> str:
    """Return the line for an operation that is named alone, `POST https://a.example/b`; "" for none."""
    found = OPERATION.fullmatch(" ".join(told.split()))
    if found is None or found["method"].lower() not in METHODS:
        return ""
    path, base = found["path"], ""
    if re.match(r"https?://", path):
        parts = urlsplit(path)
        path, base = parts.path or "/", f"{parts.scheme}://{parts.netloc}"
    given = [("method", found["method"].upper()), ("path", path), ("baseUrl", base)]
    return f"<Endpoint {attributes(given)} />"


def _spec_of(each: Mapping[str, object]) -> str:
    """Return the file of the description that an entry names, the first of several."""
    found = each.get("openapi")
    found = found.get("source") if isinstance(found, dict) else found
    found = found[0] if isinstance(found, list) and found else found
    return found if isinstance(found, str) else ""


def _pages_of(entry: NavEntry) -> Iterator[str]:
    if entry.page:
        yield entry.page
    for each in entry.items:
        yield from _pages_of(each)


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-")[:80] or "page"


def _label(each: object) -> str:
    found = each if isinstance(each, dict) else {}
    return next((found[name] for name in _LABELS if isinstance(found.get(name), str)), "")
