"""The files of a site of MkDocs that are pages: which are left out, in which language, at which address.

https://www.mkdocs.org/user-guide/configuration/#exclude_docs, and the plugins `exclude` and `i18n`
(https://ultrabug.github.io/mkdocs-static-i18n/): files name their language (`index.de.md`) or lie in its
folder (`de/index.md`); the default language has no folder in addresses.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from builder.importer.globs import Glob, globs, is_matched
from builder.importer.page_work import Choices
from builder.importer.systems.mkdocs.mkdocs_config import Configuration
from builder.importer.systems.mkdocs.mkdocs_navigation import INDEX, PAGE


class MkDocsLanguages(Struct, frozen=True):
    """The default language and the others; `suffix` says that files name theirs (`index.de.md`)."""

    default: str = ""
    others: frozenset[str] = frozenset()
    suffix: bool = False


class OldPlace(Struct, frozen=True):
    """The place of a page: its path without ending, its address, and its language, "" for the default one."""

    name: str
    address: str
    language: str = ""


class MkDocsFiles:
    """The files below the folder of documents."""

    def __init__(self, config: Configuration, docs: str, choices: Choices) -> None:
        self._docs = docs
        self._wanted = choices.locales
        self.languages = languages_of(config)
        self._left_out = list(_exclusions(config))
        self._has_folders = config.value("use_directory_urls") is not False

    def pages(self, files: Iterable[str]) -> Sequence[str]:
        """Return the pages among files; a README beside an index is none."""
        found = [file for file in files if PAGE.search(file) and not self.is_left_out(file)]
        names = {PAGE.sub("", file).casefold() for file in found}
        return [file for file in sorted(found, key=_index_last) if not _is_beaten(file, names)]

    def is_left_out(self, file: str) -> bool:
        """Return whether the site was built without a file: hidden ones, templates, what it excludes."""
        path = posixpath.relpath(file, self._docs)
        if any(name.startswith(".") and len(name) > 1 for name in path.split("/")):
            return not any(is_matched(path, rule) for rule, keeps in self._left_out if keeps)
        left_out = False
        for rule, keeps in self._left_out:
            if is_matched(path, rule):
                left_out = not keeps
        return left_out

    def is_wanted(self, place: OldPlace) -> bool:
        """Return whether the language of a page is imported."""
        return not place.language or place.language in self._wanted or self._wanted == ("all",)

    def place(self, file: str) -> OldPlace:
        """Return where a page was, and where it will be by its file."""
        inner = PAGE.sub("", posixpath.relpath(file, self._docs))
        language, inner = self._parted(inner)
        folder, name = posixpath.split(inner)
        is_index = name.casefold() in INDEX
        whole = posixpath.join(language, folder, "index" if is_index else name)
        if not self._has_folders:
            return OldPlace(whole, f"/{whole}.html", language)
        address = whole.removesuffix("index") if is_index else f"{whole}/"
        return OldPlace(whole, f"/{address}", language)

    def _parted(self, inner: str) -> tuple[str, str]:
        """Part a path without ending in its language, "" for the default one, and the rest."""
        known = self.languages
        if known.suffix:
            rest, _, found = inner.rpartition(".")
        else:
            found, _, rest = inner.partition("/")
        if not rest or found not in {known.default, *known.others} or not found:
            return "", inner
        return "" if found == known.default else found, rest


def languages_of(config: Configuration) -> MkDocsLanguages:
    """Return the languages that a site has."""
    options = config.plugin("i18n")
    if options is None:
        return MkDocsLanguages()
    listed = options.get("languages")
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    codes = [str(each.get("locale")) for each in entries if each.get("locale")]
    if isinstance(listed, dict):
        codes = [str(each) for each in listed]
    marked = next((str(each.get("locale")) for each in entries if each.get("default") is True), "")
    default = marked or str(options.get("default_language") or "") or (codes[0] if codes else "")
    suffix = options.get("docs_structure", "suffix") != "folder"
    return MkDocsLanguages(default, frozenset(codes) - {default}, suffix)


def _exclusions(config: Configuration) -> Iterable[tuple[Sequence[Glob], bool]]:
    """Yield the rules for files that are left out; True for one that keeps what others leave out."""
    yield globs(["templates/**"]), False
    told = config.value("exclude_docs")
    for line in told.split("\n") if isinstance(told, str) else ():
        rule = line.strip()
        if rule and not rule.startswith("#"):
            yield globs(_as_globs(rule.removeprefix("!"))), rule.startswith("!")
    options = config.plugin("exclude") or {}
    given = options.get("glob")
    for each in given if isinstance(given, list) else [given] if given else ():
        yield globs([str(each), f"{each}/**", f"**/{each}"]), False
    for each in _texts(options.get("regex")):
        if re.fullmatch(r"[\w./$^\\-]*", each):  # no repetition that could take long
            yield [[re.compile(each.removeprefix("^").replace("$", r"\Z"))]], False


def _as_globs(rule: str) -> Sequence[str]:
    """Return the globs for a rule as `.gitignore` has it."""
    path = rule.strip("/")
    deep = "" if "/" in rule.rstrip("/") else "**/"
    inner = [f"{deep}{path}/**"]
    return inner if rule.endswith("/") else [f"{deep}{path}", *inner]


def _texts(given: object) -> Sequence[str]:
    return (
        [str(each) for each in given]
        if isinstance(given, list)
        else [given]
        if isinstance(given, str)
        else []
    )


def _is_beaten(file: str, names: Iterable[str]) -> bool:
    folder, name = posixpath.split(PAGE.sub("", file).casefold())
    return name == "readme" and posixpath.join(folder, "index") in names


def _index_last(file: str) -> tuple[bool, str]:
    return posixpath.basename(file).casefold().startswith("readme."), file
