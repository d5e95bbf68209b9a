"""Whole sites with a payload in every place: pages with all extras, parts, own components, `site.yml`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import yaml

from builder.config.head import NAMES
from builder.config.social import PLACES
from components.attributes import attributes
from components.registry import EXTRAS, components_of

EVERY = sorted({*EXTRAS, "includes", "components", "slug", "definition-lists", "keys", "math", "diagrams"})
PLAIN = {"title": "T", "url": "https://o.example", "extras": EVERY, "plan": "premium"}
TEXT = (
    '%{v} [a](%{v}) ![%{v}](%{v} "%{v}") <https://%{v}/> `%{v}` **%{v}** <abbr title="%{v}">%{v}</abbr>\n\n'
    "## %{v} {#%{v}}\n\n| %{v} |\n| - |\n| %{v} |\n\n:::note %{v}\n%{v}\n:::\n\n"
    '```sh title="%{v}" vars\n%{v}\n```\n'
)
OWN = "---\nattributes: {v: string, u: url, i: icon}\n---\n[a](%{u}) :icon-%{i}:\n\n" + TEXT
OWN += '<Card title="%{v}" href="%{u}" icon="%{i}"><Slot/></Card>\n\n<Slot name="n"/>\n'
PAGE = """
{0}

{components}

<Own v="{1}" u="{1}" i="{1}">{0}<Slot name="n">{0}</Slot></Own>

a <Own v="{1}" u="{1}" i="{1}">{0}</Own> b <Own{0}/>

<Include src="_part.mdx" v="{1}" /> <Include src="{1}" />

```py file="{1}" region="{1}" lines="{1}"
```

```text file="/code.txt"
```

<Frame dark="{1}" caption="{1}">
![{0}]({0})
</Frame>

<FileTree>
- {2}
  - **{2}** _{2}_
</FileTree>

<Update label="{1}" date="2026-05-01" tags="{1}">
{0}
</Update>

++"{2}"+{2}++ ++{2}++

{2}
: {2} <Badge color="{1}">{2}</Badge>

a ${2}$ b $\\text{{{2}}}$ c $\\href{{{2}}}{{x}}$

$$
{0}
$$

```mermaid title="{1}"
flowchart LR
 a["{3}"] -->|{3}| b
 click a "{3}"
```
"""


def site(texts: Sequence[str]) -> dict[str, str]:
    """The files of a site with a page for each text, and with the texts in `site.yml`."""
    files = {"docs/_part.mdx": TEXT, "_components/Own.mdx": OWN, "code.txt": "\n".join(texts)}
    for number, text in enumerate(texts):
        name = "".join(each for each in text if each.isprintable() and each != "/")[:40]
        files[f"docs/_{name}.mdx"] = text
        head = dict.fromkeys(("title", "description", "sidebar_label"), text)
        slug = text if number % 2 else f"p{number}"
        body = page(text) + f'\n<Include src="_{quoted(name)}.mdx" />\n\n{TEXT}'
        files[f"docs/p{number}.mdx"] = (
            f"---\n{dumped({**head, 'slug': slug, 'feed': True, 'variables': {'v': text}})}---\n{body}"
        )
    return files | {"site.yml": dumped(PLAIN | entries(texts))}


def page(text: str) -> str:
    """The body of a page with a text in each place."""
    line, known = " ".join(text.split()), components_of(frozenset(EXTRAS))
    given = {name: "".join(f' {each}="{quoted(text)}"' for each in attributes(known[name])) for name in known}
    tags = (f"<{name}{each}>\n{text}\n</{name}>\n" for name, each in given.items())
    return PAGE.format(text, quoted(text), line, line.replace('"', "'"), components="\n".join(tags))


def entries(texts: Sequence[str]) -> dict[str, object]:
    """The entries of `site.yml` with these texts, whose first stands in those that have but one."""
    first, solid = texts[0], ["".join(text.split()) for text in texts]
    links = [{"label": text, "href": href} for text in texts for href in (text, "/docs/p0")]
    turn, addresses = cycle(texts), cycle(solid)
    return {
        "description": first,
        "variables": {"v": first, **dict.fromkeys(texts, first)},
        "announcement": {"text": first, "href": first},
        "nav": [*links, {"label": first, "items": links}, {"label": first, "href": first, "primary": True}],
        "footer": {
            "text": first,
            "links": links,
            "columns": [{"label": text, "items": links[:4]} for text in texts],
            "social": {name: f"https://o.example/{next(addresses)}" for name in PLACES},
        },
        "sidebar": [
            *({"label": text, "page": f"docs/p{number}"} for number, text in enumerate(texts)),
            *({"heading": text} for text in texts),
            {"label": first, "name": first, "items": links},
        ],
        "head": {name: next(turn) for name in NAMES},
        "analytics": {"plausible": f"{first}/", "google": f"{first}/"},
        "edit_url": f"https://o.example/{{path}}?{solid[0]}",
        "feedback": f"https://o.example/?{solid[0]}={{title}}&{{url}}",
        "page_menu": ["copy", "markdown", "claude", "chatgpt"],
        "redirects": {f"/old{number}": text for number, text in enumerate(texts)}
        | {f"/old/{text}": "/docs/p0" for text in solid}
        | {"/moved": "/docs/p0"},
        "served_elsewhere": [f"/{text}" for text in solid],
    }


def quoted(text: str) -> str:
    """A text for within double quotes."""
    return text.replace('"', "&quot;")


def dumped(values: object) -> str:
    """Values as YAML."""
    return yaml.safe_dump(values, allow_unicode=True, sort_keys=False)
