"""Read a site of VitePress: `.vitepress/config`, which is parsed and never run, and its pages.

https://vitepress.dev/reference/site-config and .../default-theme-sidebar. A page's address is its path, with
`.html` unless `cleanUrls` is set.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from builder.importer.literals import Call, Literal, Module, first_data, read_module, texts
from builder.importer.old_site import Loss, NavEntry, NavPart, OldPage, OldSite, System
from builder.importer.origin import NoOrigin, Origin
from builder.importer.page_work import Choices, PageWork
from builder.importer.source_page import SourcePage, read_page
from builder.importer.systems.vitepress import pages

_ENDINGS = ("ts", "mts", "js", "mjs", "cjs")
_CONFIGS = tuple(f".vitepress/{name}.{ending}" for name in ("config", "config/index") for ending in _ENDINGS)
_PAGE = re.compile(r"\.md$", re.IGNORECASE)
_KEPT = {"title": "title", "description": "description"}
_KNOWN = frozenset({*_KEPT, "layout", "hero", "features", "outline", "aside", "sidebar"})
_DEEPEST = 12


class VitePress:
    """The rules of VitePress."""

    @property
    def system(self) -> System:
        """The name of the system."""
        return "vitepress"

    def finds(self, origin: Origin) -> bool:
        """Return whether there is a configuration of VitePress."""
        return any(map(origin.has, _CONFIGS))

    def read(self, origin: Origin, choices: Choices) -> OldSite:
        """Read the site. Raises NoOrigin where its configuration is no data."""
        return _Site(origin, choices).read()

    def rewrite(self, work: PageWork) -> None:
        """Rewrite containers, includes, tags and fences."""
        pages.rewrite(work)


class _Site:
    """A site that is read."""

    def __init__(self, origin: Origin, choices: Choices) -> None:
        self._origin = origin
        self._choices = choices
        self._file = next(filter(origin.has, _CONFIGS), _CONFIGS[0])
        self._losses: list[Loss] = []
        self._pages: dict[str, OldPage] = {}
        found = self._module(self._file).exports.get("default")
        if not isinstance(found, dict):
            hint = "its `export default` must be an object that can be read without running it"
            raise NoOrigin("cannot be read without running it", path=self._file, hint=hint)
        self._config: Mapping[str, Literal] = found
        self._src = posixpath.normpath(_str(found.get("srcDir"), "."))

    def _module(self, file: str) -> Module:
        return read_module(self._origin.text(file) or "")

    def read(self) -> OldSite:
        """Return all that the site has."""
        others = self._other_locales()
        excluded = [
            re.compile(
                re.escape(one).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
            )
            for one in texts(self._config.get("srcExclude"))
        ]
        for file in self._origin.files("" if self._src == "." else self._src):
            inner = posixpath.relpath(file, self._src)
            is_page = _PAGE.search(file) and not any(part.startswith(".") for part in inner.split("/"))
            if (
                is_page
                and inner.split("/")[0] not in others
                and not any(one.fullmatch(inner) for one in excluded)
            ):
                self._page(file, inner)
        if not self._pages:
            raise NoOrigin("there are no pages", path=self._src, hint="is the folder of the site?")
        return OldSite(
            "vitepress",
            tuple(self._pages.values()),
            tuple(self._parts()),
            self._settings(),
            dict(self._files()),
            roots=(self._src, posixpath.normpath(posixpath.join(self._src, "public"))),
            base=_str(self._config.get("base")).rstrip("/"),
            losses=tuple(self._losses),
        )

    def _other_locales(self) -> frozenset[str]:
        locales = self._config.get("locales")
        names = locales if isinstance(locales, dict) else {}
        wanted = self._choices.locales
        found = frozenset(
            name for name in names if name != "root" and name not in wanted and wanted != ("all",)
        )
        self._losses += [Loss("locale that is not imported", self._file, 0, name) for name in sorted(found)]
        return found

    def _page(self, file: str, inner: str) -> None:
        source = read_page(self._origin, file)
        if source is None:
            return
        name = self._rewritten(_PAGE.sub("", inner))
        is_index = posixpath.basename(name) == "index"
        address = f"/{name.removesuffix('index')}" if is_index else f"/{name}.html"
        fields = {new: source.fields[old] for old, new in _KEPT.items() if old in source.fields}
        if source.fields.get("outline") is False or source.fields.get("aside") is False:
            fields["hide_toc"] = True
        self._losses += source.losses
        for key, value in source.fields.items():
            if key not in _KNOWN:
                self._losses.append(Loss(f"frontmatter `{key}`", file, 1, f"{key}: {value}"))
        body = _with_home(source)
        self._pages[file] = OldPage(file, address, name, body, source.first_line, fields)

    def _rewritten(self, name: str) -> str:
        """Return the path that `rewrites` gives a page."""
        rewrites = self._config.get("rewrites")
        target = rewrites.get(f"{name}.md") if isinstance(rewrites, dict) else None
        return _PAGE.sub("", target) if isinstance(target, str) else name

    def _parts(self) -> Iterator[NavPart]:
        sidebar = self._value(first_data(self._config, "themeConfig", "sidebar"))
        if isinstance(sidebar, list):
            yield NavPart(tuple(self._entries(sidebar, "", 0)))
        elif isinstance(sidebar, dict):
            for place, listed in sidebar.items():
                base, items = "", self._value(listed)
                if isinstance(items, dict):
                    base, items = _str(items.get("base")), self._value(items.get("items"))
                entries = tuple(self._entries(items, base, 0))
                if entries:
                    yield NavPart(entries, self._label(place) if len(sidebar) > 1 else "")
        else:
            yield NavPart(tuple(NavEntry("", file) for file in self._pages))

    def _value(self, value: Literal) -> Literal:
        """Follow an import to another file of the configuration; a call of a function that it has too."""
        name = value.name if isinstance(value, Call) else getattr(value, "text", "")
        module = self._module(self._file)
        if not name or name not in module.imports:
            return value
        source, other = module.imports[name]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(self._file), source))
        for file in (
            place,
            *(f"{place}.{ending}" for ending in _ENDINGS),
            *(f"{place}/index.{ending}" for ending in _ENDINGS),
        ):
            if self._origin.has(file):
                return self._module(file).exports.get(other, value)
        return value

    def _label(self, place: str) -> str:
        nav = self._value(first_data(self._config, "themeConfig", "nav"))
        for item in nav if isinstance(nav, list) else []:
            link = _str(item.get("link")) if isinstance(item, dict) else ""
            if link and link.startswith(place) and isinstance(item.get("text"), str):
                return str(item["text"])
        return re.sub(r"[-_/]+", " ", place).strip().capitalize() or "Home"

    def _entries(self, listed: Literal, base: str, depth: int) -> Iterator[NavEntry]:
        for each in listed if isinstance(listed, list) and depth < _DEEPEST else []:
            if not isinstance(each, dict):
                self._losses.append(
                    Loss(
                        "entry of the sidebar that is no data",
                        self._file,
                        0,
                        str(getattr(each, "text", each)),
                    )
                )
                continue
            inner_base = _str(each.get("base"), base)
            items = tuple(self._entries(self._value(each.get("items")), inner_base, depth + 1))
            label, link = _plain(_str(each.get("text"))), each.get("link")
            collapsed = each.get("collapsed")
            folded = collapsed if isinstance(collapsed, bool) else None
            file = self._file_of(f"{inner_base}{link}") if isinstance(link, str) else ""
            if file or items:
                yield NavEntry(label, file, items=items, collapsed=folded)
            elif isinstance(link, str) and re.match(r"[a-z]+:|/", link):
                yield NavEntry(label, href=link)
            elif link is not None:
                self._losses.append(Loss("entry of the sidebar that is not there", self._file, 0, str(link)))

    def _file_of(self, link: str) -> str:
        path = re.sub(
            r"(?:\.html|\.md)$", "", link.split("#", maxsplit=1)[0].split("?", maxsplit=1)[0].strip("/")
        )
        tried = (path, f"{path}/index".strip("/"))
        names = {page.name: file for file, page in self._pages.items()}
        return next((names[name] for name in tried if name in names), "") if "#" not in link else ""

    def _files(self) -> Iterator[tuple[str, str]]:
        public = posixpath.normpath(posixpath.join(self._src, "public"))
        for file in self._origin.files(public):
            yield file, f"/{posixpath.relpath(file, public)}"
        for file in self._origin.files("" if self._src == "." else self._src):
            inner = posixpath.relpath(file, self._src)
            if re.search(
                r"\.(?:png|jpe?g|gif|svg|webp|avif|mp4|webm|pdf|zip)$", file
            ) and not inner.startswith(("public/", ".")):
                yield file, f"/{inner}"

    def _settings(self) -> Mapping[str, object]:
        theme = self._config.get("themeConfig")
        logo = first_data(theme, "logo")
        footer = [_str(first_data(theme, "footer", name)) for name in ("message", "copyright")]
        social = first_data(theme, "socialLinks")
        links = [
            _str(each.get("link"))
            for each in (social if isinstance(social, list) else [])
            if isinstance(each, dict)
        ]
        settings: dict[str, object] = {
            "title": _str(self._config.get("title")),
            "description": _str(self._config.get("description")),
            "url": self._choices.url,
            "docs_at": "/",
            "language": _str(self._config.get("lang")),
            "logo": _str(logo) or _str(first_data(logo, "light")) or _str(first_data(logo, "src")),
            "nav": [*self._nav(self._value(first_data(theme, "nav")))],
            "footer": {"text": " ".join(filter(None, map(_plain, footer)))} if any(footer) else None,
        }
        if links:
            self._losses.append(Loss("social links", self._file, 0, " ".join(links)))
        return {name: value for name, value in settings.items() if value}

    def _nav(self, listed: Literal) -> Iterator[Mapping[str, object]]:
        for each in listed if isinstance(listed, list) else []:
            if not isinstance(each, dict) or not isinstance(each.get("text"), str):
                continue
            inner = [*self._nav(each.get("items"))]
            flat = [one for item in inner for one in _leaves(item)]
            if flat:
                yield {"label": each["text"], "items": flat}
            elif isinstance(each.get("link"), str):
                file = self._file_of(str(each["link"]))
                yield {"label": each["text"], "href": self._pages[file].address if file else each["link"]}


def _str(value: object, default: str = "") -> str:
    return value if isinstance(value, str) else default


def _plain(text: str) -> str:
    """Return a label without HTML."""
    return re.sub(r"<[^<>]*>", "", text).strip()


def _with_home(source: SourcePage) -> str:
    """Return the body of a page, with the words and links of a home page's fields above it."""
    hero, features = source.fields.get("hero"), source.fields.get("features")
    lines: list[str] = []
    if isinstance(hero, dict):
        name = " ".join(str(hero[one]) for one in ("name", "text") if hero.get(one))
        lines += [f"# {name}", ""] if name else []
        lines += [str(hero["tagline"]), ""] if hero.get("tagline") else []
        lines += [*_actions(hero.get("actions"))]
    for each in features if isinstance(features, list) else []:
        if isinstance(each, dict) and each.get("title"):
            lines += [f"## {each['title']}", "", str(each.get("details") or ""), ""]
    return "\n".join((*lines, source.body)) if lines else source.body


def _actions(listed: object) -> Sequence[str]:
    found = [
        f"[{each['text']}]({each['link']})"
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and each.get("text") and each.get("link")
    ]
    return [" ".join(found), ""] if found else []


def _leaves(item: Mapping[str, object]) -> Sequence[object]:
    """Return the links of a menu, or the link that it is."""
    inner = item.get("items")
    return inner if isinstance(inner, list) else [item]
