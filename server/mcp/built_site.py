"""A built site, as its files tell: which pages it has, in reading order, and the markdown twin of each.

`llms.txt` and its parts list all pages that are to be found; a twin that they do not name can be read by who
knows its address, as in a browser. The files may be in a folder, in a preview or in a release: whoever opens
the site says how one is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from builder.markdown.twin.pointer import without_pointer
from server.site_files import agent_lists

Read = Callable[[str], bytes | None]
"""Gives the bytes of a file by its output path, None where there is none. May wait for the disk."""

INDEX = "llms.txt"
TWIN = ".md"
_MOST_PARTS = 20_000
"""Files of a list that are read: one that leads to itself comes to an end."""
_INDEX_TWIN = "index.md"
_LONGEST_ADDRESS = 2_000
_ENTRY = re.compile(r"- \[((?:\\.|[^\\\]])*)\]\(([^\s]+?)\)(?:: (.*))?")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_SKIPPED = ("_tp", ".", "..", "")
"""Segments of paths at which no page is."""


class PageEntry(Struct, frozen=True):
    """A page in the list: `path` is its address from the site's root, `output` the place of its twin."""

    path: str
    url: str
    title: str
    description: str
    section: str
    output: str


class _Line(Struct, frozen=True):
    """A line of `llms.txt`; `address` is that of the twin."""

    section: str
    title: str
    address: str
    description: str


class BuiltSite:
    """The pages of a built site, read once they are asked for. Any thread may ask."""

    def __init__(self, read: Read) -> None:
        self.read = read

    @cached_property
    def _index(self) -> str:
        return _text(self.read(INDEX))

    @cached_property
    def title(self) -> str:
        """The site's own title."""
        found = re.match(r"# (.*)", self._index)
        return unescaped(found[1]) if found else ""

    @cached_property
    def pages(self) -> Sequence[PageEntry]:
        """The pages in reading order."""
        return [_entry(line, self.base) for line in self._lines]

    @cached_property
    def by_output(self) -> Mapping[str, PageEntry]:
        """The same pages by the output paths of their twins."""
        return {page.output: page for page in self.pages}

    @cached_property
    def _lines(self) -> Sequence[_Line]:
        return list(self._all_lines())

    def _all_lines(self) -> Iterator[_Line]:
        """The lines about pages; those of the parts of a large list stand where it leads to them."""
        seen = {INDEX}
        waiting = [_lines(self._index)]
        while waiting:
            line = next(waiting[-1], None)
            if line is None:
                waiting.pop()
            elif line.address.endswith(TWIN):
                yield line
            elif len(seen) < _MOST_PARTS:
                waiting.append(_lines(self._part(line.address, seen)))

    def _part(self, address: str, seen: set[str]) -> str:
        """A part of the list that was not `seen`, whatever base path stands before its place."""
        segments = unquote(urlsplit(address).path).strip("/").split("/")
        for place in range(len(segments)):
            output = "/".join(segments[place:])
            if output in seen:
                return ""
            data = self.read(output)
            if data is not None:
                seen.add(output)
                return _text(data)
        return ""

    @cached_property
    def origin(self) -> str:
        """Scheme and host of the site's address, "" when that is not known."""
        parts = urlsplit(self._lines[0].address) if self._lines else urlsplit("")
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""

    @cached_property
    def base(self) -> str:
        """The path below which the site lies, "" or as `/base`: what stands before a file in its address."""
        if not self._lines:
            return ""
        place = unquote(urlsplit(self._lines[0].address).path)
        segments = place.strip("/").split("/")
        for count in range(len(segments)):
            if self.read("/".join(segments[count:])) is not None:
                return "".join(f"/{each}" for each in segments[:count])
        return ""

    def entry(self, address: str) -> PageEntry | None:
        """The page at an address, which may be that of its twin, with or without the site's host.

        None where there is no page, or where it has no twin.
        """
        output = self._output(address)
        if output is None:
            return None
        known = self.by_output.get(output)
        return known or PageEntry(path_of(output), self._url(output), "", "", "", output)

    def twin(self, output: str) -> str | None:
        """The text of a twin, None where there is none any more.

        Without the line that leads those to the list of pages who have no tools.
        """
        data = self.read(output)
        return None if data is None else without_pointer(_text(data))

    def uri(self, page: PageEntry) -> str:
        """The address of a page's twin as a URI: where it can be fetched, or one of a scheme of its own."""
        return self._url(page.output, TWIN) if self.origin else f"page:///{page.output}"

    def _url(self, output: str, ending: str = "") -> str:
        path = f"/{output}" if ending else path_of(output)
        return f"{self.origin}{self.base}{path}"

    def _output(self, address: str) -> str | None:
        """The output path of the twin at an address that has one."""
        inside = self._inside(address)
        if inside is None:
            return None
        for output in _candidates(inside):
            if output in self.by_output or self.read(output) is not None:
                return output
        return None

    def _inside(self, address: str) -> str | None:
        """An address as a path below the site's root, without a slash at its ends; None for none."""
        if len(address) > _LONGEST_ADDRESS or not address.isprintable():
            return None
        try:
            parts = urlsplit(address.strip())
        except ValueError:
            return None
        if parts.scheme not in {"", "http", "https", "page"} or not self._is_own(parts.netloc):
            return None
        path = unquote(parts.path)
        path = path.removeprefix(f"{self.base}/") if f"{path}/".startswith(f"{self.base}/") else path
        path = path.strip("/")
        segments = path.split("/")
        wrong = path and any(each in _SKIPPED or "\\" in each or "\0" in each for each in segments)
        return None if wrong else path

    def _is_own(self, host: str) -> bool:
        """Return whether a host is the site's, as far as that is known."""
        return not host or not self.origin or host.lower() == urlsplit(self.origin).netloc.lower()


def path_of(output: str) -> str:
    """Return the address of a page, from the site's root, by the output path of its twin."""
    if output == _INDEX_TWIN or output.endswith(f"/{_INDEX_TWIN}"):
        return "/" + output.removesuffix(_INDEX_TWIN)
    return "/" + output.removesuffix(TWIN)


def _candidates(path: str) -> Iterator[str]:
    """The output paths that the twin of a page may have."""
    if path.endswith(TWIN):
        yield path
        return
    plain = path.removesuffix(".html")
    if plain:
        yield plain + TWIN
    yield f"{plain}/{_INDEX_TWIN}" if plain else _INDEX_TWIN


def _lines(index: str) -> Iterator[_Line]:
    section = ""
    for line in index.splitlines():
        if line.startswith("## "):
            section = unescaped(line[3:])
        elif (found := _ENTRY.fullmatch(line)) and _is_listed(found[2]):
            yield _Line(section, unescaped(found[1]), found[2], unescaped(found[3] or ""))


def _is_listed(address: str) -> bool:
    """Return whether an address in the list is that of a twin, or of a part of the list."""
    try:
        path = urlsplit(address).path
    except ValueError:
        return False
    is_plain = not {".", ".."} & set(unquote(path).split("/")) and address.endswith(path)
    return is_plain and (path.endswith(TWIN) or agent_lists.is_index(unquote(path)))


def _entry(line: _Line, base: str) -> PageEntry:
    place = unquote(urlsplit(line.address).path)
    output = place.removeprefix(f"{base}/").lstrip("/")
    path = path_of(output)
    address = line.address.removesuffix(TWIN)
    is_index = output == _INDEX_TWIN or output.endswith(f"/{_INDEX_TWIN}")
    url = address.removesuffix("index") if is_index else address
    return PageEntry(path, url, line.title, line.description, line.section, output)


def unescaped(text: str) -> str:
    """Return text without the backslashes that show it as it is in markdown."""
    return _ESCAPED.sub(r"\1", text)


def _text(data: bytes | None) -> str:
    return "" if data is None else data.decode(errors="replace")
