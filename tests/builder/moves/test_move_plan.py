"""Moves: every form of a link keeps its form and its target, and what is no link stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.build import build
from builder.errors import TwinpressError
from builder.moves.move_plan import MovePlan, SiteFiles, plan_move
from builder.moves.rewritten_text import LeftLink
from builder.output import MemoryOutput
from builder.site import read_sources, site_of
from builder.store import ContentStore, Replacement
from builder.store.part_files import PartFiles
from tests.sites import write_site

SETTINGS = "title: T\nurl: https://o.example/manual\n"
A = "# A\n\n## Use\n\n[b](./b.md)\n"


def planned(site: Path, old: str, new: str, *, redirect: bool = True) -> MovePlan:
    """The plan of a move, as the command has it."""
    with ContentStore(site) as store:
        return plan_move(_files(site, store), old, new, "add" if redirect else "none")


def moved(site: Path, old: str, new: str, *, redirect: bool = True) -> MovePlan:
    """Make a move without a history."""
    with ContentStore(site) as store:
        plan = plan_move(_files(site, store), old, new, "add" if redirect else "none")
        store.put_back(Replacement(plan.expected, plan.wanted))
    return plan


def _files(site: Path, store: ContentStore) -> SiteFiles:
    sources = read_sources(store)
    names = [file.relative_to(site).as_posix() for file in sorted(site.rglob("*")) if file.is_file()]

    def read(file: str) -> bytes | None:
        return (site / file).read_bytes() if (site / file).is_file() else None

    return SiteFiles(site_of(sources, drafts=True), sources.scan, names, read, PartFiles(site))


FORMS = [
    ("[t](./a.md)", "[t](./g/new.md)"),
    ("[t](a.md)", "[t](g/new.md)"),
    ("[t](a)", "[t](g/new)"),
    ("[t](./a.mdx)", "[t](./g/new.mdx)"),
    ("[t](a.html)", "[t](g/new.html)"),
    ("[t](../docs/a)", "[t](./g/new)"),
    ("[t](/docs/a)", "[t](/docs/g/new)"),
    ("[t](/docs/a/)", "[t](/docs/g/new)"),
    ("[t](/docs/a.md?x=1&y=2#use)", "[t](/docs/g/new.md?x=1&y=2#use)"),
    ("[t](/manual/docs/a#use)", "[t](/manual/docs/g/new#use)"),
    ("[t](https://o.example/manual/docs/a#use)", "[t](https://o.example/manual/docs/g/new#use)"),
    ("<https://o.example/manual/docs/a>", "<https://o.example/manual/docs/g/new>"),
    ('[t](<./a.md#use> "The title")', '[t](<./g/new.md#use> "The title")'),
    ("[t](./%61.md)", "[t](./g/new.md)"),
    ("[t](./a&#46;md)", "[t](./g/new.md)"),
    ("[t][r]\n\n[r]: ./a.md#use 'Title'", "[t][r]\n\n[r]: ./g/new.md#use 'Title'"),
    ("[t][r] and [r]\n\n[r]:\n  ./a.md", "[t][r] and [r]\n\n[r]:\n  ./g/new.md"),
    ("[t](a) [u](a) [v](b)", "[t](g/new) [u](g/new) [v](b)"),
    ("> - [t](a)\n>   [u](./a.md)", "> - [t](g/new)\n>   [u](./g/new.md)"),
    ("| x | y |\n| - | - |\n| `a\\|b` | [t](a) |", "| x | y |\n| - | - |\n| `a\\|b` | [t](g/new) |"),
    ("## See [t](a)", "## See [t](g/new)"),
    ("[![i](./pic.png)](a)", "[![i](./pic.png)](g/new)"),
    ("`[t](a)` and [t](b)", "`[t](a)` and [t](b)"),
    ("```md\n[t](./a.md)\n```\n\n    [t](./a.md)", "```md\n[t](./a.md)\n```\n\n    [t](./a.md)"),
    ("[t](./nowhere.md) a [u](b)", "[t](./nowhere.md) a [u](b)"),
    ("[t](mailto:a@o.example) [u](https://a.example/docs/a)", None),
    ("[^1]\n\n[^1]: [t](a)", "[^1]\n\n[^1]: [t](g/new)"),
]
IN_MD = [
    ("<a href=\"./a.md\">t</a> <a href='a'>u</a>", "<a href=\"./g/new.md\">t</a> <a href='g/new'>u</a>"),
    ('<p><a title="a" href="/docs/a#use">t</a></p>', '<p><a title="a" href="/docs/g/new#use">t</a></p>'),
    ("<!-- [t](a) -->\n\n[t](a)", "<!-- [t](a) -->\n\n[t](g/new)"),
]
IN_MDX = [
    ('<Card title="a" href="/docs/a" />', '<Card title="a" href="/docs/g/new" />'),
    ('<Card title="a" href={"a"} />', '<Card title="a" href={"g/new"} />'),
    (
        "<Card\n  title='a'\n  href='./a.md#use'\n>\n  [t](a)\n</Card>",
        "<Card\n  title='a'\n  href='./g/new.md#use'\n>\n  [t](g/new)\n</Card>",
    ),
    (":::note[See a]\n[t](a)\n:::", ":::note[See a]\n[t](g/new)\n:::"),
    ('<Accordion title="x">\n  [t](a)\n</Accordion>', '<Accordion title="x">\n  [t](g/new)\n</Accordion>'),
    ('<a href="./a.md">t</a>', '<a href="./g/new.md">t</a>'),
]
EVERY = [
    *(("x.md", before, after) for before, after in (*FORMS, *IN_MD)),
    *(("x.mdx", before, after) for before, after in (*FORMS, *IN_MDX) if "    [t]" not in before),
]


@pytest.mark.parametrize(("name", "before", "after"), EVERY)
def test_a_link_keeps_its_form_and_leads_to_the_page_where_it_is(
    tmp_path: Path, name: str, before: str, after: str | None
) -> None:
    for newline in ("\n", "\r\n"):
        head = f"---\ntitle: X\n---\n\nFirst.\n\n{before}\n\n[last](a)\n".replace("\n", newline)
        files = {"site.yml": SETTINGS, "docs/a.md": A, "docs/b.md": "# B\n", "docs/pic.png": ""}
        site = write_site(tmp_path, files)
        (site / "docs" / name).write_bytes(head.encode())
        plan = planned(site, "docs/a", "docs/g/new")
        wanted = (before if after is None else after).replace("\n", newline)
        whole = head.replace("[last](a)", "[last](g/new)").replace(before.replace("\n", newline), wanted)
        assert plan.wanted[f"docs/{name}"] == whole.encode()
        assert plan.left == ()


def test_the_links_of_the_page_itself_lead_to_where_they_led(tmp_path: Path) -> None:
    own = "[b](./b.md) [b](b#x) [abs](/docs/b) [self](#use) [self](./a.md#use) [home](/) [o](https://a.example)\n"
    own += "![mine](./mine.png) ![ours](ours.png) ![top](/logo.svg) [get](./files/a.zip)\n"
    files = {
        "site.yml": SETTINGS,
        "docs/a.md": f"# A\n\n## Use\n\n{own}",
        "docs/a.llms.md": "# A\n\n[b](./b.md) ![mine](./mine.png)\n",
        "docs/b.md": "# B\n\n## X\n\n![ours](./ours.png)\n",
        "docs/mine.png": "m",
        "docs/ours.png": "o",
        "docs/files/a.zip": "z",
        "static/logo.svg": "<svg/>",
    }
    plan = planned(write_site(tmp_path, files), "docs/a", "docs/g/h/a")
    moved_own = own.replace("(./b.md)", "(../../b.md)").replace("(b#x)", "(../../b#x)")
    moved_own = moved_own.replace("(ours.png)", "(../../ours.png)").replace("(./files/", "(../../files/")
    assert plan.files == {
        "docs/a.md": "docs/g/h/a.md",
        "docs/a.llms.md": "docs/g/h/a.llms.md",
        "docs/mine.png": "docs/g/h/mine.png",
    }
    assert plan.wanted["docs/g/h/a.md"] == f"# A\n\n## Use\n\n{moved_own}".encode()
    assert plan.wanted["docs/g/h/a.llms.md"] == b"# A\n\n[b](../../b.md) ![mine](./mine.png)\n"
    assert dict(plan.redirects) == {
        "/docs/a": "/docs/g/h/a",
        "/docs/mine.png": "/docs/g/h/mine.png",
    }


def test_settings_name_what_has_moved_and_keep_their_comments(tmp_path: Path) -> None:
    settings = (
        "# Ours\ntitle: T   # the name\nlogo: /docs/g/logo.svg\n"
        "nav:\n  - {label: A, href: /docs/g/a#use}   # first\n  - label: M\n    items:\n"
        "      - label: G\n        href: '/docs/g/'\n"
        'footer:\n  links:\n    - {label: "B", href: "/docs/b"}\n    - {label: A, href: "/docs/g/a"}\n'
        "announcement: {text: New, href: /docs/g/a}\nredirects:\n  /old: /docs/g/a#use   # since May\n"
        "  /keep: /docs/b\nsidebar:\n  - docs/g/a\n  - {page: docs/b, label: B}\n  - folder: docs/g\n"
        "  - label: More\n    items: [docs/g/c, {label: L, href: /docs/g/a}]\n"
    )
    files = {
        "site.yml": settings,
        "docs/g/logo.svg": "<svg/>",
        "docs/g/a.md": A.replace("./b", "../b"),
        "docs/g/c.md": "# C\n",
        "docs/b.md": "# B\n",
    }
    site = write_site(tmp_path, files)
    plan = moved(site, "docs/g/", "docs/h")
    wanted = settings.replace("docs/g", "docs/h")
    added = "".join(f"  /docs/g/{name}: /docs/h/{name}\n" for name in ("", "a", "c", "logo.svg"))
    assert (site / "site.yml").read_text() == wanted.replace(
        "  /keep: /docs/b\n", f"  /keep: /docs/b\n{added}"
    )
    assert plan.links["site.yml"] == 10
    found = {one.code for one in build(site, MemoryOutput()).diagnostics}
    assert found == {"sidebar-invalid"}  # a page is named twice there, as before


def test_a_sidebar_of_its_own_file_is_changed_too(tmp_path: Path) -> None:
    files = {
        "site.yml": "sidebar: sidebar.yml\n",
        "sidebar.yml": "# all\n- docs/a   # one\n- page: docs/b\n",
        "docs/a.md": A,
        "docs/b.md": "# B\n",
    }
    site = write_site(tmp_path, files)
    moved(site, "docs/a", "docs/c")
    assert (site / "sidebar.yml").read_text() == "# all\n- docs/c   # one\n- page: docs/b\n"
    assert build(site, MemoryOutput()).diagnostics == ()


def test_what_pages_include_is_found_where_it_is(tmp_path: Path) -> None:
    files = {
        "site.yml": "extras: [includes, components]\n",
        "_components/Go.mdx": "---\nattributes:\n  to: url\n---\n[go](%{to}) and [a](/docs/g/a.mdx)\n",
        "docs/g/_parts/p.mdx": "[a](../a.mdx) [b](/docs/b)\n",
        "docs/g/a.mdx": "# A\n\n<Include src=\"./_parts/p.mdx\" />\n\n```py file='../code.py'\n```\n",
        "docs/b.mdx": "# B\n\n<Include src='./g/_parts/p.mdx' />\n\n<Go to=\"./g/a.mdx#x\" />\n",
        "docs/code.py": "print()\n",
    }
    site = write_site(tmp_path, files)
    before = [one.message for one in build(site, MemoryOutput()).diagnostics if one.code != "broken-anchor"]
    assert before == []
    moved(site, "docs/g", "docs/deep/h")
    assert (site / "docs/deep/h/a.mdx").read_text() == files["docs/g/a.mdx"].replace(
        "'../code", "'../../code"
    )
    assert (site / "docs/deep/h/_parts/p.mdx").read_text() == files["docs/g/_parts/p.mdx"]
    assert (site / "docs/b.mdx").read_text() == files["docs/b.mdx"].replace("./g/", "./deep/h/")
    assert "[a](/docs/deep/h/a.mdx)" in (site / "_components/Go.mdx").read_text()
    moved(site, "docs/deep/h/_parts/p.mdx", "docs/_shared/")
    assert '<Include src="../../_shared/p.mdx" />' in (site / "docs/deep/h/a.mdx").read_text()
    assert (site / "docs/_shared/p.mdx").read_text() == "[a](../deep/h/a.mdx) [b](/docs/b)\n"
    assert [one for one in build(site, MemoryOutput()).diagnostics if one.code != "broken-anchor"] == []


def test_a_link_that_nobody_can_place_stays_and_is_told(tmp_path: Path) -> None:
    odd = '<a href="&#x2e;/a.md">t</a> [u](./a.md)\n'
    site = write_site(tmp_path, {"site.yml": "", "docs/a.md": A, "docs/b.md": "# B\n", "docs/x.md": odd})
    plan = planned(site, "docs/a", "docs/c")
    assert plan.left == (LeftLink("docs/x.md", 1, "./a.md"),)
    assert plan.wanted["docs/x.md"] == odd.replace("(./a.md)", "(./c.md)").encode()
    (site / "docs/x.md").write_bytes(b"\xff [u](./a.md)\n")
    assert "docs/x.md" not in planned(site, "docs/a", "docs/c").wanted


PLACES = [
    ("docs_at: /\n", "docs/g/a", "docs/h/b", {"/g/a": "/h/b"}, "[t](/h/b) [u](../h/b.md) [v](/docs/h/b)"),
    ("extras: [slug]\n", "docs/g/s", "docs/h/s", {"/docs/g/named": "/docs/h/named"}, ""),
    ("", "docs/g/index", "docs/h", {}, "[t](/docs/g/a) [u](./a.md) [v](/docs/g/a) [i](/docs/h) [j](../h.md)"),
    ("", "docs/g/a", "docs/h/index", {"/docs/g/a": "/docs/h/"},
     "[t](/docs/h/) [u](../h/index.md) [v](/docs/h/) [i](/docs/g/) [j](index.md)"),
    ("", "docs/g/a", "pages/a", {"/docs/g/a": "/a"}, "[t](/a) [u](../../pages/a.md) [v](/a)"),
    ("", "docs/g/draft", "docs/h/draft", {}, ""),
    ("", "docs/g/hidden", "docs/h/hidden", {"/docs/g/hidden": "/docs/h/hidden"}, ""),
    ("", "docs/g/a", "docs/g/A", {"/docs/g/a": "/docs/g/A"}, "[t](/docs/g/A) [u](./A.md) [v](/docs/g/A)"),
    ("", "docs/g/u\u0308ber", "docs/g/unter", {"/docs/g/\u00fcber": "/docs/g/unter"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "old", "new", "redirects", "links"), PLACES)
def test_pages_of_every_kind_move(
    tmp_path: Path, settings: str, old: str, new: str, redirects: dict[str, str], links: str
) -> None:
    first = "/g/a" if "docs_at" in settings else "/docs/g/a"
    files = {
        "site.yml": f"title: T\n{settings}",
        "docs/g/index.md": "# G\n",
        "docs/g/a.md": "# A\n",
        "docs/g/s.mdx": "---\nslug: named\n---\n# S\n",
        "docs/g/draft.md": "---\ndraft: true\n---\n# D\n",
        "docs/g/hidden.md": "---\nunlisted: true\n---\n# H\n",
        "docs/g/u\u0308ber.md": "# U\n",
        "docs/g/x.md": f"[t]({first}) [u](./a.md) [v](/docs/g/a) [i](/docs/g/) [j](index.md)\n",
    }
    site = write_site(tmp_path, files)
    before = {one.code for one in build(site, MemoryOutput()).diagnostics}
    plan = moved(site, old, new)
    assert dict(plan.redirects) == redirects
    assert plan.left == ()
    if links:
        assert (site / "docs/g/x.md").read_text().startswith(links)
    assert {one.code for one in build(site, MemoryOutput()).diagnostics} <= before | {"redirect-case"}


REFUSED = [
    ("docs/none", "docs/c", "no such page"),
    ("docs/aa", "docs/c", "no such page"),
    ("docs/a", "docs/b", "is there already"),
    ("docs/a", "docs/B", "is there already"),
    ("docs/a", "docs/a", "is there already"),
    ("docs/a.md", "docs/c.mdx", "which a move leaves"),
    ("docs/a", "elsewhere/c", "begins with `docs/`"),
    ("docs/a", "docs/../c", "does not begin with a letter"),
    ("docs/a", "docs/c d", "a space"),
    ("docs/a", "docs/g", "there is a folder"),
    ("docs/a", "pages/g/c", "lie in no folder"),
    ("docs/g", "docs/h", "there is a page and a folder|folder of this name"),
    ("docs/g", "docs/g/inner", "into itself"),
    ("docs/g", "docs/G", "differ only in case"),
    ("docs/g", "pages/g", "docs/<folder>"),
    ("docs", "docs/g", "stays where it is"),
    ("site.yml", "docs/site.yml", "stays where it is"),
    ("docs/pic.png", "docs/g", "there is a folder"),
    ("docs/pic.png", "docs/pic.md", "are no pages"),
    ("docs/pic.png", "elsewhere/pic.png", "files lie beside pages"),
    ("docs/pic.png", "docs/other.png", "is there already"),
    ("docs/g/_category_.yml", "docs/h/_category_.yml", "stays where it is"),
    ("docs/a", "docs/named", "would both be written"),
]


@pytest.mark.parametrize(("old", "new", "words"), REFUSED)
def test_what_cannot_move_is_refused_with_a_reason(tmp_path: Path, old: str, new: str, words: str) -> None:
    files = {
        "site.yml": "extras: [slug]\n", "docs/a.md": "# A\n", "docs/b.mdx": "# B\n", "docs/g/c.md": "# C\n",
        "docs/g/_category_.yml": "label: G\n", "docs/h/d.md": "# D\n",
        "docs/pic.png": "", "docs/other.png": "", "docs/s.md": "---\nslug: named\n---\n# S\n",
    }  # fmt: skip
    with pytest.raises(TwinpressError, match=words):
        planned(write_site(tmp_path, files), old, new)


def test_a_page_and_its_folder_of_one_name_are_told_apart(tmp_path: Path) -> None:
    files = {"site.yml": "", "docs/g.md": "[in](./g/a.md)\n", "docs/g/a.md": "# A\n\n[up](../g.md)\n"}
    site = write_site(tmp_path, files)
    with pytest.raises(TwinpressError, match="a page and a folder") as told:
        planned(site, "docs/g", "docs/h")
    assert told.value.hint == "write `docs/g.md` for the page, or `docs/g/` for the folder"
    assert set(planned(site, "docs/g.md", "docs/h").files) == {"docs/g.md"}
    assert set(planned(site, "docs/g/", "docs/h").files) == {"docs/g/a.md"}


def test_into_a_folder_and_back_again(tmp_path: Path) -> None:
    files = {
        "site.yml": "",
        "docs/a.md": A,
        "docs/b.md": "[a](a)\n",
        "docs/g/c.md": "# C\n",
        "docs/g/.note": "",
    }
    site = write_site(tmp_path, files)
    before = {file: (site / file).read_bytes() for file in files if not file.endswith(".note")}
    assert dict(moved(site, "./docs/a", "docs/g/").files) == {"docs/a.md": "docs/g/a.md"}
    assert (site / "site.yml").read_text() == "redirects:\n  /docs/a: /docs/g/a\n"
    moved(site, "docs/g/a", "docs/a")
    assert (site / "site.yml").read_text() == "redirects:\n  /docs/g/a: /docs/a\n"
    after = {file: (site / file).read_bytes() for file in before}
    assert {**after, "site.yml": b""} == before
    plan = planned(site, "docs/g", "docs/h/", redirect=False)
    assert (dict(plan.files), plan.said) == (
        {"docs/g/c.md": "docs/h/g/c.md"},
        ("`docs/g/.note` stays where it is",),
    )
    assert dict(plan.redirects) == {}
