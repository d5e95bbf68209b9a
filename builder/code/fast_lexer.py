"""Lexers of Pygments that try few rules: at each character only those whose patterns can begin with it.

Most of Pygments' lexers have a list of rules for each state, and its loop tries one after the other: two
dozen for each piece of ordinary code. The loop here gives the same pieces, for it keeps the order of the
rules and leaves out none that could match. Lexers tell many kinds of code apart, but few have a colour of
their own: `runs` gives classes, not kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pygments.lexer import Lexer, RegexLexer, RegexLexerMeta
from pygments.token import Error, Whitespace, _TokenType

from builder.code.first_characters import END, first

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

Piece = tuple[int, _TokenType, str]
Run = tuple[str, str]
"""The class of a text, and the text."""
Rule = tuple[Any, str | None, Any, Any]
"""A pattern's method `match`, the class of what it matches when that is one piece, its token type or what
gives its pieces, and the state after it."""

PATIENCE = 10_000
"""Characters of one language that Pygments itself reads before the patterns are read: that takes as long."""


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


class _Rules(dict[str, Sequence[Rule]]):
    """The rules of a state for each character, or for none at the end of the text; filled as they are met."""

    def __init__(self, every: Iterable[tuple[Any, Any, Any]]) -> None:
        super().__init__()
        self._every = [(match, _class(action), action, state) for match, action, state in every]
        self._firsts: Sequence[int] = ()

    def __missing__(self, char: str) -> Sequence[Rule]:
        """The rules to be tried there."""
        if not char.isascii():
            return self._every
        self._firsts = self._firsts or [first(rule[0].__self__) for rule in self._every]
        bit = 1 << ord(char) if char else END
        found = self[char] = [
            rule for rule, chars in zip(self._every, self._firsts, strict=True) if chars & bit
        ]
        return found


def _class(action: object) -> str | None:
    return NAMES[action] if type(action) is _TokenType else None


class _States(dict[str, _Rules]):
    """The rules of each state of one lexer, and how many characters that lexer has been given."""

    def __init__(self, tokens: Mapping[str, Iterable[tuple[Any, Any, Any]]]) -> None:
        super().__init__()
        self._tokens = tokens
        self.given = 0

    def __missing__(self, state: str) -> _Rules:
        """A state that was not met before."""
        found = self[state] = _Rules(self._tokens[state])
        return found


class _Quick(RegexLexer):
    """Stands behind a lexer's own class and before Pygments' in the order in which methods are looked for."""

    _states: _States

    def get_tokens_unprocessed(self, text: str, stack: Iterable[str] = ("root",)) -> Iterator[Piece]:
        """The offset, type and text of each piece, in order."""
        self._states.given += len(text)
        if self._states.given < PATIENCE:
            return super().get_tokens_unprocessed(text, stack)
        return _pieces(self, self._states, text, list(stack))


def _pieces(lexer: _Quick, states: _States, text: str, path: list[str]) -> Iterator[Piece]:
    at, rules = 0, states[path[-1]]
    while True:
        for match, _, action, state in rules[text[at : at + 1]]:
            found = match(text, at)
            if found is None:
                continue
            if type(action) is _TokenType:
                yield at, action, found.group()
            elif action is not None:
                yield from action(lexer, found)
            at = found.end()
            if state is not None:
                _move(path, state)
                rules = states[path[-1]]
            break
        else:
            if at >= len(text):
                return
            # What no rule matches is an error, but a line's end sets everything right.
            if text[at] == "\n":
                path, rules = ["root"], states["root"]
            yield at, Whitespace if text[at] == "\n" else Error, text[at]
            at += 1


def runs(lexer: Lexer, text: str) -> Iterator[Run]:
    """The text in order, neighbours of one class mostly as one."""
    # A method of the lexer's own may give other pieces than the loop.
    is_loop = type(lexer).get_tokens_unprocessed is _Quick.get_tokens_unprocessed
    if is_loop and isinstance(lexer, _Quick) and lexer._states.given >= PATIENCE:
        return _runs(lexer, lexer._states, text)
    return ((NAMES[kind], piece) for _, kind, piece in lexer.get_tokens_unprocessed(text))


def _runs(lexer: _Quick, states: _States, text: str) -> Iterator[Run]:
    """Yield what `_pieces` gives, without making each piece: `text[start:at]` is of the class `current`."""
    path, rules = ["root"], states["root"]
    at, start, current = 0, 0, ""
    while True:
        for match, name, action, state in rules[text[at : at + 1]]:
            found = match(text, at)
            if found is None:
                continue
            if name != current:
                yield current, text[start:at]
                start, current = at, name or ""
                if name is None:
                    yield from _of(action, lexer, found)
                    start = found.end()
            at = found.end()
            if state is not None:
                _move(path, state)
                rules = states[path[-1]]
            break
        else:
            yield current, text[start:at]
            if at >= len(text):
                return
            if text[at] == "\n":
                path, rules = ["root"], states["root"]
            start, current, at = at, "", at + 1


def _of(action: Any, lexer: Lexer, found: re.Match[str]) -> Iterator[Run]:
    """Yield the runs of a rule that gives more than one piece."""
    if action is not None:
        yield from ((NAMES[kind], piece) for _, kind, piece in action(lexer, found))


def _move(path: list[str], to: int | str | tuple[str, ...]) -> None:
    """Go to another state: so many back, into the same again, or into each of these. The first one stays."""
    if isinstance(to, int):
        del path[max(1, len(path) - abs(to)) :]
    elif isinstance(to, str):
        path.append(path[-1])
    else:
        for state in to:
            if state == "#pop":
                del path[max(1, len(path) - 1) :]
            else:
                path.append(path[-1] if state == "#push" else state)


def quick(lexer: Lexer) -> Lexer:
    """The same lexer with the quick loop, where its class or its own method calls the loop for rules.

    A lexer that is many in one (`token_variants`) has other rules in each instance, and stays as it is.
    """
    own = type(lexer)
    if not isinstance(lexer, RegexLexer) or getattr(own, "token_variants", False):
        return lexer
    return _quick(own)(**lexer.options)


@cache
def _quick(own: type[RegexLexer]) -> type[RegexLexer]:
    # Pygments makes the rules with the first lexer of a class; the class made here need not make them again.
    rules = vars(own)["_tokens"]
    metaclass: Any = RegexLexerMeta
    made: type[RegexLexer] = metaclass(
        own.__name__, (own, _Quick), {"_tokens": rules, "_states": _States(rules)}
    )
    return made
