"""Sites of Fumadocs: its components, code and anchors, then collections, languages and navigations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.importer.old_site import NavEntry, NavPart
from builder.importer.page_work import Choices
from builder.importer.source_tree import SourceTree
from builder.importer.systems.fumadocs.folder_tree import FolderTree
from tests.builder.importer.imported import checked, imported, write_origin

CONFIG = "import 'fumadocs-mdx/config'\nexport const docs = defineDocs({ dir: 'content/docs' })\n"
SITE = {
    "source.config.ts": CONFIG,
    "content/docs/part.mdx": "Part.\n",
    "content/docs/a.ts": "x\n// #region one\n  const a = 1\n// #endregion\n",
}

FORMS: list[tuple[str, str, str, str]] = [
    ("a callout without a type", "<Callout>\nA\n</Callout>\n", ":::info\nA\n:::", ""),
    (
        "tabs with a list of labels",
        (
            '<Tabs defaultValue="a">\n<TabsList>\n<TabsTrigger value="a">First</TabsTrigger>\n</TabsList>\n'
            '<TabsContent value="a">\nA\n</TabsContent>\n</Tabs>\n'
        ),
        '<Tabs>\n<TabItem label="First">\nA\n</TabItem>\n</Tabs>',
        "",
    ),
    (
        "code in tabs",
        '```ts tab="A" lineNumbers=4\na\n```\n\n```js tab="<Rocket /> B" title="b.js"\nb\n```\n',
        '<CodeGroup>\n```ts title="A" showLineNumbers\na\n```\n\n```js title="B: b.js"\nb\n```\n</CodeGroup>',
        "",
    ),
    (
        "tabs around code",
        '<Tabs items={["A"]}>\n```ts tab="A"\na\n```\n</Tabs>\n',
        '<CodeGroup>\n```ts title="A"\na\n```\n</CodeGroup>',
        "",
    ),
    (
        "commands of npm",
        "```npm\nnpm i next -D\n```\n",
        '<CodeGroup>\n```bash title="npm"\nnpm i next -D\n```\n\n',
        "",
    ),
    (
        "signs of Twoslash",
        "```ts twoslash\nimport a\n// ---cut---\nconst b = a\n//    ^?\nb()\n```\n",
        "```ts\nconst b = a\nb()\n```",
        "question of Twoslash",
    ),
    ("a formula", "```math\nx^2\n```\n", "$$\nx^2\n$$", ""),
    ("a diagram", '<Mermaid chart="graph TD" />\n', "```mermaid\ngraph TD\n```", ""),
    ("an anchor", "## Two [#second]\n", "## Two {#second}\n", ""),
    (
        "a heading that is not in the table of contents",
        "## Two [!toc] [#x]\n",
        "## Two {#x}\n",
        "heading's sign for the table of contents",
    ),
    ("an included page", "<include>./part.mdx</include>\n", '<Include src="./_part.mdx" />', ""),
    (
        "a part of an included program",
        '<include lang="ts" meta=\'title="a.ts"\'>./a.ts#one</include>\n',
        '```ts title="a.ts"\nconst a = 1\n```',
        "",
    ),
    (
        "an include that is not there",
        "<include>./x.mdx</include>\n",
        "",
        "include of a file that is not there",
    ),
    (
        "a request",
        '<APIPage document={"./a.json"} operations={[{"path":"/a/{id}","method":"get"}]} />\n',
        '<Endpoint method="GET" path="/a/{id}" />',
        "operation of OpenAPI",
    ),
    ("types of a program", '<AutoTypeTable path="./a.ts" name="A" />\n', "", "table of a program's types"),
    ("a large image", '<ImageZoom src="/a.png" alt="A" />\n', '<img src="/a.png" alt="A" />', ""),
    ("a link", '<Link href="https://a.example">A</Link>\n', '<a href="https://a.example">A</a>', ""),
    ("a list of headings", "<InlineTOC items={toc} />\n\nA\n", "\nA\n", ""),
    (
        "an own component with data",
        (
            "<Own items={[{ title: 'A', href: 'https://a.example', description: 'D', type: 'Map<A>',"
            " more: [{ name: 'B' }] }]} />\n"
        ),
        "<Own>\n\n- [**A**](<https://a.example>) · D · type: `Map<A>`\n  - **B**\n\n</Own>",
        "data of a component",
    ),
    ("an own component", '<Own title="T">\nA\n</Own>\n', '<Own title="T">\nA\n</Own>', "component Own"),
]


@pytest.mark.parametrize(
    ("old", "new", "loss"), [each[1:] for each in FORMS], ids=[each[0] for each in FORMS]
)
def test_form_of_a_page(tmp_path: Path, old: str, new: str, loss: str) -> None:
    site = imported(tmp_path, "fumadocs", {**SITE, "content/docs/index.mdx": f"---\ntitle: T\n---\n\n{old}"})
    text = next(text for name, text in site.texts.items() if name.startswith("docs/index"))
    assert new in text
    assert loss == "" or any(each.what.startswith(loss) for each in site.losses)


I18N = 'export const i18n = { defaultLanguage: "en", languages: ["en", "de"], hideLocale: "%s" }\n'
LOADERS = """
export const source = loader({ baseUrl: '/docs', source: docs.toFumadocsSource() })
export const blog = loader({ baseUrl: "/blog", source: createMDXSource(posts) })
"""
TWO = f"{CONFIG}export const posts = defineCollections({{ type: 'doc', dir: 'content/blog' }})\n"
PAGE = "---\ntitle: T\n---\n\nText with a [link](/docs/a).\n"

SITES: list[tuple[str, Mapping[str, str], Choices, set[str], list[str]]] = [
    (
        "folders in brackets and a page's own address",
        {"content/docs/(a)/b.mdx": PAGE, "content/docs/a.mdx": "---\ntitle: A\nslug: /c/d\n---\n"},
        Choices(),
        {"/docs/b", "/docs/c/d"},
        ["link that leads nowhere"],
    ),
    (
        "numbers before names",
        {f"content/docs/0{n}-{name}.mdx": PAGE for n, name in enumerate(("a", "b", "c", "d"))},
        Choices(),
        {"/docs/a", "/docs/b", "/docs/c", "/docs/d"},
        ["number before names"],
    ),
    (
        "two collections",
        {
            "source.config.ts": TWO,
            "lib/source.ts": LOADERS,
            "content/docs/a.mdx": PAGE,
            "content/blog/one.mdx": PAGE,
        },
        Choices(),
        {"/docs/a", "/blog/one"},
        [],
    ),
    (
        "the language is in each address",
        {"lib/i18n.ts": I18N % "never", "content/docs/a.mdx": PAGE, "content/docs/a.de.mdx": PAGE},
        Choices(),
        {"/en/docs/a", "/docs/a"},
        ["page in another language"],
    ),
    (
        "all languages, the first without its name",
        {"lib/i18n.ts": I18N % "default-locale", "content/docs/a.mdx": PAGE, "content/docs/a.de.mdx": PAGE},
        Choices(locales=("all",)),
        {"/docs/a", "/de/docs/a"},
        [],
    ),
    (
        "a folder for each language",
        {
            "src/lib/i18n.ts": f'{I18N % "default-locale"}parser: "dir"\n',
            "content/docs/en/a.mdx": PAGE,
            "content/docs/de/a.mdx": PAGE,
        },
        Choices(locales=("de",)),
        {"/de/docs/a"},
        ["page in another language", "link that leads nowhere"],
    ),
]


@pytest.mark.parametrize(
    ("files", "choices", "addresses", "losses"), [each[1:] for each in SITES], ids=[each[0] for each in SITES]
)
def test_addresses(
    tmp_path: Path, files: Mapping[str, str], choices: Choices, addresses: set[str], losses: list[str]
) -> None:
    site = imported(tmp_path, "fumadocs", {"source.config.ts": CONFIG, **files}, choices=choices)
    assert {page.address for page in site.old.pages} | set(site.old.redirects) == addresses
    assert [each.what for each in site.losses] == losses
    placed = {page.page.address: page.url for page in site.placed.pages.values()}
    assert {old: new.removesuffix("/") for old, new in placed.items()} == {old: old for old in placed}


TREES: list[tuple[str, Mapping[str, str], list[NavEntry | str]]] = [
    (
        "pages, then folders",
        {},
        [NavEntry("", "index"), NavEntry("", "z"), NavEntry("In", "in/index", items=(NavEntry("", "in/b"),))],
    ),
    (
        "an order with the rest, a heading and links",
        {"meta.json": '{"pages": ["z", "---[Icon]Part---", "[A][Label](/x)", "...", "!in"]}'},
        [
            NavEntry("", "z"),
            NavEntry("Part", is_heading=True),
            NavEntry("Label", href="/x"),
            NavEntry("", "index"),
        ],
    ),
    (
        "a folder in its place",
        {"meta.json": '{"pages": ["...in", "in/b"]}'},
        [NavEntry("", "in/index"), NavEntry("", "in/b"), NavEntry("", "in/b")],
    ),
    (
        "the rest backwards",
        {"meta.json": '{"pages": ["z...a"]}'},
        [NavEntry("", "z"), NavEntry("", "index"), NavEntry("In", "in/index", items=(NavEntry("", "in/b"),))],
    ),
    (
        "a folder of its own",
        {"in/meta.json": '{"title": "Own", "root": true}'},
        [NavEntry("", "index"), NavEntry("", "z"), "Own", NavEntry("", "in/index"), NavEntry("", "in/b")],
    ),
    ("what is not there", {"meta.json": '{"pages": ["gone", "...gone"]}'}, []),
    (
        "a folder that names the one it is in",
        {"meta.json": '{"pages": ["z", "..."]}', "in/meta.json": '{"pages": [".."]}'},
        [NavEntry("", "z"), NavEntry("", "index"), NavEntry("In", "in/index")],
    ),
]


@pytest.mark.parametrize(("metas", "expected"), [each[1:] for each in TREES], ids=[each[0] for each in TREES])
def test_navigation(tmp_path: Path, metas: Mapping[str, str], expected: list[NavEntry | str]) -> None:
    pages = {name: name for name in ("index", "z", "in/index", "in/b")}
    with SourceTree(write_origin(tmp_path, {**metas, "x": ""})) as origin:
        parts = FolderTree(origin, "", "", pages, {}).parts()
    assert list(_flat(parts)) == expected


def _flat(parts: tuple[NavPart, ...]) -> list[NavEntry | str]:
    found: list[NavEntry | str] = []
    for part in parts:
        found += [part.label, *part.entries] if part.label else [*part.entries]
    return found


def test_relative_link_from_a_page_with_an_own_address_names_the_file(tmp_path: Path) -> None:
    pages = {"content/docs/(g)/a.mdx": "[a](./c#x)\n", "content/docs/c.mdx": "C\n"}
    site = imported(tmp_path, "fumadocs", {"source.config.ts": CONFIG, **pages})
    assert "[a](../c.md#x)" in next(text for name, text in site.texts.items() if name.endswith("a.md"))


def test_site_has_no_errors(tmp_path: Path) -> None:
    files = {"source.config.ts": TWO, "lib/source.ts": LOADERS, "next.config.mjs": "basePath: '/app'"}
    pages = {"content/docs/index.mdx": PAGE, "content/docs/a.mdx": PAGE, "content/blog/one.mdx": PAGE}
    report = checked(tmp_path / "new", "fumadocs", write_origin(tmp_path / "old", {**files, **pages})).report
    assert report.errors == ()
    assert [each.address for each in report.addresses if not each.answers] == []


def test_old_addresses_answer_whose_folders_no_content_path_can_have(tmp_path: Path) -> None:
    files = {
        "source.config.ts": "import { defineDocs } from 'fumadocs-mdx/config'\n",
        "content/docs/index.mdx": "# T\n",
        "content/docs/guide (x)/a.mdx": "# A\n",
        "content/docs/guide (x)/index.mdx": "# I\n",
    }
    found = checked(tmp_path / "new", "fumadocs", write_origin(tmp_path / "old", files))
    assert {each.address: each.answers for each in found.report.addresses} == {
        "/docs": True,
        "/docs/guide (x)": True,
        "/docs/guide (x)/a": True,
    }
