"""The pages of a site: their tree, new ones, and folders' labels and order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec
from aiohttp import web
from msgspec import Struct

from builder import paths
from builder.category.record import CategoryRecord
from builder.errors import InvalidPath, RevisionMismatch
from builder.paths import Format
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor
from server.authoring.store_failures import failure_of
from server.authoring.structs import PutCategory
from server.control.hosted_sites import HostedSite
from server.dashboard.forms import FormError, form
from server.dashboard.page_tree import Leaf, PageTree, find_branch, leaves, page_tree
from server.dashboard.pages import see
from server.dashboard.site_visit import address, author, key_names, own_site, route, use
from server.dashboard.visit import DashboardRoute, Need, Visit, sentence
from server.findings.site_findings import PresentFindings
from server.http.failure import Failure
from server.sites.starter import title_of

PAGES, PAGE = "/pages", "/pages/edit"
CATEGORY = "/pages/category"
MOST_ROWS = 300
"""Of a tree with more pages, folders are shown one by one; of longer lists, the beginning."""
KINDS: Mapping[str, Callable[[Leaf], bool]] = {
    "wrong": lambda page: page.wrong.all > 0,
    "drafts": lambda page: page.draft,
    "keys": lambda page: page.writer is not None and bool(page.writer.key),
}
_FARTHEST = 2.0**63
"""Places that the file of a folder cannot have begin here."""
_REFUSED = frozenset({"INVALID_PATH", "PATH_CONFLICT", "PAGE_LIMIT_REACHED", "STORAGE_FULL"})


class _New(Struct, frozen=True):
    path: str = ""
    format: Format = "mdx"


class _Category(Struct, frozen=True):
    path: str
    label: str = ""
    position: str = ""
    collapsed: Literal["", "yes", "no"] = ""
    seen: str | None = None
    """What the form has shown of the folder, as `_state` writes it; None from who has not looked."""


async def pages(visit: Visit) -> web.StreamResponse:
    """Show the tree of pages, or those that are looked for."""
    return await _page(visit, own_site(visit))


async def create(visit: Visit) -> web.StreamResponse:
    """Create a page, and open it."""
    site, edited = own_site(visit), author(visit)
    try:
        given = await form(visit.request, _New)
    except FormError as error:
        return await _page(visit, site, errors=error.errors, given=error.given)

    try:
        path = await use(visit, site, lambda opened: _write_new(opened, given, edited))
    except Failure as failure:
        if failure.code not in _REFUSED:
            raise
        message = sentence(failure)
    except RevisionMismatch:
        message = "There is a page at this path already. Open it, or use another path."
    else:
        return see(address(site, PAGE, path=path))
    values = {"path": given.path, "format": given.format}
    return await _page(visit, site, errors={"path": message}, given=values)


def _write_new(opened: OpenSite, given: _New, edited: ChangeAuthor) -> str:
    """Write a page that has a title alone; return its path. Raises as `ContentStore.write`, and Failure."""
    path = paths.parse(given.path.strip().strip("/"))
    opened.service.take_room(0, edited)
    opened.store.write(
        path,
        given.format,
        f"---\ntitle: {_title(path)}\n---\n\n",
        create_only=True,
        most=opened.parts.limits.pages,
        note=edited.note,
        permit=edited.permit,
    )
    opened.parts.changed(path)
    return path


async def ask_category(visit: Visit) -> web.StreamResponse:
    """Show the form for a folder's label, place and whether it is collapsed."""
    site, path = own_site(visit), visit.request.query.get("path", "")
    try:
        found = await use(visit, site, lambda opened: _category(opened, path))
    except InvalidPath as error:
        raise failure_of(error) from error
    return await _category_page(visit, site, found, 200)


async def category(visit: Visit) -> web.StreamResponse:
    """Change what the sidebar says about a folder."""
    site, edited = own_site(visit), author(visit)
    given = await form(visit.request, _Category)
    try:
        position = _number(given.position)
    except ValueError:
        errors = {"position": "Write a number, such as 2 or 2.5."}
        return await _category_page(visit, site, given, errors=errors)
    collapsed = {"yes": True, "no": False}.get(given.collapsed)
    put = PutCategory(path=given.path, label=given.label or None, position=position, collapsed=collapsed)

    def write(opened: OpenSite) -> _Category | None:
        """Change the folder, or return what somebody else has made of it since it was shown."""
        if given.seen is not None:
            now = _category(opened, given.path)
            if _state(now) not in {given.seen, _state(given)}:
                return now
        opened.service.category(put, edited)
        return None

    try:
        theirs = await use(visit, site, write)
    except Failure as failure:
        if failure.code not in {"INVALID_BODY", *_REFUSED}:
            raise
        return await _category_page(visit, site, given, errors={"label": sentence(failure)})
    if theirs is not None:
        typed = msgspec.structs.replace(given, seen=_state(theirs))
        return await _category_page(visit, site, typed, 409, errors={"": _changed(theirs)})
    return visit.did(address(site, PAGES), f"{given.label or given.path} is saved.")


def _number(text: str) -> float | None:
    """Return a place as it was typed, None for none. Raises ValueError."""
    place = float(text) if text.strip() else None
    if place is not None and not abs(place) < _FARTHEST:
        raise ValueError(text)
    return int(place) if place is not None and place.is_integer() else place


def _state(category: _Category) -> str:
    return " ".join((category.position.strip() or "-", category.collapsed or "-", category.label.strip()))


def _changed(theirs: _Category) -> str:
    name = f"is called {theirs.label} now" if theirs.label else "has no label now"
    place = f"has place {theirs.position}" if theirs.position else "has no place"
    shown = {"yes": "is collapsed for readers", "no": "is open for readers", "": "opens as the theme does"}
    said = f"It {name}, {place}, and {shown[theirs.collapsed]}."
    return f"Not saved yet: somebody else has changed this folder since you opened it. {said}"


def _title(path: str) -> str:
    """A title for a page that has none yet, quoted where YAML would read it as something else."""
    name = path.rpartition("/")[2]
    title = title_of(name if name != "index" else path.rpartition("/")[0].rpartition("/")[2])
    return title if title.replace(" ", "").isalpha() else f'"{title}"'


async def _page(visit: Visit, site: HostedSite, **values: object) -> web.Response:
    names = key_names(visit, site)

    def look(opened: OpenSite) -> tuple[PageTree, PresentFindings]:
        known = visit.desk.looker.present(site, opened)
        return page_tree(opened.service.view.whole(), known.files, opened.history, names), known

    tree, known = await use(visit, site, look)
    query = visit.request.query
    status = 422 if values.get("errors") else 200
    return visit.show(
        "site-pages.html",
        status,
        site=site,
        tree=tree,
        known=known,
        wanted=query.get("q", ""),
        show=query.get("show", ""),
        found=_found(tree, query.get("q", ""), query.get("show", "")),
        folder=find_branch(tree.root, query["folder"]) if "folder" in query else None,
        is_large=tree.root.pages > MOST_ROWS,
        most=MOST_ROWS,
        **values,
    )


def _found(tree: PageTree, words: str, show: str) -> Sequence[Leaf] | None:
    """The pages with these words in title or path, or of a kind; None where nothing is looked for."""
    if not words and show not in KINDS:
        return None
    every = (*leaves(tree.root), *tree.standalone)
    kind = KINDS.get(show)
    fits = [page for page in every if words.lower() in f"{page.title} {page.path}".lower()]
    return [page for page in fits if kind is None or kind(page)]


async def _category_page(
    visit: Visit, site: HostedSite, shown: _Category, status: int = 422, **values: object
) -> web.Response:
    return visit.show("site-category.html", status, site=site, category=shown, **values)


def _category(opened: OpenSite, path: str) -> _Category:
    """Return a folder as the form shows it. Raises InvalidPath."""
    folder = paths.parse_folder(path)
    record = opened.service.view.whole().categories.get(folder) or CategoryRecord(folder)
    at = "" if record.position is None else str(record.position).removesuffix(".0")
    collapsed: dict[bool | None, Literal["", "yes", "no"]] = {True: "yes", False: "no", None: ""}
    found = _Category(folder, record.label or "", at, collapsed[record.collapsed])
    return msgspec.structs.replace(found, seen=_state(found))


ROUTES = (
    DashboardRoute("GET", route(PAGES), Need.SESSION, pages),
    DashboardRoute("POST", route(PAGES), Need.SESSION, create),
    DashboardRoute("GET", route(CATEGORY), Need.SESSION, ask_category),
    DashboardRoute("POST", route(CATEGORY), Need.SESSION, category),
)
