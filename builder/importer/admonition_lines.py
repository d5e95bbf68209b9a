"""Rewrite admonitions of other systems that are written with colons, as ours are: their types and titles."""

from __future__ import annotations

import re
from collections.abc import Mapping

from builder.importer.page_work import PageWork
from builder.markdown.mdx.tag_hints import kind_of

_LINE = re.compile(
    r"^[ \t>]*:{3,}[ \t]*(?P<kind>[A-Za-z][\w-]*)(?P<title>[ \t]*\[[^\n]*?\]|[ \t][^\n{]*)?"
    r"(?P<list>[ \t]*\{[^\n]*\})?[ \t]*$",
    re.MULTILINE,
)


def rewrite_admonitions(work: PageWork, kinds: Mapping[str, str]) -> None:
    """Write the types as they are called here; `kinds` are the system's own, each with ours.

    One with "" is no admonition.
    """
    work.rewriting.each(_LINE, lambda found: _line(work, found, kinds))


def _line(work: PageWork, found: re.Match[str], kinds: Mapping[str, str]) -> None:
    given = found["kind"]
    if kinds.get(given) == "":
        return
    work.needs_mdx = True
    kind = kinds.get(given) or kind_of(given)
    if not kind:
        work.rewriting.tell(f"admonition {given}", found.start(), found[0].strip(), ":::note", "changed")
    if given != (kind or "note"):
        work.rewriting.replace(found.start("kind"), found.end("kind"), kind or "note")
    if found["list"]:
        work.rewriting.replace(found.start("list"), found.end("list"), "")
