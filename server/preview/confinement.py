"""Headers that confine the files that a site brings.

A script in a page of HTML or a drawing reads whatever its origin may: the preview, in a tab left open the
next one at this port, and what other servers of this machine have left in the browser. So it runs in an
origin of its own, unless somebody has said that the site may be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from server.preview.sending import Content
from server.site_files import mime

NO_SCRIPT = "sandbox"
APART = "sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads"
"""Scripts run, in an origin of their own."""
_LENT = {"Cross-Origin-Resource-Policy": "cross-origin"}
"""Any page may name the file, which does not let it read the file."""


class Confinement(Struct, frozen=True):
    """`policy` is that of files that browsers run, empty for none.

    `lends` says that pages of HTML among them may name the others, although their origin is another one.
    """

    policy: str = ""
    lends: bool = False

    def headers(self, output: str) -> dict[str, str]:
        """Those of the file at an output path."""
        found = {"Content-Security-Policy": self.policy} if self._is_confined(output) else {}
        return found | _LENT if self.lends and mime.embeds(output) else found

    def content(self, content: Content, output: str) -> Content:
        """The same under another ETag for each policy: what a browser keeps, it keeps with its headers."""
        if not self._is_confined(output):
            return content
        return replace(content, etag=f"{content.etag}-{len(self.policy)}")

    def _is_confined(self, output: str) -> bool:
        return bool(self.policy) and mime.runs(output)


def confinement(copied: Iterable[str], *, agreed: bool, withheld: bool) -> Confinement:
    """Confine the site whose files have these output paths.

    `agreed` says that somebody trusts it; `withheld`, that none of its programs run.
    """
    if withheld:
        return Confinement(NO_SCRIPT)
    if agreed:
        return Confinement()
    return Confinement(APART, any(map(mime.is_page, copied)))
