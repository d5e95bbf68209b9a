"""Read a site of Starlight: `astro.config`, which is parsed and never run, and its collection of pages.

https://starlight.astro.build/reference/configuration/ and .../reference/frontmatter/. A page's address is its
path below `src/content/docs`, as a slug, unless its frontmatter has one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from builder.importer.literals import Call, Literal, first_data, read_module
from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.origin import NoOrigin, Origin
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import SourcePage, read_page
from builder.importer.systems.starlight import pages

_CONFIGS = tuple(f"astro.config.{ending}" for ending in ("mjs", "ts", "js", "mts", "cjs"))
_DOCS = "src/content/docs"
_PAGE = re.compile(r"\.(?:mdx?|mdoc|markdown)$", re.IGNORECASE)
_NOT_IN_SLUG = re.compile(r"[^\w\s-]")
_KEPT = {"title": "title", "description": "description", "draft": "draft"}
_KNOWN = frozenset({*_KEPT, "slug", "sidebar", "tableOfContents", "template", "hero"})
_DEEPEST = 12


class Starlight:
    """The rules of Starlight."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "starlight"

    def finds(self, origin: Origin) -> bool:
        """Return whether there is a configuration of Astro that has Starlight in it."""
        return any("starlight" in (origin.text(name) or "") for name in _CONFIGS if origin.has(name))

    def read(self, origin: Origin, choices: Choices) -> OldSite:
        """Read the site. Raises NoOrigin where its configuration is no data."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite tags, admonitions and fences."""
        pages.rewrite(work)


class _Site:
    """A site that is read."""

    def __init__(self, origin: Origin, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._file = next((name for name in _CONFIGS if origin.has(name)), _CONFIGS[0])
        config = read_module(origin.text(self._file) or "").exports.get("default")
        self._astro: Mapping[str, Literal] = config if isinstance(config, dict) else {}
        self._config = self._options()
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}
        self._sources: dict[str, SourcePage] = {}
        self._slugs: dict[str, str] = {}

    def _options(self) -> Mapping[str, Literal]:
        listed = self._astro.get("integrations")
        for each in listed if isinstance(listed, list) else []:
            if isinstance(each, Call) and each.name == "starlight" and each.arguments:
                return each.arguments[0] if isinstance(each.arguments[0], dict) else {}
            if isinstance(each, dict) and "title" in each:
                return each
        hint = "its call `starlight({...})` must be data that can be read without running it"
        raise NoOrigin("has no Starlight that can be read", path=self._file, hint=hint)

    def read(self) -> OldSite:
        """Return all that the site has."""
        others = self._other_locales()
        for file in self._origin.files(_DOCS):
            inner = posixpath.relpath(file, _DOCS)
            if _PAGE.search(file) and inner.split("/")[0] not in others and not _is_part(inner):
                self._page(file, inner)
        if not self._pages:
            raise NoOrigin("there are no pages", path=_DOCS, hint="is the folder of the site?")
        sidebar = self._config.get("sidebar")
        entries = self._entries(sidebar, 0) if isinstance(sidebar, list) else self._folder("")
        parts = (NavPart(tuple(entries)),)
        return OldSite(
            "starlight",
            tuple(self._pages.values()),
            parts,
            self._settings(),
            dict(self._files()),
            redirects=dict(self._redirects()),
            roots=(_DOCS, "public", ""),
            base=_str(self._astro.get("base")).rstrip("/"),
            losses=tuple(self._losses),
        )

    def _other_locales(self) -> frozenset[str]:
        locales = self._config.get("locales")
        if not isinstance(locales, dict):
            return frozenset()
        wanted = self._choices.locales
        found = frozenset(
            name for name in locales if name != "root" and name not in wanted and wanted != ("all",)
        )
        for name in sorted(found):
            if self._origin.has_folder(f"{_DOCS}/{name}"):
                self._losses.append(Loss("locale that is not imported", self._file, 0, name))
        return found

    def _page(self, file: str, inner: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        name = _PAGE.sub("", inner)
        given = source.fields.get("slug")
        slug = given.strip("/") if isinstance(given, str) else "/".join(map(_slug, name.split("/")))
        if slug == "index" or slug.endswith("/index"):
            slug = slug.removesuffix("index").rstrip("/")
        fields = {new: source.fields[old] for old, new in _KEPT.items() if old in source.fields}
        fields |= _sidebar_fields(source.fields)
        self._losses += [*source.losses, *_untold(source)]
        address = f"/{slug}/" if slug else "/"
        body = _with_hero(source)
        is_404 = name == "404"
        self._pages[file] = OldPage(
            file,
            address,
            name,
            body,
            source.first_line,
            fields,
            is_mdx=file.endswith(".mdx"),
            is_standalone=is_404,
        )
        self._sources[file] = source
        self._slugs.setdefault(slug, file)

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
        label, collapsed = _str(item.get("label")), item.get("collapsed")
        folded = collapsed if isinstance(collapsed, bool) else None
        generated = item.get("autogenerate")
        if isinstance(item.get("items"), list):
            inner = tuple(self._entries(item["items"], depth + 1))
            yield from [NavEntry(label, items=inner, collapsed=folded)] if label else inner
        elif isinstance(generated, dict):
            inner = tuple(self._folder(_str(generated.get("directory"))))
            yield from [NavEntry(label, items=inner, collapsed=folded)] if label else inner
        elif isinstance(item.get("slug"), str):
            yield from self._entry(label, _str(item["slug"]))
        elif isinstance(item.get("link"), str):
            yield from self._link(label, _str(item["link"]))

    def _link(self, label: str, link: str) -> Iterator[NavEntry]:
        file = self._slugs.get(link.strip("/")) if "#" not in link else None
        yield NavEntry(label, file) if file else NavEntry(label, href=link)

    def _entry(self, label: str, slug: str) -> Iterator[NavEntry]:
        slug = slug.strip("/")
        file = self._slugs.get("" if slug == "index" else slug.removesuffix("/index"))
        if file:
            yield NavEntry(label, file)
        else:
            self._losses.append(Loss("entry of the sidebar that is not there", self._file, 0, slug))

    def _folder(self, folder: str) -> Iterator[NavEntry]:
        """Yield the entries of a folder: by the order that pages ask for, then by path."""
        prefix = f"{_DOCS}/{folder.strip('/')}/".replace("//", "/")
        inner = {file.removeprefix(prefix): file for file in self._pages if file.startswith(prefix)}
        here = {path: file for path, file in inner.items() if "/" not in path}
        ordered = sorted(
            (self._order(file), path, file) for path, file in here.items() if _PAGE.sub("", path) != "404"
        )
        groups = sorted({path.split("/")[0] for path in inner if "/" in path})
        yield from (NavEntry("", file) for _, _, file in ordered if not self._is_hidden(file))
        for name in groups:
            yield NavEntry(name, items=tuple(self._folder(f"{folder}/{name}".strip("/"))))

    def _order(self, file: str) -> float:
        given = first_data(dict(self._sources[file].fields), "sidebar", "order")
        return float(given) if isinstance(given, int | float) else float("inf")

    def _is_hidden(self, file: str) -> bool:
        return first_data(dict(self._sources[file].fields), "sidebar", "hidden") is True

    def _files(self) -> Iterator[tuple[str, str]]:
        for file in self._origin.files("public"):
            yield file, f"/{posixpath.relpath(file, 'public')}"
        for file in self._origin.files("src/assets"):
            yield file, f"/{posixpath.relpath(file, 'src')}"
        for file in self._origin.files(_DOCS):
            if not _PAGE.search(file) and not file.endswith((".astro", ".ts", ".js", ".json")):
                yield file, f"/{posixpath.relpath(file, _DOCS)}"

    def _redirects(self) -> Iterator[tuple[str, str]]:
        listed = self._astro.get("redirects")
        for old, new in listed.items() if isinstance(listed, dict) else ():
            target = new if isinstance(new, str) else _str(first_data(new, "destination"))
            if target:
                yield re.sub(r"\[\.\.\.\w+\]", "*", old), re.sub(r"\[\.\.\.\w+\]", "*", target)

    def _settings(self) -> Mapping[str, object]:
        title = self._config.get("title")
        if isinstance(title, dict):
            title = next((value for value in title.values() if isinstance(value, str)), "")
        base = _str(self._astro.get("base")).strip("/")
        site = (self._choices.url or _str(self._astro.get("site"))).rstrip("/")
        logo = self._config.get("logo")
        edit = _str(first_data(self._config, "editLink", "baseUrl"))
        language = first_data(self._config, "locales", "root", "lang")
        settings: dict[str, object] = {
            "title": title,
            "description": _str(self._config.get("description")),
            "url": f"{site}/{base}".rstrip("/") if site else "",
            "docs_at": "/",
            "language": _str(language),
            "logo": _asset(_str(first_data(logo, "light") or first_data(logo, "src"))),
            "favicon": _str(self._config.get("favicon")),
            "footer": self._footer(),
        }
        if edit:
            self._losses.append(
                Loss("`editLink`", self._file, 0, edit, "set `edit_url` once the new site has its place")
            )
        return {name: value for name, value in settings.items() if value}

    def _footer(self) -> Mapping[str, object]:
        return {}


def _str(value: object) -> str:
    return value if isinstance(value, str) else ""


def _slug(part: str) -> str:
    """Return a name as Astro makes an address of it."""
    return re.sub(r"\s", "-", _NOT_IN_SLUG.sub("", part.lower()).strip())


def _is_part(inner: str) -> bool:
    return any(part.startswith("_") for part in inner.split("/"))


def _asset(path: str) -> str:
    return re.sub(r"^(?:\.?/)?src/", "/", path)


def _sidebar_fields(fields: Mapping[str, object]) -> Mapping[str, object]:
    sidebar = fields.get("sidebar")
    found: dict[str, object] = {}
    if isinstance(sidebar, dict):
        names = {"label": "sidebar_label", "order": "sidebar_position"}
        found |= {new: sidebar[old] for old, new in names.items() if old in sidebar}
    if fields.get("tableOfContents") is False:
        found["hide_toc"] = True
    return found


def _untold(source: SourcePage) -> Iterator[Loss]:
    for key, value in source.fields.items():
        if key not in _KNOWN:
            yield Loss(f"frontmatter `{key}`", source.file, 1, f"{key}: {value}")


def _with_hero(source: SourcePage) -> str:
    """Return the body of a page, with the words and links of its hero above it."""
    hero = source.fields.get("hero")
    if not isinstance(hero, dict):
        return source.body
    lines = [str(hero["tagline"])] if isinstance(hero.get("tagline"), str) else []
    actions = hero.get("actions")
    links = [
        f"[{each['text']}]({each['link']})"
        for each in (actions if isinstance(actions, list) else [])
        if isinstance(each, dict) and "text" in each and "link" in each
    ]
    lines += ["", " ".join(links)] if links else []
    return "\n".join((*lines, "", source.body)) if lines else source.body
