"""Hints in the place of a tag or attribute that nobody knows: the nearest name, or ours for another one's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from builder.diagnostics import did_you_mean
from builder.markdown.mdx.scan.tags import Tag
from components.admonition import TYPES
from components.base import Component
from components.registry import COMPONENTS, EXTRA_OF

_OWN = {name.lower(): name for name in (*COMPONENTS, *EXTRA_OF)}
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
_WRITTEN = {
    "Code": "write a fenced code block",
    "CodeBlock": "write a fenced code block",
    "Icon": "write `:icon-name:` with a name of the page Icons",
    "Snippet": 'write `<Include src="..."/>` (`extras: [includes]`)',
    "figure": "write the image alone: `![text](plan.png)`",
    "video": "write `![](clip.mp4)` for a film of your own, or a link",
}
SEEN = frozenset({
    "alt", "caption", "description", "heading", "headline", "label", "subtitle", "summary", "text", "tip",
    "title",
})  # fmt: skip
"""Attributes whose text other systems show."""
_CONTENT = frozenset({"content", "description", "text"})
"""Those with the text that stands between the tags here."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ADMONITIONS = {
    "Admonition": "note", "Alert": "note", "Aside": "note", "Check": "tip", "Hint": "tip",
    "Important": "info", "Success": "tip",
}  # fmt: skip
"""Tags of other systems, and what is meant: our components, our admonitions."""

_KINDS = {
    "abstract": "info", "attention": "warning", "bug": "danger", "check": "tip", "done": "tip",
    "error": "danger", "example": "info", "fail": "danger", "failure": "danger", "faq": "info",
    "help": "info", "hint": "tip", "important": "info", "missing": "danger", "question": "info",
    "quote": "note", "secondary": "note", "seealso": "note", "success": "tip", "summary": "info",
    "tldr": "info", "todo": "info",
}  # fmt: skip
"""Admonitions of other systems, and ours."""
BLOCKS = {
    "code-group": "write `<CodeGroup>` around the code",
    "details": "write `<details>` with a `<summary>`",
    "dropdown": "write `<details>` with a `<summary>`",
    "tab": 'write `<Tabs>` with a `<TabItem label="...">` for each',
    "tab-item": 'write `<Tabs>` with a `<TabItem label="...">` for each',
    "tabs": 'write `<Tabs>` with a `<TabItem label="...">` for each',
    "tab-set": 'write `<Tabs>` with a `<TabItem label="...">` for each',
}
"""Blocks of other systems that are written as admonitions are, and what to write."""


REFERENCE = r":::[ \t]+(?:[a-z_]\w*(?:\.\w+)+|[a-z]+_\w*|\w+(?=\n[ \t]+(?:options|handler):))"
"""The line with which another system puts the reference of a module there: no admonition was meant."""


def kind_of(given: str) -> str:
    """Our admonition for one of another system, or ""."""
    kind = _KINDS.get(given.lower(), given.lower())
    return kind if kind in TYPES else ""


def admonition_hint(given: str) -> str:
    """A hint for an admonition that is none of ours."""
    if given in BLOCKS:
        return BLOCKS[given]
    if kind := kind_of(given):
        return f"write `:::{kind}`"
    known = ", ".join(f"`{name}`" for name in TYPES)
    return nearest(given, frozenset(TYPES)) or f"use one of {known}"


def instead(tag: Tag, components: Iterable[str]) -> str:
    """A hint for a tag that is none of the site's `components`, or ""."""
    plain = tag.name.replace("-", "").replace("_", "").lower()
    if plain in _HEADINGS:
        return f"write `{'#' * int(plain[1])}` and a blank before its text, on a line of its own"
    if tag.name in _WRITTEN:
        return _WRITTEN[tag.name]
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
    switch = f"add `{EXTRA_OF[name]}` to `extras` in `site.yml`"
    return switch if given == name else f"write `{name}` and {switch}"


def attribute_hint(kind: type[Component], name: str, known: Collection[str]) -> str:
    """A hint for an attribute that a component of ours has not."""
    if name in _CONTENT and not kind.childless:
        return f"write its text between `<{kind.tag}>` and `</{kind.tag}>`"
    if hint := nearest(name, frozenset(known)):
        return hint
    names = ", ".join(f"`{each}`" for each in known)
    return f"it has {names}" if names else f"`{kind.tag}` has no attributes"


def instead_in_md(name: str) -> str:
    """A hint for a tag of an `md` page that other systems have as a component, or ""."""
    kind = name.lower() if name.lower() in TYPES else _ADMONITIONS.get(name, "")
    if kind:
        return f"rename the file to `.mdx` and write `:::{kind}`"
    if name[0].isupper() and name in _WRITTEN:
        return f"rename the file to `.mdx` and {_WRITTEN[name]}"
    if ours := _FOREIGN.get(name):
        return f"rename the file to `.mdx` and write `<{ours}>`{_with_extra(ours)}"
    return ""


def _with_extra(name: str) -> str:
    extra = EXTRA_OF.get(name)
    return f", which acts with `{extra}` in `extras` of `site.yml`" if extra else ""


def free_way(name: str) -> str:
    """A hint how to show the same on every plan."""
    return _FREE_WAYS.get(name, "")


def texts_of(tag: Tag) -> tuple[str, ...]:
    """The texts in the tag of an unknown component that its readers would have seen."""
    return tuple(
        " ".join(one.value.split())
        for one in tag.attributes
        if tag.kind != "close" and one.name in SEEN and isinstance(one.value, str) and one.value.strip()
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
