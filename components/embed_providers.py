"""Sites whose pages cannot be framed, but which have another address for frames: the player, the preview.

So an author can paste the address from the browser's address bar.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import SplitResult, parse_qs, urlencode

from msgspec import Struct

_ID = r"([A-Za-z0-9_-]+)"


class Provider(Struct, frozen=True):
    """`hosts` are where its addresses are found (without `www.`), `frames` the hosts that can be framed.

    `player` turns a page's address into the address to frame, or an empty string if there is none.
    """

    name: str
    hosts: tuple[str, ...]
    frames: tuple[str, ...]
    player: Callable[[SplitResult], str]

    def frame(self, url: SplitResult) -> str:
        """The address to frame: the player's, else `url` itself if its host can be framed, else ""."""
        as_it_is = url.geturl() if url.hostname in self.frames else ""
        return self.player(url) or as_it_is


def _patterns(*rules: tuple[str, str]) -> Callable[[SplitResult], str]:
    """A player from pairs of a pattern for the start of the path and its address; the first match wins."""

    def player(url: SplitResult) -> str:
        found = ((re.match(pattern, url.path), address) for pattern, address in rules)
        return next((match.expand(address) for match, address in found if match), "")

    return player


def _youtube(url: SplitResult) -> str:
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    short = rf"/{_ID}/?$" if url.hostname == "youtu.be" else rf"/(?:embed|shorts|live|v)/{_ID}/?$"
    found = re.match(short, url.path)
    video = found[1] if found else query.get("v", "videoseries" if "list" in query else "")
    if not re.fullmatch(_ID, video):
        return ""
    start = _seconds(query.get("t") or query.get("start") or "")
    kept = {"start": start, "list": query.get("list")}
    options = urlencode({name: value for name, value in kept.items() if value})
    return f"https://www.youtube-nocookie.com/embed/{video}" + (f"?{options}" if options else "")


def _seconds(time: str) -> int:
    """`90`, `90s` or `1m30s` as seconds; 0 for anything else."""
    found = re.fullmatch(r"(?:(\d{1,4})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s?)?", time)
    hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
    return hours * 3600 + minutes * 60 + seconds


def _figma(url: SplitResult) -> str:
    if (
        not re.match(r"/(?:file|design|proto|board|slides|deck)/", url.path)
        or url.hostname == "embed.figma.com"
    ):
        return ""
    return "https://www.figma.com/embed?" + urlencode({"embed_host": "share", "url": url.geturl()})


def _stackblitz(url: SplitResult) -> str:
    if not re.match(r"/(?:edit|github)/.", url.path):
        return ""
    others = [part for part in url.query.split("&") if part and part != "embed=1"]
    return url._replace(query="&".join(["embed=1", *others])).geturl()


PROVIDERS = (
    Provider(
        "YouTube",
        ("youtube.com", "youtu.be", "m.youtube.com", "music.youtube.com", "youtube-nocookie.com"),
        ("www.youtube-nocookie.com",),
        _youtube,
    ),
    Provider(
        "Vimeo",
        ("vimeo.com", "player.vimeo.com"),
        ("player.vimeo.com",),
        _patterns(
            (r"/(\d+)/([0-9a-f]+)/?$", r"https://player.vimeo.com/video/\1?h=\2"),
            (r"/(?:(?:channels|groups)/[^/]+/(?:videos/)?)?(\d+)/?$", r"https://player.vimeo.com/video/\1"),
        ),
    ),
    Provider(
        "Loom",
        ("loom.com",),
        ("www.loom.com",),
        _patterns((rf"/(?:share|embed)/{_ID}", r"https://www.loom.com/embed/\1")),
    ),
    Provider("Figma", ("figma.com", "embed.figma.com"), ("www.figma.com", "embed.figma.com"), _figma),
    Provider(
        "CodePen",
        ("codepen.io",),
        ("codepen.io",),
        _patterns(
            (rf"/((?:team/)?[A-Za-z0-9_-]+)/(?:pen|full|details)/{_ID}", r"https://codepen.io/\1/embed/\2")
        ),
    ),
    Provider(
        "CodeSandbox",
        ("codesandbox.io",),
        ("codesandbox.io",),
        _patterns((rf"/(?:s|p/sandbox|p/devbox)/{_ID}", r"https://codesandbox.io/embed/\1")),
    ),
    Provider("StackBlitz", ("stackblitz.com",), ("stackblitz.com",), _stackblitz),
    Provider(
        "Spotify",
        ("spotify.com", "open.spotify.com"),
        ("open.spotify.com",),
        _patterns(
            (
                r"/(?:intl-[a-z-]+/)?(track|album|artist|playlist|episode|show)/([A-Za-z0-9]+)",
                r"https://open.spotify.com/embed/\1/\2",
            )
        ),
    ),
)


def find_provider(host: str) -> Provider | None:
    """The provider whose addresses are at `host` (without `www.`), or None."""
    return next((provider for provider in PROVIDERS if host in provider.hosts), None)
