"""The places of a site's makers elsewhere, as `site.yml` has them: each by its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urlsplit

from builder.config.social import PLACES
from builder.importer.old_site import Loss

_HOSTS = {
    "github.com": "github", "gitlab.com": "gitlab", "x.com": "x", "twitter.com": "x", "bsky.app": "bluesky",
    "linkedin.com": "linkedin", "youtube.com": "youtube", "youtu.be": "youtube", "discord.gg": "discord",
    "discord.com": "discord", "slack.com": "slack", "mastodon.social": "mastodon",
    "fosstodon.org": "mastodon",
}  # fmt: skip
_OTHERS = {"twitter": "x", "x-twitter": "x", "feed": "rss"}


def social_places(given: Iterable[tuple[str, str]], file: str, losses: list[Loss]) -> Mapping[str, str]:
    """Return places by name from pairs of a name or icon and an address; others are told."""
    found: dict[str, str] = {}
    for name, href in given:
        place = _place(name, href)
        if place and place not in found:
            found[place] = href.removeprefix("mailto:") if place == "email" else href
        else:
            losses.append(Loss("place of the makers elsewhere", file, 0, f"{name}: {href}"))
    return found


def _place(name: str, href: str) -> str:
    """Return the name here, "" for a place that is not known or an address that none can have."""
    if href.startswith("mailto:"):
        return "email" if "@" in href else ""
    if not href.startswith(("https://", "http://")):
        return ""
    return next((one for one in (*_by_host(href), *_by_name(name)) if one in PLACES and one != "email"), "")


def _by_host(href: str) -> Iterator[str]:
    try:
        host = (urlsplit(href).hostname or "").removeprefix("www.")
    except ValueError:
        return
    for known, place in _HOSTS.items():
        if host == known or host.endswith(f".{known}"):
            yield place


def _by_name(name: str) -> Iterator[str]:
    plain = name.casefold().rpartition("/")[2]
    yield _OTHERS.get(plain, plain)
