"""Every component that can be written as a tag, by its name. (`:::note` is in `components/admonition.py`.)

    COMPONENTS              what pages of every site can use
    components_of(extras)   the same, and those of the extras that a site has switched on

A component is loaded by its name when a page uses it: most pages use none. So each is in a file of its own,
with the parts that stand in it alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module

from components.base import Component

_FREE = (
    "CardGrid", "Card", "Method", "Endpoint", "Params", "Param", "WhereItLives",
    "CodeGroup", "Tabs", "TabItem", "Steps", "Step",
)  # fmt: skip
PREMIUM = ("Accordion", "AccordionItem", "Embed", "Callout")
"""The components of the premium plan; each class says so too."""
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "badge": ("Badge",),
    "frame": ("Frame",),
    "file-tree": ("FileTree",),
    "tooltip": ("Tooltip",),
    "columns": ("Columns", "Column"),
    "update": ("Update",),
}
"""The components of each extra of `site.yml` that brings any."""
EXTRA_OF: Mapping[str, str] = {
    **{name: extra for extra, names in EXTRAS.items() for name in names},
    "Include": "includes",
    "Slot": "components",
}
"""The extra of each component that needs one, and of the two tags that stand for what a page includes."""
_WHOLES = {
    "Param": "Params", "TabItem": "Tabs", "Step": "Steps", "AccordionItem": "Accordion", "Column": "Columns",
}  # fmt: skip
"""The component in whose file a part is."""


class _Components(Mapping[str, type[Component]]):
    """A mapping that gives its names without loading any component."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = dict.fromkeys(names)

    def __getitem__(self, name: str) -> type[Component]:
        if name not in self._names:
            raise KeyError(name)
        return _loaded(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@cache
def _loaded(name: str) -> type[Component]:
    """The class `CodeGroup` of the module `components/codegroup.py`."""
    found: type[Component] = getattr(import_module(f"components.{_WHOLES.get(name, name).lower()}"), name)
    return found


COMPONENTS: Mapping[str, type[Component]] = _Components((*_FREE, *PREMIUM))


@lru_cache(maxsize=64)
def components_of(extras: frozenset[str]) -> Mapping[str, type[Component]]:
    """The components of a site with these `extras`; names of extras that bring none are ignored."""
    more = [name for extra, names in EXTRAS.items() if extra in extras for name in names]
    return _Components((*_FREE, *PREMIUM, *more)) if more else COMPONENTS


NAMES = frozenset(components_of(frozenset(EXTRAS)))
"""The names of all of them, whatever a site has switched on."""
