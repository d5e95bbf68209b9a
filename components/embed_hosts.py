"""The hosts that may be framed: the rules of `embed_hosts` in `site.yml`, for `Embed` and the page's policy.

An entry is a host name, and no pattern: a page says exactly what may be framed in it. `example.com` and
`www.example.com` mean both of these and no other subdomain. A port other than 443 must be given. Any host of
a known provider stands for all that the provider needs: `youtu.be` allows the YouTube player.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from components.embed_providers import PROVIDERS, find_provider

_ENTRY = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::\d{1,5})?")
_PLAIN = re.compile(r"[^\x00-\x20\\\x7f-\x9f]+")


def address(text: str) -> SplitResult | None:
    """`text` as an address that may be framed at all, or None.

    That is `https`, a host, no user name, no odd characters. The host is lower-case ASCII, as browsers
    will have it.
    """
    if not _PLAIN.fullmatch(text):
        return None
    try:
        url = urlsplit(text)
        place = _ascii(url.hostname or "") + (f":{url.port}" if url.port not in (None, 443) else "")
    except ValueError:  # a broken IPv6 literal, a port that is no number, a name that cannot be a host
        return None
    if url.scheme != "https" or "@" in url.netloc or not _ENTRY.fullmatch(place):
        return None
    return url._replace(netloc=place)


def permits(place: str, embed_hosts: Iterable[str]) -> bool:
    """Return True if frames from `place` (host, or host and port) are allowed."""
    bare = place.removeprefix("www.")
    provider = find_provider(bare)
    entries = {_bare(entry) for entry in embed_hosts}
    return bare in entries or (provider is not None and not entries.isdisjoint(provider.hosts))


def frame_sources(embed_hosts: Iterable[str]) -> tuple[str, ...]:
    """The sources for `frame-src` in the page's policy, sorted, without entries that are no host."""
    sources: set[str] = set()
    for entry in {_bare(entry) for entry in embed_hosts} - {""}:
        provider = find_provider(entry)
        if provider:
            sources.update(provider.frames)
        else:
            sources.update((entry, f"www.{entry}"))
    return tuple(f"https://{source}" for source in sorted(sources))


def _bare(entry: str) -> str:
    """An entry as it is compared: ASCII, lower case, without `https://`, `www.` and slash; "" for none."""
    try:
        host = _ascii(entry.strip().removeprefix("https://").rstrip("/"))
    except ValueError:
        return ""
    return host.removeprefix("www.") if _ENTRY.fullmatch(host) else ""


def _ascii(host: str) -> str:
    """Raises ValueError (UnicodeError) for what cannot be a host."""
    return host.lower() if host.isascii() else host.encode("idna").decode("ascii").lower()


DEFAULT_HOSTS = tuple(provider.hosts[0] for provider in PROVIDERS)
"""The value of `embed_hosts` when `site.yml` does not set it."""
