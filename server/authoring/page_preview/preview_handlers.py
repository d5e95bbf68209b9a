"""Looks at a page over HTTP: JSON, or the picture as it is."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web
from msgspec import Struct
from msgspec.structs import replace

from server.api.authentication import Handler
from server.api.request import query_as
from server.authoring.handlers import answered, caller_of
from server.authoring.mcp_tools import ToolRow, look
from server.authoring.page_preview.preview_operations import PreviewOperations
from server.authoring.page_preview.preview_structs import LookAt, PagePreview
from server.http import accept, envelope
from server.mcp.tools import Tool, ToolImage, ToolResult, of_pages

PREVIEW = Tool(
    "look_at_page",
    "Look at pages",
    "Give the outline of a page, or of up to 20, as rendered: headings, components, images, tables and code. "
    "With `image`, a picture of the first too, where pictures are taken.",
    LookAt,
)


def preview_rows(operations: PreviewOperations) -> tuple[ToolRow, ...]:
    """Return the tool."""
    return (replace(look(PREVIEW, operations.look), result=_seen),)


def _seen(found: PagePreview) -> ToolResult:
    """Return a look with the picture by itself, so that a model sees it."""
    if found.image is None:
        return of_pages(found)
    told = of_pages(replace(found, image=replace(found.image, data=b"")))
    return replace(told, image=ToolImage(found.image.data, found.image.media_type))


class LookHandlers(Struct, frozen=True):
    """The endpoint of one site."""

    operations: PreviewOperations

    def by_operation(self) -> Mapping[str, Handler]:
        """The handler of each operation of the table."""
        return {"preview": self.preview}

    async def preview(self, request: web.Request) -> web.Response:
        """`GET /ai/preview`, as a PNG to those who prefer it."""
        asked, caller = query_as(request, LookAt), caller_of(request)
        if not accept.prefers(request.headers.getall("Accept", []), accept.PNG, accept.JSON):
            return answered(await self.operations.look(asked, caller))
        found, headers = await self.operations.picture(asked, caller)
        return web.Response(
            body=found.png, content_type=accept.PNG, headers={**envelope.HEADERS, "Vary": "Accept", **headers}
        )
