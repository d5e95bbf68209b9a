"""The component reference of the documentation site, generated from the components' docstrings.

`python -m components.reference DIR` writes the pages into DIR. They are ordinary pages, so they show the
components as readers will see them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from components import icons
from components.admonition import Admonition
from components.base import Component
from components.documentation import documentation
from components.registry import EXTRAS, components_of


class Family(Struct, frozen=True):
    """Components that are explained on one page, the outer one first; `extra` switches them on."""

    members: tuple[type[Component], ...]
    extra: str = ""

    @property
    def title(self) -> str:
        """`Tabs and TabItem`."""
        return " and ".join(member.tag for member in self.members)

    @property
    def file(self) -> str:
        """The page's file name: that of the outer component, in lower case."""
        return f"{self.members[0].tag.lower()}.mdx"


_ALL = components_of(frozenset(EXTRAS))


def _family(*names: str) -> Family:
    return Family(tuple(_ALL[name] for name in names))


FAMILIES = (
    Family((Admonition,)),
    _family("CardGrid", "Card"),
    _family("Tabs", "TabItem"),
    _family("CodeGroup"),
    _family("Steps", "Step"),
    _family("Method"),
    _family("Endpoint"),
    _family("Params", "Param"),
    _family("WhereItLives"),
    _family("Accordion", "AccordionItem"),
    _family("Embed"),
    _family("Callout"),
)
"""What every site has."""

EXTRA_FAMILIES = tuple(Family(_family(*names).members, extra) for extra, names in EXTRAS.items())
"""What a site has with an extra."""

_PAGES = (*FAMILIES, *EXTRA_FAMILIES)

_CATEGORY = "label: Components\nposition: 4\ncollapsed: true\n"

_OVERVIEW = """\
---
title: Components
description: All components on one page, each as readers see it, with links to their attributes and sources.
sidebar_position: 0
---

Components add what markdown lacks: tabs, steps, cards, API endpoints. They work in `mdx` pages, without an
import. [Using components](../writing/components.mdx) has the rules of their tags; this page shows them all.

"""

_ICONS = """\
---
title: Icons
description: The names of all icons, for cards and for running text.
sidebar_label: Icons
sidebar_position: 99
---

An icon has a name. Give it to a [card](./cardgrid.mdx), or write it between colons in running text, in a
heading or in a table: `:icon-rocket:` is :icon-rocket: here. For an unknown name the page shows a default
icon, and a [diagnostic](../reference/diagnostics.mdx) names the nearest one.

The icons come from [Lucide](https://lucide.dev), under the ISC licence.

"""


def pages() -> dict[str, str]:
    """All generated files of the component reference by their name in its folder."""
    families = {family.file: _family_page(family, position) for position, family in enumerate(_PAGES, 1)}
    return {"_category_.yml": _CATEGORY, "index.mdx": _overview(), **families, "icons.mdx": _icon_page()}


def _family_page(family: Family, position: int) -> str:
    head = documentation(family.members[0])
    description = json.dumps(head.summary, ensure_ascii=False)  # a string in YAML too, whatever is in it
    front = f"title: {family.title}\ndescription: {description}\nsidebar_label: {head.tag}\n"
    summary, *rest = _member(family.members[0], "## Example")
    parts = [f"---\n{front}sidebar_position: {position}\n---", summary, _switch(family), *rest]
    for member in family.members[1:]:
        parts += [f"## {member.tag}", *_member(member, "")]
    return "\n\n".join(part for part in parts if part) + "\n"


def _member(component: type[Component], heading: str) -> list[str]:
    told = documentation(component)
    live = [part for example in told.examples for part in (example, _source(example))]
    table_heading = "## Attributes" if heading and told.table else ""
    return [told.summary, _plan(component), told.notes, heading, *live, table_heading, told.table]


def _switch(family: Family) -> str:
    """The sentence that says which extra a page's components need."""
    if not family.extra:
        return ""
    names = " and ".join(f"`{member.tag}`" for member in family.members)
    verb = "is" if len(family.members) == 1 else "are"
    return (
        f"{names} {verb} there with the [extra](../writing/extras.mdx) `{family.extra}`: "
        f"write `extras: [{family.extra}]` into `site.yml`."
    )


def _plan(component: type[Component]) -> str:
    return "It is part of the [premium plan](../writing/premium.mdx)." if component.premium else ""


def _source(example: str) -> str:
    fence = "````" if "```" in example else "```"
    return f"{fence}mdx\n{example}\n{fence}"


def _overview() -> str:
    rows = [_row(family) for family in _PAGES]
    table = "\n".join(["| Component | What it is | Plan |", "|---|---|---|", *rows])
    shown = [part for family in _PAGES for part in (f"## {family.title}", *_shown(family))]
    return _OVERVIEW + "\n\n".join([table, *shown]) + "\n"


def _row(family: Family) -> str:
    told = documentation(family.members[0])
    plan = f"[extra](../writing/extras.mdx) `{family.extra}`" if family.extra else _PLANS[told.premium]
    return f"| [{family.title}](./{family.file}) | {told.summary} | {plan} |"


_PLANS = {True: "premium", False: "free"}


def _shown(family: Family) -> list[str]:
    told = documentation(family.members[0])
    return [*told.examples, f"[Attributes and source](./{family.file})"]


def _icon_page() -> str:
    tables = (f"## {group}\n\n{_icon_table(list(names))}" for group, names in icons.GROUPS.items())
    return _ICONS + "\n\n".join(tables) + "\n"


def _icon_table(names: Sequence[str]) -> str:
    rows = [f"| :icon-{name}: | `{name}` | {_other_names(name)} |" for name in names]
    return "\n".join(["| Icon | Name | Other names |", "|---|---|---|", *rows])


def _other_names(name: str) -> str:
    return ", ".join(f"`{alias}`" for alias, target in icons.ALIASES.items() if target == name)


def main(folder: Path) -> None:
    """Write the pages into `folder`, which is created if it does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
