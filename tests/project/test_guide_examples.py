"""The guide's examples, copied into the site that `twinpress new` makes: they work as they stand there.

Examples in `mdx` and `md` become pages, those with a file's name in their title become that file, and those
of `site.yml` are joined, an entry that is there twice in a second site.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from builder.build import build
from builder.output import MemoryOutput
from tests.sites import Built, write_site

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "sample-site/docs"
FENCE = re.compile(r"^(`{3,})(\w+)([^\n]*)\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
FILES = ("docs/", "pages/", "static/", "_components/", "sidebar.yml")
PAGES = [
    *sorted(GUIDE.glob("writing/*.md*")),
    *sorted(GUIDE.glob("components/*.md*")),
    *(GUIDE / f"publish/{name}.mdx" for name in ("addresses", "page-tools", "appearance")),
]
EXTRAS = ["badge", "columns", "file-tree", "tooltip", "update", "definition-lists"]
"""Those that the guide names in a sentence, beside those of its examples of `site.yml`."""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
AROUND = {
    **dict.fromkeys(("docs/guide/tour.mdx", "docs/guide/first-voyage.mdx", "docs/pro.mdx"), "# There\n"),
    **dict.fromkeys(("docs/writing/frontmatter.mdx", "docs/writing/links-and-images.mdx"), "## Title\n"),
    **dict.fromkeys(("docs/components/tabs.mdx", "docs/components/admonition.mdx"), "# Component\n"),
    **dict.fromkeys(
        ("docs/start/install.mdx", "docs/guide/first-steps.mdx", "docs/quay/index.mdx"), "# There\n"
    ),
    **dict.fromkeys(("pages/imprint.md", "docs/new-page.mdx"), "# There\n"),
    **dict.fromkeys(("docs/writing/checks.svg", "docs/writing/wave.svg", "static/img/twins.svg"), SVG),
    **dict.fromkeys(("static/favicon.svg", "static/social.png"), SVG),
    **dict.fromkeys(
        ("docs/writing/install.mp4", "docs/writing/jingle.ogg", "docs/writing/first-start.mp4"), ""
    ),
    "docs/examples/app.py": "# region main\nprint('main')\n# endregion\n",
}
"""Files that the examples lead to, which are elsewhere in the guide."""


SAID = {
    "docs_at": ["path-conflict", "sidebar-left-out"],
    "sidebar": ["sidebar-left-out"],
}
"""Findings that the guide says a check tells: two home pages, and pages that no entry of a sidebar names."""
SHOWN = {
    "<p>Install version 2.4 with <code>pipx install harbour</code>": ".html",
    "A paid plan. For <strong>teams</strong>": ".html",
    "Prices without tax.": ".md",
    "pip install harbour==2.4": ".md",
    "print('main')": ".md",
    "<kbd>F5</kbd>": ".html",
    "<math": ".html",
    'class="tp-badge': ".html",
    'class="tp-tooltip': ".html",
    'class="tp-frame': ".html",
    'class="tp-tree': ".html",
    "<dt>Content path</dt>": ".html",
    '<h2 id="24">': ".html",
    "https://chatgpt.com/": ".html",
    "https://github.com/harbour/docs/issues/new?title=": ".html",
    "https://plausible.io/js/script.js": ".html",
    '<meta name="google-site-verification" content="Vx3kQp8">': ".html",
    "Version 2 is out. Read what is new.": ".html",
    ">Inhalt<": ".html",
    "/old/* /docs/:splat 301": "_redirects",
    'location = "/manual/docs/setup"': ".nginx",
    'class="tp-diagram-dark"': ".html",
}
"""The marks that the pages of the examples have, and the suffix of the files in which each is."""


def examples() -> Iterator[tuple[str, str, str]]:
    """Yield of each example its language, the file that it is in or its page, and its text."""
    for page in PAGES:
        for _, language, meta, text in FENCE.findall(page.read_text("utf-8")):
            title = TITLE.search(meta)
            yield language, title[1] if title else f"docs/{page.relative_to(GUIDE).with_suffix('')}", text


def written() -> dict[str, str]:
    """The pages and files of the examples; each page has a heading to which one of them leads."""
    found = dict(AROUND)
    for number, (language, name, text) in enumerate(examples()):
        if name.startswith(FILES) and Path(name).suffix:
            found[name] = text
        elif language in {"md", "mdx"}:
            found[f"{name if name.startswith('docs/') else 'docs/x'}-{number}.mdx"] = f"{text}\n## Images\n"
    return found


def settings() -> list[dict[str, Any]]:
    """The entries of `site.yml`, each example's in the first mapping in which none of them is."""
    layers: list[dict[str, Any]] = []
    for own in (yaml.safe_load(text) for _, name, text in examples() if name == "site.yml"):
        free = next((layer for layer in layers if not layer.keys() & own.keys()), None)
        if free is None:
            layers.append(free := {})
        free |= own
    return layers


def joined(layer: dict[str, Any]) -> str:
    """The starter's `site.yml` with these entries, and all extras that the guide speaks of."""
    own = yaml.safe_load((ROOT / "server/starter/site.yml").read_text("utf-8"))
    named = {extra for each in settings() for extra in each.get("extras", ())}
    more = {"extras": sorted(named | set(EXTRAS)), "variables": {"version": "2.4"}, "plan": "premium"}
    return yaml.safe_dump(own | layer | more, allow_unicode=True, sort_keys=False)


SITES = range(len(settings()))


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> list[Built]:
    """A site for each set of entries, all with all pages."""
    found = []
    for number, layer in enumerate(settings()):
        folder = tmp_path_factory.mktemp("guide") / str(number)
        shutil.copytree(ROOT / "server/starter", folder)
        write_site(folder, {**written(), "site.yml": joined(layer)})
        output = MemoryOutput()
        found.append(Built(output, build(folder, output)))
    return found


@pytest.mark.parametrize("number", SITES)
def test_nothing_is_said_but_what_the_guide_says(sites: list[Built], number: int) -> None:
    layer = settings()[number]
    told = {one.code: one for one in sites[number].diagnostics}
    assert set(told) <= {code for key, codes in SAID.items() if key in layer for code in codes}, told.values()


def joined_text(site: Built, suffix: str) -> str:
    """All files with this suffix."""
    return "\n".join(site.text(path) for path in site.output.written if path.endswith(suffix))


@pytest.mark.parametrize("shown", SHOWN)
def test_it_shows_what_the_guide_says(sites: list[Built], shown: str) -> None:
    assert any(shown in joined_text(site, SHOWN[shown]) for site in sites)
