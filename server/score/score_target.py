"""Score a folder that a build has written, or what a server on this machine shows."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from builder.errors import TwinpressError
from server.score.scoring import Score, score
from server.score.site_facts import Progress, ScoredSite, read_site
from server.score.web import FolderWeb, LoopbackWeb, loopback, session

_NOWHERE = "http://localhost"
"""The origin of a site that does not know its own address."""
_SITEMAP = re.compile(r"(?im)^\s*Sitemap:\s*(\S+)/sitemap\.xml\s*$")
_LINK = re.compile(r"\]\((https?://[^/)]+)/")
_POINTER = re.compile(r'href="([^"]*)/llms\.txt"')


def score_of(target: str, progress: Progress) -> tuple[ScoredSite, Score]:
    """Score a folder, or an address of this machine. Raises TwinpressError for anything else."""
    is_address = "://" in target
    site = asyncio.run(_of_address(target, progress) if is_address else _of_folder(Path(target), progress))
    return site, score(site)


async def _of_address(url: str, progress: Progress) -> ScoredSite:
    origin, base = loopback(url)
    async with session() as opened:
        return await read_site(origin + base, LoopbackWeb(opened, origin), progress)


async def _of_folder(folder: Path, progress: Progress) -> ScoredSite:
    if not folder.is_dir():
        raise TwinpressError(f"there is no folder `{folder}`: give that which a build has written")
    if not (folder / "index.html").is_file():
        raise TwinpressError(
            f"`{folder}` has no index.html: give the folder that a build has written, as `dist`"
        )
    address = _address(folder)
    parts = address.split("/", 3)
    origin, base = "/".join(parts[:3]), f"/{parts[3]}" if len(parts) > 3 else ""
    return await read_site(address, FolderWeb(folder, origin, base), progress)


def _address(folder: Path) -> str:
    """The address that a site knows as its own: its sitemap has it, its pages at least the base path."""
    robots = folder / "robots.txt"
    named = _SITEMAP.search(robots.read_text("utf-8", "replace")) if robots.is_file() else None
    if named:
        return named[1].rstrip("/")
    pointer = _POINTER.search((folder / "index.html").read_text("utf-8", "replace"))
    index = folder / "llms.txt"
    link = _LINK.search(index.read_text("utf-8", "replace")) if index.is_file() else None
    return (link[1] if link else _NOWHERE) + (pointer[1] if pointer else "")
