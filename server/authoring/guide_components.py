"""Components as the guide tells of them: one line each, and the whole documentation of one or all.

Made of their docstrings, so that nothing is told that they are not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from builder.diagnostics import did_you_mean
from builder.site import Plan
from components.base import Component
from components.documentation import Row, documentation
from components.reference import EXTRA_FAMILIES, FAMILIES, Family

_OWN_LINK = re.compile(r"\[([^\]]+)\]\([./][^)]*\)")
"""A link to a page of Twinpress's own documentation, which the site of the reader does not have."""
_DETAIL = re.compile(r": |, (?:as|each|for|in|loaded|one|to|with)\b")
"""Where the first sentence of a documentation goes into what the guide leaves out."""
_PLAIN = re.compile(r"`([^`]*)`")


def lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each family that sites of this plan have: tags with attributes, and the meaning."""
    for family in FAMILIES:
        if not _kept_back(family.members[0], plan):
            tags = ", ".join(f"`{_signature(member)}`" for member in family.members)
            yield f"- {tags}: {_DETAIL.split(documentation(family.members[0]).summary)[0].rstrip('.')}."


def _signature(member: type[Component]) -> str:
    """The opening tag with all attributes; `title` alone is a text, others show their default or type."""
    if not member.tag[0].isupper() or member.tag == "Admonition":
        return ":::type title"
    return f"<{' '.join((member.tag, *map(_attribute, documentation(member).rows)))}>"


def _attribute(row: Row) -> str:
    default = found[1] if (found := _PLAIN.fullmatch(row.default)) else ""
    if row.type == "number":
        return f"{row.name}={{{default or 'number'}}}"
    if row.type == "labels":
        return f'{row.name}="A,B"'
    return f'{row.name}="{default}"' if default and row.type == "text" else row.name


def whole(plan: Plan, extras: Collection[str], own: Mapping[str, Collection[str]]) -> str:
    """Return the documentation of all components that a site has, as markdown."""
    families = (*FAMILIES, *(each for each in EXTRA_FAMILIES if each.extra in extras))
    told = [_family(family, plan) for family in families]
    return "\n".join(["# Components\n", *told, *(_own(name, own[name]) for name in own)])


def named(name: str, plan: Plan, extras: Collection[str]) -> str:
    """Return the documentation of the component `name` with those that it belongs to; "" if there is none."""
    for family in (*FAMILIES, *EXTRA_FAMILIES):
        if name in {member.tag for member in family.members}:
            missing = family.extra and family.extra not in extras
            note = f"This site has not switched on the extra `{family.extra}`.\n\n" if missing else ""
            return note + _family(family, plan)
    return ""


def nearest(name: str, parts: Collection[str]) -> str:
    """Return a hint for the name of a part of the guide that there is not."""
    tags = (member.tag for family in (*FAMILIES, *EXTRA_FAMILIES) for member in family.members)
    return did_you_mean(name[:80], (*parts, *tags))


def _kept_back(member: type[Component], plan: Plan) -> bool:
    return documentation(member).premium and plan != "premium"


def _family(family: Family, plan: Plan) -> str:
    return "\n".join([f"## {family.title}\n", *_members(family, plan)])


def _members(family: Family, plan: Plan) -> Iterator[str]:
    for member in family.members:
        told = documentation(member)
        if _kept_back(member, plan):
            yield f"{told.summary} This is part of the premium plan: this site shows a notice in its place.\n"
            continue
        for part in filter(None, (told.summary, told.table, told.notes)):
            yield _OWN_LINK.sub(r"\1", part) + "\n"
        for example in told.examples:
            fence = "````" if "```" in example else "```"
            yield f"{fence}mdx\n{example}\n{fence}\n"


def _own(name: str, attributes: Collection[str]) -> str:
    return f"## {name}\n\nA component of this site's own: `<{' '.join((name, *attributes))}>`.\n"
