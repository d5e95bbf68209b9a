"""The addresses that a site had, from wherever it is: a folder, a list on the disk, the web.

A build of Twinpress has them in `_tp/urls.txt`. Of a site that something else has built the sitemap is read,
and the names of its HTML files where these are known.
"""

from __future__ import annotations

import asyncio
import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from builder.errors import TwinpressError
from builder.markdown.twin.pointer import without_pointer
from builder.paths import PAGE_SUFFIXES
from builder.plan.addresses import Addresses, read_addresses
from builder.plan.likeness import TitledText
from builder.plan.redirects import encoded
from builder.plan.site_files import ADDRESSES
from builder.plan.sitemap import NAME as SITEMAP
from builder.site import CONFIG_FILE, load
from builder.store import ContentStore, failures
from server.static_targets.commit_tree import write_commit
from server.static_targets.release_folder import released

if TYPE_CHECKING:
    import aiohttp

LONGEST = 32 * 1024 * 1024
"""Bytes of a list."""
_MOST_PARTS = 100
"""Parts of a sitemap."""
_SECONDS = 30
_MOST_REDIRECTS = 5
_LOCATION = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]]+)")
_WEB = re.compile(r"https?://", re.IGNORECASE)
_TEXTS = (*PAGE_SUFFIXES, ".yml", ".yaml")
"""Endings of files that say which addresses and anchors there are."""

Read = Callable[[str], "bytes | None"]
"""Gives the file of a site at a path, None where there is none."""


class NoList(TwinpressError):
    """There is no list of addresses to compare with."""


def _no_texts(_address: str) -> TitledText | None:
    """Of most sites nobody knows what their pages said."""


class FormerSite(Struct, frozen=True):
    """A site that readers had, or have; `source` is the commit that it was built from, "" for none known.

    `text` gives what the page at an address said, where that can be known.
    """

    name: str
    addresses: Addresses
    source: str = ""
    text: Callable[[str], TitledText | None] = _no_texts


def site_at(place: str, url: str) -> FormerSite:
    """Read the addresses of a folder, a file, or an address of the web. Raises NoList and StorageError.

    `url` is that of `site.yml`: a site below a path has it in its sitemap.
    """
    if _WEB.match(place):
        return FormerSite(place, asyncio.run(_of_web(place, url)))
    path = Path(place)
    if path.is_dir():
        folder = released(path)
        return FormerSite(place, of_folder(folder, url), text=lambda address: _twin(folder, address))
    data = _file(path)
    if data is None:
        hint = "name a folder, a list such as `_tp/urls.txt`, a web address, or git:REMOTE#BRANCH"
        raise NoList("there is nothing to compare with", path=place, hint=hint)
    return FormerSite(place, _listed(data, lambda name: _file(path.with_name(name)), url, place))


def site_at_commit(ref: str, site: Path, build: Callable[[Path], Addresses]) -> FormerSite:
    """Build the addresses that the site in the folder `site` has at a commit. Raises NoCommit and NoList.

    `build` is called with a folder elsewhere: pages and settings are in it, other files without their bytes.
    """
    with TemporaryDirectory(prefix="twinpress-former-") as folder:
        with failures.writing(folder):
            commit = write_commit(site, ref, Path(folder), lambda _: True, lambda file: file.endswith(_TEXTS))
        if not (Path(folder) / CONFIG_FILE).is_file():
            hint = "name a commit in which the site is in this folder"
            raise NoList("there is no site in this commit", path=ref, hint=hint)
        return FormerSite(ref, build(Path(folder)), commit, page_texts(Path(folder)).get)


def page_texts(site: Path) -> Mapping[str, TitledText]:
    """Return what the pages of a site say, by their addresses. Raises ConfigError and StorageError."""
    with ContentStore(site) as store:
        pages = load(store).pages
    return {encoded(page.url): TitledText(page.title, page.document.body) for page in pages}


def _twin(folder: Path, address: str) -> TitledText | None:
    """Read the twin that a build has written beside a page."""
    name = unquote(address).strip("/").removesuffix(".html")
    name = f"{name}/index".lstrip("/") if address.endswith("/") else name
    data = _file(folder / f"{name}.md") if ".." not in name.split("/") else None
    if data is None:
        return None
    first, _, rest = without_pointer(data.decode("utf-8", "replace")).partition("\n")
    return TitledText(first.lstrip("# "), rest)


def of_folder(folder: Path, url: str) -> Addresses:
    """Return the addresses of a built site in a folder. Raises NoList and StorageError."""
    return addresses_in(lambda name: _file(folder / name), lambda: _names(folder), url, str(folder))


def addresses_in(read: Read, names: Callable[[], Iterable[str]], url: str, place: str) -> Addresses:
    """Return the addresses of a built site with these files. Raises NoList."""
    data = read(ADDRESSES)
    if data is not None:
        return _listed(data, read, url, place)
    data = read(SITEMAP)
    found = dict(_parsed(data, read, url).places) if data is not None else {}
    found |= {_address(name): () for name in names() if name.endswith(".html") and name != "404.html"}
    if not found:
        raise _no_list(place)
    return Addresses(found, {})


def _no_list(place: str) -> NoList:
    hint = f"a site of Twinpress has `{ADDRESSES}`, and others may have a sitemap"
    return NoList("there is no list of addresses", path=place, hint=hint)


def _address(name: str) -> str:
    """Return the address at which hosts answer with an HTML file."""
    name = name.removesuffix(".html")
    return encoded(f"/{name.removesuffix('index') if name == 'index' or name.endswith('/index') else name}")


def _parsed(data: bytes, read: Read, url: str) -> Addresses:
    """Read a list of addresses, or a sitemap; `read` gives the parts of that."""
    text = data.decode("utf-8", "replace")
    if "<loc>" in text:
        return Addresses(dict.fromkeys(_in_sitemap(text, read, url), ()), {})
    return read_addresses(text)


def _listed(data: bytes, read: Read, url: str, place: str) -> Addresses:
    """Read a list that has to have something in it. Raises NoList."""
    addresses = _parsed(data, read, url)
    if not addresses.places and not addresses.redirects:
        raise _no_list(place)
    return addresses


def _in_sitemap(text: str, read: Read, url: str) -> Iterator[str]:
    """Yield the addresses of a sitemap, from the root of the site."""
    places = [html.unescape(found[1]).strip() for found in _LOCATION.finditer(text)]
    if "<sitemapindex" in text:
        for each in places[:_MOST_PARTS]:
            part = read(urlsplit(each).path.rpartition("/")[2])
            if part is not None:
                yield from _in_sitemap(
                    part.decode("utf-8", "replace").replace("<sitemapindex", ""), read, url
                )
        return
    base = urlsplit(url).path.rstrip("/")
    for each in places:
        path = urlsplit(each).path or "/"
        yield path.removeprefix(base) or "/" if path.startswith(f"{base}/") or path == base else path


def _file(path: Path) -> bytes | None:
    with failures.reading(str(path)):
        try:
            with path.open("rb") as file:
                data = file.read(LONGEST + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
    if len(data) > LONGEST:
        raise NoList(f"the list has more than {LONGEST:,} bytes", path=str(path))
    return data


def _names(folder: Path) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        inner = Path(place).relative_to(folder).as_posix()
        yield from (name if inner == "." else f"{inner}/{name}" for name in names)


async def _of_web(place: str, url: str) -> Addresses:
    """Ask a published site for its list. Raises NoList."""
    import aiohttp  # noqa: PLC0415 - slow to load, and most lists are on the disk

    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    try:
        async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
            return await _asked(session, place, url)
    except TimeoutError:
        raise NoList(f"the host has not answered within {_SECONDS} seconds", path=place) from None
    except (aiohttp.ClientError, ValueError) as error:
        hint = "is the address right, and the site up?"
        raise NoList(f"cannot be read: {error}", path=place, hint=hint) from None


async def _asked(session: aiohttp.ClientSession, place: str, url: str) -> Addresses:
    about, site = urlsplit(place), place.split("?", maxsplit=1)[0].rstrip("/")
    names = [""] if about.path.endswith((".txt", ".xml")) else [f"/{ADDRESSES}", f"/{SITEMAP}"]
    for name in names:
        data = await _fetched(session, f"{site}{name}")
        if data is None:
            continue
        parts = await _parts(session, f"{site}{name}", data)
        try:
            return _listed(data, parts.get, url or site, place)
        except NoList:
            continue  # some hosts answer at every address, with a page
    raise _no_list(place)


async def _parts(session: aiohttp.ClientSession, place: str, data: bytes) -> dict[str, bytes]:
    """Fetch the parts of a sitemap that has some, from beside it."""
    if b"<sitemapindex" not in data:
        return {}
    found, beside = {}, place.rpartition("/")[0]
    for each in _LOCATION.findall(data.decode("utf-8", "replace"))[:_MOST_PARTS]:
        name = urlsplit(html.unescape(each).strip()).path.rpartition("/")[2]
        part = await _fetched(session, f"{beside}/{name}")
        if part is not None:
            found[name] = part
    return found


async def _fetched(session: aiohttp.ClientSession, address: str) -> bytes | None:
    """Return what is at an address, None where there is nothing. Raises NoList, and errors of aiohttp."""
    async with session.get(address, max_redirects=_MOST_REDIRECTS) as answer:
        if answer.status in (404, 410):
            return None
        if answer.status != 200:
            raise NoList(f"the host answers {answer.status} {answer.reason}", path=address)
        data = bytearray()
        async for piece in answer.content.iter_chunked(65_536):
            data += piece
            if len(data) > LONGEST:
                raise NoList(f"the list has more than {LONGEST:,} bytes", path=address)
        return bytes(data)
