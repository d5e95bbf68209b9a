"""Pages rendered by a worker that came as bytes: the same, also where nothing of the site's folder is."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from builder.build import build
from builder.markdown.context import SiteParts
from builder.output import FolderOutput, MemoryOutput
from builder.plan.options import Options
from builder.render import RenderedPage
from builder.store.part_files import PartFiles
from builder.workers import sent_parts as sending
from builder.workers.page_job import Job
from builder.workers.page_worker import Worker
from builder.workers.remote_worker import (
    RenderedChunk,
    pack_worker,
    received_chunk,
    render_chunk,
    unpack_worker,
)
from builder.workers.sent_parts import sent_parts
from tests.sites import build_site, write_site

SITE = {
    "site.yml": "title: Harbour\nextras: [includes, components]\nvariables: {crew: seven}\n",
    "theme/templates/footer.html": "<footer>Ours</footer>\n",
    "_components/Box.mdx": "A box.\n",
    "docs/_part.mdx": "Shared by **many**: %{crew}.\n",
    "docs/a.mdx": "# A\n\n<Include src='_part.mdx' />\n\n<Box />\n\n[B](b.mdx)\n",
    "docs/b.mdx": "# B\n\n```py file='code.py'\n```\n",
    "docs/c.mdx": "# C\n\n<Include src='_none.mdx' />\n",
    "docs/odd.md": '---\ntitle: "\\uD800"\n---\n\nHalf of a pair.\n',
    "docs/code.py": "x = 1\n",
}


class Elsewhere:
    """Renders with a worker that was packed and unpacked, and keeps the chunk."""

    chunk: RenderedChunk
    files: tuple[str, ...]

    def render(self, jobs: Sequence[Job], worker: Worker) -> Iterator[RenderedPage]:
        away = unpack_worker(pack_worker(worker, is_here=False))
        assert away.writer is None
        jobs = jobs[:]
        self.chunk = render_chunk(away, pickle.loads(pickle.dumps(jobs)))
        self.files = tuple(job.page.file for job in jobs)
        return received_chunk(jobs, self.chunk, worker)


def test_the_files_are_the_same_and_only_what_was_not_sent_is_rendered_here(tmp_path: Path) -> None:
    alone, output, executor = build_site(tmp_path, SITE), MemoryOutput(), Elsewhere()
    result = build(tmp_path, output, Options(), executor=executor)
    assert output.written == alone.output.written
    assert result.diagnostics == alone.diagnostics
    rows = enumerate(msgspec.msgpack.decode(executor.chunk.rows))
    given_up = [number for number, row in rows if row is None and number not in executor.chunk.whole]
    assert [executor.files[number] for number in given_up] == ["docs/b.mdx", "docs/c.mdx"]


def test_kept_pages_that_are_rendered_anew_elsewhere_are_the_same(tmp_path: Path) -> None:
    site, out = write_site(tmp_path / "site", SITE), tmp_path / "out"
    build(site, FolderOutput(out), Options(cache="keep"))
    result = build(site, FolderOutput(out), Options(cache="keep", verify_cache=1.0), executor=Elsewhere())
    assert result.verified == 4
    assert "cache-wrong" not in [one.code for one in result.diagnostics]


def test_parts_and_components_are_sent_and_nothing_else(tmp_path: Path) -> None:
    hidden = {".git/_a.mdx": "no", "dist/_tp/manifest.json": "[]", "dist/_b.mdx": "no", "docs/_c.txt": "no"}
    write_site(tmp_path, SITE | hidden)
    sent = sent_parts(SiteParts(PartFiles(tmp_path), {"": {"crew": "seven"}}))
    files = [
        "docs/_part.mdx",
        "_components/Box.mdx",
        "docs/code.py",
        ".git/_a.mdx",
        "dist/_b.mdx",
        "docs/_c.txt",
    ]
    assert [bool(sent.read(file).text) for file in files] == [True, True, False, False, False, False]
    assert sent.variables("docs/a") == {"crew": "seven"}


def test_no_more_is_sent_than_there_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(tmp_path, {"_a.md": "a" * 60, "_b.md": "b" * 60})
    monkeypatch.setattr(sending, "MOST_BYTES", 100)
    sent = sent_parts(SiteParts(PartFiles(tmp_path)))
    assert [bool(sent.read(file).text) for file in ("_a.md", "_b.md")] == [True, False]
