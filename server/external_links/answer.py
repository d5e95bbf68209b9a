"""The answer to the question for an external link, and the diagnostic that an author gets of it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from yarl import URL

from builder.diagnostics import Diagnostic
from builder.produce.external_links import ExternalLink

Outcome = Literal["fine", "broken", "unsure", "unasked"]
CODES = {"broken": "external-broken", "unsure": "external-unsure", "unasked": "external-unasked"}
MOVED = "external-moved"


class LinkAnswer(Struct, frozen=True):
    """An `outcome` with what was `said`, in words.

    `moved` is the address to which permanent redirects led, `status` the last one, 0 for none.
    """

    outcome: Outcome
    said: str = ""
    status: int = 0
    moved: str = ""

    @property
    def is_sure(self) -> bool:
        """True if a server has said so, and will say the same for a while."""
        return self.outcome == "fine" or (self.outcome == "broken" and self.status > 0)


def asked_url(text: str) -> URL | None:
    """Return what is asked for a link: without its fragment, and without a name and password in it."""
    try:
        url = URL(text).with_fragment(None).with_user(None)
    except ValueError:
        return None
    return url if url.host and url.scheme in {"http", "https"} else None


def diagnostic(link: ExternalLink, answer: LinkAnswer) -> Diagnostic | None:
    """Return what an author is told of a link, None where there is nothing to say."""
    place = link.file, link.line, link.column
    if answer.outcome != "fine":
        message = f"`{link.url}`: {answer.said}"
        hint = f"it moved for good to {answer.moved}" if answer.moved else ""
        return Diagnostic(*place, CODES[answer.outcome], message, hint)
    if answer.moved:
        return Diagnostic(*place, MOVED, f"`{link.url}` moved for good", f"link to {_whole(link, answer)}")
    return None


def record(link: ExternalLink, answer: LinkAnswer) -> dict[str, object] | None:
    """Return the same for a program, with the whole address; None where there is nothing to say."""
    told = diagnostic(link, answer)
    if told is None:
        return None
    return {
        "code": told.code,
        "level": told.level.value,
        "file": link.file,
        "line": link.line,
        "column": link.column,
        "message": told.message,
        "hint": told.hint,
        "url": link.url,
        "status": answer.status or None,
        "moved_to": _whole(link, answer) if answer.moved else None,
    }


def _whole(link: ExternalLink, answer: LinkAnswer) -> str:
    """The new address with the fragment that the link has."""
    _, mark, fragment = link.url.partition("#")
    return answer.moved if "#" in answer.moved else f"{answer.moved}{mark}{fragment}"
