"""A whole site as agents meet it: its index, its sitemap, and each page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from builder.errors import TwinpressError
from server.score import markdown_text
from server.score.page_facts import SOFT, PageFacts, Status, cache_status, look
from server.score.web import TOGETHER, FetchedFile, Web

FEW = 50
"""Pages of an index with fewer are joined by those of the sitemap."""
MOST = 50_000
_LOC = re.compile(r"<loc>\s*(.*?)\s*</loc>", re.IGNORECASE)
Progress = Callable[[int, int], None]


class IndexFacts(Struct, frozen=True):
    """`llms.txt`: its address, whether it is where it was asked for, and what stands in it."""

    url: str
    size: int
    has_title: bool
    has_summary: bool
    has_sections: bool
    links: tuple[str, ...]
    unclosed: int
    fences: int


class ScoredSite(Struct, frozen=True):
    """The findings. `broken` are links of the index that lead nowhere, `html` those to pages of HTML.

    `listed` are the pages in the index and in its parts, `sitemap` those in the sitemap, None without one.
    `dead` are the targets of links in twins that lead nowhere. `cached` are levels of how long answers are
    kept, by address. `lost` counts requests without an answer.
    """

    base: str
    depends: bool
    index: IndexFacts | None
    broken: tuple[str, ...]
    html: tuple[str, ...]
    listed: frozenset[str]
    sitemap: tuple[str, ...] | None
    pages: tuple[PageFacts, ...]
    dead: frozenset[str]
    cached: dict[str, Status]


async def read_site(base: str, web: Web, progress: Progress) -> ScoredSite:
    """Read the site at `base`, which has no slash at its end. Raises TwinpressError without a page."""
    front = await web.get(f"{base}/")
    index = await _index(base, web)
    links = _own(index.links if index else (), base)
    answers = dict(zip(links, await _all(web, links), strict=True))
    parts = {
        url: found for url, found in answers.items() if _is_part(url, found) and index and url != index.url
    }
    inner = [link for url, found in parts.items() for link in _linked(found, url)]
    published = {page_of(link): link for link in (*links, *_own(inner, base)) if not link.endswith(".txt")}
    sitemap = await _sitemap(base, web)
    urls = [*published]
    if len(urls) < FEW:
        urls = [*dict.fromkeys((*urls, *(sitemap or ())))]
    if not urls and front.status == 0:
        raise TwinpressError(f"nothing answers at {base}/")
    pages = await _pages(urls or [f"{base}/"], published, web, progress)
    dead = await _dead({target for page in pages for target in page.targets}, web)
    kept = {index.url: cache_status(await web.get(index.url))} if index else {}
    return ScoredSite(
        base,
        web.depends,
        index,
        tuple(url for url, found in answers.items() if not found.is_ok),
        tuple([url for url, found in answers.items() if found.is_ok and not await _is_twin(url, found, web)]),
        frozenset(published),
        sitemap,
        tuple(pages),
        dead,
        kept | {page.url: page.cached for page in pages if page.is_read},
    )


async def _index(base: str, web: Web) -> IndexFacts | None:
    """Look for the index below the base path, at the root, and below `/docs`."""
    parts = urlsplit(base)
    origin = f"{parts.scheme}://{parts.netloc}"
    for place in dict.fromkeys((base, origin, f"{origin}/docs")):
        found = await web.get(f"{place}/llms.txt")
        begin = found.text.lstrip().lower()
        if found.is_ok and "text/" in found.type and begin and not begin.startswith(("<!", "<html")):
            return _read_index(found)
    return None


def _read_index(found: FetchedFile) -> IndexFacts:
    lines = [line for line in found.text.split("\n") if line.strip()]
    count, unclosed = markdown_text.fences(found.text)
    return IndexFacts(
        found.url,
        len(found.text),
        lines[0].startswith("# "),
        any(line.lstrip().startswith("> ") for line in lines),
        sum(bool(re.match(r"#{1,6}\s", line)) for line in lines) > 1,
        tuple(_linked(found, found.url)),
        unclosed,
        count,
    )


def _linked(found: FetchedFile, url: str) -> list[str]:
    """The links of an index as whole addresses."""
    targets = markdown_text.links(markdown_text.tokens(found.text))
    return [*dict.fromkeys(urljoin(url, each) for each in targets if re.match(r"https?://|/", each))]


def _own(links: Iterable[str], base: str) -> list[str]:
    """Those of some addresses that are of this site."""
    return [each for each in dict.fromkeys(links) if each == base or each.startswith(f"{base}/")]


def _is_part(url: str, found: FetchedFile) -> bool:
    return url.endswith(".txt") and found.is_ok and "text/" in found.type


def page_of(link: str) -> str:
    """The address of the page whose twin is at `link`."""
    return re.sub(r"\.mdx?$", "", re.sub(r"/index\.mdx?$", "/", link))


async def _is_twin(url: str, found: FetchedFile, web: Web) -> bool:
    """Return whether an agent that follows a link gets markdown."""
    if url.endswith((".md", ".mdx")) or "text/markdown" in found.type:
        return True
    if url.endswith(".txt"):
        return markdown_text.is_markdown(found.text)
    return not web.depends and "text/markdown" in (await web.get(url, markdown=True)).type


async def _sitemap(base: str, web: Web) -> tuple[str, ...] | None:
    """The addresses of pages in the sitemap, and in those that it names."""
    robots = await web.get(f"{'/'.join(base.split('/')[:3])}/robots.txt")
    named = re.findall(r"(?im)^\s*Sitemap:\s*(\S+)", robots.text) if robots.is_ok else []
    found: list[str] = []
    for each in (*named, *([] if named else [f"{base}/sitemap.xml"])):
        answer = await web.get(each)
        urls = _LOC.findall(answer.text) if answer.is_ok else []
        if "<sitemap" in answer.text and "<sitemapindex" in answer.text:
            inner = await _all(web, urls)
            urls = [url for part in inner if part.is_ok for url in _LOC.findall(part.text)]
        found += urls
    return tuple(_own(found, base)[:MOST]) or None


async def _all(web: Web, urls: Sequence[str]) -> list[FetchedFile]:
    found: list[FetchedFile] = []
    for begin in range(0, len(urls), TOGETHER):
        found += await asyncio.gather(*(web.get(each) for each in urls[begin : begin + TOGETHER]))
    return found


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
    pairs = zip(every, await _all(web, every), strict=True)
    return frozenset(url for url, found in pairs if not _is_good(url, found))


def _is_good(url: str, found: FetchedFile) -> bool:
    if not found.is_ok or not found.size:
        return False
    is_wrong = url.endswith((".md", ".mdx")) and found.is_html
    return not is_wrong and not (
        len(found.text) < 500 and bool(SOFT.search(found.text)) and not found.is_html
    )
