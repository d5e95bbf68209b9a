"""The second lock on links. The builder has checked every `Href` before a component sees it, but a component
puts it into an `href`, and the check belongs where the danger is."""

from __future__ import annotations

import re

_SAFE = re.compile(
    r"""
    (?!\s)                     # browsers drop it, and then see what comes after it
    (?: https?://(?=[^/])      # another site
      | mailto: | tel:
      | (?![\\/]{2})           # never //host, in any spelling
        (?=[^:]*$|[^:]*[/?\#]) # a colon may only come after the path has begun, so this is no scheme
    )
    [^\x00-\x1f\\\x7f-\x9f]+   # what browsers would drop or turn into something else
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_safe(href: str) -> bool:
    """Return True if a link may have `href`: `http(s)`, `mailto`, `tel`, a path or a fragment."""
    return _SAFE.fullmatch(href) is not None
