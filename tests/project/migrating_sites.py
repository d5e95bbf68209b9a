"""Small sites of each system that can be imported, as the guide's pages about moving speak of them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from builder.importer.old_site import System


class MigratingSite(Struct, frozen=True):
    """A site: its files, the page that takes examples, and text on it that is told as lost."""

    files: Mapping[str, str]
    page: str
    lossy: str


SITES: Mapping[System, MigratingSite] = {
    "docusaurus": MigratingSite(
        {
            "docusaurus.config.js": """export default {
                title: 'Harbour', tagline: 'Ships and berths', url: 'https://h.example', baseUrl: '/',
                favicon: 'wave.png', i18n: {defaultLocale: 'en', locales: ['en']},
                presets: [['classic', {blog: {}, docs: {
                  routeBasePath: '/handbook', sidebarPath: './sidebars.js',
                  editUrl: 'https://git.example/h/edit/main/',
                }}]],
                plugins: [['@docusaurus/plugin-client-redirects',
                  {redirects: [{from: '/old', to: '/handbook/tide'}]}]],
                themeConfig: {
                  image: 'wave.png', announcementBar: {content: 'New'},
                  navbar: {logo: {src: 'wave.png'},
                    items: [{label: 'More', items: [{label: 'A', to: '/handbook/tide'}]}]},
                  footer: {links: [{title: 'Docs', items: [{label: 'A', to: '/handbook/tide'}]}]},
                },
              }""",
            "sidebars.js": """module.exports = {docs: ['index',
                {type: 'category', label: 'More', items: ['named']}]}""",
            "static/wave.png": "",
            "docs/wave.png": "",
            "docs/_part.mdx": "The ship is {props.ship}.\n",
            "docs/01-tide.md": "---\nid: named\nslug: /tide\n---\n\n# Tide\n",
            "src/pages/index.tsx": "export default () => null\n",
            "blog/2026-01-02-hello.md": "# Hello\n",
        },
        "docs/index.mdx",
        "```jsx live\na\n```\n\nIt is {ship()}.\n\nimport ThemedImage from '@theme/ThemedImage'\n\n"
        "<ThemedImage alt=\"A\" sources={{light: '/wave.png', dark: '/dark.png'}} />\n",
    ),
    "mintlify": MigratingSite(
        {
            "docs.json": """{"name": "Harbour", "description": "Ships", "favicon": "/wave.png",
              "logo": {"light": "/wave.png"}, "colors": {"primary": "#123456"},
              "navbar": {"links": [{"label": "A", "href": "https://a.example"}],
                         "primary": {"type": "button", "label": "B", "href": "https://b.example"}},
              "footer": {"socials": {"github": "https://github.com/example"}},
              "redirects": [{"source": "/old", "destination": "/tide"}],
              "navigation": {"tabs": [
                {"tab": "Guide", "groups": [{"group": "G", "pages": ["index", "tide"]}]}]}}""",
            "tide.mdx": "---\ntitle: Tide\nhidden: true\n---\n",
            "snippets/part.mdx": "Shared.\n",
            "wave.png": "",
        },
        "index.mdx",
        '<Visibility for="agents">A</Visibility>\n\n<Icon icon="no-such-icon" />\n\n'
        '<iframe src="https://a.example" />\n',
    ),
    "fumadocs": MigratingSite(
        {
            "source.config.ts": "import { defineDocs } from 'fumadocs-mdx/config'\n",
            "lib/source.ts": "export const source = loader({ baseUrl: '/handbook' })\n",
            "content/docs/meta.json": '{"pages": ["index", "...", "gone"]}',
            "content/docs/(group)/tide.mdx": "# Tide\n",
            "content/docs/api/meta.json": '{"title": "API", "root": true}',
            "content/docs/api/index.mdx": "# API\n",
            "lib/i18n.ts": "{ defaultLanguage: 'en', languages: ['en', 'de'], hideLocale: 'default-locale' }",
            "content/docs/index.de.mdx": "# Hafen\n",
        },
        "content/docs/index.mdx",
        "<TypeTable type={ship} />\n\n<APIPage operations={[]} />\n\n"
        "<AutoTypeTable name='Ship' />\n\n[app](/app)\n",
    ),
    "mkdocs": MigratingSite(
        {
            "mkdocs.yml": """site_name: Harbour
site_description: Ships
site_url: https://h.example
repo_url: https://git.example/h
edit_uri: edit/main/docs/
copyright: Harbour
theme: {name: material, logo: wave.png, favicon: wave.png, language: en, palette: {primary: teal}}
extra: {version: 2.4, social: [{icon: fontawesome/brands/github, link: 'https://github.com/example'}]}
extra_css: [a.css]
extra_javascript: [a.js]
nav: [index.md, tide.md]
plugins: [search, macros, {redirects: {redirect_maps: {old.md: tide.md}}}]
""",
            "docs/wave.png": "",
            "docs/wave-dark.png": "",
            "docs/a.css": "",
            "docs/a.js": "",
            "docs/tide.md": "# Tide\n\n## Übersicht\n",
            "harbour.py": "ship = 1\nberth = 2\n",
        },
        "docs/index.md",
        "::: harbour.Ship\n\n{{ gone }}\n\n:material-no-such-icon:\n\n```py\na  # (1)!\n```\n\n1. A\n",
    ),
    "starlight": MigratingSite(
        {
            "astro.config.mjs": """export default {
                site: 'https://h.example', base: '/', redirects: {'/old': '/tide'},
                integrations: [starlight({
                  title: 'Harbour', description: 'Ships', favicon: '/wave.png', logo: {src: './src/wave.png'},
                  social: [{icon: 'github', label: 'GitHub', href: 'https://github.com/example'}],
                  editLink: {baseUrl: 'https://git.example/h/edit/main/'},
                  defaultLocale: 'root',
                  locales: {root: {label: 'English', lang: 'en'}, fr: {label: 'Français'}},
                  sidebar: ['index', {slug: 'tide', badge: 'New'}],
                })],
              }""",
            "src/wave.png": "",
            "public/wave.png": "",
            "src/pages/tool.astro": "",
            "src/content/docs/tide.md": "---\ntitle: Tide\nbanner:\n  content: New\n---\n",
            "src/content/docs/fr/tide.md": "---\ntitle: Marée\n---\n",
        },
        "src/content/docs/index.mdx",
        '```js "berth"\nlet berth\n```\n',
    ),
    "vitepress": MigratingSite(
        {
            ".vitepress/config.ts": """export default {
                title: 'Harbour', description: 'Ships', lang: 'en', base: '/', cleanUrls: true,
                head: [['link', {rel: 'icon', href: '/wave.png'}]],
                locales: {root: {label: 'English'}, fr: {label: 'Français'}},
                themeConfig: {
                  logo: '/wave.png', nav: [{text: 'More', items: [{text: 'A', link: '/tide'}]}],
                  sidebar: [{text: 'Guide', items: [{text: 'Tide', link: '/tide'}]}],
                  socialLinks: [{icon: 'github', link: 'https://github.com/example'}],
                  footer: {message: 'Harbour'}, editLink: {pattern: 'https://git.example/h/edit/main/:path'},
                },
              }""",
            "tide.md": "# Tide\n",
            "fr/tide.md": "# Marée\n",
            "ships/[id].md": "# Ship\n",
            "part.md": "Shared.\n",
            "harbour.js": "// #region start\ncastOff()\n// #endregion start\n",
            "public/wave.png": "",
        },
        "index.md",
        "It is {{ ship() }}.\n\n```js\na // [!code focus]\n```\n",
    ),
    "mdbook": MigratingSite(
        {
            "book.toml": '[book]\ntitle = "Harbour"\ndescription = "Ships"\nlanguage = "en"\n'
            '[output.html]\ngit-repository-url = "https://git.example/h"\n'
            'edit-url-template = "https://git.example/h/edit/main/{path}"\ncname = "h.example"\n'
            '[output.html.redirect]\n"/old.html" = "tide.html"\n[preprocessor.links-to-ships]\n',
            "src/SUMMARY.md": "[Start](index.md)\n\n# Part\n\n- [Tide](tide.md)\n- [Later]()\n",
            "src/tide.md": "# Tide\n",
            "src/harbour.rs": "fn main() {}\n",
            "theme/favicon.svg": "<svg/>",
            "po/de.po": "",
        },
        "src/index.md",
        "```rust\n# fn main() {\nlet berth = 1;\n# }\n```\n\n{{#ship a}}\n\n[b](../b/index.html)\n",
    ),
    "gitbook": MigratingSite(
        {
            ".gitbook.yaml": "root: ./\nredirects:\n  old: tide.md\n",
            "SUMMARY.md": "# Harbour\n\n* [Start](README.md)\n\n## M\n\n* [Tide](tide.md)\n* [G](gone.md)\n",
            "tide.md": "---\nhidden: true\n---\n\n# Tide\n",
            ".gitbook/includes/part.md": "Shared.\n",
        },
        "README.md",
        '{% ship name="a" %}\n\n{% if visitor.claims.a %}\nA\n{% endif %}\n\n'
        '{% embed url="https://b.example" %}\n\n<table data-view="cards"><thead><tr><th></th>'
        "<th data-card-cover></th></tr></thead><tbody><tr><td>A</td>"
        '<td><a href="a.png"></a></td></tr></tbody>'
        "</table>\n",
    ),
}
"""By system; the last of each is told on every import of it, whatever an example says."""
