"""The way down to a page as search engines read it: schema.org's list of breadcrumbs, as JSON-LD.

It stands in a `script` that is data: nothing runs it, so the page's policy, which allows one inline script
by its hash, has nothing to say about it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from builder.render.shared import Shared
from builder.sidebar import Category

_UNSAFE = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


def structured(title: str, chain: Sequence[Category], shared: Shared) -> Markup:
    """The list for a page below the categories in `chain`; nothing when it has no absolute addresses."""
    if not shared.url or not chain:
        return Markup("")
    way: list[dict[str, object]] = [
        {
            "@type": "ListItem",
            "position": number,
            "name": category.label,
            **({"item": shared.canonical(category.url)} if category.url else {}),
        }
        for number, category in enumerate(chain, 1)
    ]
    way.append({"@type": "ListItem", "position": len(way) + 1, "name": title})
    found = {"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": way}
    return Markup(msgspec.json.encode(found).decode().translate(_UNSAFE))
