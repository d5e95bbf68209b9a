"""Read which pages a site of Fumadocs has, below which address, and in which languages.

    export const docs = defineDocs({ dir: "content/docs" })                      source.config.ts
    export const source = loader({ baseUrl: "/docs", source: docs.toFumadocsSource() })   lib/source.ts
    export const i18n = defineI18n({ defaultLanguage: "en", languages: ["en", "de"] })    lib/i18n.ts

Both are programs, which are not run: what is searched for are the texts in their calls.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from msgspec import Struct

from builder.importer.old_site import Loss
from builder.importer.source_tree import NoSource, SourceTree

_CONFIGS = tuple(f"source.config.{ending}" for ending in ("ts", "tsx", "mjs", "js"))
_FOLDERS = ("content/docs", "content", "docs")
_DEFINED = re.compile(
    r"\bconst[ \t]+(?:\{(?P<names>[^{}]{0,300})\}|(?P<name>\w+))\s{0,20}=\s{0,20}"
    r"define(?P<kind>Docs|Collections)\b"
)
_DIR = re.compile(
    r"\bdir:\s{0,20}(?:\[\s{0,20})?(?:[\w.]{1,40}\([^'\"`()]{0,100})?['\"`](?P<dir>[^'\"`\n]{1,200})['\"`]"
)
_IS_META = re.compile(r"\btype:\s{0,20}['\"]meta['\"]")
_LOADER = re.compile(r"\bloader(?:<[^<>\n]{0,200}>)?\(")
_BASE = re.compile(r"\bbaseUrl:\s{0,20}['\"`](?P<base>/[^'\"`\n$]{0,200})['\"`]")
_USED = re.compile(
    r"\b(\w{1,80})\.toFumadocsSource\b|\b(?:createMDXSource|toFumadocsSource)\(\s{0,20}(\w{1,80})"
)
_PROGRAM = re.compile(r"(?:^|/)[\w.-]*source[\w.-]*(?:/index)?\.(?:ts|tsx|js|mjs)$")
_I18N = re.compile(r"(?:^|/)(?:i18n|source)(?:/index|\.config)?\.(?:ts|tsx|js|mjs)$")
_LANGUAGES = re.compile(r"\blanguages:\s{0,20}\[([^\[\]]{0,2000})\]")
_DEFAULT = re.compile(r"\bdefaultLanguage:\s{0,20}['\"]([\w-]{1,20})['\"]")
_HIDDEN = re.compile(r"\bhideLocale:\s{0,20}['\"](always|default-locale)['\"]")
_BY_FOLDER = re.compile(r"\bparser:\s{0,20}['\"]dir['\"]")
_BELOW = re.compile(r"\bbasePath:\s{0,20}['\"](/[^'\"\n]{1,200})['\"]")
_PLACES = ("lib", "src", "app", "server", "utils")
_DEEPEST = 6
_MOST_PROGRAMS = 50
_NEAR = 3000
"""Characters behind a call that belong to it."""


class Collection(Struct, frozen=True):
    """Pages of one folder, with the address below which they are."""

    folder: str
    base: str


class FumadocsLanguages(Struct, frozen=True):
    """The languages of a site; `has_prefix` says that addresses of the first one name it, too."""

    first: str = ""
    others: frozenset[str] = frozenset()
    has_prefix: bool = False
    by_folder: bool = False

    def prefix(self, language: str) -> str:
        """Return what the addresses of a language begin with."""
        is_named = language and (language != self.first or self.has_prefix)
        return f"/{language}" if is_named else ""

    def of(self, stem: str) -> tuple[str, str]:
        """Part the path of a file without its ending in its language and the rest."""
        codes = self.others | ({self.first} if self.first else frozenset())
        folder, _, rest = stem.partition("/")
        if self.by_folder:
            return (folder, rest) if folder in codes and rest else (self.first, stem)
        rest, _, code = stem.rpartition(".")
        return (code, rest) if rest and code in codes else (self.first, stem)


class FumadocsConfig(Struct, frozen=True):
    """The collections, the first of which is the documentation, and the path below which the site lies."""

    collections: tuple[Collection, ...]
    languages: FumadocsLanguages
    below: str = ""


def read_config(origin: SourceTree, losses: list[Loss]) -> FumadocsConfig:
    """Read all that is said about pages and addresses. Total."""
    texts = list(_programs(origin, _PROGRAM))
    defined = dict(_defined(origin))
    used = dict(_used("\n".join(texts), defined))
    found = [Collection(folder, used[name]) for name, folder in defined.items() if name in used]
    for name, folder in defined.items():
        if name not in used and found and all(each.folder != folder for each in found):
            losses.append(Loss("collection without an address", "source.config.ts", 0, f"{name}: {folder}"))
    if not found:
        base = next((each["base"] for text in texts if (each := _BASE.search(text))), "/docs")
        folders = [*defined.values(), *_FOLDERS]
        place = next((one for one in folders if origin.has_folder(one)), "")
        found = [Collection(place, base.rstrip("/"))] if place else []
    below = next((each[1] for name in _nexts() if (each := _BELOW.search(origin.text(name) or ""))), "")
    unique = {each.folder: each for each in sorted(found, key=lambda one: (one.base != "/docs", one.base))}
    return FumadocsConfig(tuple(unique.values()), _languages(origin), below)


def _programs(origin: SourceTree, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield the texts of the site's own programs whose paths have a pattern."""
    files = [f"{name}.{ending}" for name in ("source", "i18n") for ending in ("ts", "tsx")]
    for folder in _PLACES:
        with suppress(NoSource):  # more files than anybody reads
            files += origin.files(folder)
    near = [file for file in files if file.count("/") < _DEEPEST and pattern.search(file)]
    yield from (text for file in near[:_MOST_PROGRAMS] if (text := origin.text(file)))


def _nexts() -> Iterator[str]:
    return (f"next.config.{ending}" for ending in ("ts", "mjs", "js"))


def _defined(origin: SourceTree) -> Iterator[tuple[str, str]]:
    """Yield the collections of the configuration by name, each with its folder."""
    text = next((text for name in _CONFIGS if (text := origin.text(name))), "")
    found = list(_DEFINED.finditer(text))
    for number, each in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        call = text[each.end() : min(end, each.end() + _NEAR)]
        place = _DIR.search(call)
        if each["kind"] == "Collections" and (_IS_META.search(call) or place is None):
            continue
        names = each["name"] or (each["names"] or "").split(",")[0].split(":")[-1].strip()
        yield names, posixpath.normpath(place["dir"].lstrip("/") if place else "content/docs")


def _used(text: str, defined: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the collections that have an address, by the calls that give them one."""
    calls = list(_LOADER.finditer(text))
    for number, call in enumerate(calls):
        end = calls[number + 1].start() if number + 1 < len(calls) else len(text)
        inner = text[call.end() : min(end, call.end() + _NEAR)]
        base = _BASE.search(inner)
        if base is None:
            continue
        names = [one or other for one, other in _USED.findall(inner)]
        if not any(name in defined for name in names) and len(calls) == 1:
            names = [one or other for one, other in _USED.findall(text)] or list(defined)[:1]
        yield from ((name, base["base"].rstrip("/")) for name in names if name in defined)


def _languages(origin: SourceTree) -> FumadocsLanguages:
    text = next((text for text in _programs(origin, _I18N) if _LANGUAGES.search(text)), "")
    listed, default = _LANGUAGES.search(text), _DEFAULT.search(text)
    codes = re.findall(r"['\"]([\w-]{1,20})['\"]", listed[1]) if listed else []
    if not codes:
        return FumadocsLanguages()
    first = default[1] if default else codes[0]
    others = frozenset(codes) - {first}
    return FumadocsLanguages(first, others, not _HIDDEN.search(text), bool(_BY_FOLDER.search(text)))
