"""Random sites of each system: whatever is in one, it is imported with a report or refused with a reason."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.importer.check_import import check_import
from builder.importer.old_site import System
from builder.importer.source_files import NoSource
from builder.importer.source_tree import SourceTree
from builder.importer.write_site import write_site
from tests.builder.importer.imported import imported
from tests.builder.importer.test_hostile_sources import KINDS, told_of

SIGNS = (
    "# H {#h}", "## `a` {a: b}", "<Tabs>", "</Tabs>", "<TabItem value='a'>", "<Tab title={", "}", "{/*",
    "*/}", "!!! note", "??? tip",
    "    ", '=== "a"', "///", "/// tab | x", "import X from './a.md'", "import {A, B as C} from '@site/b'",
    "export const a = [",
    "<<< @/a.md{1}", "<!--@include: ./a.md-->", "{{#include a.md:1:}}", "<include>a</include>",
    "{% include 'a.md' %}", "{{ x }}",
    "{% hint style='info' %}", "{% endhint %}", "::: details", ":::", ":::tip[a]", "> [!NOTE]",
    "```js {1} title='a'", "```", "~~~",
    "`", "$$", "\\\\(", "- a", "1. b", "> ", "[a](a.md#h)", "[a](/a)", "![x](<x y.png>)", "[a]: b", "[^1]",
    "[^1]: x", "\\", "<br/>",
    "\0", "\ufeff", "\u2028", "<Accordion>", "<ParamField path='a'>", "<ResponseField", "++a++", "==b==",
    "H~2~O", "{ .c }",
    "{: #x }", "*[A]: b", "::: a.b", "| a | b |", "| --- |", "<A b={[{'c': `d${e}`}]} {...f}>", "&amp;",
    "&#xD800;", "<!--", "-->",
    "---", "+++", "title: a", "slug: /a", "id: [", "nav_order: 1", "<script setup>", "</script>",
    "<div v-for='a in b'>", "é\u0301",
)  # fmt: skip
"""What the systems' pages are made of, whole and broken."""
_LINE = st.lists(st.sampled_from(SIGNS) | st.text(max_size=8), max_size=4).map(" ".join)
_PAGE = st.lists(_LINE, max_size=12).map("\n".join)
_NAME = st.sampled_from(
    ("a", "b", "index", "README", "01-c", "d e", "x.y", "_p", "sub/a", "sub/index", "[id]", "a.de")
)
_OTHERS = st.sampled_from((
    "meta.json", "_category_.json", "sidebars.js", "SUMMARY.md", "src/SUMMARY.md", "_redirects",
    "vercel.json", "netlify.toml",
    "docs/.pages", "content/docs/meta.json", "static/x.png", "public/_redirects", "versions.json",
    "package.json", "mint.json",
))  # fmt: skip
_VALUES = (
    "null", "true", "-1", '""', '"a"', '"/a/"', '"../a"', "[]", "{}", '["a", {"b": ["sub/a"]}]',
    '{"a": "b"}', "a()", "`x`", "...y",
    '[["a", "b"], null, 3]',
)  # fmt: skip
_KEYS = (
    "title", "nav", "navigation", "sidebar", "themeConfig", "plugins", "presets", "docs", "base",
    "locales", "i18n", "redirects",
    "pages", "groups", "tabs", "versions", "languages", "book", "src", "root", "structure",
    "markdown_extensions", "site_url", "url",
    "baseUrl", "integrations", "logo", "colors", "srcDir", "rewrites", "docs_dir", "theme", "extra",
    "items", "label", "link",
)  # fmt: skip
_VALUE = st.recursive(
    st.sampled_from(_VALUES),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: f"[{', '.join(each)}]")
        | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=3).map(
            lambda each: "{" + ", ".join(f'"{name}": {value}' for name, value in each.items()) + "}"
        )
    ),
    max_leaves=8,
)
_FRAMES = {
    "docusaurus": (
        "module.exports = %s",
        "module.exports = {presets: [['classic', {docs: %s}]], themeConfig: %s}",
    ),
    "mintlify": ("%s", '{"name": "T", "navigation": %s, "redirects": %s}'),
    "fumadocs": ("%s", "export const docs = defineDocs({dir: 'content/docs', x: %s})"),
    "mkdocs": ("%s", "site_name: T\nnav: %s\nplugins: %s\n"),
    "starlight": ("%s", "export default defineConfig({integrations: [starlight(%s)], redirects: %s})"),
    "vitepress": ("export default %s", "export default {themeConfig: %s, rewrites: %s}"),
    "mdbook": ('[book]\ntitle = "T"\nx = %s', "[book]\nsrc = %s\n[output.html]\nredirect = %s\n"),
    "gitbook": ("%s", "root: ./\nstructure: %s\nredirects: %s\n"),
}


@st.composite
def _sites(draw: st.DrawFn, system: System) -> Mapping[str, str]:
    """Draw a site: a configuration of odd values, pages of pieces, and other files that it reads."""
    kind = KINDS[system]
    config = draw(st.sampled_from(_FRAMES[system]))
    while "%s" in config:
        config = config.replace("%s", draw(_VALUE), 1)
    pages = draw(st.dictionaries(_NAME, _PAGE, min_size=1, max_size=3))
    others = draw(st.dictionaries(_OTHERS, _VALUE | _PAGE, max_size=2))
    files = {f"{kind.folder}{name}.{kind.ending}": text for name, text in pages.items()}
    if kind.summary:
        others.setdefault(kind.summary, "".join(f"- [{name}](<{name}.md>)\n" for name in pages))
    return {**others, **files, kind.config: config}


def _imports(folder: Path, system: System, files: Mapping[str, str], *, builds: bool) -> None:
    """Import a site of these files, which is refused with a reason or gives a report."""
    try:
        new = imported(
            folder, system, {name: text.encode("utf-8", "replace") for name, text in files.items()}
        )
    except NoSource:
        return
    told_of(new)
    if builds:
        with SourceTree(folder) as origin:
            write_site(new, origin, folder / "new site", lambda *_: None)
        check_import(new, folder / "new site", lambda *_: None)


def _at(root: Path) -> Path:
    shutil.rmtree(root / "site", ignore_errors=True)
    return root / "site"


@pytest.mark.parametrize("system", KINDS)
def test_any_site_is_imported_or_refused(tmp_path: Path, system: System) -> None:
    @settings(max_examples=15)
    @given(_sites(system))
    def holds(files: Mapping[str, str]) -> None:
        _imports(_at(tmp_path), system, files, builds=False)

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("system", KINDS)
def test_any_site_is_imported_and_built(tmp_path: Path, system: System) -> None:
    @settings(max_examples=400)
    @given(_sites(system))
    def holds(files: Mapping[str, str]) -> None:
        _imports(_at(tmp_path), system, files, builds=True)

    holds()
