"""The places that the footer has an icon for; the drawings are the theme's, `icons/social.json`."""

from __future__ import annotations

from msgspec import Struct

from builder.config import checks

EMAIL, FEED = "email", "rss"


class SocialPlace(Struct, frozen=True):
    """One place: its name for readers, and whether an address there says who the site's people are."""

    label: str
    meaning: str
    example: str = ""
    is_profile: bool = True


def _profile(label: str, example: str) -> SocialPlace:
    return SocialPlace(label, f"Your profile on {label}.", example)


PLACES = {
    "github": _profile("GitHub", "https://github.com/example"),
    "gitlab": _profile("GitLab", "https://gitlab.com/example"),
    "x": _profile("X", "https://x.com/example"),
    "mastodon": _profile("Mastodon", "https://mastodon.social/@example"),
    "bluesky": _profile("Bluesky", "https://bsky.app/profile/example.com"),
    "linkedin": _profile("LinkedIn", "https://www.linkedin.com/company/example"),
    "youtube": _profile("YouTube", "https://www.youtube.com/@example"),
    "discord": SocialPlace("Discord", "The invitation to your Discord.", "https://discord.gg/example", False),
    "slack": SocialPlace("Slack", "The invitation to your Slack.", "https://example.slack.com", False),
    FEED: SocialPlace("RSS", "Your feed: a path in the site, or another address.", is_profile=False),
    EMAIL: SocialPlace("", "Your address for mail, as in `hello@example.com`.", is_profile=False),
}
"""Each place by its name in `site.yml`. That of the label of mail is a word of the theme."""


def address(name: str, text: str) -> str:
    """Return the link to an address at one of the places, or raise ValueError with what is wrong with it."""
    if name == EMAIL:
        return _mail(text)
    href = checks.link(text)
    if name == FEED or href.lower().startswith(("http:", "https:")):
        return href
    raise ValueError("expected an address with `https`", f"as in `{PLACES[name].example}`")


def _mail(text: str) -> str:
    address = text.removeprefix("mailto:")
    name, at, host = address.rpartition("@")
    if not (name and at and host) or any(sign in address for sign in " :/?#"):
        raise ValueError("expected an address for mail", "as in `hello@example.com`")
    return checks.link(f"mailto:{address}")
