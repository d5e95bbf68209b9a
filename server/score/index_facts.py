"""`llms.txt` and its parts as agents meet them: what stands in each file, and where its links lead."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote, urljoin, urlsplit

from msgspec import Struct, field

from server.score import markdown_text
from server.score.page_facts import Status, cache_status
from server.score.web import TOGETHER, FetchedFile, Web
from server.site_files import agent_lists

MOST_FILES = 20_000
_TEXT = ".txt"


class IndexFacts(Struct, frozen=True):
    """`llms.txt` or a part: its address, and what stands in it."""

    url: str
    size: int
    has_title: bool
    has_summary: bool
    has_sections: bool
    links: tuple[str, ...]
    unclosed: int
    fences: int


class IndexWalk(Struct):
    """All files of an index, filled while their links are followed.

    `parts` are the files that `llms.txt` leads to. `links` are those to this site, `broken` of these lead
    nowhere, `html` to pages of HTML. `listed` are links to pages in other texts that are named. `cached` are
    levels of how long the files are kept, by address.
    """

    parts: list[IndexFacts] = field(default_factory=list)
    links: dict[str, None] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)
    cached: dict[str, Status] = field(default_factory=dict)

    @property
    def pages(self) -> list[str]:
        """The links to pages: all but those to further texts."""
        return [link for link in (*self.links, *self.listed) if not link.endswith(_TEXT)]


async def find_index(base: str, web: Web) -> IndexFacts | None:
    """Look for the index below the base path, at the root, and below `/docs`."""
    parts = urlsplit(base)
    origin = f"{parts.scheme}://{parts.netloc}"
    for place in dict.fromkeys((base, origin, f"{origin}/docs")):
        found = await web.get(f"{place}/llms.txt")
        begin = found.text.lstrip().lower()
        if found.is_ok and "text/" in found.type and begin and not begin.startswith(("<!", "<html")):
            return _read_index(found)
    return None


async def walk(index: IndexFacts | None, base: str, web: Web) -> IndexWalk:
    """Follow the links of an index, and those of its parts, each file and each link once."""
    done = IndexWalk()
    if index is None:
        return done
    done.cached[index.url] = cache_status(await web.get(index.url))
    waiting = [index]
    while waiting and len(done.parts) < MOST_FILES:
        file = waiting.pop(0)
        fresh = [link for link in own(file.links, base) if link not in done.links and link != index.url]
        done.links |= dict.fromkeys(own(file.links, base))
        for begin in range(0, len(fresh), TOGETHER):
            urls = fresh[begin : begin + TOGETHER]
            for url, found in zip(urls, await fetch_all(web, urls), strict=True):
                waiting += await _followed(url, found, done, base, web)
    return done


async def _followed(url: str, found: FetchedFile, done: IndexWalk, base: str, web: Web) -> list[IndexFacts]:
    """Take note of where a link leads; gives the part that is there."""
    if not found.is_ok:
        done.broken.append(url)
        return []
    if not await _is_twin(url, found, web):
        done.html.append(url)
    if not url.endswith(_TEXT) or "text/" not in found.type:
        return []
    if not agent_lists.is_index(unquote(urlsplit(url).path)) or not found.text.strip():
        done.listed += own(_linked(found, url), base)
        return []
    part = _read_index(found)
    done.parts.append(part)
    done.cached[url] = cache_status(found)
    return [part]


def own(links: Iterable[str], base: str) -> list[str]:
    """Those of some addresses that are of this site."""
    return [each for each in dict.fromkeys(links) if each == base or each.startswith(f"{base}/")]


async def fetch_all(web: Web, urls: Sequence[str]) -> list[FetchedFile]:
    """Fetch addresses, some at a time; the answers are in their order."""
    found: list[FetchedFile] = []
    for begin in range(0, len(urls), TOGETHER):
        found += await asyncio.gather(*(web.get(each) for each in urls[begin : begin + TOGETHER]))
    return found


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


async def _is_twin(url: str, found: FetchedFile, web: Web) -> bool:
    """Return whether an agent that follows a link gets markdown."""
    if url.endswith((".md", ".mdx")) or "text/markdown" in found.type:
        return True
    if url.endswith(_TEXT):
        return markdown_text.is_markdown(found.text)
    return not web.depends and "text/markdown" in (await web.get(url, markdown=True)).type
