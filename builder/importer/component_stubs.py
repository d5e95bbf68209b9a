"""Write a stub for each component that has no rule: its attributes as they are used, and its content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from builder.frontmatter.join import join
from builder.importer.jsx_components import ComponentTemplate, JsxSource
from builder.importer.old_site import Loss
from builder.markdown.mdx.scan.tags import Tag
from builder.markdown.parts.component_file import NAME
from components.registry import NAMES

_TEXTS = ("title", "label", "heading", "name", "text", "caption", "description", "summary")
"""Attributes whose text a stub shows, in this order."""
ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
"""Names that attributes can have here; bindings of Vue have others."""
_PLACES = ("href", "src", "to", "url", "link")


class ComponentUses(Struct):
    """Uses of components without a rule: by name the count, and the count of each attribute.

    `sources` say where a component is written, `templates` what it shows as far as that was read.
    """

    counts: Counter[str] = field(default_factory=Counter)
    attributes: dict[str, Counter[str]] = field(default_factory=dict)
    with_content: set[str] = field(default_factory=set)
    sources: dict[str, JsxSource] = field(default_factory=dict)
    templates: dict[str, ComponentTemplate] = field(default_factory=dict)

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
    shown = [f"**%{{{one}}}**" if one in _TEXTS[:3] else f"%{{{one}}}" for one in _TEXTS if one in given]
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
