"""The answer to a link in a page, and the protocol of whoever gives it."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from builder.links.suggestions import Effort

Kind = Literal["link", "image"]
Problem = tuple[str, str, str]
"""Code, message, hint."""


class Resolved(Struct, frozen=True):
    """A link that was resolved, or refused.

    `href` is final, with the base path, still to be escaped; "" when refused. `absolute` is the same with the
    site's origin when that is known. `path` is the content path when the target is a page of the site that
    is shown, `fragment` its percent-decoded fragment. `problem` is (code, message, hint) or None; where the
    hint is to name what is near, `missing` is the place that it is to be near to, from the site's root.
    """

    href: str
    absolute: str
    path: str | None = None
    fragment: str = ""
    problem: Problem | None = None
    missing: str = ""


class Links(Protocol):
    """The questions that a page may ask about addresses."""

    def resolve(self, href: str, from_path: str, kind: Kind = "link") -> Resolved:
        """Resolve `href`, found on the page `from_path`. Total; a fault is the result's `problem`."""

    def hint(self, resolved: Resolved, effort: Effort) -> str:
        """The hint to the problem of `resolved`; empty when the effort is at its end."""

    @property
    def digest(self) -> bytes:
        """The same for the same addresses."""
