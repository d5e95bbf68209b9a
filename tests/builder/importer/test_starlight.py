"""Small sites of Starlight are imported: settings, sidebar, languages, and what pages say."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder.importer.page_work import Choices
from builder.yaml.safe import load
from tests.builder.importer.imported import imported

CONFIG = """
import starlight from '@astrojs/starlight'
import { items } from './sidebar.mjs'
export default defineConfig({
  site: 'https://h.example',
  redirects: {'/old': '/guide/a/', '/x/[slug]': '/y/[slug]'},
  integrations: [starlight({
    title: {en: 'Harbour'},
    defaultLocale: 'root', locales: {root: {label: 'English', lang: 'en'}, fr: {label: 'Français'}},
    social: [{icon: 'github', label: 'GitHub', href: 'https://github.com/h'},
             {icon: 'zulip', label: 'Zulip', href: 'https://zulip.example'}],
    head: [{tag: 'script', attrs: {src: 'https://t.example'}}],
    sidebar: items,
  })],
})
"""
SITE = {
    "astro.config.mjs": CONFIG,
    "sidebar.mjs": """export const items = [
      {label: 'Guide', items: [{slug: 'guide/a', badge: 'New'}, {label: 'Out', link: 'https://o.example'}]},
      {label: 'More', autogenerate: {directory: 'more'}},
    ]""",
    "src/content/docs/index.mdx": "---\ntitle: Home\nbanner:\n  content: Version 2\n---\n\nHello\n",
    "src/content/docs/guide/a.md": "---\ntitle: A\n---\n\nText\n",
    "src/content/docs/more/b.md": "---\ntitle: B\nsidebar:\n  order: 1\n  badge: Hot\n---\n\nText\n",
    "src/content/docs/fr/guide/a.md": "---\ntitle: A\n---\n\nTexte\n",
    "src/content/docs/fr/seul.md": "---\ntitle: Seul\n---\n\nTexte\n",
    "src/pages/tool.astro": "---\n---\n",
}


def test_settings_and_sidebar_are_carried_over(tmp_path: Path) -> None:
    texts = imported(tmp_path, "starlight", SITE).texts
    found = load(texts["site.yml"]).value
    assert isinstance(found, dict)
    assert found["title"] == "Harbour"
    assert found["footer"] == {
        "social": {"github": "https://github.com/h"},
        "links": [{"label": "Zulip", "href": "https://zulip.example"}],
    }
    led = {name: target.rstrip("/") for name, target in found["redirects"].items()}
    assert led == {
        "/old": "/guide/a", "/x/:slug": "/y/:slug", "/fr/guide/a/": "/guide/a", "/fr/more/b/": "/more/b",
        "/fr/": "", "/tool": "",
    }  # fmt: skip
    assert load(f"x:\n{texts['sidebar.yml']}").value == {
        "x": [
            {"label": "Guide", "items": ["docs/guide/a", {"href": "https://o.example", "label": "Out"}]},
            {"label": "More", "items": ["docs/more/b"]},
        ]
    }
    assert ":::note\nVersion 2\n:::" in texts["docs/index.mdx"]


def test_what_is_not_carried_over_is_told(tmp_path: Path) -> None:
    told = {(loss.what, loss.old) for loss in imported(tmp_path, "starlight", SITE).losses}
    assert {
        ("badge in the sidebar", "New"),
        ("frontmatter `sidebar.badge`", "badge: Hot"),
        ("locale that is not imported", "fr"),
        ("page of a version or language that is not imported", "/fr/seul/"),
        ("page that is a program", "/tool"),
    } <= told
    assert "`head`" in {what for what, _ in told}


def test_a_language_is_imported_when_asked_for(tmp_path: Path) -> None:
    new = imported(tmp_path, "starlight", SITE, choices=Choices(locales=("fr",)))
    assert "label: Français" in new.texts["sidebar.yml"]
    assert "docs/fr/guide/a" in new.texts["sidebar.yml"]
    assert {"/fr/guide/a", "/fr/seul"} <= {page.url.rstrip("/") for page in new.placed.pages.values()}


def test_the_default_language_may_have_a_folder(tmp_path: Path) -> None:
    files = {
        "astro.config.mjs": "export default {integrations: [starlight({title: 'T', defaultLocale: 'en', "
        "locales: {en: {}, fr: {}}, sidebar: ['a', {label: 'G', autogenerate: {directory: 'g'}}]})]}",
        "src/content/docs/en/a.md": "# A\n",
        "src/content/docs/en/g/b.md": "# B\n",
        "src/content/docs/fr/a.md": "# A\n",
    }
    new = imported(tmp_path, "starlight", files)
    assert "docs/en/a" in new.texts["sidebar.yml"]
    assert "docs/en/g/b" in new.texts["sidebar.yml"]
    assert new.old.redirects == {"/fr/a/": "/en/a/", "/fr/g/b/": "/en/g/b/"}


PAGES = [
    ('```js title="a" ins={1} "x" wrap\na\n```\n', '```js title="a" ins={1}\na\n```\n'),
    ("```js mark={1-2}\na\n```\n", "```js {1-2}\na\n```\n"),
    ('<Code code="a" lang="js" />\n', "```js\na\n```\n"),
    ("import c from './c.ts?raw'\n\n<Code code={c} lang=\"ts\" />\n", "```ts\nlet c\n```\n"),
    (':::tip[Mine]{icon="heart"}\nx\n:::\n', ":::tip[Mine]\nx\n:::\n"),
    (
        '```js "x y" ins="b" del=/a\\./ /[ab]/ {"L":2-3} collapse={1}\na.\nb x y\nc\n```\n',
        "```js {2,1,2,2-3} ins={2} del={1}\na.\nb x y\nc\n```\n",
    ),
    ('<Icon name="open-book" /> <Icon name="no-such" />\n', ":icon-book-open: \n"),
    ("<Steps>\n\n1. a\n\n</Steps>\n", "\n1. a\n\n"),
    ('<Badge text="New" variant="tip" />\n', '<Badge color="purple">New</Badge>\n'),
]


@pytest.mark.parametrize(("old", "new"), PAGES, ids=[old[:30] for old, _ in PAGES])
def test_pages_are_rewritten(tmp_path: Path, old: str, new: str) -> None:
    files = {
        "astro.config.mjs": "export default {integrations: [starlight({title: 'T'})]}",
        "src/content/docs/p.mdx": f"---\ntitle: P\n---\n\n{old}",
        "src/content/docs/c.ts": "let c\n",
    }
    texts = imported(tmp_path, "starlight", files).texts
    page = next(text for name, text in texts.items() if name.startswith("docs/p."))
    assert page.split("---\n", 2)[2].strip("\n") == new.strip("\n")


NO_DATA = ["starlight", "export default [starlight(f())]", "starlight\0({" * 2000]


@pytest.mark.parametrize("config", NO_DATA, ids=range(len(NO_DATA)))
def test_a_configuration_that_is_no_data_is_told(tmp_path: Path, config: str) -> None:
    new = imported(tmp_path, "starlight", {"astro.config.mjs": config, "src/content/docs/a.md": "# A\n"})
    assert "docs/a.md" in new.texts
    assert "configuration that is no data" in {loss.what for loss in new.losses}


def test_markdoc_folders_and_heroes_are_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "astro.config.mjs": "export default {integrations: [starlight({title: 'T', sidebar: "
        "[{label: 'G', autogenerate: {directory: 'g', collapsed: true}}]})]}",
        "src/content/docs/index.mdx": "---\ntitle: T\nhero:\n  tagline: Fast\n  image:\n"
        "    file: ../../assets/h.png\n    alt: H\n---\n",
        "src/assets/h.png": b"x",
        "src/content/docs/g/in/b.mdoc": '---\ntitle: B\n---\n\n{% aside type="tip" %}\nText\n{% /aside %}\n',
    }
    texts = imported(tmp_path, "starlight", files).texts
    page = next(text for name, text in texts.items() if name.startswith("docs/g/in/b."))
    assert ":::tip\nText\n:::" in page
    assert "![H](" in next(text for name, text in texts.items() if name.startswith("docs/index."))
    assert "collapsed: true" in texts["sidebar.yml"]
