"""Own components: what the frontmatter of `_components/Plan.mdx` declares, and values for it.

    ---
    attributes:
      name: {type: string, required: true}
      price: number
      kind: {type: enum, values: [free, paid], default: free}
    ---
    <Card title="%{name}" href="/pricing">%{price} <Slot/></Card>

A declared attribute is a variable of the body. `boolean` is `true` or `false`; one that was neither given nor
has a default is empty.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from builder import frontmatter
from builder.diagnostics import Diagnostic, did_you_mean
from builder.markdown.mdx.scan.javascript import Value
from builder.markdown.mdx.scan.tags import Given
from components.registry import NAMES

OWN = frozenset({"Include", "Slot"})
"""Names that belong to the mechanism itself."""
TYPES = ("string", "number", "boolean", "enum", "url", "icon")
NAME = re.compile(r"[A-Z][A-Za-z0-9_-]*")
_ATTRIBUTE = re.compile(r"[A-Za-z_][\w-]{0,59}")
_NUMBER = re.compile(r"[-+]?\d{1,12}(?:\.\d{1,12})?")
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[/#?]", re.IGNORECASE)
_UNQUOTED = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C"})

Report = Callable[[int, str, str, str], None]
"""Takes the fault's offset, code, message and hint."""


class ComponentUse(Struct, frozen=True):
    """The place where a component is used: relative addresses are seen from the content path `base`.

    `report` takes faults, `near` gives a hint with the nearest name.
    """

    base: str
    report: Report
    near: Callable[[str, Mapping[str, object]], str]


class DeclaredAttribute(Struct, frozen=True):
    """One attribute of an own component."""

    type: str = "string"
    required: bool = False
    default: str = ""
    values: tuple[str, ...] = ()


class ComponentFile(Struct, frozen=True):
    """The body of an own component, from `line` on, its attributes, and what is wrong with the file.

    A fault is its line, its column and its message.
    """

    body: str
    line: int
    attributes: Mapping[str, DeclaredAttribute]
    faults: tuple[tuple[int, int, str], ...] = ()


@lru_cache(maxsize=64)
def read(text: str) -> ComponentFile:
    """Read the file of a component. Total."""
    document = frontmatter.split(text, "")
    declared = document.frontmatter.get("attributes") or {}
    if not isinstance(declared, dict):
        fault = 1, 1, "`attributes`: expected a mapping"
        return ComponentFile(document.body, document.first_line, {}, (fault,))
    said: list[str] = []
    made = {str(name): _declared(str(name), about, said) for name, about in declared.items()}
    told = [
        (found.line, found.column, found.message)
        for found in document.diagnostics
        if found.code == "frontmatter-invalid"
    ]
    told += [(1, 1, message) for message in said]
    return ComponentFile(document.body, document.first_line, made, tuple(told))


def _declared(name: str, about: object, faults: list[str]) -> DeclaredAttribute:
    given = {"type": about} if isinstance(about, str) else about if isinstance(about, dict) else {}
    if not given and about:
        faults.append(f"`attributes.{name}`: expected a type, or a mapping with `type`")
    if not _ATTRIBUTE.fullmatch(name):
        faults.append(f"`{name}` cannot be the name of an attribute")
    sort = str(given.get("type", "string"))
    if sort not in TYPES:
        faults.append(f"`attributes.{name}.type`: expected one of {', '.join(TYPES)}")
        sort = "string"
    listed = given.get("values") or ()
    values = tuple(map(str, listed)) if isinstance(listed, list) else ()
    if sort == "enum" and not values:
        faults.append(f"`attributes.{name}.values`: an `enum` needs the list of its values")
    default = given.get("default")
    shown = str(default).lower() if isinstance(default, bool) else "" if default is None else str(default)
    return DeclaredAttribute(sort, given.get("required") is True, " ".join(shown.split()), values)


def faults(name: str, file: str, text: str) -> Iterator[Diagnostic]:
    """Yield what is wrong with the file of the component `name`."""
    if name in NAMES or name in OWN:
        yield Diagnostic(
            file, 0, 0, "own-component-invalid", f"`{name}` is a name of the language", "give it another name"
        )
    elif not NAME.fullmatch(name):
        message = f"`{name}` cannot be the name of a component"
        yield Diagnostic(file, 0, 0, "own-component-invalid", message, "begin it with a capital letter")
    for line, column, message in read(text).faults:
        yield Diagnostic(file, line, column, "own-component-invalid", message)


def values(
    name: str,
    made: ComponentFile,
    given: Mapping[str, tuple[Given, str | None]],
    caller: ComponentUse,
) -> dict[str, str]:
    """The value of each declared attribute.

    `given` has the attributes of the tag, each with its value as text (None for one that is no data).
    """
    report = caller.report
    found = {key: attribute.default for key, attribute in made.attributes.items()}
    for key, (one, text) in given.items():
        attribute = made.attributes.get(key)
        if attribute is None:
            hint = caller.near(key, made.attributes) or _list(name, list(made.attributes))
            report(one.start, "attribute-unknown", f"`{name}` has no attribute `{key}`", hint)
        elif text is None:
            message = f"the value of `{key}` is no plain string, number or boolean, so it is left out"
            report(one.value_start, "attribute-expression", message, "write the value itself")
        elif (value := _value(attribute, one.value, text, caller.base)) is not None:
            found[key] = value
        else:
            message = f"`{key}` cannot be `{text[:40]}`"
            report(one.value_start, "attribute-invalid", message, _needs(attribute, text))
    for key, attribute in made.attributes.items():
        if attribute.required and key not in given:
            report(-1, "attribute-missing", f"`{name}` needs the attribute `{key}`", f'add `{key}="..."`')
    return found


def _list(name: str, known: list[str]) -> str:
    return f"it has {', '.join(f'`{one}`' for one in known)}" if known else f"`{name}` has no attributes"


def _needs(attribute: DeclaredAttribute, text: str) -> str:
    if attribute.type == "enum":
        listed = ", ".join(f"`{value}`" for value in attribute.values)
        return did_you_mean(text, attribute.values) or f"it can be {listed}"
    words = {"number": "write a number", "boolean": "write `true` or `false`"}
    return words.get(attribute.type, "write the name of an icon")


def _value(attribute: DeclaredAttribute, value: Value | None, text: str, base: str) -> str | None:
    """The value as the attribute's type has it; None when it cannot be."""
    if attribute.type == "boolean":
        word = text.strip().lower()
        return word if word in {"true", "false"} else "true" if value is True or not word else None
    if attribute.type == "number":
        return text.strip() if _NUMBER.fullmatch(text.strip()) else None
    if attribute.type == "enum":
        return text if text in attribute.values else None
    if attribute.type == "icon":
        return text if _WORD.fullmatch(text) or not text else None
    return _address(text, base) if attribute.type == "url" else text


def _address(address: str, base: str) -> str:
    """An address of the caller's, as it is seen from anywhere, and as it may stand in a link."""
    address = address.strip().translate(_UNQUOTED)
    if not address or _ELSEWHERE.match(address):
        return address
    whole = posixpath.normpath(posixpath.join("/", posixpath.dirname(base), address))
    return f"{whole}/" if address.endswith("/") and whole != "/" else whole
