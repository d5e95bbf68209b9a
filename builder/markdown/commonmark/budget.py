"""The work that one page may be: counted, not timed, so that every build shows the same.

A page of the largest size takes less than half of what the budgets allow when it is written for readers. What
goes beyond is shown as plain text, with one note. Env: `meter`. Notes: `budget-exceeded`.
"""

from __future__ import annotations

from typing import cast

from markdown_it.utils import EnvType
from msgspec import Struct

from builder.markdown.commonmark.parser_notes import Note, note

KEY = "meter"

MAX_DEPTH = 40
"""Blocks within blocks; a list within a list is two."""

MAX_LINES = 100_000
"""Lines; a page of 1 MiB has some 25,000."""

MAX_BLOCKS = 120_000
"""Tokens of blocks: a paragraph is three, a list item with a paragraph five."""

MAX_INLINE = 200_000
"""Steps of the loop over a text: one for a run of text or a mark without effect; a link is some eight."""

TOKEN = 4
"""Steps that a rule's success counts for."""

MAX_QUOTED = 200_000
"""Lines in quotes, counted for each quote around them: every level looks at every line."""

MAX_ALT = 10
"""Images within the descriptions of images."""


class Meter(Struct):
    """The rest of a page's budgets for text and quotes. `line` is where the text now parsed begins."""

    left: int = MAX_INLINE
    quoted: int = MAX_QUOTED
    line: int = 0
    depth: int = 0
    noted: bool = False


def meter(env: EnvType) -> Meter:
    """The page's meter; all parses that share `env` share it."""
    found = env.get(KEY)
    if found is None:
        found = env[KEY] = Meter()
    return cast(Meter, found)


def exhausted(env: EnvType) -> None:
    """Say once that the text of the page is too much."""
    of_page = meter(env)
    if not of_page.noted:
        of_page.noted = True
        message = "the page has too much markup; from here on text is shown as it is"
        note(env, Note("budget-exceeded", of_page.line, message))
