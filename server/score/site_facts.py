"""A whole site as agents meet it: its index, its sitemap, and each page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from builder.errors import TwinpressError
from server.score.index_facts import IndexFacts, fetch_all, find_index, own, walk
from server.score.page_facts import SOFT, PageFacts, Status, look
from server.score.web import TOGETHER, FetchedFile, Web

FEW = 50
"""Pages of an index with fewer are joined by those of the sitemap."""
MOST = 50_000
_LOC = re.compile(r"<loc>\s*(.*?)\s*</loc>", re.IGNORECASE)
Progress = Callable[[int, int], None]


class ScoredSite(Struct, frozen=True):
    """The findings. `parts` are further files of the index, `links` what all of them have to this site.

    `broken` are those that lead nowhere, `html` those to pages of HTML. `listed` are the pages in the index
    and in its parts, `sitemap` those in the sitemap, None without one. `dead` are the targets of links in
    twins that lead nowhere. `cached` are levels of how long answers are kept, by address.
    """

    base: str
    depends: bool
    index: IndexFacts | None
    parts: tuple[IndexFacts, ...]
    links: tuple[str, ...]
    broken: tuple[str, ...]
    html: tuple[str, ...]
    listed: frozenset[str]
    sitemap: tuple[str, ...] | None
    pages: tuple[PageFacts, ...]
    dead: frozenset[str]
    cached: dict[str, Status]

    @property
    def largest_index(self) -> int:
        """The size of the largest file of the index."""
        return max((file.size for file in (self.index, *self.parts) if file), default=0)


async def read_site(base: str, web: Web, progress: Progress) -> ScoredSite:
    """Read the site at `base`, which has no slash at its end. Raises TwinpressError without a page."""
    front = await web.get(f"{base}/")
    index = await find_index(base, web)
    walked = await walk(index, base, web)
    published = {page_of(link): link for link in walked.pages}
    sitemap = await _sitemap(base, web)
    urls = [*published]
    if len(urls) < FEW:
        urls = [*dict.fromkeys((*urls, *(sitemap or ())))]
    if not urls and front.status == 0:
        raise TwinpressError(f"nothing answers at {base}/")
    pages = await _pages(urls or [f"{base}/"], published, web, progress)
    dead = await _dead({target for page in pages for target in page.targets}, web)
    return ScoredSite(
        base,
        web.depends,
        index,
        tuple(walked.parts),
        tuple(walked.links),
        tuple(walked.broken),
        tuple(walked.html),
        frozenset(published),
        sitemap,
        tuple(pages),
        dead,
        walked.cached | {page.url: page.cached for page in pages if page.is_read},
    )


def page_of(link: str) -> str:
    """The address of the page whose twin is at `link`."""
    return re.sub(r"\.mdx?$", "", re.sub(r"/index\.mdx?$", "/", link))


async def _sitemap(base: str, web: Web) -> tuple[str, ...] | None:
    """The addresses of pages in the sitemap, and in those that it names."""
    robots = await web.get(f"{'/'.join(base.split('/')[:3])}/robots.txt")
    named = re.findall(r"(?im)^\s*Sitemap:\s*(\S+)", robots.text) if robots.is_ok else []
    found: list[str] = []
    for each in (*named, *([] if named else [f"{base}/sitemap.xml"])):
        answer = await web.get(each)
        urls = _LOC.findall(answer.text) if answer.is_ok else []
        if "<sitemap" in answer.text and "<sitemapindex" in answer.text:
            inner = await fetch_all(web, urls)
            urls = [url for part in inner if part.is_ok for url in _LOC.findall(part.text)]
        found += urls
    return tuple(own(found, base)[:MOST]) or None


async def _pages(
    urls: Sequence[str], published: dict[str, str], web: Web, progress: Progress
) -> list[PageFacts]:
    found: list[PageFacts] = []
    for begin in range(0, len(urls), TOGETHER):
        chunk = urls[begin : begin + TOGETHER]
        found += await asyncio.gather(*(look(each, published.get(each, ""), web) for each in chunk))
        progress(len(found), len(urls))
    return found


async def _dead(targets: Iterable[str], web: Web) -> frozenset[str]:
    """Those of some addresses at which there is nothing, or no markdown where the address says so."""
    every = sorted(targets)
    pairs = zip(every, await fetch_all(web, every), strict=True)
    return frozenset(url for url, found in pairs if not _is_good(url, found))


def _is_good(url: str, found: FetchedFile) -> bool:
    if not found.is_ok or not found.size:
        return False
    is_wrong = url.endswith((".md", ".mdx")) and found.is_html
    return not is_wrong and not (
        len(found.text) < 500 and bool(SOFT.search(found.text)) and not found.is_html
    )
