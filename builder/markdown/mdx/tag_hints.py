"""Hints in the place of a tag or attribute that nobody knows: the nearest name, or ours for another one's."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from builder.diagnostics import did_you_mean
from builder.markdown.mdx.scan.tags import Tag
from components.admonition import TYPES
from components.registry import COMPONENTS, EXTRAS

_EXTRA_OF = {name: extra for extra, names in EXTRAS.items() for name in names}
_EXTRA_OF |= {"Include": "includes", "Slot": "components"}
_OWN = {name.lower(): name for name in (*COMPONENTS, *_EXTRA_OF)}
_FOREIGN = {
    "CardGroup": "CardGrid",
    "Changelog": "Update",
    "Cards": "CardGrid",
    "CodeTabs": "CodeGroup",
    "Figure": "Frame",
    "Files": "FileTree",
    "LinkCard": "Card",
    "ParamField": "Param",
    "ResponseField": "Param",
    "Tab": "TabItem",
    "TabPanel": "TabItem",
    "Tile": "Card",
    "Tree": "FileTree",
    "Video": "Embed",
    "YouTube": "Embed",
}
_FREE_WAYS = {
    "Accordion": "without the plan, write `<details>` with a `<summary>`",
    "AccordionItem": "without the plan, write `<details>` with a `<summary>`",
    "Embed": "without the plan, write `![](clip.mp4)` for a film of your own, or a link",
    "Callout": "without the plan, write `:::note`",
}
_SEEN = frozenset({
    "alt", "caption", "description", "heading", "headline", "label", "subtitle", "summary", "text", "tip",
    "title",
})  # fmt: skip
"""Attributes whose text other systems show."""
_ADMONITIONS = {"Admonition": "note", "Alert": "note", "Aside": "note", "Hint": "tip", "Important": "info"}
"""Tags of other systems, and what is meant: our components, our admonitions."""


def instead(tag: Tag, components: Iterable[str]) -> str:
    """A hint for a tag that is none of the site's `components`, or ""."""
    plain = tag.name.replace("-", "").replace("_", "").lower()
    if plain in TYPES:
        return f"write `:::{plain}`"
    if tag.name in _ADMONITIONS:
        return f"write `:::{_type(tag) or _ADMONITIONS[tag.name]}`"
    name = _FOREIGN.get(tag.name) or _OWN.get(plain)
    if name:
        return _named(tag.name, name, frozenset(components))
    return nearest(tag.name, frozenset(components)) if tag.name[0].isupper() else ""


def _named(given: str, name: str, components: frozenset[str]) -> str:
    """A hint that names a component, and the extra that it needs."""
    if name in components:
        return f"did you mean `{name}`?"
    switch = f"add `{_EXTRA_OF[name]}` to `extras` in `site.yml`"
    return switch if given == name else f"write `{name}` and {switch}"


def free_way(name: str) -> str:
    """A hint how to show the same on every plan."""
    return _FREE_WAYS.get(name, "")


def texts_of(tag: Tag) -> tuple[str, ...]:
    """The texts in the tag of an unknown component that its readers would have seen."""
    return tuple(
        " ".join(one.value.split())
        for one in tag.attributes
        if tag.kind != "close" and one.name in _SEEN and isinstance(one.value, str) and one.value.strip()
    )


def _type(tag: Tag) -> str:
    """The type that an admonition's tag gives, when there is one of this name."""
    given = (str(one.value).lower() for one in tag.attributes if one.name in {"type", "variant", "kind"})
    return next((value for value in given if value in TYPES), "")


def nearest(name: str, known: frozenset[str]) -> str:
    """A hint with the nearest name, or an empty string."""
    return _nearest(name[:60], known)


@lru_cache(maxsize=1024)
def _nearest(name: str, known: frozenset[str]) -> str:
    return did_you_mean(name, sorted(known))
