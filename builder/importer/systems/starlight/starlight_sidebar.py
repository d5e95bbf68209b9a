"""Read the sidebar of Starlight: entries, groups, folders, in each language that is imported.

https://starlight.astro.build/guides/sidebar/. Without one, it has the folders of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from builder.importer.literals import Literal, as_text, first_data
from builder.importer.old_site import Loss, NavEntry, NavPart
from builder.importer.source_page import SourcePage
from builder.importer.source_tree import SourceTree
from builder.importer.systems.starlight.starlight_settings import label_of

DOCS = "src/content/docs"
PAGE = re.compile(r"\.(?:mdx?|mdoc|markdown)$", re.IGNORECASE)
_DEEPEST = 12


class StarlightSidebar:
    """The sidebar that a configuration describes.

    `pages` are the sources of pages by their file, `slugs` their files by their slug; `main` is the folder of
    the site's own language.
    """

    def __init__(
        self,
        origin: SourceTree,
        config: Mapping[str, Literal],
        file: str,
        losses: list[Loss],
        *,
        pages: Mapping[str, SourcePage],
        slugs: Mapping[str, str],
        main: str,
    ) -> None:
        self._losses = losses
        self._origin = origin
        self._config = config
        self._file = file
        self._pages = pages
        self._slugs = slugs
        self._main = self._locale = main

    def parts(self, others: frozenset[str]) -> Iterator[NavPart]:
        """Yield the sidebar for the site's own language, and for each other one that is imported."""
        locales, sidebar = self._config.get("locales"), self._config.get("sidebar")
        names = [name for name in locales if name != "root"] if isinstance(locales, dict) else []
        for name in (self._main, *(each for each in names if each not in {self._main, *others})):
            self._locale = name
            told = len(self._losses)
            entries = self._entries(sidebar, 0) if isinstance(sidebar, list) else self._folder(name)
            label = label_of(first_data(locales, name, "label")) or name
            part = NavPart(tuple(entries), "" if name == self._main else label)
            if name != self._main:
                del self._losses[told:]
            if self._origin.has_folder(f"{DOCS}/{name}"):
                yield part

    def _entries(self, listed: Literal, depth: int) -> Iterator[NavEntry]:
        for each in listed if isinstance(listed, list) and depth < _DEEPEST else []:
            if isinstance(each, str):
                yield from self._entry("", each)
            elif isinstance(each, dict):
                yield from self._item(each, depth)
            else:
                self._losses.append(
                    Loss(
                        "entry of the sidebar that is no data",
                        self._file,
                        0,
                        str(getattr(each, "text", each)),
                    )
                )

    def _item(self, item: Mapping[str, Literal], depth: int) -> Iterator[NavEntry]:
        label, collapsed = self._translated(item), item.get("collapsed")
        badge = item.get("badge")
        if badge:
            shown = badge if isinstance(badge, str) else label_of(first_data(badge, "text"))
            self._losses.append(Loss("badge in the sidebar", self._file, 0, f"{label} {shown}".strip()))
        folded = collapsed if isinstance(collapsed, bool) else None
        generated = item.get("autogenerate")
        if isinstance(item.get("items"), list):
            inner = tuple(self._entries(item["items"], depth + 1))
            yield from [NavEntry(label, items=inner, collapsed=folded)] if label else inner
        elif isinstance(generated, dict):
            folder = as_text(generated.get("directory")).strip("/")
            localized = "/".join(filter(None, (self._locale, folder)))
            is_there = not self._is_main or self._origin.has_folder(f"{DOCS}/{localized}")
            folds = True if generated.get("collapsed") is True else None
            inner = tuple(self._folder(localized if is_there else folder, folds))
            yield from [NavEntry(label, items=inner, collapsed=folded)] if label else inner
        elif isinstance(item.get("slug"), str):
            yield from self._entry(label, as_text(item["slug"]))
        elif isinstance(item.get("link"), str):
            yield from self._link(label, as_text(item["link"]))

    @property
    def _is_main(self) -> bool:
        return self._locale == self._main

    def _translated(self, item: Mapping[str, Literal]) -> str:
        """Return the label of an entry in the language whose sidebar is read."""
        language = first_data(self._config.get("locales"), self._locale, "lang")
        listed = item.get("translations")
        for name in (language, self._locale):
            found = listed.get(name) if isinstance(listed, dict) and isinstance(name, str) else None
            if isinstance(found, str):
                return found
        return label_of(item.get("label"))

    def _link(self, label: str, link: str) -> Iterator[NavEntry]:
        file = self._slugs.get(link.strip("/")) if "#" not in link else None
        yield NavEntry(label, file) if file else NavEntry(label, href=link)

    def _entry(self, label: str, slug: str) -> Iterator[NavEntry]:
        slug = slug.strip("/")
        inner = "" if slug == "index" else slug.removesuffix("/index")
        localized = "/".join(filter(None, (self._locale, inner)))
        file = self._slugs.get(localized) or (self._is_main and self._slugs.get(inner))
        if file:
            yield NavEntry(label, file)
        elif self._is_main:
            self._losses.append(Loss("entry of the sidebar that is not there", self._file, 0, slug))

    def _folder(self, folder: str, folds: bool | None = None) -> Iterator[NavEntry]:
        """Yield the entries of a folder: by the order that pages ask for, then by path.

        `folds` says that folders in it are collapsed.
        """
        prefix = f"{DOCS}/{folder.strip('/')}/".replace("//", "/")
        inner = {file.removeprefix(prefix): file for file in self._pages if file.startswith(prefix)}
        here = {path: file for path, file in inner.items() if "/" not in path}
        ordered = sorted(
            (self._order(file), path, file) for path, file in here.items() if PAGE.sub("", path) != "404"
        )
        groups = sorted({path.split("/")[0] for path in inner if "/" in path})
        if not folder and isinstance(languages := self._config.get("locales"), dict):
            groups = [name for name in groups if name not in languages]
        yield from (NavEntry("", file) for _, _, file in ordered if not self._is_hidden(file))
        for name in groups:
            items = tuple(self._folder(f"{folder}/{name}".strip("/"), folds))
            yield NavEntry(name, items=items, collapsed=folds)

    def _order(self, file: str) -> float:
        given = first_data(dict(self._pages[file].fields), "sidebar", "order")
        return float(given) if isinstance(given, int | float) else float("inf")

    def _is_hidden(self, file: str) -> bool:
        return first_data(dict(self._pages[file].fields), "sidebar", "hidden") is True
