"""The last pages that were looked at, with what stands around them."""

from __future__ import annotations

from builder.build.extras import Make
from builder.build.prepare import Prepared
from builder.preview.state import State
from builder.preview.texts import Text
from builder.render import Made
from builder.render.page import frame

MOST = 300
"""Pages that are kept. Making one again takes a millisecond."""


class Frames:
    """Files by output path, or pages by content path; a file is right for what it was made of."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Prepared, Made | None, bytes]] = {}

    def page(self, state: State, text: Text) -> bytes:
        """The whole HTML document of a page."""
        known = self._known.get(text.page.path)
        if known is not None and known[0] is state.prepared and known[1] is text.made:
            return known[2]
        data = frame(text.page, text.made, state.prepared.shared)
        return self._keep(text.page.path, state, text.made, data)

    def other(self, state: State, output: str, make: Make) -> bytes:
        """A file that is made of no page's text."""
        known = self._known.get(f"/{output}")
        if known is not None and known[0] is state.prepared:
            return known[2]
        return self._keep(f"/{output}", state, None, make())

    def _keep(self, name: str, state: State, made: Made | None, data: bytes) -> bytes:
        self._known.pop(name, None)
        self._known[name] = state.prepared, made, data
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        return data
