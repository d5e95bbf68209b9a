"""The one allow-list of link targets, shared by markdown, components, raw HTML and `site.yml`.

    address = SCHEME ":" rest        SCHEME is http, https, mailto or tel
            | path | "?" query | "#" fragment | nothing

Browsers forgive much: they skip tabs and newlines within an address, decode entities in attributes, and
take `\\` for `/`. The check is therefore made on every decoding of the text, with all that is invisible
removed, and refuses what it does not know; nothing is ever mended into an address with a scheme.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from builder.lazy_regex import lazy
from builder.paths import is_within

SCHEMES = frozenset({"http", "https", "mailto", "tel"})
RELATIONS = frozenset({
    "author", "external", "help", "license", "me", "nofollow", "noopener", "noreferrer", "ugc",
})  # fmt: skip
"""What `rel` of a link may say."""

_PLAIN = lazy(r"(?:https?://|mailto:|/|\./|(?:\.\./)+)?[A-Za-z0-9_-][A-Za-z0-9_./?#=~,+-]*|#[\w.-]*")
"""What nearly all links are: no colon beyond the scheme's, no `//`-start, no escapes, nothing to decode."""

_INVISIBLE = lazy(
    r"[\x00-\x20\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    r"\ufe00-\ufe0f\ufeff\ufff0-\uffff\ud800-\udfff\U000e0000-\U000e0fff]+"
)
_CONTROL = lazy(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_SCHEME = lazy(r"([^/?#]*?):")
_WEB = lazy(r"https?://[^/\\?#]", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_SPACE = lazy(r"\s")
_DECODINGS = 4


def safe(href: str) -> str | None:
    """The address as it may be written into an attribute (still to be escaped), or None when it is refused.

    Control characters are removed and inner white space is percent-encoded; the rest is as it was given.
    """
    if _PLAIN.fullmatch(href):
        return href
    text = href
    for _ in range(_DECODINGS):
        if not _allowed(_INVISIBLE.sub("", text)):
            return None
        read = decoded(text)
        if read == text:
            found = _SPACE.sub(_percent, _CONTROL.sub("", href).strip())
            return found if _is_readable(found) else None
        text = read
    return None  # entities within entities within entities: nobody writes that in good faith


def _is_readable(address: str) -> bool:
    """Return whether an address can be taken apart: `http://[` cannot, for its host would be of IPv6."""
    if "[" not in address and "]" not in address:
        return True
    try:
        urlsplit(address)
    except ValueError:
        return False
    return True


def decoded(text: str) -> str:
    """The text without entities, as browsers read attributes and text."""
    if "&" not in text:
        return text
    import html  # noqa: PLC0415 - slow to load, for its table of entities

    return html.unescape(text)


def external(href: str) -> bool:
    """Return whether a safe address leaves the site, or leads to no page at all (`mailto:`, `tel:`)."""
    return _SCHEME.match(href) is not None


def below(href: str, site: str) -> str | None:
    """Return the part of a safe address after that of a site, from the slash on; None for any other address.

    `site` is `https://host[:port][/path]` without a slash at its end. `http` and `https`, the default port
    and the case of the host make no difference.
    """
    own = urlsplit(site)
    if href.isascii() and (own.hostname or "") not in href.lower():
        return None
    try:
        parts = urlsplit(href)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    same_port = (own.port or 0) == (0 if port == _DEFAULT_PORTS.get(scheme) else port or 0)
    if scheme not in _DEFAULT_PORTS or parts.hostname != own.hostname or not same_port:
        return None
    if not is_within(parts.path, own.path):
        return None
    rest = parts._replace(scheme="", netloc="", path=parts.path[len(own.path) :] or "/")
    return rest.geturl()


def insecure(href: str) -> bool:
    """Return whether a safe address is one of the web without encryption."""
    return href[:5].lower() == "http:"


def _allowed(compact: str) -> bool:
    """Return whether an address without white space and control characters may be linked."""
    if "\\" in compact or compact.startswith("//"):
        return False
    scheme = _SCHEME.match(compact)
    if scheme is None:
        return True
    name = scheme[1].lower()
    if name not in SCHEMES:
        return False
    return name not in {"http", "https"} or _WEB.match(compact) is not None


def _percent(space: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in space[0].encode())
