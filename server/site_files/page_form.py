"""The form in which a page is answered: HTML, or its markdown twin to those who prefer it.

Both are at the page's own address, so every such answer says that it depends on `Accept`. Nobody is refused:
who prefers nothing that there is gets HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from urllib.parse import quote

from msgspec import Struct, field

from server.http import accept
from server.site_files import mime
from server.site_files.routing import Route

NOTHING = "There is no page at this address."
_INDEX = "llms.txt"
_HTML, _TWIN = ".html", ".md"
_VARY = {"Vary": "Accept"}


class Form(Struct, frozen=True):
    """The output path to answer with, and the headers that go with it."""

    output: str
    headers: dict[str, str] = field(default_factory=dict)


class InPlace(Struct, frozen=True):
    """An answer in place of the site's not-found page."""

    text: str
    type: str
    headers: dict[str, str]


def form(found: Route, written: Collection[str], base: str, prefers_markdown: Callable[[], bool]) -> Form:
    """The form of what was found. Files of authors have but one, and so has a page without a twin.

    `written` are the output paths of what the build has made, `base` is the site's base path.
    """
    output = found.output
    twin = output.removesuffix(_HTML) + _TWIN
    if found.status == 404:
        return Form(output, {**_links(_index(written, base)), **_VARY})
    if not output.endswith(_HTML) or output not in written:
        return Form(output)
    if twin not in written:
        return Form(output, _links(_index(written, base)))
    place = _address(twin, base)
    if prefers_markdown():
        return Form(twin, {**_links(_index(written, base)), **_VARY, "Content-Location": place})
    alternate = f'<{place}>; rel="alternate"; type="{accept.MARKDOWN}"'
    return Form(output, {**_links(alternate, _index(written, base)), **_VARY})


def in_place(says: str, written: Collection[str], base: str, *, markdown: bool) -> InPlace:
    """Return what it `says` in place of the site's not-found page, as markdown or plain text.

    Nothing of the address is repeated: anybody may have made it up for an agent to read.
    """
    headers = {**_links(_index(written, base)), **_VARY}
    if not markdown:
        return InPlace(f"{says}\n", mime.content_type(".txt"), headers)
    way = f"\n- [All pages]({_address(_INDEX, base)})\n" if _INDEX in written else ""
    return InPlace(f"# Page not found\n\n{says}\n{way}", mime.content_type(_TWIN), headers)


def _index(written: Collection[str], base: str) -> str:
    """The link to the list of all pages, or "" when there is none."""
    if _INDEX not in written:
        return ""
    return f'<{_address(_INDEX, base)}>; rel="describedby"; type="text/plain"'


def _links(*links: str) -> dict[str, str]:
    value = ", ".join(filter(None, links))
    return {"Link": value} if value else {}


def _address(output: str, base: str) -> str:
    return quote(f"{base}/{output}")
