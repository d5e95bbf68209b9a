"""Small sites of VitePress are imported: settings, sidebars, languages, and what pages say."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.importer.page_work import Choices
from builder.yaml.safe import load
from tests.builder.importer.imported import imported

CONFIG = """
import { defineConfig } from 'vitepress'
import { guide } from './guide'
function api() { return [{text: 'Api', link: '/api/x'}] }
export default defineConfig({
  title: 'Harbour', lang: 'en-US', cleanUrls: true,
  srcExclude: ['**/README.md'],
  rewrites: {'packages/:name/docs/:rest*': ':name/:rest*'},
  locales: {root: {label: 'English'}, fr: {label: 'Français'}},
  head: [['link', {rel: 'icon', href: '/i.svg'}]],
  themeConfig: {
    nav: [{text: 'Guide', link: '/guide/a'}, {text: 'More', items: [{text: 'Out', link: 'https://o.example'}]},
          {text: 'Gone', link: '/gone'}],
    sidebar: {'/guide/': guide, '/api/': {base: '', items: api()}},
    socialLinks: [{icon: 'github', link: 'https://github.com/h'}],
    footer: {message: 'MIT', copyright: '© <b>H</b>'},
    editLink: {pattern: 'https://github.com/h/h/edit/main/docs/:path'},
  },
})
"""
SITE = {
    ".vitepress/config.ts": CONFIG,
    ".vitepress/guide.ts": "export const guide = [{text: 'Guide', items: [{text: 'A', link: '/guide/a'}]}]",
    "index.md": "---\nlayout: home\nhero:\n  name: Harbour\n"
    "  actions:\n    - text: Go\n      link: /guide/a\n"
    "features:\n  - title: Fast\n    details: Very\n---\n",
    "guide/a.md": "# A\n",
    "api/x.md": "# X\n",
    "guide/README.md": "# No\n",
    "packages/core/docs/y.md": "# Y\n",
    "fr/guide/a.md": "# A\n",
    "fr/seul.md": "# Seul\n",
    "list/[id].md": "# One\n",
    "public/i.svg": "<svg/>",
}


def test_settings_and_sidebars_are_carried_over(tmp_path: Path) -> None:
    new = imported(tmp_path, "vitepress", SITE)
    found = load(new.texts["site.yml"]).value
    assert isinstance(found, dict)
    assert found["nav"] == [
        {"label": "Guide", "href": "/guide/a"},
        {"label": "More", "items": [{"label": "Out", "href": "https://o.example"}]},
    ]
    assert found["footer"] == {"text": "MIT © H", "social": {"github": "https://github.com/h"}}
    assert found["favicon"] == "/i.svg"
    assert found["edit_url"] == "https://github.com/h/h/edit/main/docs/{path}"
    assert found["redirects"] == {"/fr/guide/a": "/guide/a"}
    sidebar = load(f"x:\n{new.texts['sidebar.yml']}").value
    assert sidebar == {
        "x": [
            {
                "label": "Guide",
                "items": [{"label": "Guide", "items": [{"page": "docs/guide/a", "label": "A"}]}],
            },
            {"label": "Api", "items": [{"page": "docs/api/x", "label": "Api"}]},
        ]
    }
    addresses = {page.url for page in new.placed.pages.values()}
    assert addresses == {"/", "/guide/a", "/api/x", "/core/y"}
    assert "[Go](" in new.texts["docs/index.md"]


def test_what_is_not_carried_over_is_told(tmp_path: Path) -> None:
    told = {(loss.what, loss.old) for loss in imported(tmp_path, "vitepress", SITE).losses}
    assert {
        ("locale that is not imported", "fr"),
        ("page of a version or language that is not imported", "/fr/seul"),
        ("page for each value of a program", "/list/[id]"),
    } <= told
    assert "entry of the header that is not there" in {what for what, _ in told}


def test_a_language_is_imported_when_asked_for(tmp_path: Path) -> None:
    new = imported(tmp_path, "vitepress", SITE, choices=Choices(locales=("all",)))
    assert {"/fr/guide/a", "/fr/seul"} <= {page.url for page in new.placed.pages.values()}


def test_a_language_has_a_menu_with_its_header(tmp_path: Path) -> None:
    files = {
        ".vitepress/config.js": "export default {cleanUrls: true, locales: {root: {label: 'English'}, fr: "
        "{label: 'Français', themeConfig: {nav: [{text: 'Guide', link: '/fr/a'}]}}}}",
        "index.md": "# H\n",
        "fr/index.md": "# A\n",
        "fr/a.md": "# A\n",
    }
    found = load(
        imported(tmp_path, "vitepress", files, choices=Choices(locales=("fr",))).texts["site.yml"]
    ).value
    assert isinstance(found, dict)
    assert found["nav"] == [
        {"label": "Français", "items": [
            {"label": "Français", "href": "/fr/"}, {"label": "Guide", "href": "/fr/a"}]}
    ]  # fmt: skip


def test_pages_for_values_that_are_data_are_made(tmp_path: Path) -> None:
    files = {
        ".vitepress/config.js": "export default {cleanUrls: true}",
        "a.md": "# A\n",
        "list/[id].md": "# {{ $params.id }}\n\n<!-- @content -->\n",
        "list/[id].paths.ts": "export default { paths() { return [{params: {id: 'x'}, content: 'One'}, "
        "{params: {id: 'y'}}] } }",
    }
    new = imported(tmp_path, "vitepress", files)
    assert {page.url for page in new.placed.pages.values()} == {"/a", "/list/x", "/list/y"}
    assert new.texts["docs/list/x.md"] == "# x\n\nOne\n"


PAGES = [
    ("```ts{1}\na\n```\n", "```ts {1}\na\n```\n"),
    ("```js:line-numbers [a.js]\na\n```\n", '```js showLineNumbers title="a.js"\na\n```\n'),
    ("```js\na // [!code focus]\nb // [!code error]\n```\n", "```js\na\nb // [!code highlight]\n```\n"),
    ("<<< ./c.ts\n", "```ts\n// #region r\nlet c\n// #endregion r\n```\n"),
    ("<<< ./c.ts#r{1 js:line-numbers} [c]\n", '```js {1} showLineNumbers title="c"\nlet c\n```\n'),
    ("<!--@include: ./_part.md{1,1}-->\n", "one\n"),
    ("<!--@include: ./_part.md{2,}-->\n", "two\n"),
    ("::: details More {open}\nx\n:::\n", "<details>\n<summary>More</summary>\n\nx\n</details>\n"),
    ("::: warning\nx\n:::\n", "::: warning\nx\n:::\n"),
    ("> [!TIP] Own *title*\n> x\n", "> [!TIP]\n> **Own *title***\n>\n> x\n"),
    ("[[toc]]\n\ntext\n", "\ntext\n"),
    ('<Badge type="tip" text="new" />\n', '<Badge color="green">new</Badge>\n'),
    ("<script setup>\nconst a = 1\n</script>\n\ntext\n", "\ntext\n"),
    (
        "<script setup>\nconst v = ref('2.0')\nconst o = {a: 1}\n</script>\n\nv{{ v }} {{ o.a }} {{ 'x' }}\n",
        "\nv2.0 1 x\n",
    ),
    ("---\nx: 5\n---\n\n{{ $frontmatter.x }}\n", "\n5\n"),
    ("<span v-pre>{{ x }}</span>\n", "<span v-pre>{{ x }}</span>\n"),
    ('[x](https://x.example){target="_self"} `a`{.b}\n', "[x](https://x.example) `a`\n"),
    ("## build.target {.c}\n", "## build.target\n"),
    ("## build.target\n\n## plain\n", "## build.target {#build-target}\n\n## plain\n"),
    ("## 1. What's new?\n", "## 1. What's new? {#_1-what-s-new}\n"),
    (":tada: 10:30:00 :nothing:\n", "🎉 10:30:00 :nothing:\n"),
    ("```js-vue\na\n```\n", "```js\na\n```\n"),
    ("::: code-group\n<<< ./c.ts#r\n:::\n", '<CodeGroup>\n```ts title="c.ts"\nlet c\n```\n</CodeGroup>\n'),
    (
        ":::tabs key:a\n== One\nx\n== Two\ny\n:::\n",
        '<Tabs>\n<TabItem label="One">\n\nx\n</TabItem>\n<TabItem label="Two">\n\ny\n</TabItem>\n</Tabs>\n',
    ),
    ("```ts twoslash\n// @noErrors\nlet a\n// ---cut---\nlet b\n//  ^?\n```\n", "```ts\nlet b\n```\n"),
    ("```js\n// [!code word:a]\na\n```\n", "```js\na\n```\n"),
    ("<template #title>Our team</template>\n", "Our team\n"),
    ('<Mine :a="1" @b="c" d="e">x</Mine>\n', '<Mine d="e">x</Mine>\n'),
    ("<!--@include: ./sub/_links.md-->\n", "[c](./c.ts)\n"),
    (
        '<img :src="withBase(\'/i.png\')" alt="A">\n',
        '<img src="/i.png" alt="A">\n',
    ),
    ("<ClientOnly>\n\nx\n\n</ClientOnly>\n", "\nx\n\n"),
]


@pytest.mark.parametrize(("old", "new"), PAGES, ids=[old[:30] for old, _ in PAGES])
def test_pages_are_rewritten(tmp_path: Path, old: str, new: str) -> None:
    files = {
        ".vitepress/config.js": "export default {srcExclude: ['_part.md']}",
        "p.md": old,
        "c.ts": "// #region r\nlet c\n// #endregion r\n",
        "_part.md": "one\ntwo\n",
        "sub/_links.md": "[c](./c.ts)\n",
    }
    texts = imported(tmp_path, "vitepress", files).texts
    page = next(text for name, text in texts.items() if name.startswith("docs/p."))
    assert page.strip("\n") == new.strip("\n")


NO_DATA = [
    "",
    "export default f()",
    "export default {" * 3000,
    "export default { sidebar: { a: a } }; const a = a",
]


@pytest.mark.parametrize("config", NO_DATA, ids=range(len(NO_DATA)))
def test_a_configuration_that_is_no_data_imports_pages(tmp_path: Path, config: str) -> None:
    new = imported(tmp_path, "vitepress", {".vitepress/config.js": config, "a.md": "# A\n"})
    assert "docs/a.md" in new.texts


def test_languages_may_stand_in_several_files(tmp_path: Path) -> None:
    files = {
        ".vitepress/config/index.ts": "import { en } from './en'\nimport { shared } from './shared'\n"
        "export default defineConfig({...shared, locales: {root: {label: 'E', ...en}}})",
        ".vitepress/config/shared.ts": "export const shared = defineConfig({title: 'T'})",
        ".vitepress/config/en.ts": "export const en = {themeConfig: {sidebar: [{text: 'A', link: '/a'}]}}",
        "a.md": "# A\n",
    }
    new = imported(tmp_path, "vitepress", files)
    assert "title: T" in new.texts["site.yml"]
    assert load(f"x:\n{new.texts['sidebar.yml']}").value == {"x": [{"page": "docs/a", "label": "A"}]}


def test_a_sidebar_that_a_program_makes_is_told(tmp_path: Path) -> None:
    config = "export default {themeConfig: {sidebar: generateSidebar({a: 1})}}"
    new = imported(tmp_path, "vitepress", {".vitepress/config.js": config, "a.md": "# A\n"})
    assert "sidebar that is no data" in {loss.what for loss in new.losses}


def test_files_that_name_one_another_take_bounded_time(tmp_path: Path) -> None:
    listed = "export default [{items: x, ...x}, {...x, items: x}, x, x, x]"
    files = {
        ".vitepress/config.js": "import a from './a'\n"
        "export default {themeConfig: {sidebar: a, nav: a}, ...a}",
        ".vitepress/a.js": f"import x from './b'\n{listed}",
        ".vitepress/b.js": f"import x from './a'\n{listed}",
        "a.md": "# A\n",
    }
    assert "docs/a.md" in imported(tmp_path, "vitepress", files).texts


def test_names_and_templates_are_followed(tmp_path: Path) -> None:
    files = {
        "package.json": '{"version": "2.1"}',
        "docs/.vitepress/config.ts": "import { version } from '../../package.json'\n"
        "import { name, repo, links } from './meta'\n"
        "export default ({ mode }) => { return withPwa(extendConfig(defineConfig({ title: name, "
        "cleanUrls: true, themeConfig: { nav: [{text: `v${version}`, items: [{text: `${name} A`, "
        "link: '/a'}, {text: `x ${f()} y`, link: links.out}]}], "
        "socialLinks: [{icon: 'github', link: repo}] } }))) }",
        "docs/.vitepress/meta.ts": "export const name = 'Harbour'\nexport const repo = 'https://github.com/h'\n"
        "export const links = {out: 'https://o.example'}",
        "docs/a.md": "# A\n",
    }
    found = load(imported(tmp_path, "vitepress", files, "docs").texts["site.yml"]).value
    assert isinstance(found, dict)
    assert found["title"] == "Harbour"
    assert found["nav"] == [
        {"label": "v2.1", "items": [
            {"label": "Harbour A", "href": "/a"}, {"label": "x y", "href": "https://o.example"}]}
    ]  # fmt: skip
    assert found["footer"] == {"social": {"github": "https://github.com/h"}}
