"""External links of a site: every form that a build knows, each with its place, and none of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.plan.options import Options
from builder.produce.external_links import external_links
from builder.store import ContentStore
from tests.sites import write_site

SETTINGS = """title: A
url: https://a.example/base
extras: [includes, components]
served_elsewhere: [/enterprise]
logo: https://logo.example/l.svg
nav: [{label: N, href: "https://nav.example/"}, {label: M, items: [{label: I, href: "https://menu.example/"}]}]
sidebar:
  - docs/index
  - {label: G, items: [{label: S, href: "https://side.example/"}]}
footer:
  links: [{label: F, href: "https://foot.example/"}]
  social: {github: "https://social.example/x"}
announcement: {text: T, href: "https://news.example/"}
redirects: {/old: "https://red.example/", "/many/*": "https://pattern.example/*"}
"""

PAGE = r"""# A

[one](https://a-link.example/x#b), <https://auto.example/>, [ref][r], ![i](https://image.example/i.png)

[r]: https://ref.example/

<CardGrid><Card title="C" href="https://card.example/">Text</Card></CardGrid>

<Include src="./_parts/p.mdx" />

<Own to="https://own.example/" />

[mail](mailto:me@a.example) [page](./m.md) [self](https://a.example/base/docs/m) [gone](./gone.md)
[file](https://a.example/base/f.txt) `https://code.example/` [bad](javascript:x)

[e](/enterprise/x) [other](https://a.example/shop/y) [again](https://a-link.example/x#b)

    https://indented.example/

| [cell](https://cell.example/) |
| --- |
"""

FILES = {
    "site.yml": SETTINGS,
    "docs/index.mdx": PAGE,
    "docs/_parts/p.mdx": "Text\n\n[part](https://part.example/)\n",
    "_components/Own.mdx": "---\nattributes:\n  to: url\n---\n\n[own](%{to})\n",
    "docs/m.md": '# M\n\n<a href="https://html.example/">x</a> https://bare.example/x\n',
    "docs/m.llms.md": "# M\n\n[t](https://twin.example/)\n",
    "docs/d.md": "---\ndraft: true\n---\n[d](https://draft.example/)\n",
    "static/f.txt": "",
}

EXPECTED = [
    ("docs/_parts/p.mdx", 3, "https://part.example/"),
    ("docs/index.mdx", 3, "https://a-link.example/x#b"),
    ("docs/index.mdx", 3, "https://auto.example/"),
    ("docs/index.mdx", 3, "https://image.example/i.png"),
    ("docs/index.mdx", 5, "https://ref.example/"),
    ("docs/index.mdx", 7, "https://card.example/"),
    ("docs/index.mdx", 16, "https://a.example/enterprise/x"),
    ("docs/index.mdx", 16, "https://a.example/shop/y"),
    ("docs/index.mdx", 16, "https://a-link.example/x#b"),
    ("docs/index.mdx", 20, "https://cell.example/"),
    ("docs/m.llms.md", 3, "https://twin.example/"),
    ("docs/m.md", 3, "https://html.example/"),
    ("docs/m.md", 3, "https://bare.example/x"),
    ("site.yml", 5, "https://logo.example/l.svg"),
    ("site.yml", 6, "https://nav.example/"),
    ("site.yml", 6, "https://menu.example/"),
    ("site.yml", 9, "https://side.example/"),
    ("site.yml", 11, "https://foot.example/"),
    ("site.yml", 12, "https://social.example/x"),
    ("site.yml", 13, "https://news.example/"),
    ("site.yml", 14, "https://red.example/"),
]


def found(root: Path, *, drafts: bool = False) -> list[tuple[str, int, str]]:
    """The links of a site, without columns."""
    with ContentStore(root) as store:
        links = external_links(store, Options(trusted=True, drafts=drafts)).links
    return [(each.file, each.line, each.url) for each in links]


def test_every_form_of_an_external_link_is_found_at_its_place(tmp_path: Path) -> None:
    write_site(tmp_path, FILES)
    links = found(tmp_path)
    own = [each for each in links if "own.example" in each[2]]
    assert sorted(each for each in links if each not in own) == sorted(EXPECTED)
    assert own == [("_components/Own.mdx", 6, "https://own.example/")]


def test_links_of_drafts_are_found_only_when_asked_for(tmp_path: Path) -> None:
    write_site(tmp_path, FILES)
    more = set(found(tmp_path, drafts=True)) - set(found(tmp_path))
    assert more == {("docs/d.md", 4, "https://draft.example/")}


@pytest.mark.parametrize("url", ["", "url: https://a.example\n"])
def test_what_something_else_serves_is_found_where_the_host_is_known(tmp_path: Path, url: str) -> None:
    settings = f"title: A\n{url}served_elsewhere: [/enterprise]\n"
    write_site(tmp_path, {"site.yml": settings, "docs/index.md": "[e](/enterprise/x)\n"})
    assert found(tmp_path) == ([("docs/index.md", 1, "https://a.example/enterprise/x")] if url else [])


def test_more_links_than_a_page_has_diagnostics_of_a_code_are_found(tmp_path: Path) -> None:
    text = "".join(f"[{n}](https://many.example/{n})\n\n" for n in range(2500))
    write_site(tmp_path, {"site.yml": "title: A\n", "docs/index.md": text})
    assert [each[1] for each in found(tmp_path)] == list(range(1, 5001, 2))
