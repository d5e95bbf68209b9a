"""The places that the footer has an icon for; the drawings are the theme's, `icons/social.json`."""

from __future__ import annotations

from msgspec import Struct

from builder.config import checks

EMAIL, FEED = "email", "rss"


class Place(Struct, frozen=True):
    """One place: its name for readers, and whether an address there says who the site's people are."""

    label: str
    meaning: str
    is_profile: bool = True


_PROFILE = "Your profile on {}."
PLACES = {
    "github": Place("GitHub", _PROFILE.format("GitHub")),
    "gitlab": Place("GitLab", _PROFILE.format("GitLab")),
    "x": Place("X", _PROFILE.format("X")),
    "mastodon": Place("Mastodon", _PROFILE.format("Mastodon")),
    "bluesky": Place("Bluesky", _PROFILE.format("Bluesky")),
    "linkedin": Place("LinkedIn", "Your page on LinkedIn."),
    "youtube": Place("YouTube", "Your channel on YouTube."),
    "discord": Place("Discord", "The invitation to your Discord.", is_profile=False),
    "slack": Place("Slack", "The invitation to your Slack.", is_profile=False),
    FEED: Place("RSS", "Your feed: a path in the site, or another address.", is_profile=False),
    EMAIL: Place("", "Your address for mail, as in `hello@example.com`.", is_profile=False),
}
"""Each place by its name in `site.yml`. That of the label of mail is a word of the theme."""


def address(name: str, text: str) -> str:
    """Return the link to an address at one of the places, or raise ValueError with what is wrong with it."""
    if name == EMAIL:
        return _mail(text)
    href = checks.link(text)
    if name == FEED or href.lower().startswith(("http:", "https:")):
        return href
    raise ValueError("expected an address with `https`", f"as in `https://{name}.com/example`")


def _mail(text: str) -> str:
    address = text.removeprefix("mailto:")
    name, at, host = address.rpartition("@")
    if not (name and at and host) or any(sign in address for sign in " :/?#"):
        raise ValueError("expected an address for mail", "as in `hello@example.com`")
    return checks.link(f"mailto:{address}")
