"""Write what stands beside the pages: `site.yml`, `sidebar.yml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, unquote

from msgspec import Struct, field

from builder.importer.address_book import AddressBook
from builder.importer.old_site import Loss, NavEntry, NavPart, OldSite
from builder.importer.page_work import ImportContext
from builder.importer.placing import PlacedSite
from builder.importer.source_links import parts_of
from builder.importer.source_page import read_yaml
from builder.plan.addresses import Addresses, key_of
from builder.sidebar.chosen import DEEPEST
from builder.yaml.write import dump

Value = Mapping[str, object]
DEAD = "redirect to what is not there"
DEAD_ANCHOR = "redirect to an anchor that is not there"
_MOST_HOPS = 8


def settings_of(
    around: ImportContext, placed: PlacedSite, extras: Iterable[str], losses: list[Loss]
) -> Mapping[str, str]:
    """Return the text of each file of settings; what cannot be carried over is added to the losses."""
    old = around.site
    settings: dict[str, object] = {name: value for name, value in old.settings.items() if name != "docs_at"}
    if placed.docs_at != "/docs":
        settings["docs_at"] = placed.docs_at
    if placed.trailing_slash:
        settings["trailing_slash"] = True
    asked = old.settings.get("extras")
    if used := sorted({*extras, *(asked if isinstance(asked, list) else ())}):
        settings["extras"] = used
    files: dict[str, str] = {}
    sidebar = _Sidebar(around, placed, losses)
    entries = [each for part in old.navigation for each in sidebar.part(part)]
    if entries:
        settings["sidebar"] = "sidebar.yml"
        files["sidebar.yml"] = dump_list(entries)
    redirects = dict(_redirects(around, placed, losses))
    if redirects:
        settings["redirects"] = redirects
    if around.elsewhere:
        settings["served_elsewhere"] = sorted(around.elsewhere)
    files["site.yml"] = f"{dump(settings)}\n"
    return files


class _Sidebar(Struct):
    """The sidebar that stands for the old navigation. A group needs a page that no entry before it has."""

    around: ImportContext
    placed: PlacedSite
    losses: list[Loss]
    taken: set[str] = field(default_factory=set)

    def part(self, part: NavPart) -> Iterator[object]:
        """Yield the entries of a part."""
        if not part.label:
            yield from self._entries(part.entries, 0)
            return
        before = len(self.taken)
        inner = list(self._entries(part.entries, 1))
        named = {"name": part.name} if part.name else {}
        yield from self._grouped({"label": part.label, **named}, inner, before, 0)

    def _entries(self, entries: Iterable[NavEntry], depth: int) -> Iterator[object]:
        """Yield entries of one list, each page once."""
        here: set[str] = set()
        for entry in entries:
            if entry.page in here and not entry.items:
                self.losses.append(Loss("page that the navigation names twice", entry.page, 0, entry.label))
            else:
                here |= {entry.page} - {""}
                yield from self._entry(entry, depth)

    def _entry(self, entry: NavEntry, depth: int) -> Iterator[object]:
        """Yield an entry as the sidebar's file has it, nothing for one that is empty."""
        page = self.placed.pages.get(entry.page)
        if page is not None and page.page.fields.get("unlisted"):
            page = None  # the old navigation did not show it either
        if entry.is_heading:
            yield {"heading": entry.label}
            return
        found: dict[str, object] = {}
        before = len(self.taken)
        if page is not None:
            found["page"] = page.path
            self.taken.add(page.path)
        elif entry.href:
            found |= {"href": entry.href, "label": entry.href}
            self._leave(entry.href)
        if entry.label:
            found["label"] = entry.label
        inner = list(self._entries(entry.items, depth + 1))
        if inner:
            collapsed = {} if entry.collapsed is None else {"collapsed": entry.collapsed}
            yield from self._grouped({**found, **collapsed}, inner, before, depth)
        elif found.keys() & {"page", "href"}:
            yield found["page"] if set(found) == {"page"} else found

    def _leave(self, href: str) -> None:
        """Keep that a link of the navigation leads out of the site, to others of the same host."""
        book, path = self.around.book, parts_of(href)[0]
        redirected = {key_of(unquote(old)) for old in self.around.site.redirects}
        if book is None or not _is_inside(href) or book.at(path) is not None:
            return
        if key_of(path) not in redirected | _folders(self.placed):
            self.around.elsewhere.add(quote(book.free_prefix(path)))

    def _grouped(
        self, given: Mapping[str, object], items: list[object], before: int, depth: int
    ) -> Iterator[object]:
        """Yield a group; one that can be none is a heading, or its page, with its entries below it."""
        if not items:
            return
        if "name" in given or (len(self.taken) > before and depth < DEEPEST):
            order = ("page", "href", "label", "name", "items", "collapsed")
            whole = {**given, "items": items}
            yield {key: whole[key] for key in order if key in whole}
            return
        if {"page", "href"} & given.keys():
            yield {key: value for key, value in given.items() if key != "collapsed"}
        elif given.get("label"):
            yield {"heading": given["label"]}
        yield from items


def dump_list(entries: Sequence[object]) -> str:
    """Return a list as block YAML."""
    text = dump({"x": list(entries)})
    lines = text.split("\n")[1:]
    return "".join(f"{line}\n" for line in lines)


def _redirects(around: ImportContext, placed: PlacedSite, losses: list[Loss]) -> Iterator[tuple[str, str]]:
    """Yield the redirects: those of the old site, and of pages whose address could not stay."""
    old, book = around.site, around.book
    there = {key_of(page.url) for page in placed.pages.values()} | _folders(placed)
    for address, path in placed.redirects.items():
        yield _readable(address), f"/{path}"
    for address, given in old.redirects.items():
        if not address.strip("/"):
            continue  # the root leads to the first page by itself
        if key_of(unquote(address)) in there:
            losses.append(Loss("redirect from a page that is there", "", 0, f"{address} -> {given}"))
            continue
        target, rest = _end(old, given, book)
        found = (book.at(target) or book.page(target)) if book is not None else None
        is_dead = found is None and _is_inside(target) and key_of(unquote(target)) not in {"/", *there}
        if is_dead and book is not None and old.has_neighbours:
            around.elsewhere.add(quote(book.free_prefix(target)))
            is_dead = False
        if is_dead:
            losses.append(Loss(DEAD, "", 0, f"{address} -> {given}"))
        else:
            yield _readable(address), f"{found.url}{rest}" if found and found.page else f"{target}{rest}"


def without_dead_anchors(text: str, now: Addresses) -> tuple[str, list[Loss]]:
    """Return `site.yml` with no redirect to an anchor that its page does not have, and a loss for each.

    The old site led readers to the top of the page there; here it would be an error.
    """
    settings = read_yaml(text).value
    redirects = settings.get("redirects") if isinstance(settings, dict) else None
    if not isinstance(settings, dict) or not isinstance(redirects, dict):
        return text, []
    anchors = {key_of(unquote(address)): found for address, found in now.places.items()}
    losses: list[Loss] = []
    for address, target in redirects.items():
        path, _, anchor = str(target).partition("#")
        there = anchors.get(key_of(unquote(path)))
        if anchor and there is not None and anchor not in there and unquote(anchor) not in there:
            redirects[address] = path
            losses.append(Loss(DEAD_ANCHOR, "", 0, f"{address} -> {target}", path, "changed"))
    return (f"{dump(settings)}\n" if losses else text), losses


def _is_inside(target: str) -> bool:
    """Return whether a target is one address of the site: none elsewhere, and none that stands for many."""
    return target.startswith("/") and not target.startswith("//") and not re.search(r"\*|/:", target)


def _end(old: OldSite, target: str, book: AddressBook | None) -> tuple[str, str]:
    """Return where redirects lead from a target in the end, without its fragment, and that."""
    rest = ""
    for _ in range(_MOST_HOPS):
        path, own = parts_of(target) if _is_inside(target) else (target, "")
        rest = own or rest
        if book is None or book.at(path) is not None:
            return path, rest
        further = old.redirects.get(path) or _by_pattern(old, path)
        if not further:
            return path, rest
        target = further
    return target, rest


def _by_pattern(old: OldSite, path: str) -> str:
    """Return where a redirect for all below a folder leads a path, "" where there is none."""
    parts = path.split("/")
    for size in range(len(parts) - 1, 0, -1):
        target = old.redirects.get("/".join((*parts[:size], "*")), "")
        if target:
            return target.replace("*", "/".join(parts[size:]))
    return ""


def _folders(placed: PlacedSite) -> set[str]:
    """Return the addresses of folders, at which there is a page or a list."""
    found = {page.path.rpartition("/")[0] for page in placed.pages.values() if not page.page.is_standalone}
    whole = {
        "/".join(names[:size])
        for names in (path.split("/") for path in found)
        for size in range(2, len(names))
    }
    top = {key_of(placed.docs_at)} if any(path.startswith("docs") for path in found) else set[str]()
    inner = {path.removeprefix("docs/") for path in found | whole if path.startswith("docs/")}
    return top | {key_of(f"{placed.docs_at.rstrip('/')}/{path}/") for path in inner}


def _readable(address: str) -> str:
    decoded = unquote(address).removesuffix("index.html").removesuffix(".html")
    return decoded if decoded.isprintable() else address
