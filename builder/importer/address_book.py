"""Find what a link of the old site led to, and write the link that leads there now.

A link names a file (`./b.md`, `../img/x.png`, from the file of its page, or with a slash from a root of the
files), or an address (`../b/`, `/guide/b`), which browsers count from the address of its page. What names a
page or a file of the site is written anew only where it would not lead there any more.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from urllib.parse import quote, unquote, urljoin

from msgspec import Struct

from builder.importer.old_site import OldPage, OldSite
from builder.importer.placing import PlacedPage, PlacedSite
from builder.importer.source_links import parts_of
from builder.plan.addresses import key_of

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_PAGE = re.compile(r"\.(?:mdx?|markdown|ipynb)$", re.IGNORECASE)


class LinkTarget(Struct, frozen=True):
    """A page or file of the new site: its file from the site's folder, and its address."""

    file: str
    url: str
    page: str = ""


class AddressBook:
    """The pages and files of a site by their old files and addresses.

    `roots` are the folders from which a link with a slash at its begin may name a file; `base` is the path
    below which the old site lay.
    """

    def __init__(
        self, site: OldSite, placed: PlacedSite, files: Mapping[str, str], roots: Sequence[str], base: str
    ) -> None:
        self._placed = placed
        self._roots = roots
        self._base = base.rstrip("/")
        self._by_file = {file: _of_page(page) for file, page in placed.pages.items()}
        self._by_file |= {
            old: LinkTarget(files[old], _file_url(files[old], placed.docs_at))
            for old in site.files
            if old in files
        }
        self._by_address = {
            key_of(unquote(address)): self._by_file[file]
            for file, address in site.files.items()
            if file in self._by_file
        }
        self._by_address |= {
            key_of(unquote(page.page.address)): _of_page(page)
            for page in reversed(list(placed.pages.values()))
        }
        for address, file in site.redirects.items():
            if file in placed.pages:
                self._by_address.setdefault(key_of(unquote(address)), self._by_file[file])
        self._pages = {page.file: page.page for page in placed.pages.values()}
        self._redirected = {key_of(unquote(old)) for old in site.redirects}

    def find(self, page: OldPage, path: str) -> LinkTarget | None:
        """Return what a decoded path on a page led to; None for what is not of this site."""
        return self._of_file(page.file, path) or self._of_address(page, path)

    def is_redirected(self, page: OldPage, path: str) -> bool:
        """Return whether the old site had a redirect at an address."""
        return key_of(unquote(urljoin(page.address, quote(path)))) in self._redirected

    def page(self, file: str) -> LinkTarget | None:
        """Return the page or file that was a file."""
        return self._by_file.get(file)

    def source(self, target: LinkTarget) -> OldPage | None:
        """Return the old page that a page of the new site was."""
        return self._pages.get(target.file)

    def at(self, address: str) -> LinkTarget | None:
        """Return what had an address, from the root of the site."""
        return self._by_address.get(key_of(unquote(address)))

    def outside(self, page: OldPage, path: str) -> str | None:
        """Return the address outside of the old site to which a relative path led, None for one within."""
        level = page.address.count("/") - 1
        for part in path.split("/") if level >= 0 and not path.startswith("/") else ():
            level += -1 if part == ".." else part not in {"", "."}
            if level < 0:
                folder = posixpath.dirname(f"{self._base}{page.address}")
                return posixpath.normpath(f"{folder.rstrip('/')}/{path}") + "/" * path.endswith("/")
        return None

    def free_prefix(self, address: str) -> str:
        """Return the shortest path at or above an address below which this site has nothing."""
        names = address.strip("/").split("/")
        prefixes = ("/".join(("", *names[:size])) for size in range(1, len(names) + 1))
        return next((prefix for prefix in prefixes if prefix not in self._above), address)

    @cached_property
    def _above(self) -> frozenset[str]:
        """The addresses of all pages and files, and of the folders that they are in."""
        urls = [target.url.rstrip("/") for target in self._by_file.values()]
        return frozenset(url[:end] for url in urls for end in (*_slashes(url), len(url)))

    def _of_file(self, file: str, path: str) -> LinkTarget | None:
        if path.startswith("/"):
            places = [posixpath.normpath(posixpath.join(root, path.lstrip("/"))) for root in self._roots]
        else:
            places = [posixpath.normpath(posixpath.join(posixpath.dirname(file), path))]
            if _PAGE.search(path) and not path.startswith("."):
                places += [posixpath.normpath(posixpath.join(root, path)) for root in self._roots]
        return next((found for place in places if (found := self._by_file.get(place))), None)

    def _of_address(self, page: OldPage, path: str) -> LinkTarget | None:
        whole = unquote(urljoin(page.address, quote(path)))
        found = self._by_address.get(key_of(whole))
        if found is None and self._base and f"{whole}/".startswith(f"{self._base}/"):
            found = self._by_address.get(key_of(whole.removeprefix(self._base) or "/"))
        return found

    def link(self, page: PlacedPage, href: str) -> str | None:
        """Return the destination for the new page, the same one where it leads there as it is.

        None says that the site has nothing at such a destination.
        """
        path, rest = parts_of(href)
        if not path or _ELSEWHERE.match(href):
            return href
        target = self.find(page.page, path)
        if target is None:
            return None
        return href if self._leads(page, path, target) else f"{_relative(page.file, target.file)}{rest}"

    def _leads(self, page: PlacedPage, path: str, target: LinkTarget) -> bool:
        """Return whether a destination leads to a target from the new page.

        It does by the file, by the content path, and with a slash at its begin by the address.
        """
        if path.startswith("/"):
            return not _PAGE.search(path) and key_of(path) == key_of(target.url)
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page.file), path))
        return place in {target.file, target.page, target.page.removesuffix("/index") or target.file}


def _slashes(url: str) -> Iterator[int]:
    return (found.start() for found in re.finditer("/", url))


def _of_page(page: PlacedPage) -> LinkTarget:
    return LinkTarget(page.file, page.url, page.path)


def _file_url(file: str, docs_at: str) -> str:
    """Return the address at which a file of the new site is copied."""
    if file.startswith("static/"):
        return f"/{file.removeprefix('static/')}"
    if file.startswith("docs/"):
        return f"{docs_at.rstrip('/')}/{file.removeprefix('docs/')}"
    return f"/{file}"


def _relative(origin: str, target: str) -> str:
    found = posixpath.relpath(target, posixpath.dirname(origin))
    return found if found.startswith("../") else f"./{found}"
