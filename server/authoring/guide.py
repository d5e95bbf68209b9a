"""The guide of one site: all that an agent needs for good pages, as short markdown, and its longer parts.

The text in `guide.md` has two forms (`guide_forms`), and is filled with what the parts say of themselves: the
requests, components, frontmatter fields, the limits, and what the plan of the site has. What it says of
requests that the API does not have is left out. The owner's words stand in it as code, short and on one line.

A layer below `service`: it knows no files of the site.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from string import Template

from msgspec import Struct
from msgspec.structs import fields as fields_of

from builder import paths
from builder.frontmatter.meta import FIELDS
from builder.markdown.mdx.elements import DISCLOSURE, KEPT
from builder.report import visible
from builder.schema.kinds import FLAG, TEXT
from builder.site import Plan
from builder.store import PAGE_LIMIT
from components import icons
from server.api.describe.table import Endpoint
from server.authoring import guide_components
from server.authoring.error_meanings import MEANINGS
from server.authoring.group import ENDPOINTS
from server.authoring.guide_forms import GuideForm, in_form
from server.authoring.site_key_limits import ClientLimits
from server.authoring.structs import GUIDE_PARTS
from server.http.error_codes import STATUS
from server.http.failure import Failure
from server.http.strict_json import MAX_VALUES

MOST = 12_288
"""Bytes of the guide of any site."""

_TEXT = Path(__file__).with_name("guide.md")
_ALWAYS = {"title", "description"}
"""Fields of each page, of which the text tells by itself."""
_DETAIL = re.compile(r"\. |; needs |, (?:in place|and tells|when) ")
"""Where the meaning of a field goes into what an agent can do without."""
_MUST = {True: "*", False: ""}
_FENCE = re.compile(r"`{3,}")
_NAMED = re.compile(r"(/ai/\w+)(?:\?(\w+))?")
_TITLE, _NAME, _LISTED = 50, 40, 100
"""Characters of the site's title, of one name that the owner gave, and of a list of them."""

EXTRAS = {
    "badge": '`<Badge color="blue">Beta</Badge>` in text: `gray`, `green`, `blue`, `amber`, `orange`, `red`, '
    "`purple`.",
    "frame": '`<Frame caption="..." width={600}>` around an image, on lines of its own.',
    "file-tree": "`<FileTree>` around a list: the first word of an item is a name, the rest a remark; "
    "folders end with `/`.",
    "tooltip": '`<Tooltip tip="What it means.">word</Tooltip>` in text, not in a link.',
    "columns": "`<Columns cols={2}>` around `<Column>`s with an empty line between them.",
    "update": '`<Update label="2.4" date="2026-03-09" tags="Search">` around an entry of a log, '
    "the newest first.",
    "definition-lists": "Definition lists: a term on a line, on the next `: ` and what it means, an empty "
    "line after it.",
    "keys": "Keys: `++ctrl+s++`.",
    "math": "Formulas in TeX: `$x^2$` in a line, `$$ ... $$` on lines of their own. Write a price as `5 USD` "
    "or `\\$5`.",
    "slug": "`slug` in the frontmatter is a page's own address: `slug: setup` in its folder, `slug: /setup` "
    "from the root. The page keeps its path.",
    "includes": '`<Include src="./_parts/install.mdx" version="2" />` shows a part that is there; attributes '
    'are variables. A code block with `file="../examples/app.py" region="main"` shows lines of a file.',
    "diagrams": "Diagrams: a fence `mermaid`, best `flowchart` or `sequenceDiagram`, with `accTitle` and "
    "`accDescr` for readers who do not see it.",
}
"""What an agent need know of extras that a site may have switched on."""

PREMIUM = (
    "`Accordion`, `Embed`, `Callout` need the owner's premium plan: readers would see a notice. Write "
    "`<details>` with a `<summary>`, a link, and `:::note`."
)
"""What to do on the free plan."""

INSTEAD = {
    "math": "Formulas: `$x^2$` is shown as it is typed. Write it in a code span.",
    "diagrams": "Diagrams: a fence `mermaid` is shown as code. Write a list or a table, or link an image.",
    "keys": "Keys: write `<kbd>Ctrl</kbd>`, not `++ctrl++`.",
    "definition-lists": "Definition lists: write a list with the term in bold.",
}
"""What to do where a site has not switched on an extra whose form other systems have."""

ICONS = (
    *("rocket", "book-open", "file-text", "search", "terminal", "code", "database", "package", "wrench"),
    *("key", "user", "settings"),
)
"""Those that documentation needs most."""


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


def guide(
    title: str,
    plan: Plan,
    limits: ClientLimits,
    switched_on: SwitchedOn = NOTHING,
    endpoints: Collection[Endpoint] = ENDPOINTS,
    *,
    form: GuideForm = "http",
) -> str:
    """Return the guide for a site with this title, on this plan, in at most `MOST` bytes."""
    text = in_form(of_what_there_is(_TEXT.read_text(encoding="utf-8"), endpoints), form)
    if form == "mcp":
        text = text.replace("\n$requests\n", "")
    return Template(text).substitute(
        title=_code(title, _TITLE) if title.strip() else "empty",
        requests="\n".join(map(_request, endpoints)),
        extras=_extras(switched_on),
        not_here="".join(f"- {text}\n" for text in _not_here(plan, switched_on)),
        addresses=_addresses(switched_on, form),
        elements=", ".join(f"`{name}`" for name in sorted({*KEPT, *DISCLOSURE})),
        depth=paths.MAX_DEPTH,
        bytes=paths.MAX_BYTES,
        page=PAGE_LIMIT // 1024,
        endings=", ".join(f"`{ending}`" for ending in paths.ENDINGS),
        reserved=", ".join(f"`{path}`" for path in sorted(paths.RESERVED)),
        frontmatter="\n".join(_field(name) for name in FIELDS if name not in _ALWAYS),
        components="\n".join(guide_components.lines(plan)),
        icons=", ".join(f"`{name}`" for name in ICONS),
        request=f"{limits.body_bytes // 1024:,}",
        values=f"{MAX_VALUES:,}",
        one_off=_often(limits.requests["one-off"]),
        long_lived=_often(limits.requests["long-lived"]),
    )


def guide_part(names: str, plan: Plan, site: SwitchedOn = NOTHING) -> str:
    """Return parts of what the guide leaves out, each of `GUIDE_PARTS` or a component. Raises Failure.

    Commas stand between several names; components that belong together are told once.
    """
    parts = (_guide_part(name.strip(), plan, site) for name in names.split(","))
    return "\n".join(dict.fromkeys(parts))


def _guide_part(name: str, plan: Plan, site: SwitchedOn) -> str:
    if name == "icons":
        rows = (f"- {group}: {', '.join(f'`{icon}`' for icon in own)}" for group, own in icons.GROUPS.items())
        return "\n".join(["# Icons\n", *rows]) + "\n"
    if name == "errors":
        return "\n".join(["# Errors\n", *map(_error, MEANINGS)]) + "\n"
    if name == "components":
        names = "".join(f"- `%{{{name}}}`\n" for name in site.variables)
        texts = f"\n## Texts of the site\n\n{names}" if names else ""
        return guide_components.whole(plan, site.extras, site.components) + texts
    told = guide_components.named(name, plan, site.extras)
    if not told:
        parts = ", ".join(f"`{one}`" for one in GUIDE_PARTS)
        hint = guide_components.nearest(name, GUIDE_PARTS) or f"there are {parts} and components"
        raise Failure("INVALID_QUERY", f"part: the guide has no part `{visible(name[:80])}` ({hint})")
    return told


def of_what_there_is(text: str, endpoints: Iterable[Endpoint]) -> str:
    """Leave out each paragraph, point and block that names a request or parameter that there is not."""
    known = {(one.path, name) for one in endpoints for name in ("", *one.query)}
    return "".join(block for block in blocks(text) if known.issuperset(_NAMED.findall(block)))


def blocks(text: str) -> Iterator[str]:
    """Yield paragraphs, points of lists and fences, each with the empty lines behind it."""
    block, fence = "", ""
    for line in text.splitlines(keepends=True):
        begins = line.startswith(("- ", "#", "```")) or block.endswith("\n\n")
        if begins and not fence and line.strip() and block:
            yield block
            block = ""
        block += line
        if marks := _FENCE.match(line):
            fence = "" if fence == marks[0] else fence or marks[0]
    yield block


def _request(endpoint: Endpoint) -> str:
    """One line, with the parameters of the query and the fields of the body."""
    query = (one for one in endpoint.parameters if one.place == "query")
    asked = " ".join(f"{one.name}{_MUST[one.required]}" for one in query)
    words = f"{endpoint.method} {endpoint.path}{f'?{asked}' if asked else ''}{_body(endpoint)}"
    return f"- `{words}`"


def _body(endpoint: Endpoint) -> str:
    if endpoint.body is None:
        return ""
    fields = (f"{one.encode_name}{_MUST[one.required]}" for one in fields_of(endpoint.body))
    return f" {{{' '.join(fields)}}}"


def _extras(site: SwitchedOn) -> str:
    told = [f"- {text}\n" for name, text in EXTRAS.items() if name in site.extras]
    if site.components:
        tags = _some(f"<{' '.join((name, *own))}>" for name, own in site.components.items())
        told.append(f"- Components of this site's own, with their attributes: {tags}.\n")
    if site.variables:
        names = _some(f"%{{{name}}}" for name in site.variables)
        told.append(f"- In `mdx`, outside of code, these stand for texts of the site: {names}.\n")
    return "".join(told)


def _some(names: Iterable[str]) -> str:
    """As many of these names as there is room for, as code."""
    shown = [_code(name, _NAME) for name in names]
    sizes = accumulate(map(len, shown))
    fitting = [name for name, size in zip(shown, sizes, strict=True) if size <= _LISTED]
    more = len(shown) - len(fitting)
    return ", ".join(fitting) + (f" and {more} more" if more else "")


def _not_here(plan: Plan, site: SwitchedOn) -> Iterator[str]:
    if plan != "premium":
        yield PREMIUM
    yield from (text for extra, text in INSTEAD.items() if extra not in site.extras)
    if missing := [name for name in (*EXTRAS, "components") if name not in site.extras]:
        names = ", ".join(f"`{name}`" for name in missing)
        yield f"Extras that the owner has not switched on, in `extras` of `site.yml`: {names}."


def _addresses(site: SwitchedOn, form: GuideForm) -> str:
    told = []
    if site.docs_at != f"/{paths.DOCS}":
        here = f"{site.docs_at.rstrip('/')}/a/b{'/' if site.trailing_slash else ''}"
        home = " The home page is `docs/index`." if site.docs_at == "/" else ""
        told.append(
            f"- Here `docs/` lies at {_code(site.docs_at, _NAME)}: readers find `docs/a/b` at "
            f"{_code(here, _NAME)}. Paths of pages stay.{home}\n"
        )
    elif site.trailing_slash:
        told.append("- Addresses of pages end with a slash here: readers find `docs/a/b` at `/docs/a/b/`.\n")
    if site.sidebar:
        told.append(
            f"- The order of pages is written down in {_code(site.sidebar, _NAME)}: positions and labels of "
            "folders do not decide it. A new page that it leaves out is built and in no list; "
            f"`sidebar-left-out` says so: give it its place ({in_form('`PUT /ai/navigation`', form)}), or "
            "tell the owner.\n"
        )
    return "".join(told)


def _code(text: str, most: int) -> str:
    """Return a text of the owner's as code, on one line, in at most so many characters."""
    line = visible(" ".join(text.split())).replace("`", "'")
    return f"`{line if len(line) <= most else line[: most - 1] + '…'}`"


def _often(requests: int) -> str:
    return f"{requests:,} requests in a minute" if requests else "requests without limit"


def _field(name: str) -> str:
    field = FIELDS[name]
    form = f"`{name}: true`" if field.kind is FLAG else f"`{name}`"
    kind = "" if field.kind in {FLAG, TEXT} else f" ({field.kind.name})"
    return f"- {form}{kind}: {_DETAIL.split(field.meaning)[0].rstrip('.')}."


def _error(code: str) -> str:
    return f"- `{code}` ({STATUS[code]}): {MEANINGS[code]}"
