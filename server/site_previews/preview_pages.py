"""Headers of everything on the origin of previews, and the pages in place of a site's own.

The frame of the dashboard in which a preview stands has an origin that equals no other. What its pages load
of their own host counts as foreign there, so each answer may be read from anywhere. The name of the host is
the secret, and no cookie is ever of account.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from aiohttp import web

from server.dashboard.previews import PreviewFailed

_HEADERS = {
    "Cache-Control": "no-store",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}
_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'"
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<h1>{title}</h1>
<p>{says}</p>
</html>
"""


def headers(service: str, policy: str = "") -> dict[str, str]:
    """Return the headers of every answer, with the `policy` that it has by itself.

    Pages have one in their HTML; that alone cannot say who may show them in a frame, which is the service.
    """
    framed = f"frame-ancestors {service}"
    return {**_HEADERS, "Content-Security-Policy": f"{policy}; {framed}" if policy else framed}


def ended(service: str) -> web.Response:
    """The answer to every name that is none of a preview, or not any more."""
    return _page(404, "This preview has ended", "Open it again from the dashboard.", service)


def failed(service: str, error: PreviewFailed) -> web.Response:
    """The answer where nothing can be shown now."""
    more = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
    return _page(error.status, "This preview cannot be shown", error.says, service, more)


def _page(
    status: int, title: str, says: str, service: str, more: Mapping[str, str] | None = None
) -> web.Response:
    return web.Response(
        status=status,
        text=_PAGE.format(title=escape(title), says=escape(says)),
        content_type="text/html",
        headers={**headers(service, _POLICY), **(more or {})},
    )
