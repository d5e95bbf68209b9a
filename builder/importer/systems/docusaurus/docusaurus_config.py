"""Read the configuration of a Docusaurus site, which is parsed and never run, and its sets of documents.

https://docusaurus.io/docs/api/docusaurus-config, .../versioning and .../i18n/introduction. A set has a folder
and a route; each version and each locale of it is a set of its own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from builder.importer.literals import Call, CodeValue, Literal, Module, as_text, json_module, texts
from builder.importer.old_site import Loss
from builder.importer.page_work import Choices
from builder.importer.read_literals import read_module
from builder.importer.source_tree import SourceTree

CONFIGS = tuple(f"docusaurus.config.{ending}" for ending in ("ts", "js", "mts", "mjs", "cjs"))
_ENDINGS = ("", ".ts", ".js", ".mjs", ".cjs", ".mts", ".json", "/index.ts", "/index.js")
_HINTS = ("presets", "themeConfig", "baseUrl")
"""Fields by which an object is known as the configuration, where a function gives it."""
_DEEPEST = 8
_CLASSIC = ("preset-classic", "classic")


class DocSet(Struct, frozen=True):
    """One set of documents: the folder that they are in, and the address below which readers have them.

    `key` tells the plugin's instance; `version` and `locale` are "" for the site's own default ones.
    `original` is the folder of which a set is the translation.
    """

    folder: str
    route: str
    options: Mapping[str, Literal]
    sidebar: str
    key: str = "default"
    version: str = ""
    locale: str = ""
    original: str = ""

    @property
    def is_default(self) -> bool:
        """Return whether readers come to this set first."""
        return not (self.version or self.locale)


class DocusaurusConfig:
    """The configuration of a site. What is no data is remembered as a loss."""

    def __init__(self, origin: SourceTree) -> None:
        self.origin = origin
        self.file = next(filter(origin.has, CONFIGS), CONFIGS[0])
        self.losses: list[Loss] = []
        self._modules: dict[str, Module] = {}
        self.module = self.read(self.file)
        self.data = self._config()

    def _config(self) -> Mapping[str, Literal]:
        found = self.follow(self.module.exports.get("default"))
        if isinstance(found, dict):
            return found
        self.lose("configuration that is no data", getattr(found, "text", ""))
        objects = [each for each in self.module.names.values() if isinstance(each, dict)]
        return next((each for each in objects if any(name in each for name in _HINTS)), {})

    def lose(self, what: str, old: object = "", now: str = "") -> None:
        """Keep a thing of the configuration for the report."""
        shown = getattr(old, "text", None) or str(old)
        self.losses.append(Loss(what, self.file, 0, shown[:300], now, "changed" if now else "lost"))

    def at(self, *way: str) -> Literal:
        """Return what is at the end of a way of keys, in other files where those have it."""
        value: Literal = self.data
        for key in way:
            value = self.follow(value.get(key)) if isinstance(value, dict) else None
        return value

    def text(self, *way: str) -> str:
        """Return a text, "" where there is none."""
        return as_text(self.at(*way))

    def follow(self, value: Literal, file: str = "") -> Literal:
        """Return what a name stands for in a file, the configuration's own, that imports it from another."""
        for _ in range(_DEEPEST):
            source, name = self._source(value, file or self.file)
            file = next((f"{source}{end}" for end in _ENDINGS if self.origin.has(f"{source}{end}")), "")
            found = self.read(file).exports.get(name) if source and file else None
            if found is None:
                return value
            value = found
        return value

    def _source(self, value: Literal, file: str) -> tuple[str, str]:
        """Return the file, without its ending, and the name there."""
        if isinstance(value, Call) and value.name == "require" and value.arguments:
            source, name = as_text(value.arguments[0]), "default"
        else:
            named = value.text.removeprefix("...") if isinstance(value, CodeValue) else ""
            required = re.fullmatch(r"require\([\"']([^\"']+)[\"']\)", named)
            imports = self.read(file).imports
            source, name = (required[1], "default") if required else imports.get(named, ("", ""))
        if source.startswith("@site/"):
            return posixpath.normpath(source.removeprefix("@site/")), name
        place = posixpath.normpath(posixpath.join(posixpath.dirname(file), source))
        return (place, name) if source.startswith(".") else ("", "")

    def read(self, file: str) -> Module:
        """Return a file of the site as data."""
        if file not in self._modules:
            text = self.origin.text(file) or ""
            self._modules[file] = json_module(text) if file.endswith(".json") else read_module(text)
        return self._modules[file]

    def plugins(self) -> Iterator[tuple[str, Mapping[str, Literal]]]:
        """Yield presets, plugins and themes, each with its options."""
        for kind in ("presets", "plugins", "themes"):
            listed = self.at(kind)
            for each in listed if isinstance(listed, list) else []:
                parts = each if isinstance(each, list) else [each]
                name = plugin_name(parts[0]) if parts else ""
                options = self.follow(parts[1]) if len(parts) > 1 else {}
                if name:
                    yield name, options if isinstance(options, dict) else {}
                elif each not in (None, False):
                    self.lose("plugin that is no data", each)

    def options_of(self, plugin: str) -> Iterator[Mapping[str, Literal]]:
        """Yield the options of each instance of a plugin, `docs`, `blog` or `pages`: the preset's first."""
        for name, options in list(self.plugins()):
            if name.endswith(_CLASSIC):
                own = self.follow(options.get(plugin))
                if own is not False:
                    yield own if isinstance(own, dict) else {}
            elif name.endswith(f"plugin-content-{plugin}"):
                yield options

    @property
    def default_locale(self) -> str:
        """The language of the site itself."""
        return self.text("i18n", "defaultLocale") or "en"

    def locales(self) -> Sequence[str]:
        """Return the other languages."""
        return [each for each in texts(self.at("i18n", "locales")) if each != self.default_locale]

    def versions(self) -> tuple[str, ...]:
        """Return the names of all versions of documents; `next` is another one of `current`."""
        found: list[str] = []
        for options in self.options_of("docs"):
            key = as_text(options.get("id"), "default")
            prefix = "" if key == "default" else f"{key}_"
            found += self._version_names(options, f"{prefix}versions.json")
        return tuple(dict.fromkeys((*found, *(["next"] if "current" in found else []))))

    def doc_sets(self) -> Iterator[DocSet]:
        """Yield all sets of documents: for each plugin its default one, then versions, then languages."""
        for options in self.options_of("docs"):
            own = list(self._versions(options))
            yield from own
            for locale in self.locales():
                yield from (self._translated(each, locale) for each in own)

    def _versions(self, options: Mapping[str, Literal]) -> Iterator[DocSet]:
        key = as_text(options.get("id"), "default")
        prefix = "" if key == "default" else f"{key}_"
        folder = posixpath.normpath(as_text(options.get("path"), "docs"))
        route = as_text(options.get("routeBasePath"), "docs").strip("/")
        current = DocSet(folder, route, options, file_of(options.get("sidebarPath")), key)
        names = self._version_names(options, f"{prefix}versions.json")
        last = as_text(options.get("lastVersion")) or next((n for n in names if n != "current"), "current")
        for name in sorted(names, key=lambda one: one != last):
            path = self._version_path(options, name, is_last=name == last)
            place = folder if name == "current" else f"{prefix}versioned_docs/version-{name}"
            sidebar = f"{prefix}versioned_sidebars/version-{name}-sidebars.json"
            file = current.sidebar if name == "current" else sidebar if self.origin.has(sidebar) else ""
            version = "" if name == last else name
            yield DocSet(place, posixpath.join(route, path).strip("/"), options, file, key, version)
        if not names:
            yield current

    def _version_names(self, options: Mapping[str, Literal], file: str) -> Sequence[str]:
        """Return the versions that are published, `current` for the folder of the documents itself."""
        listed = texts(json_module(self.origin.text(file) or "").exports.get("default"))
        if not listed or options.get("disableVersioning") is True:
            return []
        names = [*listed] if options.get("includeCurrentVersion") is False else ["current", *listed]
        only = texts(options.get("onlyIncludeVersions"))
        return [name for name in dict.fromkeys(names) if not only or name in only]

    def _version_path(self, options: Mapping[str, Literal], name: str, *, is_last: bool) -> str:
        about = self.follow(options.get("versions"))
        given = about.get(name) if isinstance(about, dict) else None
        path = given.get("path") if isinstance(given, dict) else None
        if isinstance(path, str):
            return path.strip("/")
        return "" if is_last else "next" if name == "current" else name

    def _translated(self, docs: DocSet, locale: str) -> DocSet:
        plugin = f"docusaurus-plugin-content-docs{'' if docs.key == 'default' else f'-{docs.key}'}"
        inner = posixpath.basename(docs.folder) if "versioned_docs/" in docs.folder else "current"
        folder = f"i18n/{locale}/{plugin}/{inner}"
        route = f"{locale}/{docs.route}".strip("/")
        return DocSet(folder, route, docs.options, docs.sidebar, docs.key, docs.version, locale, docs.folder)


def is_wanted(docs: DocSet, choices: Choices) -> bool:
    """Return whether a version and language were asked for."""
    names = {docs.version, "next" if docs.version == "current" else docs.version}
    version = not docs.version or choices.versions == ("all",) or bool(names & {*choices.versions})
    return version and (not docs.locale or choices.locales == ("all",) or docs.locale in choices.locales)


def file_of(value: Literal) -> str:
    """Return the file that a path names: a text, or `require.resolve("./x")`."""
    if isinstance(value, Call) and value.name.split(".")[-1] in {"resolve", "join", "require"}:
        found = "/".join(each for each in value.arguments if isinstance(each, str))
    else:
        found = as_text(value)
    return posixpath.normpath(found.replace("@site/", "", 1)) if found else ""


def plugin_name(value: Literal) -> str:
    """Return the name of a plugin, also of `require.resolve("name")` and `require("./name")`."""
    if isinstance(value, Call):
        value = value.arguments[0] if value.arguments else ""
    return as_text(value)
