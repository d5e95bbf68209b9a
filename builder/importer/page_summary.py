"""A `SUMMARY.md`, as mdBook and GitBook have it: a list of links, with headings between its parts."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from builder.importer.old_site import NavEntry
from builder.importer.source_links import parts_of

_ENTRY = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?\[(?P<label>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])+)\]"
    r"\((?P<href>(?:[^()\"]|\([^()]*\))*?)(?:[ ]+\"(?P<short>[^\"]*)\")?\)[ \t]*$"
)
_PART = re.compile(r"^#{1,3}[ \t]+(?P<label>.+?)[ \t]*#*$")
_TITLES = frozenset({"summary", "table of contents"})


class _Open(Struct):
    """An entry with those within it."""

    indent: int
    entry: NavEntry
    items: list[_Open]

    def entries(self) -> tuple[NavEntry, ...]:
        """Return the entry with all within; one that is nothing by itself stands for those."""
        inner = tuple(each for opened in self.items for each in opened.entries())
        is_empty = not (self.entry.page or self.entry.href or self.entry.is_heading or inner)
        return () if is_empty else (replace(self.entry, items=inner),)


def summary_entries(text: str, find: Callable[[str], str]) -> tuple[NavEntry, ...]:
    """Return the entries of a summary as a tree; `find` gives the file of a path, "" for none."""
    root = [_Open(-1, NavEntry(), [])]
    for line in text.split("\n"):
        part, found = _PART.match(line), _ENTRY.match(line)
        if found:
            indent = len(found["indent"].expandtabs(4))
            while root[-1].indent >= indent:
                root.pop()
            opened = _Open(indent, _entry(found, find), [])
            root[-1].items.append(opened)
            root.append(opened)
        elif part and not (part["label"].casefold() in _TITLES and not root[0].items):
            del root[1:]
            label = re.sub(r"[ ]*<a[^>]*></a>", "", part["label"])
            root[0].items.append(_Open(-1, NavEntry(label, is_heading=True), []))
    return tuple(each for opened in root[0].items for each in opened.entries())


def _plain(label: str) -> str:
    """Return a label without the signs of markdown."""
    return re.sub(r"\\([!-/:-@\[-`{-~])|[`]|\*{1,2}(?=\S)|(?<=\S)\*{1,2}", r"\1", label)


def _entry(found: re.Match[str], find: Callable[[str], str]) -> NavEntry:
    label, href = _plain(found["short"] or found["label"]), found["href"].strip("<> ")
    if re.match(r"[a-z][a-z0-9+.-]*:", href):
        return NavEntry(label, href=href)
    path, _ = parts_of(href)
    return NavEntry(label, find(path) if path else "")
