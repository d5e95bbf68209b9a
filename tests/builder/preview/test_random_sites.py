"""After each of many random edits of a site, the preview shows what a build from nothing writes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.preview import Preview
from tests.builder.preview.test_edits import OPTIONS, Clean, given, states

SEEDS, EDITS = range(25), 25
PAGES = (
    "docs/index.mdx",
    "docs/a.mdx",
    "docs/b.md",
    "docs/guide/index.mdx",
    "docs/guide/c.mdx",
    "pages/about.mdx",
)
TITLES = ("# Apple", "# The %{v}", "---\ntitle: On %{w}\n---", '---\nsidebar_label: "%{v}!"\n---\n# Pear', "")
TITLES += (
    "---\nunlisted: true\n---\n# Hidden",
    "---\ndraft: true\n---\n# Draft",
    "---\nslug: moved\n---\n# Moved",
)
TITLES += ("---\nvariables: {v: own}\n---\n# With %{v}", "---\nsidebar_position: 1\n---\n# First")
BODIES = (
    "Words %{v} and %{w}.",
    "<Include src='/docs/_part.mdx' />",
    "<Include src='_part.mdx' v='given' />",
    "<Box kind='x'>in</Box>",
    "```py file='/examples/app.py'\n```",
    "```sh vars\nrun %{v}\n```",
    "<Other/>",
    "[a](/docs/a#there) [c](guide/c.mdx)",
    "## There %{v} {#there}",
    "[b](b.md) [to](/docs/guide/moved)",
)
FILES: dict[str, tuple[str, ...]] = {
    "docs/_part.mdx": (
        "# Part %{v}\n\nShared.",
        "New [a](a.mdx) %{w}.",
        "<Include src='_deep.mdx' />",
        "<Box>p</Box>",
    ),
    "docs/_deep.mdx": ("## There\n\nDeep %{v}.", "Deep.", "# Deep"),
    "docs/guide/_part.mdx": ("Of the guide %{v}.", "## There"),
    "_components/Box.mdx": (
        "[ <Slot/> ]",
        "---\nattributes: {kind: {type: string}}\n---\n( %{kind} <Slot/> )",
        "---\nx: [\n---\n",
        "<Include src='/docs/_deep.mdx' /><Slot/>",
    ),
    "_components/Other.mdx": ("Other %{w}.", "<Box>of other</Box>"),
    "examples/app.py": ("print(1)", "print(2)"),
    "sidebar.yml": (
        "- docs/a\n- {folder: docs/guide}\n",
        "- {label: 'The %{v}', items: [docs/b, docs/a]}\n",
        "- [\n",
        "- {folder: docs}\n- pages/about\n",
        "- docs/none\n",
    ),
    "docs/guide/_category_.yml": (
        "label: Guide\n",
        "label: 'G %{v}'\nvariables: {v: guide}\n",
        "variables: {w: guide}\nposition: 3\n",
        "label: [\n",
    ),
}
SETTINGS = (
    "variables: {v: one}",
    "variables: {v: two, w: three}",
    "variables: {a b: c}",
    "sidebar: sidebar.yml",
    "sidebar: sidebar.yml\nvariables: {v: one}",
    "docs_at: /",
    "trailing_slash: true",
    "redirects: {/docs/old: /docs/a}",
    "",
)


class Random:
    """A site in `root`, and edits of it that a seed decides."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.chance = root, random.Random(seed)
        self.said: list[str] = []
        for edit in (self.settings, *[self.page] * 8, *[self.file] * 5):
            edit()

    def changed(self) -> frozenset[str]:
        """Edit, and give the files that are other ones afterwards."""
        before = states(self.root)
        edits: list[Callable[[], None]] = [*[self.page] * 5, *[self.file] * 5, self.settings]
        for _ in range(self.chance.choice((1, 1, 1, 2))):
            self.chance.choice(edits)()
        after = states(self.root)
        return frozenset(name for name in before.keys() | after if before.get(name) != after.get(name))

    def page(self) -> None:
        """Write or delete a page."""
        chance = self.chance
        bodies = chance.sample(BODIES, chance.randint(0, 3))
        self._write(chance.choice(PAGES), "\n\n".join((chance.choice(TITLES), *bodies)) + "\n")

    def file(self) -> None:
        """Write or delete something that pages are made of."""
        name = self.chance.choice(list(FILES))
        self._write(name, self.chance.choice(FILES[name]))

    def settings(self) -> None:
        """Write other settings."""
        extras = self.chance.choice(
            ("[includes, components, slug]", "[includes]", "[]", "[includes, components, slug]")
        )
        text = f"title: T\nextras: {extras}\n{self.chance.choice(SETTINGS)}\n"
        (self.root / "site.yml").write_text(text)
        self.said.append(f"site.yml: {text!r}")

    def _write(self, name: str, text: str) -> None:
        file = self.root / name
        if file.exists() and self.chance.random() < 0.3:
            file.unlink()
            self.said.append(f"{name} is deleted")
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.said.append(f"{name}: {text!r}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_preview_of_a_random_site_shows_what_a_build_writes(tmp_path: Path, seed: int) -> None:
    follow(Random(tmp_path, seed), EDITS)


def test_so_does_that_of_a_large_site_which_holds_pages_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builder.site.reader.LARGE", 0)
    follow(Random(tmp_path, len(SEEDS)), EDITS // 3)


def follow(site: Random, edits: int) -> None:
    """Compare the preview with builds after each of so many edits."""
    preview, clean = Preview(site.root, OPTIONS), Clean(site.root, None)
    assert not preview.update()
    for _ in range(edits):
        if not clean.fails:  # what is shown else is that of before, with parts as they are now
            assert {name: given(preview, name) for name in clean.files} == clean.files, site.said
            assert preview.diagnostics() == clean.diagnostics, site.said
        changed = site.changed()
        clean = Clean(site.root, clean)
        assert bool(preview.update(changed)) <= clean.fails, site.said
    preview.close()
