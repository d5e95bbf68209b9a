"""For each diagnostic that an author can provoke in one file: that file. A test builds every one of them."""

from __future__ import annotations

from msgspec import Struct

_LANGUAGES = {".mdx": "mdx", ".md": "md", ".yml": "yaml"}


class DiagnosticExample(Struct, frozen=True):
    """`text` in `file`, put into a site without faults and with this `extra`, gives the diagnostic."""

    file: str
    text: str
    extra: str = ""

    @property
    def language(self) -> str:
        """The language of its code block."""
        return next((name for end, name in _LANGUAGES.items() if self.file.endswith(end)), "text")


def _with(extra: str, text: str) -> DiagnosticExample:
    """A page on a site with an extra."""
    return DiagnosticExample("docs/guide/hello.mdx", text, extra)


def _page(text: str) -> DiagnosticExample:
    return DiagnosticExample("docs/guide/hello.mdx", text)


EXAMPLES: dict[str, DiagnosticExample] = {
    "config-invalid": DiagnosticExample("site.yml", "title: Harbour\nplan: gold\n"),
    "config-unknown-key": DiagnosticExample("site.yml", "title: Harbour\nfavicn: /favicon.svg\n"),
    "accent-contrast": DiagnosticExample("site.yml", 'title: Harbour\naccent: "#facc15"\n'),
    "language-unknown": DiagnosticExample("site.yml", "title: Bandari\nlanguage: sw\n"),
    "redirect-invalid": DiagnosticExample(
        "site.yml", "title: Harbour\nredirects:\n  /setup: /docs/guide/nowhere\n"
    ),
    "served-elsewhere": DiagnosticExample("site.yml", "title: Harbour\nserved_elsewhere: [/docs/guide]\n"),
    "redirect-case": DiagnosticExample("site.yml", "title: Harbour\nredirects:\n  /DOCS/: /docs/\n"),
    "redirect-rule": DiagnosticExample("static/_redirects", "/tides https://tides.example/:splat 200\n"),
    "category-invalid": DiagnosticExample("docs/guide/_category_.yml", "label: The guide\nposition: first\n"),
    "category-unknown-key": DiagnosticExample(
        "docs/guide/_category_.yml", "label: The guide\nicon: compass\n"
    ),
    "category-empty": DiagnosticExample("docs/soon/_category_.yml", "label: Soon\n"),
    "frontmatter-invalid": _page("---\ntitle: Harbour: the guide\n---\n\nText.\n"),
    "frontmatter-type": _page("---\ntitle: 2026\n---\n\nText.\n"),
    "value-empty": _page('---\ntitle: ""\n---\n\nText.\n'),
    "frontmatter-duplicate-key": _page("---\ntitle: Hello\ntitle: Good day\n---\n\nText.\n"),
    "frontmatter-address": _page("---\nslug: /start\n---\n\nText.\n"),
    "frontmatter-unknown-key": _page("---\nsidebar_lable: Hello\n---\n\nText.\n"),
    "path-invalid": DiagnosticExample("docs/guide/my page.mdx", "The name has a space.\n"),
    "twin-orphan": DiagnosticExample(
        "docs/guide/install.llms.md", "There is no `install.mdx` beside this file.\n"
    ),
    "broken-link": _page("Read [the guide](./helo.mdx).\n"),
    "broken-anchor": _page("## What you need\n\nSee [above](#what-you-ned).\n"),
    "broken-image": _page("![The harbour](./harbor.png)\n"),
    "image-insecure": _page("![The harbour](http://images.example/harbour.png)\n"),
    "image-alt": _page("![](https://images.example/harbour.png)\n"),
    "link-unsafe": _page("[Click](javascript:alert)\n"),
    "html-dropped": _page("<div>The text stays, the tags go.</div>\n"),
    "html-unclosed": DiagnosticExample(
        "docs/guide/tides.md", "High water at 10:20.\n\n<!-- Is that still so?\n\nLow water at 04:12.\n"
    ),
    "mdx-only": DiagnosticExample("docs/guide/tides.md", ":::note\nLow water at 04:12.\n:::\n"),
    "comment-dropped": _page("The harbour opens at six. <!-- Is that still so? -->\n"),
    "esm-stripped": _page('import Chart from "./chart.js"\n\nText.\n'),
    "expression-stripped": _page("The port is {port}.\n"),
    "admonition-unknown": _page(":::hint\nText.\n:::\n"),
    "admonition-unclosed": _page(":::tip\nText.\n"),
    "admonition-unopened": _page("Text.\n\n:::\n"),
    "heading-id-taken": _page("## Install {#setup}\n\n## Configure {#setup}\n"),
    "table-cell-dropped": _page("| Tide | Time |\n| - | - |\n| High | 04:12 | 16:37 |\n"),
    "foreign-syntax": _page('!!! note "Tides"\n    Low water is at 04:12.\n'),
    "fence-unclosed": _page("```bash\nsetsail --now\n"),
    "footnote-undefined": _page("The tide turns twice.[^tide]\n"),
    "footnote-unused": _page("The tide turns twice.\n\n[^tide]: Every 12 hours and 25 minutes.\n"),
    "component-unknown": _page('<Crad title="Guide">Text.</Crad>\n'),
    "component-unclosed": _page('<Card title="Guide">\nText.\n'),
    "tag-broken": _page('<Card title="Guide href="/docs/guide/hello">Text.</Card>\n'),
    "component-unopened": _page("Text.\n\n</Card>\n"),
    "component-misplaced": _page('<Step title="Unpack">\nOpen the archive.\n</Step>\n'),
    "attribute-unknown": _page('<Card titel="Guide" title="Guide" />\n'),
    "attribute-invalid": _page('<CardGrid cols="many">\n<Card title="Guide" />\n</CardGrid>\n'),
    "attribute-expression": _page('<Card title="Guide" icon={name} />\n'),
    "attribute-missing": _page('<Card href="/docs/guide/hello" />\n'),
    "labels-mismatch": _page(
        '<Tabs labels="Linux, macOS">\n  <TabItem>Use apt.</TabItem>\n</Tabs>\n',
    ),
    "premium-hidden": _page('<Callout color="teal">Low water at 04:12.</Callout>\n'),
    "verb-unknown": _page('<Endpoint method="GTE" path="/tides" />\n'),
    "icon-unknown": _page('<Card title="Guide" icon="rockets" />\n'),
    "color-unknown": DiagnosticExample(
        "docs/guide/hello.mdx", '<Callout color="sea">Low water at 04:12.</Callout>\n'
    ),
    "feed-invalid": _with("update", '---\nfeed: true\n---\n\n<Update label="2.4">Text.</Update>\n'),
    "key-unknown": _with("keys", "Save with ++crtl+s++.\n"),
    "embed-host": DiagnosticExample("docs/guide/hello.mdx", '<Embed src="https://video.example/1" />\n'),
}
