"""The domains of web addresses in one text: each run of characters that may be one is read once.

    domain = part { "." part }      up to 253 characters, not only marks, no `_` in the last two parts

Addresses may begin at many places of one run, as in `www._www._www._`. All domains in it have its end in
common, and what is refused for its last two parts is refused from wherever these are the same.
"""

from __future__ import annotations

from msgspec import Struct

from builder.lazy_regex import lazy
from builder.markdown.commonmark.budget import Meter

MAX_DOMAIN = 253
"""Characters of a name in DNS: 255 octets with the lengths of its parts (RFC 1035, 2.3.4)."""

READ = 64
"""Characters that are read for nothing for one step of the budget."""

_RUN = lazy(r"[\w.\U00010000-\U0010ffff-]*+")


class Domains(Struct):
    """The last run of text read for domains: its begin, its end, and up to where no domain begins.

    `limit` is where the text ended then: a link's label ends before the text that it stands in.
    """

    start: int = 0
    stop: int = 0
    limit: int = -1
    refused: int = -1

    def end(self, src: str, name: int, begin: int, limit: int, of_page: Meter) -> int:
        """The end of the domain at `begin`, whose name with its `www.` is at `name`; 0 when it is none."""
        if self.limit != limit or not self.start <= begin <= self.stop:
            self._read(src, begin, limit)
            unread = self.stop - begin
        else:
            unread = 0
        if self.stop - name <= MAX_DOMAIN and begin > self.refused:
            unread += self.stop - begin
            if self._is_domain(src, begin):
                return self.stop
        of_page.left -= unread // READ
        return 0

    def _read(self, src: str, begin: int, limit: int) -> None:
        found = _RUN.match(src, begin, limit)
        self.start, self.limit, self.refused = begin, limit, -1
        self.stop = found.end() if found else begin

    def _is_domain(self, src: str, begin: int) -> bool:
        """Not only marks, and no underscore in the last two parts; remembers how far the same is true."""
        domain = src[begin : self.stop]
        if not domain.strip("-_."):
            self.refused = self.stop
            return False
        parts = domain.rsplit(".", 2)
        last = ".".join(parts[-2:])
        if "_" in last:
            self.refused = self.stop - len(last) if len(parts) == 3 else begin
            return False
        return True
