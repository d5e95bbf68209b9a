"""A sample of kept pages, rendered anew and held against what was kept: whether a cache can be trusted."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

from msgspec import Struct, field

from builder.cache.entries import are_same
from builder.diagnostics import Diagnostic
from builder.render import CachedPage


class Verification(Struct, frozen=True):
    """Takes the `share` of kept pages, from 0 to 1, by chance; `wrong` has those that were kept otherwise."""

    share: float = 0.0
    wrong: list[Diagnostic] = field(default_factory=list)

    def choose(self, kept: Iterable[str]) -> frozenset[str]:
        """Return the content paths of the pages to render anew: at least one, if any are kept."""
        paths = sorted(kept) if self.share else []
        return frozenset(random.sample(paths, math.ceil(self.share * len(paths))))

    def check(self, file: str, kept: CachedPage | None, fresh: CachedPage | None) -> None:
        """Hold a page against what was kept of it; the build goes on with the fresh one."""
        if kept is not None and (fresh is None or not are_same(kept, fresh)):
            self.wrong.append(
                Diagnostic(file, 0, 0, "cache-wrong", "the page is kept otherwise than it is rendered")
            )


NOTHING = Verification()
