"""Which kept elements of a paragraph are whole: opened and closed, and not across other markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from markdown_it.token import Token
from msgspec import Struct, field

from builder.markdown.mdx.elements import VOID
from builder.markdown.mdx.marks import Mark

_MARKUP = ""


def unbalanced(tokens: Sequence[Token]) -> dict[int, bool]:
    """The indices of `element` tokens whose tags must go; links around or within links are among them.

    The value tells whether it must be said: of a closing tag it was said with the opening one.
    """
    balance = _Balance()
    for index, token in enumerate(tokens):
        if token.type == "element":
            balance.element(index, token)
        elif token.nesting > 0:
            balance.open_markup(index, is_link=token.type == "link_open")
        elif token.nesting < 0:
            balance.close_markup(is_link=token.type == "link_close")
    balance.dropped.update((index, True) for name, index in balance.stack if name != _MARKUP)
    return balance.dropped


class _Balance(Struct):
    """What is open, the innermost last; `counts` has the elements open since the last markup."""

    dropped: dict[int, bool] = field(default_factory=dict)
    stack: list[tuple[str, int]] = field(default_factory=list)
    counts: list[Counter[str]] = field(default_factory=lambda: [Counter()])
    anchors: list[int] = field(default_factory=list)
    """Elements `a` that are open; those within the first are dropped already."""
    links: int = 0

    def element(self, index: int, token: Token) -> None:
        mark: Mark = token.meta["mark"]
        name, kind = token.content, mark.tag.kind if mark.tag else "void"
        if name in VOID:
            self.dropped.update({index: True} if kind == "close" else {})
        elif kind == "close":
            self._close(index, name)
        elif kind == "void":
            self.dropped[index] = True
        else:
            self._open(index, name)

    def open_markup(self, index: int, *, is_link: bool) -> None:
        self.stack.append((_MARKUP, index))
        self.counts.append(Counter())
        if is_link:
            self.links += 1
            self.dropped.update(dict.fromkeys(self.anchors[:1], True))

    def close_markup(self, *, is_link: bool) -> None:
        """End the last markup; elements still open within it are cut off."""
        self.links -= is_link
        while self.stack:
            name, index = self.stack.pop()
            if name == _MARKUP:
                self.counts.pop()
                return
            self._forget(name, index)

    def _open(self, index: int, name: str) -> None:
        if name == "a" and (self.links or self.anchors):
            self.dropped[index] = True
        if name == "a":
            self.anchors.append(index)
        self.stack.append((name, index))
        self.counts[-1][name] += 1

    def _close(self, index: int, name: str) -> None:
        """Close the last element of this name, unless markdown's own markup was opened within it."""
        if not self.counts[-1][name]:
            self.dropped[index] = True
            return
        while self.stack[-1][0] != name:
            self._forget(*self.stack.pop())
        opening = self.stack.pop()[1]
        self.counts[-1][name] -= 1
        if name == "a":
            self.anchors.pop()
        if opening in self.dropped:
            self.dropped[index] = False

    def _forget(self, name: str, index: int) -> None:
        """An element without an end."""
        self.dropped[index] = True
        self.counts[-1][name] -= 1
        if name == "a":
            self.anchors.pop()
