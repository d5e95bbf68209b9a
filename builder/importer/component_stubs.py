"""Write a stub for each component that has no rule: its attributes as they are used, and its content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct, field

from builder.frontmatter.join import join
from builder.importer.jsx_components import ComponentTemplate, JsxSource
from builder.importer.literals import Literal
from builder.importer.old_site import Loss
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.parts.component_file import NAME
from components.registry import NAMES

_TEXTS = ("title", "label", "heading", "name", "text", "caption", "description", "summary")
"""Attributes whose text a stub shows, in this order."""
ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""Names that attributes can have here; bindings of Vue have others."""
_PLACES = ("href", "src", "to", "url", "link")


_PROSE = frozenset({"description", "content", "text", "body", "answer", "children"})
_CODED = re.compile(r"[<>{}|*_\[\]\\]")
_PROGRAM = re.compile(r"^(?:import|export)\b|[<>{}]")
_DEEPEST = 6


class ComponentUses(Struct):
    """Uses of components without a rule: by name the count, and the count of each attribute.

    `sources` say where a component is written, `templates` what it shows as far as that was read.
    """

    counts: Counter[str] = field(default_factory=Counter)
    attributes: dict[str, Counter[str]] = field(default_factory=dict)
    with_content: set[str] = field(default_factory=set)
    coded: set[tuple[str, str]] = field(default_factory=set)
    sources: dict[str, JsxSource] = field(default_factory=dict)
    templates: dict[str, ComponentTemplate] = field(default_factory=dict)

    def add_texts(self, name: str, texts: Mapping[str, str]) -> None:
        """Remember which attributes hold signs of a program, which the stub shows as code."""
        self.coded |= {
            (name, one) for one, text in texts.items() if _PROGRAM.search(text) and "`" not in text
        }

    def add(self, tag: Tag, *, has_content: bool) -> None:
        """Count one use."""
        self.counts[tag.name] += 1
        named = (one.name for one in tag.attributes if ATTRIBUTE.fullmatch(one.name or ""))
        self.attributes.setdefault(tag.name, Counter()).update(named)
        if has_content:
            self.with_content.add(tag.name)


def component_stubs(uses: ComponentUses, losses: list[Loss]) -> Mapping[str, str]:
    """Return the file of each component, and tell how often each is used."""
    found: dict[str, str] = {}
    for name, count in sorted(uses.counts.items()):
        if name in NAMES or not NAME.fullmatch(name):
            continue
        file = f"_components/{name}.mdx"
        found[file] = _stub(name, uses)
        is_read = name in uses.templates
        told = f"`{file}` shows {'its elements' if is_read else 'its texts and its content'}"
        losses.append(Loss(f"component {name}", "", 0, f"<{name}>, used {count:,} times", told, "changed"))
    return found


def _stub(name: str, uses: ComponentUses) -> str:
    template = uses.templates.get(name)
    if template is not None:
        return _filled(template, uses.attributes.get(name, ()))
    given = sorted(uses.attributes.get(name, ()))
    lines = ["---", "attributes:", *(f"  {one}: string" for one in given), "---"] if given else []
    shown = [_shown_attribute(one, is_code=(name, one) in uses.coded) for one in _TEXTS if one in given]
    place = next((one for one in _PLACES if one in given), "")
    if place:
        shown.append(f"[%{{{place}}}](%{{{place}}})")
    content = ["<Slot/>"] if name in uses.with_content else []
    return "\n".join((*lines, *"\n\n".join((*shown, *content)).split("\n"), ""))


def _filled(template: ComponentTemplate, used: Iterable[str]) -> str:
    """Return a component with the elements that it showed."""
    given = {**dict.fromkeys(used, ""), **template.attributes}
    declared = {
        name: {"type": "string", "default": default} if default else "string"
        for name, default in sorted(given.items())
    }
    return join({"attributes": declared} if declared else {}, template.body)


def _shown_attribute(name: str, *, is_code: bool) -> str:
    if is_code:
        return f"```text vars\n%{{{name}}}\n```"
    return f"**%{{{name}}}**" if name in _TEXTS[:3] else f"%{{{name}}}"


def data_as_list(value: Literal, href: Callable[[str], str]) -> str:
    """Return what an attribute holds as a list of markdown, "" for what is no list of objects.

    `href` gives the destinations of links as the new page names them.
    """
    if not isinstance(value, list) or not any(isinstance(each, dict) for each in value):
        return ""
    return "\n".join(_items(value, href, 0))


def _items(values: list[Literal], href: Callable[[str], str], depth: int) -> Iterator[str]:
    for each in values:
        if isinstance(each, dict):
            yield f"{'  ' * depth}- {_item(each, href)}"
            for inner in each.values() if depth < _DEEPEST else ():
                if isinstance(inner, list) and any(isinstance(one, dict) for one in inner):
                    yield from _items(inner, href, depth + 1)
        elif isinstance(each, str | int | float):
            yield f"{'  ' * depth}- {_shown(str(each))}"


def _item(given: Mapping[str, Literal], href: Callable[[str], str]) -> str:
    """Return an object in a line: its title, which may be a link, and all other texts."""
    plain = {name: one for name, one in given.items() if isinstance(one, str | int | float) and one != ""}
    values = {name: str(one) for name, one in plain.items() if not isinstance(one, bool)}
    flags = [name for name, one in plain.items() if one is True]
    title = next((name for name in _TEXTS if name in values), "")
    place = next((name for name in _PLACES if name in values), "")
    shown = f"**{_shown(values.pop(title))}**" if title else ""
    if place:
        target = href(values.pop(place))
        shown = f"[{shown or _shown(target)}](<{target}>)" if "<" not in target else shown
    rest = (_shown(one) if name in _PROSE else f"{name}: {_shown(one)}" for name, one in values.items())
    lists = (
        f"{name}: {', '.join(_shown(str(each)) for each in one)}"
        for name, one in given.items()
        if isinstance(one, list) and one and all(isinstance(each, str | int | float) for each in one)
    )
    return " · ".join(part for part in (shown, *flags, *rest, *lists) if part)


def _shown(text: str) -> str:
    """Return a text as markdown: as code where it has signs of a program."""
    line = " ".join(text.split())
    return (
        f"`{line}`"
        if _CODED.search(line) and "`" not in line
        else line.replace("<", "&lt;").replace("{", "\\{")
    )
