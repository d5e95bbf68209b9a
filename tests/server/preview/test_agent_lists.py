"""The lists of a large site for agents, as the preview answers them: parts too, which turn out later."""

from __future__ import annotations

import re

import pytest

from builder.plan import llms_full, llms_index
from tests.server.commands import serving
from tests.server.preview.asking import ask
from tests.sites import build_site, write_site

TWIN = "Words of a hand-written twin.\n" * 30_000
ABOUT = "All that there is to be said of it. " * 80
SITE = {
    "site.yml": "title: T\nurl: https://t.example/base\n",
    "docs/guide/_category_.yml": "label: Guide\n",
    **{f"docs/guide/p{n:02}.md": f"---\ntitle: P{n}\ndescription: {ABOUT}\n---\nText.\n" for n in range(20)},
    **{f"docs/guide/p{n:02}.llms.md": TWIN for n in range(12)},
    "pages/about.md": "# About\n",
    "static/docs/guide/notes.txt": "By the author",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The lists that a build writes, with the limits as they are."""
    assert len(TWIN) * 12 > llms_full.LARGEST
    assert len(ABOUT) * 20 > llms_index.LONGEST
    written = build_site(tmp_path_factory.mktemp("site"), SITE).output.written
    return {path: data for path, data in written.items() if re.fullmatch(r"(.*/)?llms(-.+)?\.txt", path)}


def test_the_preview_answers_each_part_as_it_is_built(
    tmp_path_factory: pytest.TempPathFactory, built: dict[str, bytes]
) -> None:
    parts = {"llms.txt", "docs/guide/llms.txt", "docs/guide/llms-2.txt", "llms-1.txt"}
    texts = {"llms-full.txt", "docs/guide/llms-full.txt", "docs/guide/llms-full-2.txt", "llms-full-1.txt"}
    assert set(built) > parts | texts
    with serving(write_site(tmp_path_factory.mktemp("site"), SITE)) as running:
        for path, data in sorted(built.items()):
            answer = ask(running, f"/base/{path}")
            assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
            assert answer.body == data
        assert ask(running, "/base/docs/none/llms-full.txt").status == 404
        assert ask(running, "/base/docs/guide/llms-9.txt").status == 404
