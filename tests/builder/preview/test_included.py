"""The preview shows what a build writes after an edit of what pages include."""

from __future__ import annotations

from pathlib import Path

from builder.build import build
from builder.output import MemoryOutput
from builder.plan.options import Options
from builder.preview import Preview
from tests.builder.trees import make

SITE = {
    "site.yml": "title: T\nextras: [includes, components]\nvariables: {product: Rocket}\n",
    "docs/index.mdx": "# %{product}\n\n<Include src='_part.mdx' />\n",
    "docs/code.mdx": "```py file='/examples/app.py'\n```\n",
    "docs/own.mdx": "<Box>in</Box>\n",
    "docs/_part.mdx": "Shared words.\n",
    "_components/Box.mdx": "[ <Slot/> ]\n",
    "examples/app.py": "print(1)\n",
}
EDITS = {
    "docs/_part.mdx": "New words.\n",
    "examples/app.py": "print(2)\n",
    "_components/Box.mdx": "( <Slot/> )\n",
    "docs/index.mdx": "# The %{product}\n\n<Include src='_part.mdx' />\n",
    "docs/own.mdx": "<Box>out</Box> %{product}\n",
}


def test_an_edit_is_shown_as_a_build_writes_it(tmp_path: Path) -> None:
    preview = Preview(make(tmp_path, SITE), Options())
    preview.update()
    for file, text in EDITS.items():
        while preview.pending:
            preview.work(1)
        (tmp_path / file).write_text(text)
        preview.update({file})
        built = MemoryOutput()
        build(tmp_path, built, Options())
        pages = [
            name for name in built.written if name.endswith((".html", ".md")) and name.startswith("docs/")
        ]
        assert {name: preview.get(name) for name in pages} == {name: built.written[name] for name in pages}
    assert "examples/app.py" in preview.included
    preview.close()
