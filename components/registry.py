"""Every component that can be written as a tag, by its name. (`:::note` is in `components/admonition.py`.)

A component is loaded by its name when a page uses it: most pages use none. So each is in a file of its own,
with the parts that stand in it alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from components.base import Component

_FREE = (
    "CardGrid", "Card", "Method", "Endpoint", "Params", "Param", "WhereItLives",
    "CodeGroup", "Tabs", "TabItem", "Steps", "Step",
)  # fmt: skip
PREMIUM = ("Accordion", "AccordionItem", "Embed", "Callout")
"""The components of the premium plan; each class says so too."""
_NAMES = dict.fromkeys((*_FREE, *PREMIUM))
_WHOLES = {"Param": "Params", "TabItem": "Tabs", "Step": "Steps", "AccordionItem": "Accordion"}
"""The component in whose file a part is."""


class _Components(Mapping[str, type[Component]]):
    """A mapping that gives its names without loading any component."""

    def __getitem__(self, name: str) -> type[Component]:
        if name not in _NAMES:
            raise KeyError(name)
        return _loaded(name)

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


@cache
def _loaded(name: str) -> type[Component]:
    """The class `CodeGroup` of the module `components/codegroup.py`."""
    found: type[Component] = getattr(import_module(f"components.{_WHOLES.get(name, name).lower()}"), name)
    return found


COMPONENTS = _Components()
