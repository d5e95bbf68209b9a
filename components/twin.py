"""Markdown of components, for the twin: text is escaped so that markdown shows it as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote as percent

from components.base import Child, Component
from components.html import CODE_SPAN, one_line

_SPECIAL = re.compile(r"[\\`*\[\]<~|]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_UNSAFE_IN_TARGET = re.compile(r"[\s<>()\\`|]")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_NUMBER = re.compile(r"\d{1,9}(?=[.)](?:\s|$))")
_BLOCK_START = re.compile(
    r" {4}|\t|\s*(?:(?:#{1,6}|[-+*]|\d{1,9}[.)])(?:\s|$)|>|`{3}|~{3}|\||<|\[[^\]]+\]:|[-=*_:|\s]+$)"
)


def plain(text: str) -> str:
    """Text on one line, so escaped that markdown shows it as it is. Not for the start of a line."""
    return _escaped(one_line(text))


def _escaped(line: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], line)


def words(text: str) -> str:
    """Like `plain`, but text between two backticks stays code."""
    parts = CODE_SPAN.split(one_line(text))
    return "".join(code(part) if place % 2 else _escaped(part) for place, part in enumerate(parts))


def sentence(text: str) -> str:
    """Like `words`, for a line of its own: it starts no heading, list, quote or rule."""
    return _on_its_own(words(text))


def title(text: str) -> str:
    """`words` as strong emphasis; an empty string when there are none."""
    # Emphasis may not begin or end with a space of any kind.
    return f"**{words(text).strip()}**" if text.strip() else ""


def paragraph(text: str) -> str:
    """Like `plain`, for a line of its own: it starts no heading, list, quote or rule."""
    return _on_its_own(plain(text))


def _on_its_own(escaped: str) -> str:
    number = _NUMBER.match(escaped)
    if number:
        return f"{number[0]}\\{escaped[number.end() :]}"
    return f"\\{escaped}" if _BLOCK_START.match(escaped) else escaped


def code(text: str) -> str:
    """Text as a code span, whatever backticks it has; an empty string when there is none."""
    line = one_line(text)
    if not line:
        return ""
    ticks = "`" * (1 + max((len(run) for run in re.findall(r"`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def link(text: str, href: str) -> str:
    """A link to `href`, or `text` alone where there is no target."""
    return _linked(plain(text), href)


def title_link(text: str, href: str) -> str:
    """Like `link`, but text between two backticks stays code."""
    return _linked(words(text), href)


def _linked(label: str, href: str) -> str:
    if not href:
        return label
    target = _UNSAFE_IN_TARGET.sub(lambda found: percent(found[0], safe=""), href)
    return f"[{label}]({_ENTITY.sub(chr(92) + '&', target)})"


def blocks(parts: Iterable[str]) -> str:
    """Blocks one after the other, a blank line between them; empty ones are left out."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip())


def content(children: Iterable[Child]) -> str:
    """The children's markdown."""
    return blocks(child.content for child in children)


def quote(text: str) -> str:
    """A block quote: every line is prefixed, the blank ones too, so that it stays one quote."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def item(marker: str, text: str) -> str:
    """A list item: the lines after the first are indented to belong to it."""
    indent = " " * (len(marker) + 1)
    lines = text.strip("\n").split("\n")
    return "\n".join(
        [f"{marker} {lines[0]}".rstrip(), *(f"{indent}{line}" if line else "" for line in lines[1:])]
    )


def entry(term: str, text: str) -> str:
    """A bullet with a term and its description, on the same line where markdown allows it."""
    first = text.partition("\n\n")[0]
    if not term or not text:
        return item("-", term or text) if term or text else ""
    if any(_BLOCK_START.match(line) for line in first.split("\n")):
        return item("-", f"{term}\n\n{text}")
    return item("-", f"{term}: {text}")


def listing(children: Sequence[Child], kind: type[Component]) -> str:
    """Children of which those of `kind` are list items: neighbours form one list, others stand between."""
    groups: list[list[str]] = []
    listed = False
    for child in children:
        if not child.content.strip():
            continue
        is_item = isinstance(child.component, kind)
        if is_item and listed:
            groups[-1].append(child.content)
        else:
            groups.append([child.content])
        listed = is_item
    return blocks("\n".join(group) for group in groups)
