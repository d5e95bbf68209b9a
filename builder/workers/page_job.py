"""A job with a page, which a process does.

Apart from `page_worker` for the time it takes to load what renders: a build may have nothing to do.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from builder.code.rendered_fence import Fence
from builder.diagrams import Diagram
from builder.render import PageContent
from builder.site import SitePage


class Job(Struct, frozen=True):
    """A page to render; only its frame, when its content is known. `whole`: its HTML is wanted.

    `code` are blocks of code that it had before, and `diagrams` what was drawn of it.
    """

    page: SitePage
    content: PageContent | None = None
    whole: bool = False
    code: Mapping[bytes, Fence] = {}
    diagrams: Mapping[bytes, Diagram] = {}
