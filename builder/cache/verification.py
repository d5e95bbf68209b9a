"""A sample of kept pages, rendered anew and held against what was kept: whether a cache can be trusted."""

from __future__ import annotations

import math
from collections.abc import Iterable

from msgspec import Struct, field

from builder.cache.entries import are_same
from builder.diagnostics import Diagnostic
from builder.render import CachedPage


class Verification(Struct, frozen=True):
    """Takes the `share` of kept pages, from 0 to 1, by chance.

    `checked` are the files of those that were rendered anew, `wrong` tells which of them were kept otherwise.
    """

    share: float = 0.0
    checked: list[str] = field(default_factory=list)
    wrong: list[Diagnostic] = field(default_factory=list)

    def choose(self, kept: Iterable[str]) -> frozenset[str]:
        """Return the content paths of the pages to render anew: at least one, if any are kept."""
        if not self.share:
            return frozenset()
        import random  # noqa: PLC0415 - few builds look

        paths = sorted(kept)
        return frozenset(random.sample(paths, math.ceil(self.share * len(paths))))

    def check(
        self, file: str, kept: CachedPage | None, fresh: CachedPage | None, *, has_html: bool = True
    ) -> bool:
        """Hold a page against what was kept of it, and say whether it is that; the build goes on with it.

        `has_html` says whether its HTML is what another machine has sent.
        """
        if kept is None:  # another build has put its own there meanwhile
            return True
        self.checked.append(file)
        if fresh is not None and has_html and are_same(kept, fresh):
            return True
        message = "the page is kept otherwise than it is rendered"
        self.wrong.append(Diagnostic(file, 0, 0, "cache-wrong", message))
        return False


NOTHING = Verification()
