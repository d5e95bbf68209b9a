"""Work on one page in a process: render it, write its files where it can, and tell what is left to know.

Between processes a page travels as it is kept in the cache: packed once for both, and read much quicker than
what `pickle` makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder.cache import CacheRow, pack, unpack
from builder.code import highlight
from builder.output import Left, PageWriter
from builder.render import Rendered, Shared
from builder.render.render_page import frame, lost_page, render_page
from builder.site import SitePage
from builder.workers.page_job import Done, Job, Written, files


class Worker(Struct, frozen=True):
    """What all pages of a build are rendered with; `writer` is None when somebody else takes the files."""

    shared: Shared
    writer: PageWriter | None = None

    def do(self, job: Job) -> Done:
        """Render a page, and write it. Raises what the theme and the writer raise."""
        page, made = job.page, job.made
        if made is None:
            highlight.remember(job.code)
            return self._placed(render_page(page, self.shared), whole=job.whole)
        html = frame(page, made, self.shared)
        return self._placed(Rendered(page.path, page.file, html, made), whole=job.whole)

    def lost(self, page: SitePage, error: Exception) -> Done:
        """What there is of a page that cannot be rendered."""
        return self._placed(lost_page(page, self.shared, error), whole=True)

    def _placed(self, rendered: Rendered, *, whole: bool) -> Done:
        if self.writer is None:
            return Done(rendered)
        written = tuple(_write(rendered, self.writer))
        return Done(rendered if whole else replace(rendered, html=None), written)


def _write(rendered: Rendered, writer: PageWriter) -> Iterator[Left | None]:
    """Write a page's files; gives how they are left, in their order."""
    (html, page), *twins = files(rendered)
    yield writer.write(html, page)
    if twins:
        (first, data), (second, _) = twins
        yield from writer.write_twice(first, second, data)


class Packed(Struct, frozen=True):
    """A page on its way to another process: without what that knows itself."""

    html: bytes | None
    written: Written | None
    row: CacheRow | None


Sent = Packed | Done


def send(job: Job, done: Done) -> Sent:
    """A page to be sent; as it is, when it has what cannot be packed."""
    row = pack(done.rendered.made) if job.made is None else None
    if row is None and job.made is None:
        return done
    return Packed(done.rendered.html, done.written, row)


def received(jobs: Sequence[Job], sent: Sequence[Sent]) -> Iterator[Done]:
    """The pages that were sent for these jobs. Of those that are written, the body's text is not read."""
    for job, each in zip(jobs, sent, strict=True):
        yield each if isinstance(each, Done) else _received(job, each)


def _received(job: Job, packed: Packed) -> Done:
    made = unpack(packed.row, text=packed.written is None) if packed.row else job.made
    assert made is not None  # noqa: S101 - `send` sees to it
    page = job.page
    return Done(Rendered(page.path, page.file, packed.html, made), packed.written, packed.row)
