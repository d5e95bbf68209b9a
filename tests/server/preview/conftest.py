from __future__ import annotations

import pytest

from tests.server.commands import serving
from tests.sites import write_site

CLIP = bytes(range(256)) * 8192
SITE = {
    "site.yml": "title: My site\n",
    "docs/index.md": "# Start\n",
    "docs/x.mdx": "---\ntitle: X\n---\nBody of x.\n",
    "docs/guide/index.md": "# Guide\n",
    "docs/guide/data.csv": "a,b\n",
    "docs/guide/clip.mp4": CLIP,
    "docs/draft.md": "---\ndraft: true\n---\n# Hidden\n",
    "pages/about.md": "# About\n",
    "static/hello.txt": "hello",
    "static/empty.bin": b"",
}


@pytest.fixture(scope="module")
def preview(tmp_path_factory):
    with serving(write_site(tmp_path_factory.mktemp("site"), SITE)) as running:
        yield running
