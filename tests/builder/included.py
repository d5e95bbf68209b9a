"""Pages that include files, in tests: the files as a mapping, nothing on a disk."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from builder.links.table import LinkTable, Target
from builder.markdown.body import render
from builder.markdown.context import Context
from builder.markdown.page import Body, BodySource
from builder.store.part_files import PartFile

BOTH = frozenset({"includes", "components"})
PAGES = {"docs/start": Target("/docs/start"), "docs/guide/a": Target("/docs/guide/a")}
LINKS = LinkTable(PAGES, frozenset(), "", "https://o.example")


class Files(Struct, frozen=True):
    """Files by their way from the site's folder, and what the site says of variables."""

    files: Mapping[str, str]
    known: Mapping[str, str] = {}

    def read(self, file: str) -> PartFile:
        """The file, if there is one."""
        found = self.files.get(file)
        return PartFile("", "there is no such file", is_missing=True) if found is None else PartFile(found)

    def variables(self, path: str) -> Mapping[str, str]:
        """The same for all pages."""
        return self.known


def expanded(
    text: str,
    files: Mapping[str, str],
    variables: Mapping[str, str] | None = None,
    *,
    premium: bool = True,
    extras: frozenset[str] = BOTH,
) -> Body:
    """The body of the page `docs/start`, beside these files."""
    source = BodySource(text, "mdx", "docs/start.mdx", 1, "docs/start")
    parts = Files(files, variables or {})
    return render(source, Context(premium, (), LINKS, "", "https://o.example", extras=extras, parts=parts))


def told(body: Body) -> list[str]:
    """The diagnostics as `line:column code message`."""
    return [f"{one.line}:{one.column} {one.code}: {one.message}" for one in body.diagnostics]


def files_of(text: str) -> dict[str, str]:
    """Files that stand behind each other, each after a line `== name`; `== page` is the page."""
    found: dict[str, str] = {}
    for part in text.split("== ")[1:]:
        name, _, content = part.partition("\n")
        found[name] = content
    return found
