"""From the attributes of a tag to a component: every value is checked and typed before the component sees it.

text    any string; a number, `{true}`, `{false}` or an array, as it is written
link    a string; resolved when the page is rendered
image   the same, for an image
labels  a string with commas, or an array of strings
number  3, "3"
flag    alone, "true", "false", "", true, false, or its own name as HTML has it (`required="required"`)
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from builder.markdown.mdx.scan.javascript import Value
from builder.markdown.mdx.scan.tags import Given
from builder.markdown.mdx.tag_hints import attribute_hint
from builder.redaction import beginning
from components import labels
from components.attributes import Attribute, attributes
from components.base import Component

Report = Callable[[int, str, str, str], None]
"""Takes the fault's offset in the text that the tag was read from, code, message and hint."""

_NUMBER = re.compile(r"[-+]?\d{1,9}")
_NEEDS = {
    "text": 'give it a text, as in `{}="..."`',
    "link": 'give it an address, as in `{}="/docs/"`',
    "image": 'give it the address of an image, as in `{}="./plan.png"`',
    "labels": 'give it names, as in `{}="One,Two"`',
    "number": "give it a whole number, as in `{}={{3}}`",
    "flag": "write `{}` alone, or leave it out",
}


def component(kind: type[Component], given: Iterable[Given], report: Report) -> Component:
    """The component with the values that are valid."""
    known = attributes(kind)
    values: dict[str, Any] = {}
    for one in given:
        attribute = known.get(one.name)
        if one.name in kind.ignored:
            continue
        if attribute is None:
            _unknown(kind, one, list(known), report)
            continue
        if one.name in values:
            report(one.start, "attribute-invalid", f"`{one.name}` is given twice", "the last one counts")
        value = _value(attribute, one, report)
        if value is not None:
            values[one.name] = value
    return kind(**values)


def _unknown(kind: type[Component], one: Given, known: list[str], report: Report) -> None:
    if not one.name or (one.value is None and one.name not in known):
        report(one.start, "attribute-expression", _expression(one.name), "write the value itself")
        return
    hint = attribute_hint(kind, one.name, known)
    report(one.start, "attribute-unknown", f"`{kind.tag}` has no attribute `{one.name}`", hint)


def _expression(name: str) -> str:
    what = f"the value of `{name}`" if name else "`{...}` among the attributes"
    return f"{what} is no plain string, number or boolean, so it is left out"


def _value(attribute: Attribute, one: Given, report: Report) -> str | int | bool | None:
    """The value as the attribute's kind has it; None, and a report, when it cannot be."""
    if one.value is None:
        report(one.value_start, "attribute-expression", _expression(one.name), "write the value itself")
        return None
    value = _typed(attribute, one)
    if value is None:
        hint = _NEEDS[attribute.kind].format(one.name)
        report(one.value_start, "attribute-invalid", f"`{one.name}` cannot be {_shown(one)}", hint)
    return value


def _typed(attribute: Attribute, one: Given) -> str | int | bool | None:
    value = one.value
    if attribute.kind == "flag":
        return _flag(attribute.name, value)
    if attribute.kind == "number":
        return _number(value)
    if attribute.kind == "labels" and isinstance(value, tuple):
        return labels.join([str(item) for item in value])
    if attribute.kind == "text" and one.braced:
        return _written(value)
    return None if isinstance(value, bool | tuple) else str(value)


def _written(value: Value | None) -> str:
    """The value as it stands in a page's source; a string without its quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _flag(name: str, value: Value | None) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        word = value.strip().lower()
        return True if word in {"", "true", name.lower()} else False if word == "false" else None
    return None


def _number(value: Value | None) -> int | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _shown(one: Given) -> str:
    if one.value is True and not one.braced:
        return "without a value"
    text = _written(one.value)
    return f"`{beginning(text, 40, '…')}`"
