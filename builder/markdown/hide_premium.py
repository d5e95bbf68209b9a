"""Parsing a body for a plan that hides a part of it."""

from __future__ import annotations

from builder.markdown.mdx.chunk.chunks import Chunk
from builder.markdown.mdx.hide_premium_tags import blanked, left_open, locked
from builder.markdown.syntax import Parsed, parse
from components.words import ENGLISH, Words

ROUNDS = 4
"""A part that is taken out may have held what made code of another one's tag; more is no accident."""


def parse_gated(
    text: str, first_line: int, words: Words = ENGLISH, extras: frozenset[str] = frozenset()
) -> Parsed:
    r"""The tokens of an `mdx` body, with line ends `\n`, and without anything that is in a premium component.

    All text from the first part on goes when the parts have no end after so many rounds.
    """
    for _ in range(ROUNDS):
        chunk = Chunk(text, first_line)
        parsed = parse(chunk, "mdx", premium=False, locked=locked(text), words=words, extras=extras)
        spans = left_open(parsed.reading.body, parsed.reading.premium_tags, parsed.tokens)
        if not spans:
            return parsed
        text = blanked(text, spans)
    start, _, name = spans[0]
    chunk = Chunk(f"{text[:start]}<{name}/>", first_line)
    return parse(chunk, "mdx", premium=False, words=words, extras=extras)
