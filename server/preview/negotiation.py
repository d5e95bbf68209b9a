"""Choose the form of a page: HTML, or its markdown twin for those who prefer it.

Both are at the page's own address, so every such answer says that it depends on `Accept`. Nobody is refused:
who prefers nothing that there is gets HTML.
"""

from __future__ import annotations

from urllib.parse import quote

from aiohttp import hdrs, web
from msgspec import Struct, field

from server.http import accept
from server.preview.mime import content_type
from server.preview.routing import Route
from server.preview.sending import Content, of_bytes
from server.preview.snapshot import Snapshot

INDEX = "llms.txt"
HTML, TWIN = ".html", ".md"
VARY: dict[str, str] = {hdrs.VARY: hdrs.ACCEPT}


class Form(Struct, frozen=True):
    """The output path to answer with, and the headers that go with it."""

    output: str
    headers: dict[str, str] = field(default_factory=dict)


def markdown_wanted(request: web.Request) -> bool:
    """Return whether the client would rather have markdown than HTML."""
    return accept.prefers_markdown(request.headers.getall(hdrs.ACCEPT, []), accept.HTML)


def form(request: web.Request, found: Route, snapshot: Snapshot) -> Form:
    """The form of what was found. Files of authors have but one, and so has a page without a twin."""
    output, written = found.output, snapshot.output.written
    twin = output.removesuffix(HTML) + TWIN
    if found.status == 404:
        return Form(output, {**_links(_index(snapshot)), **VARY})
    if not output.endswith(HTML) or output not in written:
        return Form(output)
    if twin not in written:
        return Form(output, _links(_index(snapshot)))
    place = _address(twin, snapshot)
    if markdown_wanted(request):
        return Form(twin, {**_links(_index(snapshot)), **VARY, hdrs.CONTENT_LOCATION: place})
    alternate = f'<{place}>; rel="alternate"; type="{accept.MARKDOWN}"'
    return Form(output, {**_links(alternate, _index(snapshot)), **VARY})


def missing(request: web.Request, snapshot: Snapshot, says: str) -> tuple[Content, dict[str, str]]:
    """Return what it `says` in place of the site's not-found page, as markdown or plain text, and headers.

    Nothing of the address is repeated: anybody may have made it up for an agent to read.
    """
    headers = {**_links(_index(snapshot)), **VARY}
    if not markdown_wanted(request):
        return of_bytes(f"{says}\n".encode(), content_type(".txt")), headers
    way = f"\n- [All pages]({_address(INDEX, snapshot)})\n" if _index(snapshot) else ""
    return of_bytes(f"# Page not found\n\n{says}\n{way}".encode(), content_type(TWIN)), headers


def _index(snapshot: Snapshot) -> str:
    """The link to the list of all pages, or "" when there is none."""
    if INDEX not in snapshot.output.written:
        return ""
    return f'<{_address(INDEX, snapshot)}>; rel="describedby"; type="text/plain"'


def _links(*links: str) -> dict[str, str]:
    value = ", ".join(filter(None, links))
    return {hdrs.LINK: value} if value else {}


def _address(output: str, snapshot: Snapshot) -> str:
    return quote(f"{snapshot.base}/{output}")
