"""A page of the old site as it was read: its frontmatter, its body, and where that begins."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

from msgspec import Struct

from builder.frontmatter.join import rescue
from builder.frontmatter.split import split
from builder.importer.literals import as_json
from builder.importer.old_site import Loss
from builder.importer.read_toml import NoToml, read_toml
from builder.importer.source_tree import SourceTree
from builder.yaml.safe import Loaded, load

_TOML = re.compile(r"\+\+\+[ \t]*\n(.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
LONGEST_PAGE = 1024 * 1024
"""Bytes that a page can have here."""
_MOST_SHOWN = 300
"""Characters of a field that the report has."""
_MOST_VALUES = 300_000
_LONGEST_YAML = 4 * 1024 * 1024


class SourcePage(Struct, frozen=True):
    """A page: the fields of its frontmatter, its body, and the line of the file on which that begins."""

    file: str
    fields: Mapping[str, object]
    body: str
    first_line: int = 1
    losses: tuple[Loss, ...] = ()

    def kept_fields(self, kept: Mapping[str, str]) -> dict[str, object]:
        """Return the fields that are kept, by their new names."""
        return {new: self.fields[old] for old, new in kept.items() if old in self.fields}

    def lost_fields(self, known: Container[str]) -> Iterator[Loss]:
        """Yield what cannot be read of the frontmatter, and its fields that are not known."""
        yield from self.losses
        for name, value in self.fields.items():
            if name not in known:
                yield lost_field(self.file, name, value)


def lost_field(file: str, name: str, value: object, parent: str = "") -> Loss:
    """Return the loss of a field of a page; `parent` is the name, with a dot, of the one that it is in."""
    shown = value if isinstance(value, str) else as_json(value)
    return Loss(f"frontmatter `{parent}{name}`", file, 1, f"{name}: {shown}"[:_MOST_SHOWN])


def read_yaml(text: str) -> Loaded:
    """Read a file of settings, which may name each page of a large site. Raises YamlFault."""
    return load(text, _MOST_VALUES, _LONGEST_YAML)


def read_page(origin: SourceTree, file: str) -> SourcePage | None:
    """Read a page; None where it cannot be read, which `origin.refused` says."""
    text = origin.text(file)
    if text is None:
        return None
    if len(text.encode("utf-8", "replace")) > LONGEST_PAGE:
        origin.refused[file] = f"the page has more than {LONGEST_PAGE // 1024 // 1024} MB"
        return None
    return page_of(file, text)


def page_of(file: str, text: str) -> SourcePage:
    """Part the text of a page. Total: of a block that is no YAML the fields are kept that can be read."""
    found = _TOML.match(text)
    if found:
        return _of_toml(file, text, found)
    document = split(text, file)
    if document.frontmatter or not document.diagnostics:
        return SourcePage(file, document.frontmatter, document.body, document.first_line)
    saved = rescue(text)
    losses = tuple(Loss("frontmatter that cannot be read", file, 1, line) for line in saved.lost)
    return SourcePage(file, saved.values, document.body, document.first_line, losses)


def _of_toml(file: str, text: str, found: re.Match[str]) -> SourcePage:
    block, line = found[1] or "", text.count("\n", 0, found.end()) + 1
    try:
        fields = read_toml(block)
    except NoToml as error:
        loss = Loss("frontmatter that cannot be read", file, 1, block, f"it is no TOML: {error}")
        return SourcePage(file, {}, text[found.end() :], line, (loss,))
    return SourcePage(file, {key: _plain(value) for key, value in fields.items()}, text[found.end() :], line)


def _plain(value: object) -> object:
    """Return a value of TOML as YAML has it: days and times as texts."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool) else str(value)
