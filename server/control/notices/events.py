"""The events of which accounts are told, and the text of each as JSON and in words.

{"id": "…", "event": "publish.failed", "at": "2026-11-25T18:00:00Z",
 "data": {"site": "quay-docs", "job": 12, "why": "the site has 2 errors, so it was not published"}}
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import ClassVar, Literal

import msgspec
from msgspec import Struct

EventName = Literal["publish.failed", "domain.broken", "domain.mended", "test"]


class PublishFailed(Struct, frozen=True):
    """No release has come of a job; `site` is the site's name, as in every event."""

    name: ClassVar[EventName] = "publish.failed"
    site: str
    job: int
    why: str
    by_itself: bool = False

    def paragraphs(self) -> Sequence[str]:
        """Return what a mail says."""
        began = "Its new writes were to be published by themselves. " if self.by_itself else ""
        return (
            f"The site {self.site} could not be published: {self.why}.",
            f"{began}Readers keep what they had. Its page Publish in the dashboard says more.",
        )


class DomainBroken(Struct, frozen=True):
    """A domain that led readers to a site does not any more."""

    name: ClassVar[EventName] = "domain.broken"
    site: str
    domain: str
    why: str

    def paragraphs(self) -> Sequence[str]:
        """Return what a mail says."""
        return (
            f"The domain {self.domain} of the site {self.site} has failed: {self.why}.",
            "Its page Domains in the dashboard says what was found, and what is to be there.",
        )


class DomainMended(Struct, frozen=True):
    """A domain that had failed leads to its site again."""

    name: ClassVar[EventName] = "domain.mended"
    site: str
    domain: str

    def paragraphs(self) -> Sequence[str]:
        """Return what a mail says."""
        return (f"The domain {self.domain} of the site {self.site} is right again.",)


class TestNotice(Struct, frozen=True):
    """An owner wants to see whether notices arrive."""

    __test__: ClassVar[bool] = False
    name: ClassVar[EventName] = "test"

    def paragraphs(self) -> Sequence[str]:
        """Return what a mail says."""
        return ("This is a test. It arrives, so what breaks would be told here.",)


NoticeEvent = PublishFailed | DomainBroken | DomainMended | TestNotice
_KINDS: dict[str, type[NoticeEvent]] = {
    each.name: each for each in (PublishFailed, DomainBroken, DomainMended, TestNotice)
}


class _Envelope(Struct, frozen=True):
    id: str
    event: str
    at: str
    data: msgspec.Raw


def to_body(event: NoticeEvent, id: str, at: int) -> str:
    """Return the JSON of an event that has happened at a time in seconds since 1970."""
    moment = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"
    data = msgspec.Raw(msgspec.json.encode(event))
    return msgspec.json.encode(_Envelope(id, event.name, moment, data)).decode()


def from_body(body: str) -> NoticeEvent:
    """Return the event in a JSON of ours."""
    found = msgspec.json.decode(body, type=_Envelope)
    return msgspec.json.decode(found.data, type=_KINDS[found.event])
