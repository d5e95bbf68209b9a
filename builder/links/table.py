"""The table of the site's addresses: made once, asked for every link where it leads.

    href  ->  external (allowed scheme)                      as it is
           |  the site's own address                         as it is, and checked like "/path"
           |  "#fragment", "?query", ""                      the page itself
           |  "/path", "path", "./path", "../path"           a page, a file, a generated address, or broken

A relative path counts from the folder of the page's URL; as sources lie where their URLs say, that is also
the folder of the source file. A page may be named by its URL, its content path, its source file
(`../guide/install.mdx`), its output (`install.html`) or its twin (`install.md`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from msgspec import Struct
from msgspec.structs import replace

from builder import paths
from builder.digests import digest
from builder.links import urls
from builder.links.resolved import Kind, Problem, Resolved
from builder.links.suggestions import Effort, Nearest
from builder.redaction import beginning
from builder.unicode import normal

GENERATED = frozenset({"llms.txt", "llms-full.txt", "sitemap.xml", "robots.txt", "404.html"})
"""Addresses that every site has beside its pages and files."""

_SUFFIXES = (".mdx", ".md", ".html")
_MEMO = 10_000
"""Links that are known at a time, half a kilobyte each in each process."""
_KEEP = "/:@!$&'()*+,;=~"


class Target(Struct, frozen=True, gc=False):
    """A page that links may lead to: its URL without the base path, whether it is a draft, and listed.

    The build makes a page of a folder only for the listed pages in it.
    """

    url: str
    draft: bool = False
    is_listed: bool = True


@dataclass(slots=True)
class LinkTable:
    """All addresses of a site; picklable.

    `pages` maps content paths to targets, drafts included; with `drafts` these may be linked. `files` are
    the output paths of everything else that the build writes. `base` is "" or "/repo", `origin` "" or
    "https://host". `docs_at` is the address of the documentation. `elsewhere` are paths of the host that
    something else serves, as `/enterprise`: what lies below is taken as it is, unless the site has it.
    """

    pages: Mapping[str, Target]
    files: frozenset[str]
    base: str = ""
    origin: str = ""
    drafts: bool = False
    docs_at: str = "/docs"
    elsewhere: tuple[str, ...] = ()
    _places: Mapping[str, str] = field(init=False, repr=False)
    _folders: frozenset[str] = field(init=False, repr=False)
    _tops: frozenset[str] = field(init=False, repr=False)
    _digest: bytes | None = field(init=False, repr=False, default=None)
    _nearest: Nearest | None = field(init=False, repr=False, default=None)
    _memo: dict[tuple[str, str, Kind], Resolved] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        moves = self.docs_at != "/docs"
        self._places = {
            name: path
            for path, page in self.pages.items()
            if moves or page.url != paths.url(path)
            for name in _names(page.url)
        }
        shown = [path for path, page in self.pages.items() if self.drafts or not page.draft]
        folders = {path.rpartition("/")[0] for path in shown if self.pages[path].is_listed}
        self._folders = frozenset([""]).union(*map(_with_parents, folders))
        addresses = (*(page.url[1:] for page in self.pages.values()), *self.files)
        self._tops = frozenset({"docs", "llms"}).union(name.partition("/")[0] for name in addresses)

    def __getstate__(self) -> tuple[object, ...]:
        """Without what can be worked out again; a worker process gets the table once."""
        return self.pages, self.files, *self._settings

    def __setstate__(self, state: tuple[object, ...]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def resolve(self, href: str, from_path: str, kind: Kind = "link") -> Resolved:
        """Resolve `href`, found on the page `from_path`. Total; a fault is the result's `problem`."""
        place = from_path if not href or href[0] in "#?" else "" if href[0] == "/" else _folder(from_path)
        key = (href, place, kind)
        known = self._memo.get(key)
        if known is None:
            if len(self._memo) >= _MEMO:
                self._memo.clear()
            known = self._memo[key] = self._resolve(href, from_path, kind)
        return known

    @property
    def digest(self) -> bytes:
        """The same for the same addresses."""
        if self._digest is None:
            pages = [
                (path, page.url, page.draft, page.is_listed) for path, page in sorted(self.pages.items())
            ]
            self._digest = digest(pages, sorted(self.files), *self._settings)
        return self._digest

    @property
    def _settings(self) -> tuple[str, str, bool, str, tuple[str, ...]]:
        """All that is given beside pages and files, in the order of the fields."""
        return self.base, self.origin, self.drafts, self.docs_at, self.elsewhere

    def _resolve(self, href: str, from_path: str, kind: Kind) -> Resolved:
        address = urls.safe(href)
        if address is None:
            return Resolved("", "", problem=("link-unsafe", f"`{_short(href)}` may not be linked", ""))
        if urls.external(address):
            return self._outside(address, from_path, kind)
        path, tail, fragment = _split(address)
        if not path:
            return self._own(address, from_path, fragment)
        return self._inside(_join(_folder(from_path), path), tail, fragment, kind)

    def _outside(self, address: str, from_path: str, kind: Kind) -> Resolved:
        """An address with a scheme, kept as it is; one of the site's own is checked.

        A folder at the top that the site has not belongs to something else on its host.
        """
        insecure = self._insecure(address) if kind == "image" else None
        rest = urls.below(address, self.origin + self.base) if self.origin else None
        top, deeper, _ = _join("", _split(rest)[0]).partition("/") if rest else ("", "", "")
        if rest is None or (deeper and top not in self._tops):
            return Resolved(address, address, problem=insecure)
        inside = self._resolve(rest, from_path, kind)
        return replace(inside, href=address, absolute=address, problem=inside.problem or insecure)

    def _insecure(self, address: str) -> Problem | None:
        """Return the problem of an address that pages may not load: only `https` and own files pass."""
        own = self.origin and address.startswith(f"{self.origin}/")
        if own or not urls.insecure(address):
            return None
        message = f"`{_short(address)}` is not shown: browsers load images and media over `https` only"
        return "image-insecure", message, "use `https`"

    def _own(self, address: str, from_path: str, fragment: str) -> Resolved:
        page = self.pages.get(from_path)
        url = f"{self.base}{page.url if page else ''}{address}"
        return Resolved(address, f"{self.origin}{url}", from_path, fragment)

    def _inside(self, place: str, tail: str, fragment: str, kind: Kind) -> Resolved:
        """`place` is a decoded path from the site's root, without a leading slash."""
        page = self._page(place)
        if page is None and self.base and paths.is_within(f"/{place}", self.base):
            place = place[len(self.base) :]
            page = self._page(place)
        if page is not None and kind == "link":
            return self._to_page(page, tail, fragment)
        url = self._other(place, kind)
        if url is not None:
            return self._at(url, tail, fragment)
        if any(paths.is_within(f"/{place}", prefix) for prefix in self.elsewhere):
            href = f"/{_quote(place)}{tail}"
            return Resolved(href, f"{self.origin}{href}", None, fragment)
        return replace(self._at(f"/{_quote(place)}", tail, fragment, _broken(place, kind)), missing=place)

    def _page(self, place: str) -> str | None:
        """The content path that `place` names, or None."""
        trimmed = place.rstrip("/")
        for name in (trimmed, *(trimmed.removesuffix(end) for end in _SUFFIXES if trimmed.endswith(end))):
            if name in self._places:
                return self._places[name]
            index = f"{name}/index" if name else "pages/index"
            for path in (name, index, f"pages/{name}"):
                if path in self.pages:
                    return path
        return None

    def _to_page(self, path: str, tail: str, fragment: str) -> Resolved:
        page = self.pages[path]
        if not page.draft or self.drafts:
            return self._at(page.url, tail, fragment, path=path)
        if path.endswith("/index") and _folder(path) in self._folders:
            return self._at(page.url, tail, fragment)  # the build makes an index page in the draft's place
        return self._at(page.url, tail, fragment, ("link-draft", f"`{page.url}` is a draft", ""))

    def _other(self, place: str, kind: Kind) -> str | None:
        """The URL of a file, or of an address that the build makes; None when there is no such thing."""
        for name in (place, place.removeprefix("static/"), paths.moved(place, self.docs_at)):
            if name in self.files:
                return f"/{_quote(name)}"
        if kind == "image":
            return None
        folder = place.rstrip("/")
        if folder in self._folders:
            folder = paths.moved(folder, self.docs_at)
            return f"/{_quote(folder)}/" if folder else "/"
        twin = place.startswith("llms/") and self._page(place.removeprefix("llms/")) is not None
        return f"/{_quote(place)}" if twin or place in GENERATED else None

    def _at(
        self, url: str, tail: str, fragment: str, problem: Problem | None = None, path: str | None = None
    ) -> Resolved:
        href = f"{self.base}{url}{tail}"
        return Resolved(href, f"{self.origin}{href}", path, fragment, problem)

    def hint(self, resolved: Resolved, effort: Effort) -> str:
        """The hint to the problem of `resolved`; empty when the effort is at its end."""
        code, _, hint = resolved.problem or ("", "", "")
        if not resolved.missing:
            return hint
        if "{{" in resolved.missing or "{%" in resolved.missing:
            return "write the address itself: nothing fills in `{...}`"
        if self._nearest is None:
            shown = [page.url for page in self.pages.values() if self.drafts or not page.draft]
            self._nearest = Nearest.among(self.files, shown)
        search = self._nearest.file if code == "broken-image" else self._nearest.page
        return search(resolved.missing, effort)


def _broken(place: str, kind: Kind) -> Problem:
    if kind == "image":
        return "broken-image", f"there is no file `/{_short(place)}`", ""
    return "broken-link", f"there is no page or file `/{_short(place)}`", ""


def _split(address: str) -> tuple[str, str, str]:
    """Path, "?query#fragment" as written, and the fragment percent-decoded.

    What follows `:~:` is for the browser alone: the text that it is to mark.
    """
    path, hash_, fragment = address.partition("#")
    path, mark, query = path.partition("?")
    return path, f"{mark}{query}{hash_}{fragment}", unquote(fragment.partition(":~:")[0])


def _join(folder: str, path: str) -> str:
    """A decoded path from the site's root; `..` stops at the root, as in browsers."""
    whole = path if path.isascii() and "%" not in path else normal("NFC", unquote(path))
    if not whole.startswith("/"):
        whole = f"{folder}/{whole}"
    clean = posixpath.normpath(f"/{whole}").lstrip("/")
    return f"{clean}/" if clean and whole.endswith("/") else clean


def _folder(path: str) -> str:
    """The folder of a page's URL, without a leading slash."""
    folder = path.rpartition("/")[0]
    return "" if folder == "pages" else folder


def _names(url: str) -> tuple[str, ...]:
    """The names of an address, without a leading slash: that of a folder is its page's, too."""
    return (url[1:-1], f"{url[1:]}index") if url.endswith("/") else (url[1:],)


def _with_parents(folder: str) -> list[str]:
    """A folder of the documentation and those above it, each of which has an index page, own or generated."""
    parts = folder.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)] if parts[0] == "docs" else []


def _quote(path: str) -> str:
    return quote(path, safe=_KEEP)


def _short(text: str) -> str:
    """A text from the source as it may stand in a message."""
    text = text if text.isprintable() else repr(text)[1:-1]
    return beginning(text, 80, "…")
