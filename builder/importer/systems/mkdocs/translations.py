"""The languages of a site of MkDocs, by the plugin `i18n`: in folders, or as endings of files."""

from __future__ import annotations

from msgspec import Struct

from builder.importer.systems.mkdocs.configuration import Configuration


class Languages(Struct, frozen=True):
    """The default language and the others; `suffix` says that files name theirs (`index.de.md`)."""

    default: str = ""
    others: frozenset[str] = frozenset()
    suffix: bool = False


def languages(config: Configuration) -> Languages:
    """Return the languages that a site has."""
    options = config.plugin("i18n")
    if options is None:
        return Languages()
    listed = options.get("languages")
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    codes = [str(each.get("locale")) for each in entries if each.get("locale")]
    if isinstance(listed, dict):
        codes = [str(each) for each in listed]
    marked = next((str(each.get("locale")) for each in entries if each.get("default") is True), "")
    default = marked or str(options.get("default_language") or "") or (codes[0] if codes else "")
    suffix = options.get("docs_structure", "suffix") != "folder"
    return Languages(default, frozenset(codes) - {default}, suffix)


def language_of(path: str, languages: Languages) -> str:
    """Return the other language that a page is in, "" for one in the default one."""
    if languages.suffix:
        parts = path.rsplit("/", 1)[-1].split(".")
        found = parts[-2] if len(parts) > 2 else ""
    else:
        found = path.split("/", 1)[0] if "/" in path else ""
    return found if found in languages.others else ""
