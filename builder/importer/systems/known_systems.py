"""The systems that can be imported, and which one a folder is of."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from builder.importer.old_site import System
from builder.importer.page_work import SystemRules
from builder.importer.source_tree import NoSource, SourceTree
from builder.importer.systems.docusaurus.docusaurus_site import Docusaurus
from builder.importer.systems.fumadocs.fumadocs_site import Fumadocs
from builder.importer.systems.gitbook.gitbook_site import GitBook
from builder.importer.systems.mdbook.book import MdBook
from builder.importer.systems.mintlify.mintlify_site import Mintlify
from builder.importer.systems.mkdocs.mkdocs_site import MkDocs
from builder.importer.systems.starlight.starlight_site import Starlight
from builder.importer.systems.vitepress.vitepress_site import VitePress

_ALL: tuple[SystemRules, ...] = (
    Docusaurus(), Mintlify(), Fumadocs(), MkDocs(), Starlight(), VitePress(), MdBook(), GitBook(),
)  # fmt: skip
SYSTEMS: Mapping[System, SystemRules] = {rules.system: rules for rules in _ALL}


_MOST_LOOKED_INTO = 300
"""Folders in which a configuration is looked for, those that are least deep first."""


def rules_for(origin: SourceTree, name: System | None, place: str) -> SystemRules:
    """Return the rules of a system, the one that is found where none is named. Raises NoSource."""
    if name is not None:
        return SYSTEMS[name]
    found = [rules for rules in _ALL if rules.finds(origin)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NoSource(
            "there is no configuration of a system that is known", path=place, hint=_hint(origin, place)
        )
    names = " and ".join(rules.system for rules in found)
    raise NoSource(
        f"there are configurations of {names}", path=place, hint="name one of them before the folder"
    )


def _hint(origin: SourceTree, place: str) -> str:
    """Return what to name instead: the folder below that has a configuration, if there is one."""
    for folder in _folders(origin.files())[:_MOST_LOOKED_INTO]:
        inner = origin.below(folder)
        found = next((rules.system for rules in _ALL if rules.finds(inner)), None)
        if found is not None:
            return (
                f"`{posixpath.normpath(posixpath.join(place, folder))}` has one of {found}: name that folder"
            )
    return f"name the folder with its configuration, or the system before it: {', '.join(SYSTEMS)}"


def _folders(files: Iterable[str]) -> list[str]:
    """Return all folders of files, those that are least deep first."""
    found: set[str] = set()
    for file in files:
        folder = posixpath.dirname(file)
        while folder and folder not in found:
            found.add(folder)
            folder = posixpath.dirname(folder)
    return sorted(found, key=lambda each: (each.count("/"), each))
