"""A component's docstring as data: its documentation for authors, for pages and for the guide for agents.

    One sentence that says what it is.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `title` | text | | ... |

    What to know.

    ```mdx
    An example
    ```

The table is left out where there are no attributes. Fences may be longer, to hold fences.
"""

from __future__ import annotations

import inspect
import re

from msgspec import Struct

from components.base import Component

_EXAMPLE = re.compile(r"^(`{3,})mdx\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^\| Attribute \|.*?(?:\n(?!\|)|\Z)", re.MULTILINE | re.DOTALL)


class Row(Struct, frozen=True):
    """One line of the attribute table; `name` is bare, the rest is markdown as it stands there."""

    name: str
    type: str
    default: str
    meaning: str


class Documentation(Struct, frozen=True):
    """The parts of a docstring. `table` is the attribute table as markdown, "" for none; so are `notes`."""

    tag: str
    premium: bool
    summary: str
    table: str
    notes: str
    examples: tuple[str, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """The table's lines, in their order."""
        lines = self.table.splitlines()[2:]
        cells = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines)
        return tuple(Row(name.strip("`"), kind, default, meaning) for name, kind, default, meaning in cells)


def documentation(component: type[Component]) -> Documentation:
    """The documentation of `component`, from its docstring."""
    text = inspect.cleandoc(component.__doc__ or "")
    examples = tuple(found[2] for found in _EXAMPLE.finditer(text))
    table = _TABLE.search(text)
    summary, _, rest = _TABLE.sub("", _EXAMPLE.sub("", text)).strip().partition("\n\n")
    return Documentation(
        tag=component.tag,
        premium=component.premium,
        summary=" ".join(summary.split()),
        table=table[0].strip() if table else "",
        notes=rest.strip(),
        examples=examples,
    )
