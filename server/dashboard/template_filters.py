"""Filters of the templates: times, sizes and messages, as people read them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from html import unescape
from typing import Protocol

from markupsafe import Markup, escape

_CODE = re.compile("`([^`]+)`")
_CHANGE = re.compile(r"<form\b[^>]*method=\"post\".*?</form>|<button\b[^>]* data-passkey=", re.DOTALL)
_LINK = re.compile(r"<a\b[^>]*? href=\"([^\"]*)\"[^>]*>")
_ASKS = re.compile(
    r"(?:/[^?]*)?#new|/account/export|"
    r"(?!/sites/(?!import\b|new\b)[a-z0-9-]+(?:\?|$))"
    r"/(?:[^?#]*/)?(?:category|codes|delete|email|import|invite|move|new|offline|password|recovery|remove|rename"
    r"|reveal|rotate)(?:\?.*)?"
)
"""Addresses of forms that change something and show nothing else, or that are on the same page.

A site may have such a word as its name: its overview is no form.
"""
_INACTIVE = 'aria-describedby="suspended" title="This account is suspended"'
_WORD = re.compile(r"[a-z]+(?=[ ,:;]|\.? |\.?$)")
_NEAR = {-1: "yesterday", 0: "today", 1: "tomorrow"}


class _Finding(Protocol):
    """A diagnostic, as far as it is told."""

    message: str
    hint: str


class _Owner(Protocol):
    """An account, as far as it may change something."""

    @property
    def suspended(self) -> bool: ...


def day(when: int | str) -> Markup:
    """Write a moment, in seconds since 1970 or as ISO 8601, as its day; the year where it is another."""
    moment = datetime.fromtimestamp(when, UTC) if isinstance(when, int) else datetime.fromisoformat(when)
    html = '<time datetime="{}" title="{}">{}</time>'
    return Markup(html).format(f"{moment:%Y-%m-%d}", _full(moment), _short(moment, _now()))


def moment(seconds: int) -> Markup:
    """Write a moment with the clock of UTC; the dashboard's script makes it the reader's own time."""
    at, now = datetime.fromtimestamp(seconds, UTC), _now()
    near = _NEAR.get((at.date() - now.date()).days)
    html = '<time datetime="{}" title="{}">{}, {} UTC</time>'
    title = f"{_full(at)}, {at:%H:%M} UTC"
    return Markup(html).format(f"{at:%Y-%m-%dT%H:%MZ}", title, near or _short(at, now), f"{at:%H:%M}")


def clock(seconds: int) -> Markup:
    """Write a moment as the clock of UTC alone; the dashboard's script makes it the reader's own."""
    at = datetime.fromtimestamp(seconds, UTC)
    html = '<time datetime="{}" data-clock title="{} UTC">{}</time>'
    return Markup(html).format(f"{at:%Y-%m-%dT%H:%M:%SZ}", f"{_full(at)}, {at:%H:%M:%S}", f"{at:%H:%M:%S}")


def megabytes(size: int) -> str:
    """Write a number of bytes in megabytes, 1 for all that is smaller."""
    return f"{max(1, round(size / 1024 / 1024)):,}"


def as_bytes(size: int) -> str:
    """Write a number of bytes in the unit that suits it."""
    if size < 1024:
        return f"{size} byte{'' if size == 1 else 's'}"
    if round(size / 1024) < 1024:
        return f"{round(size / 1024)} KB"
    megabytes = size / 1024 / 1024
    return f"{megabytes:,.1f} MB" if round(megabytes, 1) < 1024 else f"{megabytes / 1024:,.1f} GB"


def code(message: str) -> Markup:
    """Set as code what a message has in backticks."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(message))))


def capital(message: str) -> str:
    """Begin a message with a capital, unless it begins with a path or a name."""
    return f"{message[0].upper()}{message[1:]}" if _WORD.match(message) else message


def finding(found: _Finding) -> Markup:
    """Write a diagnostic as a sentence, with its way out."""
    text = f"{capital(found.message)}: {found.hint}" if found.hint else capital(found.message)
    return code(text if text.endswith((".", "?")) else f"{text}.")


def pressable(html: str, account: _Owner) -> Markup:
    """Disable buttons that change something, and links to forms that do, where the account is suspended.

    They name the reason, which the page says at its top. All can be read.
    """
    if not account.suspended:
        return Markup(html)
    buttons = f"<button disabled {_INACTIVE} "
    html = _CHANGE.sub(lambda form: form[0].replace("<button ", buttons), html)
    return Markup(_LINK.sub(_readable, html))


def asks(path: str) -> bool:
    """Return whether there is nothing at an address but a form that changes something."""
    return _ASKS.fullmatch(path) is not None


def _readable(link: re.Match[str]) -> str:
    """Return a link as it is, or without its address where that is a form for a change."""
    if not asks(unescape(link[1])):
        return link[0]
    return link[0].replace(f'href="{link[1]}"', f'role="link" aria-disabled="true" {_INACTIVE}', 1)


FILTERS: Mapping[str, Callable[..., object]] = {
    each.__name__: each
    for each in (day, moment, clock, megabytes, as_bytes, code, capital, finding, pressable)
}


def _now() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


def _full(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"


def _short(moment: datetime, now: datetime) -> str:
    return f"{moment.day} {moment:%B}" if moment.year == now.year else _full(moment)
