"""Write what stands beside the pages: `site.yml`, `sidebar.yml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, unquote

from builder.importer.address_book import AddressBook
from builder.importer.old_site import Loss, NavEntry, NavPart, OldSite
from builder.importer.page_work import ImportContext
from builder.importer.placing import PlacedSite
from builder.importer.source_links import parts_of
from builder.plan.addresses import key_of
from builder.yaml.write import dump

Value = Mapping[str, object]
DEAD = "redirect to what is not there"
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
    entries = [each for part in old.navigation for each in _part(part, placed)]
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


def _part(part: NavPart, placed: PlacedSite) -> Iterator[object]:
    inner = [each for entry in part.entries for each in _entry(entry, placed)]
    if not part.label:
        yield from inner
    elif inner:
        named = {"name": part.name} if part.name else {}
        yield {"label": part.label, **named, "items": inner}


def _entry(entry: NavEntry, placed: PlacedSite) -> Iterator[object]:
    """Yield an entry as the sidebar's file has it, nothing for one that is empty."""
    page = placed.pages.get(entry.page)
    if page is not None and page.page.fields.get("unlisted"):
        page = None  # the old navigation did not show it either
    if entry.is_heading:
        yield {"heading": entry.label}
        return
    found: dict[str, object] = {}
    if page is not None:
        found["page"] = page.path
    elif entry.href:
        found["href"] = entry.href
    if entry.label:
        found["label"] = entry.label
    items = [each for inner in entry.items for each in _entry(inner, placed)]
    if items:
        found["items"] = items
        if entry.collapsed is not None:
            found["collapsed"] = entry.collapsed
    if items or page is not None or entry.href:
        yield found["page"] if set(found) == {"page"} else found


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
        is_gone = found is None and _is_inside(target) and key_of(unquote(target)) not in {"/", *there}
        if is_gone and book is not None and old.has_neighbours:
            around.elsewhere.add(quote(book.free_prefix(target)))
            yield _readable(address), f"{target}{rest}"
        elif is_gone:
            losses.append(Loss(DEAD, "", 0, f"{address} -> {given}"))
        else:
            yield _readable(address), f"{found.url}{rest}" if found and found.page else f"{target}{rest}"


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
    inner = {path.removeprefix("docs/") for path in found | whole if path.startswith("docs/")}
    return {key_of(f"{placed.docs_at.rstrip('/')}/{path}/") for path in inner}


def _readable(address: str) -> str:
    decoded = unquote(address).removesuffix("index.html").removesuffix(".html")
    return decoded if decoded.isprintable() else address
