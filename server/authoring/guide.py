"""Write the guide of one site: all that an agent needs for good pages, as markdown.

The text in `guide.md` is filled with what the parts say of themselves: components, frontmatter fields,
the limits, and what the plan of the site has.

A layer below `service`: it knows no files of the site.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from string import Template

from msgspec import Struct

from builder import paths
from builder.frontmatter.meta import FIELDS
from builder.site import Plan
from builder.store import PAGE_LIMIT
from components import icons
from components.documentation import documentation
from components.reference import FAMILIES, Family
from server.authoring.error_meanings import MEANINGS
from server.authoring.site_key_limits import ClientLimits
from server.http.error_codes import STATUS
from server.http.strict_json import MAX_VALUES

_TEXT = Path(__file__).with_name("guide.md")
_OWN_LINK = re.compile(r"\[([^\]]+)\]\([./][^)]*\)")
"""A link to a page of Twinpress's own documentation, which the site of the reader does not have."""


EXTRAS = {
    "badge": '`<Badge color="blue">Beta</Badge>` in text; `color` is `gray`, `green`, `blue`, `amber`, '
    "`orange`, `red` or `purple`.",
    "frame": '`<Frame caption="..." width={600} dark="/img/dark.png">` around an image, on lines of its own.',
    "file-tree": "`<FileTree>` around a list: the first word of an item is a name, the rest a remark, and "
    "folders end with `/`.",
    "tooltip": '`<Tooltip tip="What it means.">word</Tooltip>` in text, not in a link.',
    "columns": "`<Columns cols={2}>` around `<Column>`s with an empty line between them.",
    "update": '`<Update label="2.4" date="2026-03-09" tags="Search, Import">` around an entry of a log, '
    "the newest first; `feed: true` in the frontmatter writes an Atom feed of the page.",
    "definition-lists": "Definition lists: a term on a line, on the next `: ` and what it means, an empty "
    "line after it.",
    "keys": "Keys: `++ctrl+s++`. `key-unknown` names one that there is not.",
    "math": "Formulas in TeX: `$x^2$` in a line, and `$$ ... $$` or a fence `math` on lines of their own. "
    "Write a price as `5 USD` or `\\$5`. `math-invalid` names a command that is not known.",
    "slug": "`slug` in the frontmatter is a page's own address: `slug: setup` in its folder, `slug: /setup` "
    "from the root. The page keeps its path; `url` in the answer of PUT is where readers find it.",
    "includes": '`<Include src="./_parts/install.mdx" version="2" />` shows a part that a writer has put '
    "beside the pages; its attributes are variables. A code block with "
    '`file="../examples/app.py" region="main"` behind its language shows lines of a file.',
    "diagrams": "Diagrams: a fence `mermaid`, with `accTitle` and `accDescr` for readers who do not see it. "
    "`diagram-invalid` names the line of a fault.",
}
"""What an agent need know of extras that a site may have switched on."""


class SwitchedOn(Struct, frozen=True):
    """All that a site has beyond the language: extras, variables, own components with their attributes.

    `sidebar` is the file that has the order of pages, "" where folders have it; `docs_at` is the address of
    `docs`, and with `trailing_slash` those of pages end with a slash.
    """

    extras: Collection[str] = ()
    variables: Collection[str] = ()
    components: Mapping[str, Collection[str]] = {}
    sidebar: str = ""
    docs_at: str = f"/{paths.DOCS}"
    trailing_slash: bool = False


NOTHING = SwitchedOn()


def guide(title: str, plan: Plan, limits: ClientLimits, switched_on: SwitchedOn = NOTHING) -> str:
    """The guide for a site with this title, on this plan."""
    return Template(_TEXT.read_text(encoding="utf-8")).substitute(
        title=title or "this site",
        extras=_extras(switched_on),
        addresses=_addresses(switched_on),
        depth=paths.MAX_DEPTH,
        bytes=paths.MAX_BYTES,
        page=PAGE_LIMIT // 1024,
        endings=", ".join(f"`{ending}`" for ending in paths.ENDINGS),
        reserved=", ".join(f"`{path}`" for path in sorted(paths.RESERVED)),
        frontmatter=_frontmatter(),
        errors="\n".join(f"- `{code}` ({STATUS[code]}): {meaning}" for code, meaning in MEANINGS.items()),
        components="\n".join(_family(family, plan) for family in FAMILIES),
        icons=", ".join(f"`{name}`" for names in icons.GROUPS.values() for name in names),
        request=f"{limits.body_bytes // 1024:,}",
        values=f"{MAX_VALUES:,}",
        one_off=_often(limits.requests["one-off"]),
        long_lived=_often(limits.requests["long-lived"]),
    )


def _extras(site: SwitchedOn) -> str:
    told = [f"- {text}\n" for name, text in EXTRAS.items() if name in site.extras]
    if site.components:
        tags = ", ".join(f"`<{' '.join((name, *own))}>`" for name, own in site.components.items())
        told.append(f"- Components of this site's own, with their attributes: {tags}.\n")
    if site.variables:
        names = ", ".join(f"`%{{{name}}}`" for name in site.variables)
        told.append(f"- In `mdx`, outside of code, these stand for texts of the site: {names}.\n")
    return "".join(told)


def _addresses(site: SwitchedOn) -> str:
    told = []
    if site.docs_at != f"/{paths.DOCS}":
        here = f"{site.docs_at.rstrip('/')}/a/b{'/' if site.trailing_slash else ''}"
        told.append(
            f"- Here `docs/` lies at `{site.docs_at}`: readers find `docs/a/b` at `{here}`. "
            "Paths of pages stay.\n"
        )
    elif site.trailing_slash:
        told.append("- Addresses of pages end with a slash here: readers find `docs/a/b` at `/docs/a/b/`.\n")
    if site.sidebar:
        told.append(
            f"- The order of pages is written down in `{site.sidebar}`, which the owner keeps: positions and "
            "labels of folders do not decide it. A new page that it leaves out is built and in no list; "
            "`sidebar-left-out` says so. Tell the owner where it belongs.\n"
        )
    return "".join(told)


def _often(requests: int) -> str:
    return f"{requests:,} requests in a minute" if requests else "requests without limit"


def _frontmatter() -> str:
    rows = [f"| `{name}` | {field.kind.name} | {field.meaning} |" for name, field in FIELDS.items()]
    return "\n".join(["| Field | Type | Meaning |", "|---|---|---|", *rows])


def _family(family: Family, plan: Plan) -> str:
    return "\n".join([f"### {family.title}\n", *_members(family, plan)])


def _members(family: Family, plan: Plan) -> Iterator[str]:
    for member in family.members:
        told = documentation(member)
        if told.premium and plan != "premium":
            yield f"{told.summary} This is part of the premium plan: this site shows a notice in its place.\n"
            continue
        for part in filter(None, (told.summary, told.table, told.notes)):
            yield _OWN_LINK.sub(r"\1", part) + "\n"
        for example in told.examples:
            fence = "````" if "```" in example else "```"
            yield f"{fence}mdx\n{example}\n{fence}\n"
