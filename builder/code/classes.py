"""The class of each kind of code: lexers tell many kinds apart, few have a colour of their own."""

from __future__ import annotations

from collections.abc import Mapping

from pygments.token import _TokenType

CLASSES: Mapping[str, str] = {
    "Comment": "c",
    "Comment.Preproc": "k",
    "Comment.PreprocFile": "s",
    "Keyword": "k",
    "Keyword.Type": "nb",
    "Operator.Word": "k",
    "Literal.String": "s",
    "Literal.Number": "m",
    "Literal.Date": "s",
    "Name.Attribute": "na",
    "Name.Builtin": "nb",
    "Name.Class": "nf",
    "Name.Decorator": "nf",
    "Name.Exception": "nb",
    "Name.Function": "nf",
    "Name.Property": "na",
    "Name.Tag": "nt",
    "Name.Variable": "nv",
    "Generic.Deleted": "gd",
    "Generic.Inserted": "gi",
    "Generic.Heading": "k",
    "Generic.Subheading": "c",
    "Generic.Prompt": "gp",
    "Generic.Output": "go",
}
"""Token types, each with all below it, and their class: the short names of Pygments."""


class _Names(dict[_TokenType, str]):
    """The class of every token type; filled as types are met, so that a look-up is a dictionary's."""

    def __missing__(self, kind: _TokenType) -> str:
        name = CLASSES.get(str(kind)[6:])
        if name is None:
            name = self[kind.parent] if kind.parent else ""
        self[kind] = name
        return name


NAMES = _Names()
"""The class of every kind; empty for what has no colour."""
