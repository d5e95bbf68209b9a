"""The pages of a site: their tree, new ones, and folders' labels and order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from aiohttp import web
from msgspec import Struct

from builder import paths
from builder.errors import InvalidPath, RevisionMismatch
from builder.paths import Format
from server.authoring.open_site import OpenSite
from server.authoring.put_outcome import ChangeAuthor
from server.authoring.service import failure_of
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
_REFUSED = frozenset({"INVALID_PATH", "PATH_CONFLICT", "PAGE_LIMIT_REACHED", "STORAGE_FULL"})


class _New(Struct, frozen=True):
    path: str = ""
    format: Format = "mdx"


class _Category(Struct, frozen=True):
    path: str
    label: str = ""
    position: str = ""
    collapsed: Literal["", "yes", "no"] = ""


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
        most=opened.handlers.limits.pages,
        note=edited.note,
        permit=edited.permit,
    )
    opened.handlers.changed(path)
    return path


async def ask_category(visit: Visit) -> web.StreamResponse:
    """Show the form for a folder's label, place and whether it is collapsed."""
    site, path = own_site(visit), visit.request.query.get("path", "")
    return await _category_page(visit, site, path)


async def category(visit: Visit) -> web.StreamResponse:
    """Change what the sidebar says about a folder."""
    site, edited = own_site(visit), author(visit)
    given = await form(visit.request, _Category)
    try:
        position = float(given.position) if given.position.strip() else None
    except ValueError:
        errors = {"position": "Write a number, such as 2 or 2.5."}
        return await _category_page(visit, site, given.path, errors=errors, typed=given)
    collapsed = {"yes": True, "no": False}.get(given.collapsed)
    if position is not None and position.is_integer():
        position = int(position)
    put = PutCategory(path=given.path, label=given.label or None, position=position, collapsed=collapsed)
    try:
        await use(visit, site, lambda opened: opened.service.category(put, edited))
    except Failure as failure:
        if failure.code not in {"INVALID_BODY", *_REFUSED}:
            raise
        errors = {"label": sentence(failure)}
        return await _category_page(visit, site, given.path, errors=errors, typed=given)
    return visit.did(address(site, PAGES), f"{given.label or given.path} is saved.")


def _title(path: str) -> str:
    """A title for a page that has none yet, quoted where YAML would read it as something else."""
    name = path.rpartition("/")[2]
    title = title_of(name if name != "index" else path.rpartition("/")[0].rpartition("/")[2])
    return title if title.replace(" ", "").isalpha() else f'"{title}"'


async def _page(visit: Visit, site: HostedSite, **values: object) -> web.Response:
    names = key_names(visit, site)

    def look(opened: OpenSite) -> tuple[PageTree, PresentFindings]:
        known = visit.desk.looker.present(site, opened)
        return page_tree(opened.service.whole(), known.files, opened.history, names), known

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
    visit: Visit, site: HostedSite, path: str, *, typed: _Category | None = None, **values: object
) -> web.Response:
    def look(opened: OpenSite) -> _Category:
        folder = paths.parse_folder(path)
        record = opened.service.whole().categories.get(folder)
        if record is None:
            return _Category(folder)
        at = "" if record.position is None else f"{record.position:g}"
        collapsed: dict[bool | None, Literal["", "yes", "no"]] = {True: "yes", False: "no", None: ""}
        return _Category(folder, record.label or "", at, collapsed[record.collapsed])

    try:
        found = typed or await use(visit, site, look)
    except InvalidPath as error:
        raise failure_of(error) from error
    status = 422 if values.get("errors") else 200
    return visit.show("site-category.html", status, site=site, category=found, **values)


ROUTES = (
    DashboardRoute("GET", route(PAGES), Need.SESSION, pages),
    DashboardRoute("POST", route(PAGES), Need.SESSION, create),
    DashboardRoute("GET", route(CATEGORY), Need.SESSION, ask_category),
    DashboardRoute("POST", route(CATEGORY), Need.SESSION, category),
)
