"""Elements of an `md` page that hide what is in them, and are never closed.

    <video src="/a.mp4">       browsers show the content of a video only where they cannot play it,
                               and that of details only to who unfolds them
    The rest of the page.

Such an element may be open over several blocks. One that no later tag closes is closed where its block of
HTML ends. Notes: `html-unclosed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from markdown_it.utils import EnvType
from msgspec import Struct

from builder.html.rewrite import Reader
from builder.lazy_regex import lazy
from builder.markdown.commonmark.notes import Note, note

_TAG = lazy(r"<(/?)(audio|details|video)(?=[\s/>])", re.IGNORECASE)


class Opening(Struct, frozen=True):
    """A tag that nothing closes: the index of its block, its name and line, and its beginning as written."""

    block: int
    name: str
    line: int
    written: str


def left_open(tokens: Sequence[Token]) -> dict[int, Opening]:
    """For the index of each block that leaves such an element open: the first one in it."""
    waiting: dict[str, list[Opening]] = {}
    for closes, opening in _tags(tokens):
        same = waiting.setdefault(opening.name, [])
        if not closes:
            same.append(opening)
        elif same:
            same.pop()
    found = [opening for same in waiting.values() for opening in same]
    return {each.block: each for each in sorted(found, key=lambda each: each.line, reverse=True)}


def close(opening: Opening, reader: Reader, depth: int, token: Token, env: EnvType) -> None:
    """Close the element in the `token` that was read, if it is among what is open beyond `depth` elements."""
    name = opening.name
    if name not in reader.opened[depth:]:
        return
    token.content += reader.close(reader.opened.index(name, depth)) + "\n"
    message = f"`<{name}>` is never closed, so it was closed where its block of HTML ends"
    note(
        env, Note("html-unclosed", opening.line, message, f"close it with `</{name}>`", near=opening.written)
    )


def _tags(tokens: Sequence[Token]) -> Iterator[tuple[bool, Opening]]:
    """Each tag of these elements, and whether it closes."""
    for index, token in enumerate(tokens):
        first, done = token.map[0] if token.map else 0, 0
        for found in _TAG.finditer(token.content) if token.type == "html_block" else ():
            first += token.content.count("\n", done, found.start())
            done = found.start()
            yield bool(found[1]), Opening(index, found[2].lower(), first, found[0])
