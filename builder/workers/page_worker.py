"""Work on one page in a process: render it, write its files where it can, and tell what is left to know.

Between processes a page travels as it is kept in the cache: packed once for both, and read much quicker than
what `pickle` makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from builder import diagrams
from builder.cache import pack, unpack
from builder.code import highlight
from builder.output import Left, PageWriter
from builder.render import CachedPage, PageContent, RenderedPage, Shared
from builder.render.render_page import frame, framed, lost_page, make, render_page
from builder.site import SitePage
from builder.workers.page_files import write_files
from builder.workers.page_job import Job


class Worker(Struct, frozen=True):
    """A renderer of a build's pages, one a process; `writer` is None when somebody else takes the files."""

    shared: Shared
    writer: PageWriter | None = None

    def prepare(self) -> None:
        """Load what every page needs, before there are several processes that would each do it."""
        self.shared.prepare()

    def do(self, job: Job) -> RenderedPage:
        """Render a page, and write it. Raises what the theme and the writer raise."""
        page, content = job.page, job.content
        if content is None:
            highlight.remember(job.code)
            diagrams.remember(job.diagrams)
            return self._placed(render_page(page, self.shared), whole=job.whole)
        return self._placed(framed(page, content, self.shared), whole=job.whole)

    def content(self, page: SitePage) -> PageContent:
        """Render what the page's source gives, and write nothing."""
        return make(page, self.shared.context)

    def html(self, page: SitePage, content: PageContent) -> bytes:
        """Put the content into its frame, and write nothing."""
        return frame(page, content, self.shared)

    def lost(self, page: SitePage, error: Exception) -> RenderedPage:
        """Return the page that is shown for one that cannot be rendered."""
        return self._placed(lost_page(page, self.shared, error), whole=True)

    def _placed(self, page: RenderedPage, *, whole: bool) -> RenderedPage:
        if self.writer is None:
            return page
        written = tuple(write_files(page, self.writer))
        return replace(page, html=page.html if whole else None, written=written)


class Packed(Struct, frozen=True):
    """A page on its way to another process: without what that knows itself."""

    html: bytes | None
    written: tuple[Left | None, ...] | None
    packed: CachedPage | None


Sent = Packed | RenderedPage


def send(job: Job, page: RenderedPage) -> Sent:
    """A page to be sent; as it is, when it has what cannot be packed."""
    packed = pack(page.content) if job.content is None else None
    if packed is None and job.content is None:
        return page
    return Packed(page.html, page.written, packed)


def received(jobs: Sequence[Job], sent: Sequence[Sent], pointer: str) -> Iterator[RenderedPage]:
    """The pages that were sent for these jobs, with the `pointer` of them all.

    Of those that are written, the body's text is not read. A feed is made of that text: with one, it is read.
    """
    for job, each in zip(jobs, sent, strict=True):
        yield each if isinstance(each, RenderedPage) else _received(job, each, pointer)


def _received(job: Job, sent: Packed, pointer: str) -> RenderedPage:
    needs_text = sent.written is None or job.page.meta.feed
    content = unpack(sent.packed, text=needs_text) if sent.packed else job.content
    assert content is not None  # noqa: S101 - `send` sees to it
    page = job.page
    place = page.path, page.file, page.place
    return RenderedPage(*place, content, sent.html, sent.written, sent.packed, pointer)
