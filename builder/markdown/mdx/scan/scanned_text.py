"""A text of `mdx` and what is found in it: all is found out once, and only when it is asked for."""

from __future__ import annotations

from collections.abc import Container, Mapping

from builder.markdown.mdx.scan.braces import Braces
from builder.markdown.mdx.scan.ends import Ends
from builder.markdown.mdx.scan.pairs import Span, pairs
from builder.markdown.mdx.scan.tags import Tag, tag_at
from components.registry import COMPONENTS


class ScannedText:
    """The text of a container or paragraph, its braces, ends and pairs; `components` are the known names."""

    __slots__ = ("_closings", "_components", "_math", "_pairs", "braces", "ends", "marks", "text")

    def __init__(self, text: str, components: Container[str] = COMPONENTS, *, math: bool = False) -> None:
        self.text = text
        self._components = components
        self.braces = Braces(text)
        self.ends = Ends(text)
        self.marks = 0
        self._math = math
        self._pairs: Mapping[int, Span | None] | None = None
        self._closings: frozenset[Span | None] | None = None

    @property
    def closes(self) -> Mapping[int, Span | None]:
        """The end of each opening; None for one that has none."""
        if self._pairs is None:
            self._pairs, self.marks = pairs(self.braces, self._components, math=self._math)
        return self._pairs

    @property
    def closings(self) -> frozenset[Span | None]:
        """The ends that belong to an opening."""
        if self._closings is None:
            self._closings = frozenset(self.closes.values())
        return self._closings

    def tag(self, start: int) -> Tag | None:
        """The tag at `start`."""
        return tag_at(self.braces, start, self._components)
