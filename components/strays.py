"""Children that their component does not expect: shown all the same, and reported."""

from __future__ import annotations

from collections.abc import Iterable

from components.base import Child, Component, Page


def check(children: Iterable[Child], kind: type[Component], parent: type[Component], page: Page) -> None:
    """Report `component-misplaced` once when something other than `kind` stands among the `children`."""
    report((child for child in children if not isinstance(child.component, kind)), kind.tag, parent, page)


def report(strays: Iterable[Child], wanted: str, parent: type[Component], page: Page) -> None:
    """Report the first of the `strays` that shows anything; `wanted` is the name of what belongs there."""
    first = next((child for child in strays if child.content.strip()), None)
    if first is not None:
        what = _NAMES[first.kind] if first.component is None else f"`{first.component.tag}`"
        hint = f"put it into `{wanted}`" if wanted in _HOLDERS else f"move it out of `{parent.tag}`"
        page.report("component-misplaced", f"{what} stands in `{parent.tag}` beside its parts", hint)


_NAMES = {"text": "text", "fence": "a code block", "title": "a title", "component": "a component"}
_HOLDERS = frozenset({"Step", "TabItem", "Card", "AccordionItem"})
